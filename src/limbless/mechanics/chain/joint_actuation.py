"""How a drive acts on the joints of a chain: imposed, or as torques and feedback among springs and friction."""

from __future__ import annotations

from limbless.mechanics.chain.actuator_limits import active_set_step, actuator_torques, take_request
from limbless.mechanics.chain.dynamics import balanced_torques, hybrid_dynamics
from limbless.mechanics.chain.force_balance import balance_chain
from limbless.mechanics.chain.joints import angles_by, error_by, put_rate_by, settle_by
from limbless.mechanics.chain.kinematics import forward_kinematics
from limbless.mechanics.chain.tables import (
    AccelerationFeedback,
    ActuatorRequest,
    ChainTables,
    DofRow,
    Inertialess,
    LinkRow,
    MixedActuation,
    PrescribedMotion,
)
from limbless.mechanics.compiled.flat_array import unpack
from limbless.mechanics.compiled.generic import generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func, kernel, noinline_func
from limbless.mechanics.compiled.scalars import where_positive
from limbless.mechanics.compiled.tables import Rows
from limbless.mechanics.forces.force_element import push_all


@generic
def actuate(actuation, robot, options, drive, i, x, memory):
    """Before the dynamics, row i of the drive: motion-given joints take it, torque-given ones get their torque;
    `memory.passive`.
    """


@generic
def put_joint_rates(actuation, robot, x, memory, out):
    """Rates of joint positions and velocities in a state; none where motion-given."""


@generic
def settle_joints(actuation, robot, x):
    """After a step."""


@version_for(actuate, PrescribedMotion)
@func
def follow(actuation, robot, options, drive, i, x, memory):
    base = LinkRow(robot.links, 0)
    position, velocity = base.position + base.positions, base.velocity + base.freedoms
    for c in range(drive.position.shape[1]):
        x[position + c] = drive.position[i, c]
    for c in range(drive.velocity.shape[1]):
        x[velocity + c] = drive.velocity[i, c]
        memory.acceleration[c] = drive.acceleration[i, c]


@version_for(put_joint_rates, PrescribedMotion, Inertialess)
@func
def put_no_rates(actuation, robot, x, memory, out):
    return None  # they stay zero, as they were allocated


no_op(settle_joints, PrescribedMotion, Inertialess)


@func
def passive_torque(freedom, q, rate):
    """Spring, damper and friction of one degree of freedom (28), (37); Coulomb friction is 0 at rest."""
    one = 0.0 * rate + 1.0
    sign = where_positive(rate, one, where_positive(-rate, -one, 0.0 * one))
    return freedom.stiffness * (freedom.rest - q) - (freedom.damping + freedom.viscous) * rate - freedom.coulomb * sign


@func
def feedback_torque(freedom, error, rate_error, acceleration):
    """Feedback on position, rate and acceleration error, without the part -A q̈ of the latter: that is known after the
    dynamics.
    """
    return freedom.gain * error + freedom.rate_gain * rate_error + freedom.inertia_gain * acceleration


@func
def take_given_motion(link, drive, i, x, acceleration):
    """A motion-given joint takes the drive's row i."""
    for c in range(link.positions):
        x[link.position + c] = drive.position[i, link.wanted + c]
    for c in range(link.freedoms):
        x[link.velocity + c] = drive.velocity[i, link.column + c]
        acceleration[link.column + c] = drive.acceleration[i, link.column + c]


@noinline_func
def drive_joints(robot, feedback, drive, i, x, memory):
    """Motion-given joints take the drive's row i, torque-given ones its torque and feedback; `memory.passive` of all."""
    held = min(i, drive.torque.shape[0] - 1)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            take_given_motion(link, drive, i, x, memory.acceleration)
        q = angles_by(robot.kinds, link.kind, link, x)
        e = q
        if feedback and not link.given:
            e = error_by(robot.kinds, link.kind, link, x, drive.position[i])
        for c in range(link.freedoms):
            v, rate, freedom = link.column + c, x[link.velocity + c], DofRow(robot.freedoms, link.column + c)
            memory.passive[v] = passive_torque(freedom, q[c], rate)
            if not link.given:
                memory.torque[v] = drive.torque[held, v]
                if feedback:
                    memory.torque[v] += feedback_torque(
                        freedom, e[c], drive.velocity[i, v] - rate, drive.acceleration[i, v]
                    )


@noinline_func
def limit_torques(robot, memory):
    """Torques that enter the dynamics: the wish of each torque-given joint, within what its actuator gives."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if not link.given:
            for v in range(link.column, link.column + link.freedoms):
                memory.torque[v] = take_request(memory.bounds, v, memory.torque[v], memory.wishes)


@version_for(actuate, MixedActuation)
@func
def actuate_joints(actuation, robot, options, drive, i, x, memory):
    drive_joints(robot, options.feedback, drive, i, x, memory)
    if options.feedback:
        limit_torques(robot, memory)


@version_for(actuate, AccelerationFeedback)
@func
def request_torques(actuation, robot, options, drive, i, x, memory):
    drive_joints(robot, True, drive, i, x, memory)  # within bounds once the forecast is known: `feedforward`


@generic
def feedforward(actuation, problem, i, t, window_time, x):
    """Torques of inverse dynamics, added to what the feedback asks."""


no_op(feedforward, PrescribedMotion, MixedActuation)


@version_for(actuate, Inertialess)
@func
def take_motion(actuation, robot, options, drive, i, x, memory):
    drive_joints(robot, False, drive, i, x, memory)


@version_for(feedforward, Inertialess)
@func
def find_balance(actuation, problem, i, t, window_time, x):
    found = balance_chain(problem.robot, problem.forces, t, window_time, x, actuation.desk, problem.memory)
    actuation.failed[0] = 0.0 if found else 1.0


@version_for(feedforward, AccelerationFeedback)
@func
def add_feedforward(actuation, problem, i, t, window_time, x):
    if problem.options.feedforward:
        feedforward_torques(
            problem.robot, problem.forces, problem.options, problem.drive, i, t, window_time, x, problem.memory
        )
    limit_torques(problem.robot, problem.memory)


@noinline_func
def feedforward_torques(robot, forces, options, drive, i, t, window_time, x, memory):
    """Inverse dynamics of the present state with the accelerations of the drive's row i."""
    given = ChainTables(robot.kinds, Rows(robot.links.numbers, options.all_given), robot.freedoms)
    for v in range(len(memory.torque)):
        ActuatorRequest(memory.wishes, v).wanted = memory.torque[v]
        memory.acceleration[v] = drive.acceleration[i, v]
    forward_kinematics(given, x, memory)
    push_all(forces, t, window_time, given, memory)
    hybrid_dynamics(given, options.base, memory)
    for v in range(len(memory.torque)):
        memory.torque[v] += ActuatorRequest(memory.wishes, v).wanted


@generic
def find_accelerations(actuation, robot, base, memory):
    """The dynamics of the instant, with what the actuators can give."""


@version_for(find_accelerations, PrescribedMotion, MixedActuation)
@func
def find_at_once(actuation, robot, base, memory):
    hybrid_dynamics(robot, base, memory)


@version_for(find_accelerations, Inertialess)
@func
def find_torques(actuation, robot, base, memory):
    balanced_torques(robot, base, memory)


@version_for(find_accelerations, AccelerationFeedback)
@func
def find_within_bounds(actuation, robot, base, memory):
    again, rounds = True, 0
    while again:
        hybrid_dynamics(robot, base, memory)
        again = active_set_step(memory.bounds, rounds, 0.0, memory.wishes, memory.acceleration, memory.torque)
        rounds += 1
    actuator_torques(memory.bounds, memory.wishes, memory.acceleration, memory.torque)


@kernel
def passive_torques(robot, x, out):
    """Springs, dampers and friction of all joints at one instant."""
    tables, state, passive = unpack(robot), unpack(x), unpack(out)
    for k in range(1, len(tables.links.codes)):
        link = LinkRow(tables.links, k)
        q = angles_by(tables.kinds, link.kind, link, state)
        for c in range(link.freedoms):
            passive[link.column + c] = passive_torque(
                DofRow(tables.freedoms, link.column + c), q[c], state[link.velocity + c]
            )


@version_for(put_joint_rates, MixedActuation, AccelerationFeedback)
@noinline_func
def put_all_rates(actuation, robot, x, memory, out):
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if not link.given:  # else they stay zero, as they were allocated
            put_rate_by(robot.kinds, link.kind, link, x, out)
            for c in range(link.freedoms):
                out[link.velocity + c] = memory.acceleration[link.column + c]


@version_for(settle_joints, MixedActuation, AccelerationFeedback)
@noinline_func
def settle_all(actuation, robot, x):
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        settle_by(robot.kinds, link.kind, link, x)
