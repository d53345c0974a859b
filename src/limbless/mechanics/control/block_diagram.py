"""A law as a table of operations on numbers: every law runs in one kernel, side by side and with derivatives.

Values stand in one array: the time, the controller's own numbers, what it senses, constants, and what each operation
gives. Operations that follow from time and own numbers alone come first, then those that need early senses, then those
that need late ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import copy_part
from limbless.mechanics.chain import DofRow, forward_kinematics
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Scalar,
    absolute,
    arctangent2,
    call_pointer,
    exponential,
    func,
    logarithm,
    noinline_func,
    sincos,
    sqrt,
    value_of,
    version_for,
    where_positive,
)
from limbless.mechanics.control import (
    Senses,
    command,
    place_joints,
    put_control_rates,
    put_tendon,
    sample,
    sample_senses,
    sense_early,
    sense_late,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain.tables import ChainMemory, ChainTables


class Samples(NamedTuple):
    """Numbers that change at the ticks of a clock, and stay between them."""

    number: IntArray  # (s, 2) which of the controller's numbers, and the value that it takes
    clock: IntArray  # (2,) where the state has the time, and how many ticks have been
    period: Array  # (1,) s; 0: there is no clock


class BlockDiagram(NamedTuple):
    place: IntArray  # (2,) where its numbers begin in a state, and how many have rates
    # (m, 5) operation (0 +, -, *, /, sincos, exp, log, sqrt, arctan2, abs, where), where its result goes, and up to
    # three values it takes
    blocks: IntArray
    ends: IntArray  # (2,) blocks that need no senses, and no late ones, are before
    rates: IntArray  # (n,) the value that is the rate of each number
    # (k, 3) value, what it is (0 torque, target, target rate, left and right muscle, tendon, its rate; of motion-given
    # joints position, velocity, acceleration), and of which freedom or tendon
    outputs: IntArray
    # (2,) outputs before the first are given positions and rates; 1 where accelerations are given
    placed: IntArray
    samples: Samples
    senses: Senses
    # (1,) address of a function that answers in `values`, in place of blocks; 0: there is none
    call: IntArray
    values: Array


@noinline_func
def run_blocks(diagram: BlockDiagram, first: int, last: int) -> None:
    v, blocks = diagram.values, diagram.blocks
    for k in range(first, last):
        code, out, a, b = blocks[k, 0], blocks[k, 1], blocks[k, 2], blocks[k, 3]
        if code == 0:
            v[out] = v[a] + v[b]
        elif code == 1:
            v[out] = v[a] - v[b]
        elif code == 2:
            v[out] = v[a] * v[b]
        elif code == 3:
            v[out] = v[a] / v[b]
        elif code == 4:
            v[out], v[out + 1] = sincos(v[a])
        elif code == 5:
            v[out] = exponential(v[a])
        elif code == 6:
            v[out] = logarithm(v[a])
        elif code == 7:
            v[out] = sqrt(v[a])
        elif code == 8:
            v[out] = arctangent2(v[a], v[b])
        elif code == 9:
            v[out] = absolute(v[a])
        else:
            v[out] = where_positive(v[a], v[b], v[blocks[k, 4]])


@func
def take_numbers(diagram: BlockDiagram, x: Array) -> None:
    copy_part(x, diagram.place[0], diagram.values, 1, diagram.rates.shape[0])


@func
def take_senses(diagram: BlockDiagram) -> None:
    felt = diagram.senses.felt
    copy_part(felt, 0, diagram.values, 1 + diagram.rates.shape[0], felt.shape[0])


@func
def answer(diagram: BlockDiagram, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    """All values that need no late senses; a law in plain Python gives its rates at once, too."""
    sense_early(diagram.senses, t, robot, x, memory)
    diagram.values[0] = t
    take_numbers(diagram, x)
    take_senses(diagram)
    run_blocks(diagram, 0, diagram.ends[1])
    if diagram.call[0] != 0:
        call_pointer(diagram.call[0], diagram.values)


@version_for(place_joints, BlockDiagram)
@noinline_func
def place_by_diagram(controller: BlockDiagram, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    if controller.placed[0] == 0:
        return
    take_numbers(controller, x)
    run_blocks(controller, 0, controller.ends[0])
    for k in range(controller.placed[0]):
        x[controller.outputs[k, 2]] = controller.values[controller.outputs[k, 0]]


@version_for(command, BlockDiagram)
@noinline_func
def command_by_diagram(controller: BlockDiagram, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    answer(controller, t, robot, x, memory)
    for k in range(controller.placed[0], controller.outputs.shape[0]):
        given, what, v = controller.values[controller.outputs[k, 0]], controller.outputs[k, 1], controller.outputs[k, 2]
        if what == 0:
            memory.torque[v] += given
        elif what == 1:
            memory.torque[v] += DofRow(robot.freedoms, v).gain * given
        elif what == 2:
            memory.torque[v] += DofRow(robot.freedoms, v).rate_gain * given
        elif what == 3 or what == 4:
            memory.muscles[v, what - 3] += given
        elif what == 9:
            memory.acceleration[v] = given
        elif memory.cells is not None:
            put_tendon(memory, v, given, what == 6)
    if controller.placed[1] == 1:
        forward_kinematics(robot, x, memory)


@version_for(put_control_rates, BlockDiagram)
@noinline_func
def put_diagram_rates(
    controller: BlockDiagram, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, out: Array
) -> None:
    sense_late(controller.senses, t, robot, x, memory, out)
    take_senses(controller)
    run_blocks(controller, controller.ends[1], controller.blocks.shape[0])
    for k in range(controller.rates.shape[0]):
        out[controller.place[0] + k] = controller.values[controller.rates[k]]
    if value_of(controller.samples.period[0]) > 0.0:
        out[controller.samples.clock[0]] = 1.0


@version_for(sample, BlockDiagram)
@noinline_func
def sample_diagram(controller: BlockDiagram, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    samples = controller.samples
    sampled = value_of(samples.period[0]) > 0.0
    if sampled or controller.senses.delays.channel.shape[0] > 0:
        forward_kinematics(robot, x, memory)
        sample_senses(controller.senses, robot, x, memory)
    if not sampled:
        return
    time, ticks = x[samples.clock[0]], x[samples.clock[1]]
    if value_of(time) < value_of(samples.period[0] * (ticks + 1.0 - 1e-6)):
        return
    x[samples.clock[1]] = ticks + 1.0
    answer(controller, time, robot, x, memory)
    for k in range(samples.number.shape[0]):
        x[controller.place[0] + samples.number[k, 0]] = controller.values[samples.number[k, 1]]
