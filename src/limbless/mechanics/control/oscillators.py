"""Coupled phase oscillators with amplitudes, whose activity is a torque, or adds to what a joint should follow.

θ' = ω + Σ w r_j sin(θ_j - θ - φ) + feedback; r' = a (R - r), or r'' = a (a/4 (R - r) - r') (Ijspeert et al. 2007, S1).
A state holds all phases, all amplitudes, the rates of amplitudes where the order is 2, and filters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.chain import DofRow, forward_kinematics
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Scalar,
    func,
    sincos_unbranched,
    version_for,
    where_positive,
)
from limbless.mechanics.control import (
    Senses,
    command,
    put_control_rates,
    put_tendon,
    sample,
    sample_senses,
    sense_early,
    sense_late,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain.tables import ChainMemory, ChainTables


class Ramp(NamedTuple):
    """A piecewise linear function of time, as a sum of kinks: no branch, for eight robots at once."""

    start: Array  # (1,)
    times: Array  # (k,) s
    slopes: Array  # (k,) by which its slope grows there, 1/s


class FeedbackRows(NamedTuple):
    """What senses do to the oscillators."""

    # (m, 4) channel, oscillator, 0 into its phase or 1 into its amplitude, times 1 (0), cos θ (1) or sin θ (2)
    route: IntArray
    gain: Array  # (m,)


class Outputs(NamedTuple):
    """What activities do to the joints: strength * r (bias + cos θ); one row for each oscillator, but none for
    limbs, which come last.
    """

    freedom: IntArray  # (n,) or tendon
    strength: Array  # (n,)
    bias: Array  # (n,) 1 where two sides pull against each other, else 0
    # (1,) 0: a torque, 1: added to the position that a feedback follows, 2: activation of a muscle, 3: of a tendon
    target: IntArray


class OscillatorTables(NamedTuple):
    place: IntArray  # (1,) where their numbers begin in a state
    order: IntArray  # (1,) of the amplitudes
    drive: Ramp
    frequency: Array  # (n, 2) rad/s: without drive, and by a unit of it
    amplitude: Array  # (n, 2)
    span: Array  # (n, 2) the drive below and above which an oscillator is silent
    haste: Array  # (n,) a, 1/s
    pairs: IntArray  # (c, 2) which, from whom
    back: Array  # (c,) 1 where the other one is drawn as well, with the opposite bias; else 0
    along: Array  # (c,) 1/s: weight times the cosine of the bias,
    across: Array  # (c,) and its sine
    senses: Senses
    early: FeedbackRows
    late: FeedbackRows
    outputs: Outputs
    sine: Array  # (n,) of this instant
    cosine: Array
    turning: Array  # (n,) θ', and what is
    growth: Array  # (n,) r' of first order, or r''


@func
def ramp_value(ramp: Ramp, t: Scalar) -> Scalar:
    value = ramp.start[0]
    for k in range(ramp.times.shape[0]):
        since = t - ramp.times[k]
        value += ramp.slopes[k] * where_positive(since, since, 0.0 * since)
    return value


@func
def within(low: Scalar, high: Scalar, drive: Scalar, number: Scalar) -> Scalar:
    """The number, or 0 where the drive is beyond its range."""
    none = 0.0 * number
    return where_positive(low - drive, none, where_positive(drive - high, none, number))


@func
def add_feedback(rows: FeedbackRows, tables: OscillatorTables) -> None:
    for k in range(rows.gain.shape[0]):
        i, number = rows.route[k, 1], rows.gain[k] * tables.senses.felt[rows.route[k, 0]]
        if rows.route[k, 3] == 1:
            number = number * tables.cosine[i]
        if rows.route[k, 3] == 2:
            number = number * tables.sine[i]
        if rows.route[k, 2] == 0:
            tables.turning[i] += number
        else:
            tables.growth[i] += number


@func
def turn_oscillators(tables: OscillatorTables, t: Scalar, x: Array) -> None:
    """θ' and r' (or r'') of all oscillators but for what senses add."""
    n, first, order = tables.haste.shape[0], tables.place[0], tables.order[0]
    drive = ramp_value(tables.drive, t)
    for i in range(n):
        tables.sine[i], tables.cosine[i] = sincos_unbranched(x[first + i])
    for i in range(n):
        low, high, a, r = tables.span[i, 0], tables.span[i, 1], tables.haste[i], x[first + n + i]
        tables.turning[i] = within(low, high, drive, tables.frequency[i, 0] + tables.frequency[i, 1] * drive)
        goal = within(low, high, drive, tables.amplitude[i, 0] + tables.amplitude[i, 1] * drive)
        tables.growth[i] = a * (0.25 * a * (goal - r) - x[first + 2 * n + i] if order == 2 else goal - r)
    for k in range(tables.along.shape[0]):
        i, j = tables.pairs[k, 0], tables.pairs[k, 1]
        # w sin(θ_j - θ_i - φ), of sines and cosines that are there already
        sd = tables.sine[j] * tables.cosine[i] - tables.cosine[j] * tables.sine[i]
        cd = tables.cosine[j] * tables.cosine[i] + tables.sine[j] * tables.sine[i]
        drawn = tables.along[k] * sd - tables.across[k] * cd
        tables.turning[i] += x[first + n + j] * drawn
        tables.turning[j] -= tables.back[k] * x[first + n + i] * drawn


@version_for(command, OscillatorTables)
@func
def command_joints(controller: OscillatorTables, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    n, first, outputs = controller.haste.shape[0], controller.place[0], controller.outputs
    target, order, count = outputs.target[0], controller.order[0], outputs.freedom.shape[0]
    sense_early(controller.senses, t, robot, x, memory)
    turn_oscillators(controller, t, x)
    add_feedback(controller.early, controller)
    for i in range(count):
        v, r, raised = outputs.freedom[i], x[first + n + i], outputs.bias[i] + controller.cosine[i]
        given = outputs.strength[i] * r * raised
        if target == 1:
            growth = x[first + 2 * n + i] if order == 2 else controller.growth[i]
            moving = outputs.strength[i] * (growth * raised - r * controller.sine[i] * controller.turning[i])
            freedom = DofRow(robot.freedoms, v)
            given = freedom.gain * given + freedom.rate_gain * moving
        if target == 3:
            put_tendon(memory, v, given, False)
        elif target == 2:  # those of the right side follow
            memory.muscles[v, 0 if 2 * i < count else 1] += given
        else:
            memory.torque[v] += given


@version_for(put_control_rates, OscillatorTables)
@func
def put_oscillator_rates(
    controller: OscillatorTables, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, out: Array
) -> None:
    n, first, order = controller.haste.shape[0], controller.place[0], controller.order[0]
    sense_late(controller.senses, t, robot, x, memory, out)
    add_feedback(controller.late, controller)
    for i in range(n):
        out[first + i] = controller.turning[i]
        if order == 2:
            out[first + n + i] = x[first + 2 * n + i]
            out[first + 2 * n + i] = controller.growth[i]
        else:
            out[first + n + i] = controller.growth[i]


@version_for(sample, OscillatorTables)
@func
def sample_oscillators(controller: OscillatorTables, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    if controller.senses.delays.channel.shape[0] > 0:
        forward_kinematics(robot, x, memory)
        sample_senses(controller.senses, robot, x, memory)
