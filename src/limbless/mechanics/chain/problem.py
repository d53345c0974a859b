"""A chain as a problem for an engine.

The state holds position (7 + joint positions), velocity (6 + freedoms) and `IntegralSums`.
"""

from __future__ import annotations

from limbless.mechanics.algebra.flat_vectors import (
    put_pair_at,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    twist_at,
    vector_at,
)
from limbless.mechanics.algebra.lie import normalised
from limbless.mechanics.algebra.spatial import carry_wrench
from limbless.mechanics.chain.dynamics import singular_joint
from limbless.mechanics.chain.joint_actuation import (
    actuate,
    feedforward,
    find_accelerations,
    put_joint_rates,
    settle_joints,
)
from limbless.mechanics.chain.joints import put_quaternion_rate
from limbless.mechanics.chain.kinematics import forward_kinematics, mass_speed
from limbless.mechanics.chain.tables import (
    INTEGRALS,
    AccelerationFeedback,
    AxisRecord,
    Base,
    BaseRecord,
    Body,
    BodyRecord,
    ChainProblem,
    Inertialess,
    IntegralSums,
    LinkRow,
    MixedActuation,
    NoCells,
    PrescribedMotion,
    StrainActuation,
)
from limbless.mechanics.compiled.generic import constant_version, delegate, generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func, noinline_func
from limbless.mechanics.forces.force_element import push_all, spend_all
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
from limbless.mechanics.integrate.running_totals import (
    NoTotals,
    ObjectiveTotals,
    Totals,
    add_laws,
    add_smooth_works,
    compare_and_record,
    score_knot,
    score_stage,
    score_step,
)


@version_for(rate, ChainProblem)
@func
def chain_rate(problem, i, t, window_time, x, out):
    robot, forces, options, drive, memory, _ = problem
    actuate(options.actuation, robot, options, drive, i, x, memory)
    feedforward(options.actuation, problem, i, t, window_time, x)
    forward_kinematics(robot, x, memory)
    push_all(forces, t, window_time, robot, memory)
    find_accelerations(options.actuation, robot, options.base, memory)
    put_rates(robot, x, memory, out)
    put_joint_rates(options.actuation, robot, x, memory, out)


@func
def put_rates(robot, x, memory, out):
    """Rates of the base and of the sums."""
    place, base, body = LinkRow(robot.links, 0), Base(memory.base, 0), Body(memory.bodies, 0)
    first, second, freedoms = place.position, place.velocity, len(memory.torque)
    twist = twist_at(x, second)
    put_vector_at(out, first, body.rotation @ twist.linear)
    put_quaternion_rate(x, first + 3, twist.angular, out)
    put_pair_at(out, second, base.acceleration)
    driven, passive = 0.0 * base.power, 0.0 * base.power
    for v in range(freedoms):
        driven += memory.torque[v] * x[second + 6 + v]
        passive += memory.passive[v] * x[second + 6 + v]
    driven, passive = account_tendons(memory.cells, driven, passive)
    sums = IntegralSums(out, len(out) - INTEGRALS)
    sums.actuators = driven
    sums.environment = base.power
    sums.passive = passive
    sums.impulse = carry_wrench(base.pushed + base.held, vector_at(x, first))


@generic
def account_tendons(cells, driven, passive):
    """Powers of actuators and of what is passive, from those along the freedoms: tendons store and lose some."""


@version_for(account_tendons, NoCells)
@func
def account_nothing(cells, driven, passive):
    return driven, passive


@version_for(states, ChainProblem)
@func
def chain_states(problem):
    return problem.memory.state, problem.memory.slope, problem.memory.total


@generic
def add_moving(actuation, base, start, step, slope, end):
    """The coordinates of joints that are all motion-given do not take part."""


@func
def add_span(first, last, start, step, slope, end):
    for c in range(first, last):
        end[c] = start[c] + step * slope[c]


@version_for(add_moving, PrescribedMotion, Inertialess)
@func
def add_base(actuation, base, start, step, slope, end):
    add_span(base.position, base.position + base.positions, start, step, slope, end)
    add_span(base.velocity, base.velocity + base.freedoms, start, step, slope, end)
    add_span(len(start) - INTEGRALS, len(start), start, step, slope, end)


@version_for(add_moving, MixedActuation, AccelerationFeedback)
@func
def add_all(actuation, base, start, step, slope, end):
    add_span(base.position, len(start), start, step, slope, end)


@version_for(add, ChainProblem)
@func
def chain_add(problem, start, step, slope, end):
    add_moving(problem.options.actuation, LinkRow(problem.robot.links, 0), start, step, slope, end)


@version_for(normalise, ChainProblem)
@func
def chain_settle(problem, x):
    turned = LinkRow(problem.robot.links, 0).position + 3
    put_quaternion_at(x, turned, normalised(quaternion_at(x, turned)))
    settle_joints(problem.options.actuation, problem.robot, x)
    settle_twist(problem.options.actuation, LinkRow(problem.robot.links, 0).velocity, problem.memory.state, x)


@generic
def settle_twist(actuation, first, state, x):
    """After a step: a state that has no twist of its own keeps the last one, as a guess."""


no_op(settle_twist, PrescribedMotion, MixedActuation, AccelerationFeedback, StrainActuation)


@version_for(settle_twist, Inertialess)
@func
def keep_last_twist(actuation, first, state, x):
    put_pair_at(x, first, twist_at(state, first))


@generic
def find_locked(actuation, robot, memory):
    """Row of a joint that has no inertia to move, or 0."""


constant_version(find_locked, 0, PrescribedMotion)


@version_for(find_locked, Inertialess)
@func
def unbalanced(actuation, robot, memory):
    return int(actuation.failed[0])


@version_for(find_locked, MixedActuation, AccelerationFeedback)
@func
def some_locked(actuation, robot, memory):
    return singular_joint(robot, memory)


@version_for(failure_code, ChainProblem)
@func
def chain_trouble(problem):
    return find_locked(problem.options.actuation, problem.robot, problem.memory)


@version_for(record_instant, ChainProblem)
@func
def chain_keep(problem, x, slope, r):
    keep_cells(problem.memory.cells, problem.robot, problem.memory, r)
    keep_instant(problem.robot, problem.memory, problem.records, x, slope, r)


@generic
def keep_cells(cells, robot, memory, r):
    """Tendons and stations of this instant, where there are some."""


no_op(keep_cells, NoCells)


@noinline_func
def keep_instant(robot, memory, records, x, slope, r):
    for c in range(len(x)):
        records.x[r, c] = x[c]
    base, kept, sums = Base(memory.base, 0), BaseRecord(records.base, r), IntegralSums(slope, len(x) - INTEGRALS)
    kept.acceleration = base.acceleration
    kept.held = base.held
    kept.actuators = sums.actuators
    kept.environment = sums.environment
    kept.passive = sums.passive
    for v in range(len(memory.torque)):
        axis = AxisRecord(records.axes, r, v)
        axis.acceleration = memory.acceleration[v]
        axis.torque = memory.torque[v]
    links = len(robot.links.codes)
    for k in range(memory.bodies.shape[0]):
        if k >= links or LinkRow(robot.links, k).has_body:  # behind the links: the stations of cells
            body, place = Body(memory.bodies, k), BodyRecord(records.bodies, r, k)
            place.rotation = body.rotation
            place.origin = body.origin
            place.twist = body.velocity
            place.twist_rate = body.known + body.delta
            place.wrench = body.wrench


look_at, spend_in = (
    delegate(check_limits, ChainProblem, "memory.tally"),
    delegate(accumulate_power, ChainProblem, "memory.tally"),
)
close_in = delegate(accumulate_work, ChainProblem, "memory.tally")
for _question in (look_at, spend_in, close_in):
    no_op(_question, NoTotals)


@generic
def efforts(actuation, memory):
    """What the actuators give, one number each."""


@generic
def put_powers(actuation, memory, powers, stage, x, velocity):
    """Their powers into row `stage`; velocities of the joints begin at `velocity` in a state."""


@generic
def flow_speed(actuation, robot, memory):
    """Speed of the centre of mass, m/s."""


@version_for(efforts, PrescribedMotion, MixedActuation, AccelerationFeedback, Inertialess)
@func
def joint_efforts(actuation, memory):
    return memory.torque


@version_for(put_powers, PrescribedMotion, MixedActuation, AccelerationFeedback, Inertialess)
@func
def put_joint_powers(actuation, memory, powers, stage, x, velocity):
    for v in range(len(memory.torque)):
        powers[stage, v] = memory.torque[v] * x[velocity + v]


@version_for(flow_speed, PrescribedMotion, MixedActuation, AccelerationFeedback, Inertialess)
@func
def chain_speed(actuation, robot, memory):
    return mass_speed(robot, memory.bodies)


@version_for(look_at, Totals)
@func
def look_and_count(tally, problem, t, x, r, recorded, last):
    memory, actuation = problem.memory, problem.options.actuation
    compare_and_record(
        tally,
        problem.records.tally,
        r,
        recorded,
        last,
        t,
        x,
        efforts(actuation, memory),
        flow_speed(actuation, problem.robot, memory),
    )


@func
def spend_laws(problem, window_time):
    """The powers of all laws, in `memory.law_powers`."""
    memory = problem.memory
    for i in range(len(memory.law_powers)):
        memory.law_powers[i] = 0.0
    spend_all(problem.forces, window_time, memory)


@func
def spend_actuators(problem, powers, row, x):
    """The powers of all actuators, into a row of `powers`."""
    base = LinkRow(problem.robot.links, 0)
    put_powers(problem.options.actuation, problem.memory, powers, row, x, base.velocity + base.freedoms)


@version_for(spend_in, Totals)
@func
def spend_and_count(tally, problem, stage, seconds, window_time, x, slope):
    spend_actuators(problem, problem.memory.powers, stage, x)
    spend_laws(problem, window_time)
    sums = IntegralSums(slope, len(x) - INTEGRALS)
    add_laws(tally, seconds, problem.memory.law_powers, sums.actuators, sums.environment, sums.passive)


@version_for(close_in, Totals)
@func
def close_and_count(tally, problem, step):
    add_smooth_works(tally, step, problem.memory.powers)


@version_for(look_at, ObjectiveTotals)
@func
def look_and_score(tally, problem, t, x, r, recorded, last):
    score_knot(tally, efforts(problem.options.actuation, problem.memory))


@version_for(spend_in, ObjectiveTotals)
@func
def spend_and_score(tally, problem, stage, seconds, window_time, x, slope):
    spend_actuators(problem, problem.memory.powers, stage, x)
    score_stage(tally, seconds, efforts(problem.options.actuation, problem.memory))


@version_for(close_in, ObjectiveTotals)
@func
def close_and_score(tally, problem, step):
    score_step(tally, step, problem.memory.powers)
