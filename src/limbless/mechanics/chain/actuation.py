"""How a drive acts on the joints of a chain: imposed, or as torques and feedback among springs and friction."""

from __future__ import annotations

from limbless.mechanics.chain.balance import balance_chain
from limbless.mechanics.chain.dynamics import balanced_torques, hybrid_dynamics
from limbless.mechanics.chain.joints import angles_by, error_by, put_rate_by, settle_by
from limbless.mechanics.chain.kinematics import move
from limbless.mechanics.chain.saturation import answer, relent, take_wish
from limbless.mechanics.chain.tables import Actuated, Answering, Freedom, Imposed, Link, Robot, Unhurried, Wish
from limbless.mechanics.compiled.generic import generic, idle, version_for
from limbless.mechanics.compiled.kernel import inline, lean_kernel, lean_pass
from limbless.mechanics.compiled.lean import lean
from limbless.mechanics.compiled.scalars import where_positive
from limbless.mechanics.compiled.tables import Rows
from limbless.mechanics.forces.element import push_all


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


@version_for(actuate, Imposed)
@inline
def follow(actuation, robot, options, drive, i, x, memory):
    base = Link(robot.links, 0)
    position, velocity = base.position + base.positions, base.velocity + base.freedoms
    for c in range(drive.position.shape[1]):
        x[position + c] = drive.position[i, c]
    for c in range(drive.velocity.shape[1]):
        x[velocity + c] = drive.velocity[i, c]
        memory.acceleration[c] = drive.acceleration[i, c]


@version_for(put_joint_rates, Imposed, Unhurried)
@inline
def put_no_rates(actuation, robot, x, memory, out):
    return None  # they stay zero, as they were allocated


idle(settle_joints, Imposed, Unhurried)


@inline
def passive_torque(freedom, q, rate):
    """Spring, damper and friction of one degree of freedom (28), (37); Coulomb friction is 0 at rest."""
    one = 0.0 * rate + 1.0
    sign = where_positive(rate, one, where_positive(-rate, -one, 0.0 * one))
    return freedom.stiffness * (freedom.rest - q) - (freedom.damping + freedom.viscous) * rate - freedom.coulomb * sign


@inline
def feedback_torque(freedom, error, rate_error, acceleration):
    """Feedback on position, rate and acceleration error, without the part -A q̈ of the latter: that is known after the
    dynamics.
    """
    return freedom.gain * error + freedom.rate_gain * rate_error + freedom.inertia_gain * acceleration


@inline
def take(link, drive, i, x, acceleration):
    """A motion-given joint takes the drive's row i."""
    for c in range(link.positions):
        x[link.position + c] = drive.position[i, link.wanted + c]
    for c in range(link.freedoms):
        x[link.velocity + c] = drive.velocity[i, link.column + c]
        acceleration[link.column + c] = drive.acceleration[i, link.column + c]


@lean_pass
def drive_joints(robot, feedback, drive, i, x, memory):
    """Motion-given joints take the drive's row i, torque-given ones its torque and feedback; `memory.passive` of all."""
    held = min(i, drive.torque.shape[0] - 1)
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        if link.given:
            take(link, drive, i, x, memory.acceleration)
        q = angles_by(robot.kinds, link.kind, link, x)
        e = q
        if feedback and not link.given:
            e = error_by(robot.kinds, link.kind, link, x, drive.position[i])
        for c in range(link.freedoms):
            v, rate, freedom = link.column + c, x[link.velocity + c], Freedom(robot.freedoms, link.column + c)
            memory.passive[v] = passive_torque(freedom, q[c], rate)
            if not link.given:
                memory.torque[v] = drive.torque[held, v]
                if feedback:
                    memory.torque[v] += feedback_torque(
                        freedom, e[c], drive.velocity[i, v] - rate, drive.acceleration[i, v]
                    )


@lean_pass
def bound(robot, memory):
    """Torques that enter the dynamics: the wish of each torque-given joint, within what its actuator gives."""
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        if not link.given:
            for v in range(link.column, link.column + link.freedoms):
                memory.torque[v] = take_wish(memory.bounds, v, memory.torque[v], memory.wishes)


@version_for(actuate, Actuated)
@inline
def actuate_joints(actuation, robot, options, drive, i, x, memory):
    drive_joints(robot, options.feedback, drive, i, x, memory)
    if options.feedback:
        bound(robot, memory)


@version_for(actuate, Answering)
@inline
def wish_joints(actuation, robot, options, drive, i, x, memory):
    drive_joints(robot, True, drive, i, x, memory)  # within bounds once the forecast is known: `foresee`


@generic
def foresee(actuation, problem, i, t, inside, x):
    """Torques of inverse dynamics, added to what the feedback asks."""


idle(foresee, Imposed, Actuated)


@version_for(actuate, Unhurried)
@inline
def take_motion(actuation, robot, options, drive, i, x, memory):
    drive_joints(robot, False, drive, i, x, memory)


@version_for(foresee, Unhurried)
@inline
def find_balance(actuation, problem, i, t, inside, x):
    found = balance_chain(problem.robot, problem.forces, t, inside, x, actuation.desk, problem.memory)
    actuation.failed[0] = 0.0 if found else 1.0


@version_for(foresee, Answering)
@inline
def forecast(actuation, problem, i, t, inside, x):
    if problem.options.feedforward:
        expect(problem.robot, problem.forces, problem.options, problem.drive, i, t, inside, x, problem.memory)
    bound(problem.robot, problem.memory)


@lean_pass
def expect(robot, forces, options, drive, i, t, inside, x, memory):
    """Inverse dynamics of the present state with the accelerations of the drive's row i."""
    given = Robot(robot.kinds, Rows(robot.links.numbers, options.all_given), robot.freedoms)
    for v in range(len(memory.torque)):
        Wish(memory.wishes, v).wanted = memory.torque[v]
        memory.acceleration[v] = drive.acceleration[i, v]
    move(given, x, memory)
    push_all(forces, t, inside, given, memory)
    hybrid_dynamics(given, options.base, memory)
    for v in range(len(memory.torque)):
        memory.torque[v] += Wish(memory.wishes, v).wanted


@generic
def find_accelerations(actuation, robot, base, memory):
    """The dynamics of the instant, with what the actuators can give."""


@version_for(find_accelerations, Imposed, Actuated)
@inline
def find_at_once(actuation, robot, base, memory):
    hybrid_dynamics(robot, base, memory)


@version_for(find_accelerations, Unhurried)
@inline
def find_torques(actuation, robot, base, memory):
    balanced_torques(robot, base, memory)


@version_for(find_accelerations, Answering)
@inline
def find_within_bounds(actuation, robot, base, memory):
    again, rounds = True, 0
    while again:
        hybrid_dynamics(robot, base, memory)
        again = relent(memory.bounds, rounds, 0.0, memory.wishes, memory.acceleration, memory.torque)
        rounds += 1
    answer(memory.bounds, memory.wishes, memory.acceleration, memory.torque)


@lean_kernel
def passive_torques(robot, x, out):
    """Springs, dampers and friction of all joints at one instant."""
    tables, state, passive = lean(robot), lean(x), lean(out)
    for k in range(1, len(tables.links.codes)):
        link = Link(tables.links, k)
        q = angles_by(tables.kinds, link.kind, link, state)
        for c in range(link.freedoms):
            passive[link.column + c] = passive_torque(
                Freedom(tables.freedoms, link.column + c), q[c], state[link.velocity + c]
            )


@version_for(put_joint_rates, Actuated, Answering)
@lean_pass
def put_all_rates(actuation, robot, x, memory, out):
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        if not link.given:  # else they stay zero, as they were allocated
            put_rate_by(robot.kinds, link.kind, link, x, out)
            for c in range(link.freedoms):
                out[link.velocity + c] = memory.acceleration[link.column + c]


@version_for(settle_joints, Actuated, Answering)
@lean_pass
def settle_all(actuation, robot, x):
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        settle_by(robot.kinds, link.kind, link, x)
