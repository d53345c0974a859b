"""The equations of one state, called from Python."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.chain import ChainTables
from limbless.mechanics.compiled import Array, IntArray, Scalar, func, kernel, noinline_func, unpack
from limbless.mechanics.geometry.base_charts import Frame, GeometricMemory
from limbless.mechanics.geometry.base_charts import put_base_rates as put_rates_of
from limbless.mechanics.geometry.constrained_dynamics import efforts, prepare, put_clamp_rows, solve_free
from limbless.mechanics.geometry.screws import hold_base, place, push_bodies, weigh


@noinline_func
def find_mixed_terms(
    mixed: Array, robot: ChainTables, frame: Frame, x: Array, speeds: Array, memory: GeometricMemory
) -> None:
    """What (22) as printed leaves out: minus 2 Γ_ijk ẋ_i ẋ_j with i of the base and j of the joints.

    Γ(v, v) is quadratic: the mixed part is what all speeds have beyond those of the base and those of the joints alone.
    Wrenches that stand on the bodies fall out of the sum.
    """
    part = memory.forces
    for a in range(mixed.shape[0]):
        mixed[a] = 0.0
    for which in range(4):  # of the base, of the joints; less all and none
        for a in range(part.shape[0]):
            part[a] = speeds[a] if which == 2 or which == (0 if a < frame.speeds else 1) else 0.0
        place(robot, frame, x, part, memory)
        weigh(robot, frame.speeds, memory)
        for a in range(mixed.shape[0]):
            mixed[a] += memory.bias[a] if which < 2 else -memory.bias[a]


@func
def weigh_at(
    mixed: Array | None,
    robot: ChainTables,
    forces: tuple,
    frame: Frame,
    t: Scalar,
    x: Array,
    speeds: Array,
    memory: GeometricMemory,
) -> None:
    """Poses, wrenches, metric and bias of a state; without the `mixed` terms in the rows of the base, if there is
    memory for them.
    """
    if mixed is not None:
        find_mixed_terms(mixed, robot, frame, x, speeds, memory)
    place(robot, frame, x, speeds, memory)
    push_bodies(forces, t, t, robot, memory)
    weigh(robot, frame.speeds, memory)
    if mixed is not None:
        for a in range(frame.speeds):
            memory.bias[a] += mixed[a]


@kernel
def place_state(robot: ChainTables, frame: Frame, x: Array, speeds: Array, memory: GeometricMemory) -> None:
    """Poses, twists and screws."""
    place(unpack(robot), unpack(frame), unpack(x), unpack(speeds), unpack(memory))


@kernel
def weigh_state(
    mixed: Any,
    robot: ChainTables,
    forces: tuple,
    frame: Frame,
    time: Scalar,
    x: Array,
    speeds: Array,
    memory: GeometricMemory,
) -> None:
    """Metric and bias, the environment's forces taken off; `mixed`: memory for what (22) as printed leaves out, or
    None: all terms count.
    """
    base, held = unpack(frame), unpack(memory)
    weigh_at(unpack(mixed), unpack(robot), unpack(forces), base, time, unpack(x), unpack(speeds), held)


@func
def answer_with(given: IntArray, rows: int, memory: GeometricMemory) -> int:
    """Rates that are not given from `memory.forces`, and what acts along all. Returns 0, or the `Trouble`."""
    count, found = prepare(given, memory.metric, rows, memory.solver)
    if found == 0:
        solve_free(memory.metric, memory.forces, rows, count, memory.solver, memory.rates)
        efforts(memory.metric, memory.bias, memory.rates, rows, memory.solver, memory.effort)
    return found


@kernel
def solve_state(clamp: int, robot: ChainTables, frame: Frame, given: IntArray, memory: GeometricMemory):
    """Accelerations under `memory.forces`, after `weigh_state`, with the body `clamp` held (-1: none). Returns 0 or the
    `Trouble`, and how many rows the clamp has.
    """
    tables, base, held = unpack(robot), unpack(frame), unpack(memory)
    rows = put_clamp_rows(clamp, tables, base, held)
    for r in range(rows):
        held.solver.target[r] = -held.solver.row_rates[r]
    found = answer_with(unpack(given), rows, held)
    if found == 0:
        hold_base(tables, held.rates, held)
    return found, rows


@kernel
def stop_body(
    clamp: int, robot: ChainTables, frame: Frame, given: IntArray, speeds: Array, memory: GeometricMemory
) -> int:
    """Changes of the speeds with which the body `clamp` comes to rest, after `weigh_state`; efforts are impulses."""
    before, held = unpack(speeds), unpack(memory)
    rows = put_clamp_rows(clamp, unpack(robot), unpack(frame), held)
    for r in range(rows):
        total = 0.0
        for a in range(len(before)):
            total -= held.solver.rows[r, a] * before[a]
        held.solver.target[r] = total
    for a in range(len(before)):
        held.rates[a] = 0.0
        held.bias[a] = 0.0
        held.forces[a] = 0.0
    return answer_with(unpack(given), rows, held)


@kernel
def put_coordinate_rates(frame: Frame, x: Array, speeds: Array, out: Array) -> None:
    """Rates of base coordinates and joint positions of a free motion."""
    base, rates, slope = unpack(frame), unpack(speeds), unpack(out)
    put_rates_of(base, unpack(x), rates, slope)
    for v in range(len(rates) - base.speeds):
        slope[base.coordinates + v] = rates[base.speeds + v]
