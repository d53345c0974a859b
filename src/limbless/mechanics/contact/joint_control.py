"""What drives the joints over a step (68)-(69): actuators, springs, dampers and rotors as impulses and resistances."""

from __future__ import annotations

from limbless.mechanics.chain.actuator_limits import active_set_step, take_request
from limbless.mechanics.chain.tables import ActuatorLimit, DofRow, LinkRow
from limbless.mechanics.compiled.generic import constant_version, generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func, noinline_func
from limbless.mechanics.contact.joint_friction import rubbed
from limbless.mechanics.contact.step import (
    GivenJointMotion,
    GivenTorques,
    JointStep,
    NoTorqueLimits,
    StepFeedback,
    WithTorqueLimits,
)
from limbless.mechanics.integrate.running_totals import add_work, compare

SLACK = 100.0  # 1/m: error of joint rates over that of the contact laws which a solved step
# may keep


@generic
def row_of(control, n):
    """The drive's row at the middle of the step from knot n."""


@generic
def take_middle(control, robot, drive, i, state):
    """Positions that are given at the middle of the step, row i of the drive."""


@generic
def control_joints(control, robot, options, drive, i, h, chain, step):
    """Impulses and resistances of all joints over a step; row i of the drive is that of its middle."""


@generic
def end_joints(control, robot, drive, i, h, chain, step, x):
    """Joint positions and rates at the end of the step."""


@generic
def given_impulse(control, options, freedom, step, chain, v, own, old):
    """What an actuator gave over the step; `own` is what acted beside it, `old` the rate before."""


@version_for(row_of, StepFeedback)
@func
def own_row(control, n):
    return n  # feedback looks at the middle of a step only


@version_for(row_of, GivenJointMotion, GivenTorques)
@func
def stage_row(control, n):
    return 2 * n + 1


# --------------------------------------------------------------------------------------------------------- motion-given


@version_for(take_middle, GivenJointMotion)
@func
def take_all(control, robot, drive, i, state):
    for c in range(drive.position.shape[1]):
        state[7 + c] = drive.position[i, c]


@version_for(control_joints, GivenJointMotion)
@func
def take_rates(control, robot, options, drive, i, h, chain, step):
    for v in range(step.rates.shape[0]):
        JointStep(step.joints, v).effort = drive.velocity[i + 1, v]


@version_for(end_joints, GivenJointMotion)
@func
def take_ends(control, robot, drive, i, h, chain, step, x):
    velocity = LinkRow(robot.links, 0).velocity + 6
    for v in range(step.rates.shape[0]):
        x[velocity + v] = step.rates[v]
        x[7 + v] = drive.position[i + 1, v]


@version_for(given_impulse, GivenJointMotion)
@func
def found_impulse(control, options, freedom, step, chain, v, own, old):
    return JointStep(step.joints, v).effort - own + freedom.rotor * (step.rates[v] - old)


# --------------------------------------------------------------------------------------------------------- torque-given

no_op(take_middle, StepFeedback, GivenTorques)


@generic
def requested_impulse(control, options, freedom, drive, i, h, link, state):
    """Impulse that is asked of an actuator beside a given torque, and what it takes off per rate at the end of the
    step.
    """


@version_for(requested_impulse, GivenTorques)
@func
def nothing_asked(control, options, freedom, drive, i, h, link, state):
    return 0.0, 0.0


@version_for(requested_impulse, StepFeedback)
@func
def asked_by_feedback(control, options, freedom, drive, i, h, link, state):
    v, rate = link.column, state[link.velocity]
    Kp, Kd, A = freedom.gain, freedom.rate_gain, freedom.inertia_gain
    error, wanted = drive.position[i, v] - state[link.position], drive.velocity[i, v]
    if abs(error) <= 0.5 * options.backlash:
        Kp, Kd, A = 0.0, 0.0, 0.0
    else:
        error -= 0.5 * options.backlash * (1.0 if error > 0.0 else -1.0)
    if options.theta > 0.0:
        push, hold = h * (Kp * error + Kd * wanted), h * (Kd + options.theta * h * Kp)
    else:
        push, hold = h * (Kp * error + Kd * (wanted - rate)), 0.0
    if A > 0.0:  # A (q̈_ref - q̈), with the acceleration that the step will
        # have
        push, hold = push + A * (h * drive.acceleration[i, v] + rate), hold + A
    return push, hold


@version_for(control_joints, StepFeedback, GivenTorques)
@func
def push_joints(control, robot, options, drive, i, h, chain, step):
    held, state = min(i, drive.torque.shape[0] - 1), chain.state
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        v, freedom, joint = link.column, DofRow(robot.freedoms, link.column), JointStep(step.joints, link.column)
        push, hold = requested_impulse(control, options, freedom, drive, i, h, link, state)
        bound = ActuatorLimit(chain.bounds, v)
        bound.limit = h * freedom.saturation
        bound.gain = hold
        chain.torque[v] = take_request(chain.bounds, v, h * drive.torque[held, v] + push, chain.wishes)
        joint.passive = freedom.rotor + h * (freedom.damping + freedom.viscous) + 0.5 * h * h * freedom.stiffness
        joint.push = (
            h * freedom.stiffness * (freedom.rest - state[link.position]) + freedom.rotor * state[link.velocity]
        )
        put_control(joint, bound, chain.torque[v])


@func
def put_control(joint, bound, push):
    """Resistance and impulse of a joint: the actuator, as it stands now, and the rest."""
    joint.resist = joint.passive + bound.leading
    joint.effort = joint.push + push


@version_for(end_joints, StepFeedback, GivenTorques)
@func
def move_ends(control, robot, drive, i, h, chain, step, x):
    velocity = LinkRow(robot.links, 0).velocity + 6
    for v in range(step.rates.shape[0]):
        x[velocity + v] = step.rates[v]
        x[7 + v] = chain.state[7 + v] + 0.5 * h * step.rates[v]


@version_for(given_impulse, StepFeedback, GivenTorques)
@func
def answered_impulse(control, options, freedom, step, chain, v, own, old):
    return chain.torque[v] - ActuatorLimit(chain.bounds, v).leading * step.rates[v]


# ----------------------------------------------------------------------------------------------------------- saturation


@generic
def violates_limits(bounds, options, rounds, chain, step):
    """After a solve: whether some actuator gives what it should not; then the step's equations for the next one."""


constant_version(violates_limits, False, NoTorqueLimits)


@version_for(violates_limits, WithTorqueLimits)
@noinline_func
def enforce_limits(bounds, options, rounds, chain, step):
    again = active_set_step(chain.bounds, rounds, SLACK * options.tolerance, chain.wishes, step.rates, chain.torque)
    if again:
        for v in range(step.rates.shape[0]):
            joint = JointStep(step.joints, v)
            put_control(joint, ActuatorLimit(chain.bounds, v), chain.torque[v])
            joint.free_resist = joint.resist
            joint.free_effort = joint.effort
    return again


@func
def finish_joints(robot, options, where, t, h, chain, step, x):
    """Torques and works of all joints over a step; returns what actuators and what springs, dampers and friction did
    (J).
    """
    driven, passive = 0.0, 0.0
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        v, freedom, joint = link.column, DofRow(robot.freedoms, link.column), JointStep(step.joints, link.column)
        old, new = x[link.velocity], step.rates[v]
        own = (
            h * freedom.stiffness * (freedom.rest - chain.state[link.position] - 0.5 * h * new)
            - h * (freedom.damping + freedom.viscous) * new
            + rubbed(options.dry, joint, link.given, new)
        )
        given = given_impulse(options.control, options, freedom, step, chain, v, own, old)
        x[where.torque + v] = given / h
        x[where.rub + v] = joint.rub
        driven += 0.5 * given * (old + new)
        passive += 0.5 * own * (old + new)
        add_work(chain.tally, v, 0.5 * given * (old + new))
        compare(chain.tally, v, t + h, given / h)
    return driven, passive
