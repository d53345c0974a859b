"""Implicit stages of a chain: springs, dampers and stops taken ahead in the recursion itself.

With v = v* + γh a and q = q* + γh v, a spring K and a damper C add Â = γh C + (γh)² K to what answers an acceleration.
The recursion with D + Â, and Â a of the accelerations before on the right, has the exact stage as its fixed point; what
Â leaves out (inertia, gravity, water) only sets how fast it is reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.mechanics.algebra import (
    Quaternion,
    Vector,
    copy,
    dot,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    quaternion_product,
    rotation_from_quaternion,
    twist_at,
    vector_at,
)
from limbless.mechanics.chain import (
    INTEGRALS,
    ChainMemory,
    ChainProblem,
    ChainTables,
    IntegralSums,
    LinkRow,
    StrainActuation,
    add_span,
    brace_again,
    brace_bodies,
    drive_to,
    find_accelerations,
    forward_kinematics,
    hold_stations,
    occupy_winches,
    put_joint_rates,
    put_rates,
    remember_winches,
    spend_actuators,
    spend_laws,
    strain_freedoms,
)
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Scalar,
    absolute,
    delegate,
    func,
    maximum,
    noinline_func,
    primal,
    strict_kernel,
    version_for,
    where_positive,
)
from limbless.mechanics.control.closed_loop import command_all, put_all_control_rates
from limbless.mechanics.forces import push_all
from limbless.mechanics.integrate import drive_at, linearise_forces, stage_rate, stage_state, store_stage

if TYPE_CHECKING:
    from limbless.mechanics.chain.strain_cell import Cells
    from limbless.mechanics.integrate.dirk import Scratch

TRAVEL = 1e-4  # share of the base's own way in the speed of a body
ENDLESS = 1e200  # a way that no motion goes
ROUNDING = 1e-7  # of its length in γh: as slow as it can be

brace_by, steer_by, occupy_by, stage_by = (
    delegate(question, ChainProblem, "options.actuation")
    for question in (linearise_forces, drive_at, stage_state, stage_rate)
)


@version_for(brace_by, StrainActuation)
@func
def brace_cells(actuation: StrainActuation, problem: ChainProblem, t: Scalar, window_time: Scalar, x: Array) -> None:
    if problem.memory.ahead is not None:
        strain_freedoms(problem.robot, x, problem.memory)
        brace_bodies(actuation, problem, t, window_time, x)


@version_for(steer_by, StrainActuation)
@func
def steer_cells(actuation: StrainActuation, problem: ChainProblem, n: int, share: Scalar) -> None:
    drive_to(problem.drive, n, share, problem.memory.cells.present)


@version_for(occupy_by, StrainActuation)
@func
def occupy_cells(
    actuation: StrainActuation, problem: ChainProblem, start: Array, gh: Scalar, slope: Array, x: Array
) -> None:
    winches = winch_start(problem.memory.cells, x)
    add_span(LinkRow(problem.robot.links, 0).velocity + 6 + len(problem.memory.torque), winches, start, gh, slope, x)
    occupy_free(problem.robot, problem.memory.cells.given, winches, start, gh, slope, x)


@func
def winch_start(cells: Cells, x: Array) -> int:
    """Where winches begin in a state, behind the numbers of controllers."""
    winches = 0
    if cells.ropes is not None:
        winches = cells.ropes.winches.shape[0]
    return len(x) - INTEGRALS - 2 * winches


@noinline_func
def occupy_free(
    robot: ChainTables, given: IntArray, winches: int, start: Array, gh: Scalar, slope: Array, x: Array
) -> None:
    """Freedoms that are given stay where the drive has them."""
    base = LinkRow(robot.links, 0)
    occupy_base(base, start, gh, slope, x)
    p, v = base.position + base.positions, base.velocity + base.freedoms
    occupy_winches(winches, len(x) - INTEGRALS, start, gh, slope, x)
    for k in range(given.shape[0]):
        if given[k] == 0:
            x[v + k] = start[v + k] + gh * slope[v + k]
            slope[p + k] = x[v + k]
            x[p + k] = start[p + k] + gh * x[v + k]


@func
def occupy_base(base: LinkRow, start: Array, gh: Scalar, slope: Array, x: Array) -> None:
    """The base, and the sums behind all coordinates."""
    p, v, last = base.position, base.velocity, len(x) - INTEGRALS
    add_span(v, v + base.freedoms, start, gh, slope, x)
    add_span(last, len(x), start, gh, slope, x)
    twist = twist_at(x, v)
    turn = turned_by(start, gh, p + 3, twist.angular, slope, x)
    along = rotation_from_quaternion(turn.w, turn.x, turn.y, turn.z) @ twist.linear
    put_vector_at(slope, p, along)
    put_vector_at(x, p, vector_at(start, p) + gh * along)


@func
def turned_by(start: Array, gh: Scalar, i: int, w: Vector, slope: Array, x: Array) -> Quaternion:
    """A quaternion at place i, turned as its own rule asks: q = q* + γh/2 q ω is linear in q."""
    u = (0.5 * gh) * w
    scale = 1.0 / (1.0 + dot(u, u))
    turn = quaternion_product(quaternion_at(start, i), Quaternion(scale, scale * u.x, scale * u.y, scale * u.z))
    put_quaternion_at(x, i, turn)
    put_quaternion_at(slope, i, quaternion_product(turn, Quaternion(0.0 * gh, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z)))
    return turn


@version_for(stage_by, StrainActuation)
@func
def cell_stage(
    actuation: StrainActuation,
    problem: ChainProblem,
    t: Scalar,
    window_time: Scalar,
    gh: Scalar,
    before: Array,
    x: Array,
    slope: Array,
) -> tuple[Scalar, Scalar]:
    robot, forces, memory = problem.robot, problem.forces, problem.memory
    set_cell_implicit_terms(robot, gh, before, memory)
    strain_freedoms(robot, x, memory)
    brace_again(actuation, problem, t, window_time, x)
    forward_kinematics(robot, x, memory)
    command_all(problem.options.controllers, t, robot, x, memory)
    push_all(forces, t, window_time, robot, memory)
    if memory.ahead is not None:
        hold_stations(robot, gh, before, memory)
    find_accelerations(actuation, robot, problem.options.base, memory)
    put_rates(robot, x, memory, slope)
    put_joint_rates(actuation, robot, x, memory, slope)
    put_all_control_rates(problem.options.controllers, t, robot, x, memory, slope)
    memory.cells.span[0] = 0.0
    velocity = LinkRow(robot.links, 0).velocity
    change, speed = measure(velocity, memory.cells.scale, gh, before, slope, x)
    columns = velocity + 6 + memory.torque.shape[0], winch_start(memory.cells, x)
    return control_change(columns, memory.cells.scale, gh, before, slope, change), speed


@func
def control_change(
    columns: tuple[int, int], scale: Array, gh: Scalar, before: Array, slope: Array, change: Scalar
) -> Scalar:
    """The same as `measure`, of controllers: a unit of theirs (a radian, a full activity) moves a joint by one."""
    for c in range(columns[0], columns[1]):
        way = primal(gh) * primal(scale[scale.shape[0] - 1]) * absolute(primal(slope[c]) - primal(before[c]))
        change = maximum(change, way)
    return change


@noinline_func
def set_cell_implicit_terms(robot: ChainTables, gh: Scalar, before: Array, memory: ChainMemory) -> None:
    """γh and the accelerations before, where the recursion finds them."""
    first = LinkRow(robot.links, 0).velocity + 6
    memory.cells.span[0] = gh
    for v in range(memory.torque.shape[0]):
        memory.cells.before[v] = before[first + v]
    if memory.cells.ropes is not None:
        remember_winches(memory.cells.ropes, before)


@strict_kernel
def measure(first: int, scale: Array, gh: Scalar, before: Array, slope: Array, x: Array) -> tuple[Scalar, Scalar]:
    """Largest way per time, m/s, by which the rates differ after γh, and by which the body turns and bends; `scale` of
    the base comes last. How fast it goes as a whole hardly counts: a body that falls bends as one that rests. What
    rounding leaves is never asked for.
    """
    n, span = scale.shape[0] - 2, primal(gh)
    change, speed = 0.0 * span, ROUNDING * primal(scale[n + 1]) / span
    for c in range(6 + n):
        size = primal(scale[c - 6] if c >= 6 else scale[n] if c < 3 else scale[n + 1])
        new, moves = primal(slope[first + c]), (TRAVEL if c < 3 else 1.0) * absolute(primal(x[first + c]))
        way = span * size * absolute(new - primal(before[first + c]))
        change = maximum(change, where_positive(ENDLESS - way, way, ENDLESS + 0.0 * span))  # also of what is none
        speed = maximum(speed, size * maximum(moves, span * absolute(new)))
    return change, speed


# ------------------------------------------------------------------------------------------------------ what is counted


@version_for(store_stage, ChainProblem)
@func
def store_powers(problem: ChainProblem, scratch: Scratch, stage: int, window_time: Scalar, x: Array, slope: Array):
    if problem.memory.tally is None:
        return None
    spend_actuators(problem, scratch.powers, max(stage, 0), x)
    if stage < 0:  # the knot from which the first step begins
        copy(scratch.powers[0], scratch.last)
    if problem.records.tally is None:
        return None
    spend_laws(problem, window_time)
    sums = IntegralSums(slope, len(x) - INTEGRALS)
    size = abs(sums.actuators) + abs(sums.environment) + abs(sums.passive)
    if stage < 0:
        scratch.sizes[0, 1] = size
        return None
    scratch.sizes[stage, 0] = size
    for i in range(scratch.laws.shape[1]):
        scratch.laws[stage, i] = problem.memory.law_powers[i]
    return None
