"""The equations of one state, called from Python."""

from __future__ import annotations

from limbless.mechanics.algebra.spatial import Twist
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.flat_array import unpack
from limbless.mechanics.compiled.kernel import func, kernel
from limbless.mechanics.geometry.base_charts import add_to_base
from limbless.mechanics.geometry.base_charts import put_base_rates as put_rates_of
from limbless.mechanics.geometry.constrained_dynamics import efforts, prepare, put_clamp_rows, solve_free
from limbless.mechanics.geometry.screws import accelerate, place, push_bodies, weigh
from limbless.mechanics.geometry.smooth_motion import drop_mixed_terms, find_mixed_terms
from limbless.mechanics.geometry.tables import geometry_of


@kernel
def place_state(robot, frame, x, speeds, geometry):
    """Poses, twists and screws."""
    place(unpack(robot), unpack(frame), unpack(x), unpack(speeds), unpack(geometry))


@kernel
def weigh_state(equations, robot, forces, frame, time, x, speeds, memory):
    """Metric and bias, the environment's forces taken off."""
    tables, base, coordinates, rates, held = unpack(robot), unpack(frame), unpack(x), unpack(speeds), unpack(memory)
    find_mixed_terms(equations, tables, base, coordinates, rates, held)
    place(tables, base, coordinates, rates, geometry_of(held))
    push_bodies(unpack(forces), time, time, tables, held)
    weigh(tables, base.speeds, geometry_of(held))
    drop_mixed_terms(equations, base, held)


@func
def answer_with(given, rows, memory):
    """Rates that are not given from `memory.forces`, and what acts along all. Returns 0, or the `Trouble`."""
    count, found = prepare(given, memory.metric, rows, memory.solver)
    if found == 0:
        solve_free(memory.metric, memory.forces, rows, count, memory.solver, memory.rates)
        efforts(memory.metric, memory.bias, memory.rates, rows, memory.solver, memory.effort)
    return found


@kernel
def solve_state(clamp, robot, frame, given, memory):
    """Accelerations under `memory.forces`, after `weigh_state`. Returns 0 or the `Trouble`, and how many rows a clamp
    has.
    """
    tables, base, held = unpack(robot), unpack(frame), unpack(memory)
    rows = put_clamp_rows(unpack(clamp), tables, base, geometry_of(held), held.solver)
    for r in range(rows):
        held.solver.target[r] = -held.solver.row_rates[r]
    found = answer_with(unpack(given), rows, held)
    if found == 0:
        accelerate(tables, base.speeds, held.rates, geometry_of(held))
    return found, rows


@kernel
def stop_body(clamp, robot, frame, given, speeds, memory):
    """Changes of the speeds with which a clamped body comes to rest, after `weigh_state`; `memory.effort` then holds
    impulses.
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
def put_coordinate_rates(frame, x, speeds, out):
    """Rates of base coordinates and joint positions of a free motion."""
    base, rates, slope = unpack(frame), unpack(speeds), unpack(out)
    put_rates_of(base, unpack(x), rates, slope)
    for v in range(len(rates) - base.speeds):
        slope[base.coordinates + v] = rates[base.speeds + v]


@kernel
def add_base_twist(frame, twist, geometry, speeds):
    """Speeds of the base that make a twist (6) given in its own axes, added; the bodies are placed."""
    held, parts = unpack(geometry), unpack(twist)
    R = Body(held.bodies, 0).rotation
    S = Twist(R @ Vector(parts[0], parts[1], parts[2]), R @ Vector(parts[3], parts[4], parts[5]))
    add_to_base(unpack(frame), held.screws, S, unpack(speeds))
