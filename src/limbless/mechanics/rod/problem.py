"""A rod as a problem for an engine: its net motion comes from what pushes it (paper 000, Fig. 2). The state is a
`HeadState`."""

from __future__ import annotations

from limbless.mechanics.algebra import normalised
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func, version_for
from limbless.mechanics.integrate.problem import (
    accumulate_work,
    add,
    failure_code,
    normalise,
    rate,
    record_instant,
)
from limbless.mechanics.integrate.running_totals import Totals, add_laws
from limbless.mechanics.rod.actuator_forces import find_needs, look_and_keep_strains, put_efforts
from limbless.mechanics.rod.head_motion import find_acceleration, find_twist, place_head, put_inertia
from limbless.mechanics.rod.rod_free_surface import soak_all
from limbless.mechanics.rod.shape_batch import current, take_shape
from limbless.mechanics.rod.slice_forces import keep_loads, load_all, push_rod
from limbless.mechanics.rod.tables import (
    HeadState,
    Instant,
    InstantRecord,
    RodMemory,
    RodProblem,
    RodRecords,
    RodTables,
)


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
    sound = find_acceleration(options, robot.free, memory, x, out)
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
    i = memory.now[0]
    look_along(robot, memory, drive.strains.value[i], drive.strains.rate[i], records.tally, r, recorded, last, t)
    if recorded:
        keep_instant(memory, records, x, r)


@noinline_func
def look_along(
    robot: RodTables,
    memory: RodMemory,
    strain: Array,
    strain_rate: Array,
    kept: Totals,
    r: int,
    recorded: bool,
    last: bool,
    t: Scalar,
) -> None:
    """What the actuators give at a knot, in the tally."""
    speed = find_needs(robot, memory, memory.inner)
    hold = Instant(memory.instant, 0).hold
    put_efforts(robot, memory, memory.inner, hold, memory.shapes[current(memory)], strain, strain_rate)
    look_and_keep_strains(memory, kept, r, recorded, last, t, speed)


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
    for c in range(len(x)):
        records.x[r, c] = x[c]
    instant, kept = Instant(memory.instant, 0), InstantRecord(records.instants, r)
    shape = memory.shapes[current(memory)]
    kept.twist = instant.twist
    kept.rate = instant.rate
    kept.hold = instant.hold
    kept.actuators = instant.actuators
    kept.environment = instant.environment
    for k in range(shape.shape[0]):
        for c in range(shape.shape[1]):
            records.shapes[r, k, c] = shape[k, c]
    keep_loads(memory.pushes, memory.pokes, records.loads, r)
    records.row[r] = memory.now[0]
