"""A rod as a problem for an engine: its net motion comes from what pushes it (paper 000, Fig. 2). The state is a
`HeadState`.

A rod at the surface of water: its added mass follows the pose of the head, and with it all sums over the shape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Vector, Wrench, normalised, power, product, transpose
from limbless.mechanics.compiled import (
    LANES,
    Array,
    Rows,
    Scalar,
    align_stack,
    for_each,
    func,
    generic,
    noinline_func,
    version_for,
)
from limbless.mechanics.forces import LawWrench, OpenWater, floating_slice, push, scaled, share_at
from limbless.mechanics.integrate import (
    accumulate_work,
    add,
    add_laws,
    failure_code,
    normalise,
    rate,
    record_instant,
)
from limbless.mechanics.rod import (
    HeadState,
    Instant,
    RodMemory,
    RodProblem,
    RodRecords,
    RodShape,
    RodTables,
    Section,
    add_wrench,
    current,
    find_acceleration,
    find_needs,
    find_twist,
    keep_loads,
    load,
    load_all,
    load_rows,
    look_and_keep_strains,
    place_head,
    push_rod,
    put_efforts,
    put_inertia,
    slice_of,
    sum_composite_inertia,
    take_shape,
    to_head,
    to_section,
)


class FreeSurfaceSlices(NamedTuple):
    """Water with a surface on the slices of a rod."""

    owner: int
    kind: Any  # OpenLaw
    rows: Any  # Open; `body` is the node
    pushed: Rows[LawWrench]  # (rows,): memory for the wrenches per length
    dry: Array  # (nodes, 6): inertia per length without water


@generic
def update_added_mass(element: FreeSurfaceSlices, t: Scalar, robot: RodTables, memory: RodMemory):
    """What an element changes of the inertia of the sections, once the pose of the head is known."""


soak_all = for_each(update_added_mass, optional=True)


@version_for(update_added_mass, FreeSurfaceSlices)
@noinline_func
def soak_slices(laws: FreeSurfaceSlices, t: Scalar, robot: RodTables, memory: RodMemory) -> None:
    """The added mass of every section as far as it is immersed, and the sums over the shape with it."""
    align_stack()
    instant, dry, r = Instant(memory.instant, 0), laws.dry, current(memory)
    shapes, surface, flows = memory.shapes[r], laws.kind.surface, laws.kind.flows
    for i in range(len(laws.rows.codes)):
        row = OpenWater(laws.rows, i)
        k = row.body
        section, shape = Section(robot.sections, k), RodShape(shapes, k)
        place = instant.position + instant.rotation @ shape.place
        share = share_at(surface, row, flows, t, place, product(instant.rotation, shape.rotation))
        section.mass = Vector(dry[k, 0], dry[k, 1], dry[k, 2]) + share * row.added
        section.turn = Vector(dry[k, 3] + share * row.added_roll, dry[k, 4], dry[k, 5])
        for c in range(robot.octets.shape[1]):
            robot.octets[k // LANES, c, k % LANES] = robot.sections[k, c]
    sum_composite_inertia(robot.sections, shapes, memory.sums, r)


@version_for(push, FreeSurfaceSlices)
@noinline_func
def push_floating_slices(
    laws: FreeSurfaceSlices, t: Scalar, window_time: Scalar, robot: RodTables, memory: RodMemory
) -> None:
    """Every slice: its wrench, and how fast the momentum that it carries grows by what gets wet."""
    align_stack()
    instant, shapes = Instant(memory.instant, 0), memory.shapes[current(memory)]
    for i in range(len(laws.rows.codes)):
        row = OpenWater(laws.rows, i)
        shape, length = RodShape(shapes, row.body), Section(robot.sections, row.body).weight
        V = instant.pace * to_section(shape.rotation, shape.place, instant.twist + shape.swing)
        piece = slice_of(instant, shape, V)
        F, _, wetting = floating_slice(laws.kind, row, t, piece, transpose(piece.axes) @ row.gravity)
        LawWrench(laws.pushed, i).wrench = F
        roll, o = row.added_roll * V.angular.x, 0.0 * V.linear.x
        joined = (length * wetting) * Wrench(scaled(row.added, V.linear), Vector(roll, o, o))
        half = 0.5 * power(V, joined)
        instant.joined = instant.joined + to_head(shape.rotation, shape.place, joined)
        instant.joining = instant.joining + half
        memory.law_powers[laws.owner] += add_wrench(instant, shape, V, F, length) + half


version_for(load, FreeSurfaceSlices)(load_rows)


@version_for(rate, RodProblem)
@func
def rod_rate(problem: RodProblem, i: int, t: Scalar, window_time: Scalar, x: Array, out: Array) -> None:
    robot, forces, options, memory = problem.robot, problem.forces, problem.options, problem.memory
    take_shape(robot, problem.drive.strains, i, memory)
    place_head(memory, x)
    soak_all(forces, t, robot, memory)
    put_inertia(memory)
    found = find_twist(problem, t, window_time, x)
    push_rod(forces, t, window_time, robot, memory)
    sound = find_acceleration(options, memory, x, out)
    if memory.failed[0] == 0 and not (found and sound):
        memory.failed[0] = i + 1


@version_for(failure_code, RodProblem)
@func
def rod_trouble(problem: RodProblem) -> int:
    return problem.memory.failed[0]


# Without inertia the twist in the state does not move: the one found at a knot is where the search begins at the stages
# of its step, and at the next knot.


@version_for(add, RodProblem)
@func
def rod_add(problem: RodProblem, start: Array, step: Scalar, slope: Array, end: Array) -> None:
    kept = HeadState(end, 0).motion
    for c in range(len(start)):
        end[c] = start[c] + step * slope[c]
    if problem.options.inertialess is not None:
        HeadState(end, 0).motion = kept


@version_for(normalise, RodProblem)
@func
def rod_settle(problem: RodProblem, x: Array) -> None:
    state = HeadState(x, 0)
    state.turn = normalised(state.turn)
    if problem.options.inertialess is not None:
        state.motion = HeadState(problem.memory.state, 0).motion  # that its first stage left there


@version_for(record_instant, RodProblem)
@func
def rod_record(problem: RodProblem, t: Scalar, x: Array, slope: Array, r: int, recorded: bool, last: bool) -> None:
    robot, drive, memory, records = problem.robot, problem.drive, problem.memory, problem.records
    load_all(problem.forces, memory)
    if problem.options.inertialess is not None:
        HeadState(x, 0).motion = Instant(memory.instant, 0).twist
    i, hold, shapes = memory.now[0], Instant(memory.instant, 0).hold, memory.shapes[current(memory)]
    speed = find_needs(robot, memory, memory.inner)
    put_efforts(robot, memory, memory.inner, hold, shapes, drive.strains.value[i], drive.strains.rate[i])
    look_and_keep_strains(memory, records.tally, r, recorded, last, t, speed)
    if recorded:
        keep_instant(memory, records, x, r)


@version_for(accumulate_work, RodProblem)
@func
def rod_work(
    problem: RodProblem, stage: int, h: Scalar, seconds: Scalar, window_time: Scalar, x: Array, slope: Array
) -> None:
    """Works of the laws; those of the strains are counted from knot to knot: see `actuator_forces`."""
    memory, rates = problem.memory, HeadState(slope, 0)
    passive = problem.drive.passive[memory.now[0]]
    add_laws(memory.tally, seconds, memory.law_powers, rates.actuators - passive, rates.environment, passive)


@noinline_func
def keep_instant(memory: RodMemory, records: RodRecords, x: Array, r: int) -> None:
    records.x[r][:] = x
    records.shapes[r][:] = memory.shapes[current(memory)]
    records.instants[r][:] = memory.instant[0]
    keep_loads(memory.pushes, memory.pokes, records.loads, r)
    records.row[r] = memory.now[0]
