"""The equations of one state, called from Python."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import Twist, Vector
from limbless.mechanics.chain import Body, ChainTables
from limbless.mechanics.compiled import Array, IntArray, Scalar, func, kernel, unpack
from limbless.mechanics.geometry.base_charts import PlanarChart, add_to_base
from limbless.mechanics.geometry.base_charts import put_base_rates as put_rates_of
from limbless.mechanics.geometry.constrained_dynamics import efforts, prepare, put_clamp_rows, solve_free
from limbless.mechanics.geometry.screws import accelerate, place
from limbless.mechanics.geometry.smooth_motion import weigh_at
from limbless.mechanics.geometry.tables import Clamped, GeometricMemory, Geometry, geometry_of


@kernel
def place_state(robot: ChainTables, frame: PlanarChart, x: Array, speeds: Array, geometry: Geometry) -> None:
    """Poses, twists and screws."""
    place(unpack(robot), unpack(frame), unpack(x), unpack(speeds), unpack(geometry))


@kernel
def weigh_state(
    mixed: Any,
    robot: ChainTables,
    forces: tuple,
    frame: PlanarChart,
    time: Scalar,
    x: Array,
    speeds: Array,
    memory: GeometricMemory,
) -> None:
    """Metric and bias, the environment's forces taken off; `mixed` as in `GeometricOptions`."""
    base, held = unpack(frame), unpack(memory)
    weigh_at(unpack(mixed), unpack(robot), unpack(forces), base, time, time, unpack(x), unpack(speeds), held)


@func
def answer_with(given: IntArray, rows: int, memory: GeometricMemory) -> int:
    """Rates that are not given from `memory.forces`, and what acts along all. Returns 0, or the `Trouble`."""
    count, found = prepare(given, memory.metric, rows, memory.solver)
    if found == 0:
        solve_free(memory.metric, memory.forces, rows, count, memory.solver, memory.rates)
        efforts(memory.metric, memory.bias, memory.rates, rows, memory.solver, memory.effort)
    return found


@kernel
def solve_state(clamp: Clamped, robot: ChainTables, frame: PlanarChart, given: IntArray, memory: GeometricMemory):
    """Accelerations under `memory.forces`, after `weigh_state`. Returns 0 or the `Trouble`, and
    how many rows a clamp has.
    """
    tables, base, held, rows = unpack(robot), unpack(frame), unpack(memory), 0
    if clamp is not None:
        rows = put_clamp_rows(unpack(clamp), tables, base, geometry_of(held), held.solver)
    for r in range(rows):
        held.solver.target[r] = -held.solver.row_rates[r]
    found = answer_with(unpack(given), rows, held)
    if found == 0:
        accelerate(tables, base.speeds, held.rates, geometry_of(held))
    return found, rows


@kernel
def stop_body(
    clamp: Clamped, robot: ChainTables, frame: PlanarChart, given: IntArray, speeds: Array, memory: GeometricMemory
) -> int:
    """Changes of the speeds with which a clamped body comes to rest, after `weigh_state`;
    `memory.effort` then holds impulses.
    """
    tables, base, before, held = unpack(robot), unpack(frame), unpack(speeds), unpack(memory)
    rows = put_clamp_rows(unpack(clamp), tables, base, geometry_of(held), held.solver)
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
def put_coordinate_rates(frame: PlanarChart, x: Array, speeds: Array, out: Array) -> None:
    """Rates of base coordinates and joint positions of a free motion."""
    base, rates, slope = unpack(frame), unpack(speeds), unpack(out)
    put_rates_of(base, unpack(x), rates, slope)
    for v in range(len(rates) - base.speeds):
        slope[base.coordinates + v] = rates[base.speeds + v]


@kernel
def add_base_twist(frame: PlanarChart, twist: Any, geometry: Geometry, speeds: Array) -> None:
    """Speeds of the base that make a twist (6) given in its own axes, added; the bodies are placed."""
    held, parts = unpack(geometry), unpack(twist)
    R = Body(held.bodies, 0).rotation
    S = Twist(R @ Vector(parts[0], parts[1], parts[2]), R @ Vector(parts[3], parts[4], parts[5]))
    add_to_base(unpack(frame), held.screws, S, unpack(speeds))
