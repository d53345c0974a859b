"""A rod as a problem for an engine: its net motion comes from what pushes it (paper 000, Fig. 2). The state is a
`HeadState`."""

from __future__ import annotations

from limbless.mechanics.algebra.lie import normalised
from limbless.mechanics.compiled.generic import generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func, noinline_func
from limbless.mechanics.integrate.problem import (
    accumulate_power,
    accumulate_work,
    add,
    check_limits,
    failure_code,
    normalise,
    rate,
    record_instant,
    states,
)
from limbless.mechanics.integrate.running_totals import add_laws
from limbless.mechanics.rod.actuator_forces import find_needs, look_and_keep_strains, put_efforts
from limbless.mechanics.rod.head_motion import find_acceleration, find_twist, place_head, put_inertia
from limbless.mechanics.rod.rod_free_surface import soak_all
from limbless.mechanics.rod.shape_batch import current, take_shape
from limbless.mechanics.rod.slice_forces import keep_loads, load_all, push_rod
from limbless.mechanics.rod.tables import (
    HeadState,
    InertialessForm,
    Instant,
    InstantRecord,
    MomentumForm,
    RodProblem,
    VelocityForm,
)


@version_for(rate, RodProblem)
@func
def rod_rate(problem, i, t, window_time, x, out):
    robot, forces, options, drive, memory, _ = problem
    take_shape(robot, drive.strains, i, memory)
    place_head(memory, x)
    soak_all(forces, t, robot, memory)
    put_inertia(memory)
    found = find_twist(options.form, problem, t, window_time, x)
    push_rod(forces, t, window_time, robot, memory)
    sound = find_acceleration(options.form, robot.free, memory, x, out)
    if memory.failed[0] == 0 and not (found and sound):
        memory.failed[0] = i + 1


@version_for(states, RodProblem)
@func
def rod_states(problem):
    return problem.memory.state, problem.memory.slope, problem.memory.total


@version_for(failure_code, RodProblem)
@func
def rod_trouble(problem):
    return problem.memory.failed[0]


# Without inertia the twist in the state does not move: the one found at a knot is where the search begins at the stages
# of its step, and at the next knot.


@generic
def add_moving(form, start, step, slope, end):
    """end = start + step slope."""


@generic
def take_guess(form, instant, state):
    """The twist of this instant into a state that has none of its own."""


@generic
def settle_guess(form, state, x):
    """After a step: the twist that its first stage left in `state`."""


@version_for(add_moving, VelocityForm, MomentumForm)
@func
def add_all(form, start, step, slope, end):
    for c in range(len(start)):
        end[c] = start[c] + step * slope[c]


@version_for(add_moving, InertialessForm)
@func
def add_but_motion(form, start, step, slope, end):
    kept = HeadState(end, 0).motion
    for c in range(len(start)):
        end[c] = start[c] + step * slope[c]
    HeadState(end, 0).motion = kept


no_op(take_guess, VelocityForm, MomentumForm)


@version_for(take_guess, InertialessForm)
@func
def take_twist(form, instant, state):
    state.motion = instant.twist


no_op(settle_guess, VelocityForm, MomentumForm)


@version_for(settle_guess, InertialessForm)
@func
def settle_twist(form, state, x):
    x.motion = state.motion


@version_for(add, RodProblem)
@func
def rod_add(problem, start, step, slope, end):
    add_moving(problem.options.form, start, step, slope, end)


@version_for(normalise, RodProblem)
@func
def rod_settle(problem, x):
    state = HeadState(x, 0)
    state.turn = normalised(state.turn)
    settle_guess(problem.options.form, HeadState(problem.memory.state, 0), state)


@version_for(check_limits, RodProblem)
@func
def rod_look(problem, t, x, r, recorded, last):
    robot, forces, options, drive, memory, records = problem
    load_all(forces, memory)
    take_guess(options.form, Instant(memory.instant, 0), HeadState(x, 0))
    i = memory.now[0]
    look_along(robot, memory, drive.strains.value[i], drive.strains.rate[i], records.tally, r, recorded, last, t)


@noinline_func
def look_along(robot, memory, strain, strain_rate, kept, r, recorded, last, t):
    """What the actuators give at a knot, in the tally."""
    speed = find_needs(robot, memory, memory.inner)
    hold = Instant(memory.instant, 0).hold
    put_efforts(robot, memory, memory.inner, hold, memory.shapes[current(memory)], strain, strain_rate)
    look_and_keep_strains(memory, kept, r, recorded, last, t, speed)


@version_for(accumulate_power, RodProblem)
@func
def rod_spend(problem, stage, seconds, window_time, x, slope):
    memory, rates = problem.memory, HeadState(slope, 0)
    passive = problem.drive.passive[memory.now[0]]
    add_laws(memory.tally, seconds, memory.law_powers, rates.actuators - passive, rates.environment, passive)


no_op(accumulate_work, RodProblem)  # works are counted from knot to knot: see `efforts.look_at_strains`


@version_for(record_instant, RodProblem)
@func
def rod_keep(problem, x, slope, r):
    keep_instant(problem.memory, problem.records, x, r)


@noinline_func
def keep_instant(memory, records, x, r):
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
