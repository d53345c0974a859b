"""The geometric model with smooth forces, as `integrate.runge_kutta` asks for it."""

from __future__ import annotations

from limbless.mechanics.algebra.flat_vectors import put_pair_at, put_quaternion_at, put_vector_at
from limbless.mechanics.algebra.spatial import Twist, carry_twist, carry_wrench
from limbless.mechanics.algebra.vectors import transpose
from limbless.mechanics.chain.actuator_limits import active_set_step, actuator_torques
from limbless.mechanics.chain.joint_actuation import actuate_joints, follow, put_joint_rates
from limbless.mechanics.chain.problem import chain_add, chain_states
from limbless.mechanics.chain.tables import (
    INTEGRALS,
    AccelerationFeedback,
    ActuatorLimit,
    AxisRecord,
    Base,
    BaseRecord,
    Body,
    BodyRecord,
    ChainProblem,
    IntegralSums,
    LinkRow,
    MixedActuation,
    PrescribedMotion,
    Spatial,
)
from limbless.mechanics.compiled.flat_array import flat_slice
from limbless.mechanics.compiled.generic import generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func, noinline_func
from limbless.mechanics.geometry.base_charts import base_quaternion, is_near_lock, put_base_rates, settle_base
from limbless.mechanics.geometry.clamp_projection import reseat
from limbless.mechanics.geometry.constrained_dynamics import Trouble, efforts, prepare, put_clamp_rows, solve_free
from limbless.mechanics.geometry.screws import accelerate, place, push_bodies, weigh
from limbless.mechanics.geometry.tables import Clamped, Full, GeometricProblem, Printed, Unclamped, geometry_of
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

version_for(states, GeometricProblem)(chain_states)
version_for(add, GeometricProblem)(chain_add)
for _question in (check_limits, accumulate_power, accumulate_work):
    version_for(_question, GeometricProblem)(_question.versions[ChainProblem])


@generic
def drive_joints(actuation, robot, options, drive, i, x, memory):
    """Row i of the drive: motion-given joints take it, torque-given ones get what their actuators give;
    `memory.passive`.
    """


version_for(drive_joints, PrescribedMotion)(follow)
version_for(drive_joints, MixedActuation, AccelerationFeedback)(actuate_joints)


@func
def speeds_in(robot, memory, x):
    """The speeds of all degrees of freedom in a state."""
    return flat_slice(x, LinkRow(robot.links, 0).velocity, len(memory.bias))


@func
def rest_base(options, speeds, memory):
    """A motion-given base stands still."""
    for a in range(options.frame.speeds):
        if options.given[a]:
            speeds[a] = 0.0
            memory.rates[a] = 0.0


# ------------------------------------------------------------------------------------------ the equations at an instant


@generic
def find_mixed_terms(equations, robot, frame, x, speeds, memory):
    """What (22) as printed leaves out."""


@generic
def drop_mixed_terms(equations, frame, memory):
    """Take it out of the rows of the base."""


no_op(find_mixed_terms, Full)
no_op(drop_mixed_terms, Full)


@version_for(find_mixed_terms, Printed)
@noinline_func
def mixed_terms(equations, robot, frame, x, speeds, memory):
    """Minus 2 Γ_ijk ẋ_i ẋ_j with i of the base and j of the joints, in `memory.effort`.

    Γ(v, v) is quadratic: the mixed part is what all speeds have beyond those of the base and those of the joints alone.
    Wrenches that stand on the bodies fall out of the sum.
    """
    part, total = memory.forces, memory.effort
    for a in range(total.shape[0]):
        total[a] = 0.0
    for which in range(4):  # of the base, of the joints; less all and none
        for a in range(part.shape[0]):
            part[a] = speeds[a] if which == 2 or which == (0 if a < frame.speeds else 1) else 0.0
        place(robot, frame, x, part, geometry_of(memory))
        weigh(robot, frame.speeds, geometry_of(memory))
        for a in range(total.shape[0]):
            total[a] += memory.bias[a] if which < 2 else -memory.bias[a]


@version_for(drop_mixed_terms, Printed)
@func
def drop_terms(equations, frame, memory):
    for a in range(frame.speeds):
        memory.bias[a] += memory.effort[a]


@func
def weigh_among(problem, t, window_time, x, speeds):
    """Poses, wrenches, metric and bias of a state, and the rows of a clamp. Returns how many these are."""
    robot, forces, options, _, memory, _, _ = problem
    find_mixed_terms(options.equations, robot, options.frame, x, speeds, memory)
    geometry = geometry_of(memory)
    place(robot, options.frame, x, speeds, geometry)
    push_bodies(forces, t, window_time, robot, memory)
    weigh(robot, options.frame.speeds, geometry)
    drop_mixed_terms(options.equations, options.frame, memory)
    return put_clamp_rows(options.clamp, robot, options.frame, geometry, memory.solver)


@func
def put_forces(nb, h, memory):
    """Right-hand side of all degrees of freedom: force, or impulse over a step of h seconds."""
    for a in range(len(memory.bias)):
        acting = 0.0 if a < nb else memory.torque[a - nb] + memory.passive[a - nb]
        memory.forces[a] = h * (acting - memory.bias[a])


@func
def weigh_leads(nb, sign, memory):
    """Put the inertia with which feedback answers to accelerations into the metric, or take it out."""
    for v in range(len(memory.torque)):
        memory.metric[nb + v, nb + v] += sign * ActuatorLimit(memory.bounds, v).leading


@func
def relent_in_metric(nb, rounds, slack, memory):
    """Whether some actuator gives what it should not at the accelerations found; the metric follows the bounds."""
    weigh_leads(nb, -1.0, memory)
    again = active_set_step(memory.bounds, rounds, slack, memory.wishes, memory.acceleration, memory.torque)
    weigh_leads(nb, 1.0, memory)
    return again


@func
def solve_once(options, rows, memory):
    """Accelerations that are not given. Returns 0, or the `Trouble`."""
    count, found = prepare(options.given, memory.metric, rows, memory.solver)
    if found == 0:
        put_forces(options.frame.speeds, 1.0, memory)
        solve_free(memory.metric, memory.forces, rows, count, memory.solver, memory.rates)
    return found


@generic
def find_rates(actuation, options, rows, memory):
    """Accelerations that are not given, with what the actuators can give. Returns 0, or the `Trouble`."""


@version_for(find_rates, PrescribedMotion, MixedActuation)
@func
def find_at_once(actuation, options, rows, memory):
    return solve_once(options, rows, memory)


@version_for(find_rates, AccelerationFeedback)
@func
def find_within_bounds(actuation, options, rows, memory):
    again, rounds, found = True, 0, 0
    while again:
        found = solve_once(options, rows, memory)
        again = found == 0 and relent_in_metric(options.frame.speeds, rounds, 0.0, memory)
        rounds += 1
    actuator_torques(memory.bounds, memory.wishes, memory.acceleration, memory.torque)
    return found


@func
def find_efforts(robot, options, rows, memory):
    """Torques along the given joints, accelerations of all bodies, and what holds the robot."""
    nb = options.frame.speeds
    efforts(memory.metric, memory.bias, memory.rates, rows, memory.solver, memory.effort)
    for v in range(len(memory.torque)):
        if options.given[nb + v]:
            memory.torque[v] = memory.effort[nb + v] - memory.passive[v]
    accelerate(robot, nb, memory.rates, geometry_of(memory))


# -------------------------------------------------------------------------------------------------- what an engine asks


@version_for(rate, GeometricProblem)
@func
def geometric_rate(problem, i, t, window_time, x, out):
    robot, _, options, drive, memory, _, _ = problem
    speeds = speeds_in(robot, memory, x)
    rest_base(options, speeds, memory)
    drive_joints(options.actuation, robot, options, drive, i, x, memory)
    rows = weigh_among(problem, t, window_time, x, speeds)
    for r in range(rows):
        memory.solver.target[r] = -memory.solver.row_rates[r]
    found = (
        Trouble.LOCK.value if is_near_lock(options.frame, x) else find_rates(options.actuation, options, rows, memory)
    )
    if found == 0:
        find_efforts(robot, options, rows, memory)
        put_rates(robot, options, x, speeds, memory, out)
        put_joint_rates(options.actuation, robot, x, memory, out)
    elif memory.trouble[0] == 0:  # rates stay what they were: the engine stops at the next
        # knot
        memory.trouble[0] = found


@func
def powers_of(nb, speeds, memory):
    """Power of the actuators, and of springs, dampers and friction in the joints."""
    driven, passive = 0.0, 0.0
    for v in range(len(memory.torque)):
        driven += memory.torque[v] * speeds[nb + v]
        passive += memory.passive[v] * speeds[nb + v]
    return driven, passive


@func
def outer_wrench(memory):
    """All outer wrenches together, about the world's origin."""
    base = Base(memory.base, 0)
    return carry_wrench(base.pushed + base.held, Body(memory.bodies, 0).origin)


@func
def put_rates(robot, options, x, speeds, memory, out):
    """Rates of the base and of the sums."""
    frame, start = options.frame, LinkRow(robot.links, 0).velocity
    put_base_rates(frame, x, speeds, out)
    for a in range(frame.speeds):
        out[start + a] = 0.0 if options.given[a] else memory.rates[a]
    sums = IntegralSums(out, len(x) - INTEGRALS)
    driven, passive = powers_of(frame.speeds, speeds, memory)
    sums.actuators = driven
    sums.environment = Base(memory.base, 0).power
    sums.passive = passive
    sums.impulse = outer_wrench(memory)


@version_for(failure_code, GeometricProblem)
@func
def geometric_trouble(problem):
    return problem.memory.trouble[0]


@generic
def return_to_seat(clamp, problem, x):
    """After a step: the clamped module back where it is held."""


no_op(return_to_seat, Unclamped)


@version_for(return_to_seat, Clamped)
@func
def return_clamped(clamp, problem, x):
    robot, _, options, _, memory, _, _ = problem
    reseat(robot, options.frame, clamp, x, speeds_in(robot, memory, x), geometry_of(memory))


@generic
def end_given(clamp, robot, state, x):
    """Motion-given joints at the end of the step, where the last stage stood."""


@version_for(end_given, Unclamped)
@func
def leave_given(clamp, robot, state, x):
    return None  # the next stage takes them from the drive


@version_for(end_given, Clamped)
@func
def take_from_stage(clamp, robot, state, x):
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            x[link.position] = state[link.position]
            x[link.velocity] = state[link.velocity]


@version_for(normalise, GeometricProblem)
@func
def geometric_settle(problem, x):
    settle_base(problem.options.frame, x)
    end_given(problem.options.clamp, problem.robot, problem.memory.state, x)
    return_to_seat(problem.options.clamp, problem, x)


@version_for(record_instant, GeometricProblem)
@func
def geometric_keep(problem, x, slope, r):
    robot, _, options, _, memory, records, _ = problem
    speeds = speeds_in(robot, memory, x)
    keep_pose(robot, base_quaternion(options.frame, x), x, memory.bodies, records, r)
    keep_all_forces(robot, options.frame.speeds, speeds, memory, records, r)


@noinline_func
def keep_pose(robot, orientation, x, bodies, records, r):
    """Coordinates, poses and twists of this instant."""
    base, body, kept, n = LinkRow(robot.links, 0), Body(bodies, 0), records.x[r], len(robot.freedoms)
    first, V, Rt = base.position, body.velocity, transpose(body.rotation)
    put_vector_at(kept, first, body.origin)
    put_quaternion_at(kept, first + 3, orientation)
    put_pair_at(kept, first + 7 + n, Twist(Rt @ V.linear, Rt @ V.angular))
    for v in range(n):
        kept[7 + v] = x[base.positions + v]
        kept[13 + n + v] = x[base.velocity + base.freedoms + v]
    for i in range(INTEGRALS):
        kept[13 + 2 * n + i] = x[len(x) - INTEGRALS + i]
    for k in range(len(robot.links.codes)):
        body, place_kept = Body(bodies, k), BodyRecord(records.bodies, r, k)
        place_kept.rotation = body.rotation
        place_kept.origin = body.origin
        place_kept.twist = body.velocity


@func
def keep_all_forces(robot, nb, speeds, memory, records, r):
    """Accelerations, torques, powers and wrenches of this instant (or of the step that begins there)."""
    kept = BaseRecord(records.base, r)
    kept.actuators, kept.passive = powers_of(nb, speeds, memory)
    for v in range(len(memory.torque)):
        axis = AxisRecord(records.axes, r, v)
        axis.acceleration = memory.acceleration[v]
        axis.torque = memory.torque[v]
    keep_forces(robot, geometry_of(memory), records, r)


@noinline_func
def keep_forces(robot, geometry, records, r):
    """Accelerations and wrenches of base and bodies."""
    base, kept, body = Base(geometry.base, 0), BaseRecord(records.base, r), Body(geometry.bodies, 0)
    start, Rt, A = body.origin, transpose(body.rotation), Spatial(geometry.spatial, 0).acceleration
    kept.acceleration = Twist(Rt @ A.linear, Rt @ A.angular)
    kept.held = base.held
    kept.environment = base.power
    for k in range(len(robot.links.codes)):
        body, body_kept = Body(geometry.bodies, k), BodyRecord(records.bodies, r, k)
        body_kept.twist_rate = carry_twist(Spatial(geometry.spatial, k).acceleration, body.origin - start)
        body_kept.wrench = body.wrench
