"""How a drive acts on the joints of a chain: imposed, or as torques and feedback among springs and friction."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import copy, copy_part, put_pair_at, twist_at
from limbless.mechanics.chain import (
    AccelerationFeedback,
    ActuatorRequest,
    ChainDrive,
    ChainMemory,
    ChainOptions,
    ChainProblem,
    ChainTables,
    DofRow,
    Inertialess,
    LinkRow,
    MixedActuation,
    Motors,
    PrescribedMotion,
    StrainActuation,
    active_set_step,
    actuator_torques,
    angles_by,
    balance_chain,
    balanced_torques,
    error_by,
    forward_kinematics,
    hybrid_dynamics,
    motor_torque,
    put_rate_by,
    settle_by,
    take_request,
)
from limbless.mechanics.compiled import (
    Array,
    Rows,
    Scalar,
    func,
    generic,
    kernel,
    no_op,
    noinline_func,
    unpack,
    version_for,
    where_positive,
)
from limbless.mechanics.forces import push_all


@generic
def actuate(
    actuation: Any, robot: ChainTables, options: ChainOptions, drive: Any, i: int, x: Array, memory: ChainMemory
):
    """Before the dynamics, row i of the drive: motion-given joints take it, torque-given ones get their torque;
    `memory.passive`.
    """


@generic
def put_joint_rates(actuation: Any, robot: ChainTables, x: Array, memory: ChainMemory, out: Array):
    """Rates of joint positions and velocities in a state; none where motion-given."""


@generic
def settle_joints(
    actuation: AccelerationFeedback | Inertialess | MixedActuation, robot: ChainTables, state: Array, x: Array
):
    """After a step, whose last stage stood at `state`."""


@version_for(actuate, PrescribedMotion)
@func
def follow(
    actuation: PrescribedMotion,
    robot: ChainTables,
    options: ChainOptions,
    drive: ChainDrive,
    i: int,
    x: Array,
    memory: ChainMemory,
) -> None:
    base = LinkRow(robot.links, 0)
    position, velocity = base.position + base.positions, base.velocity + base.freedoms
    copy_part(drive.position[i], 0, x, position, drive.position.shape[1])
    copy_part(drive.velocity[i], 0, x, velocity, drive.velocity.shape[1])
    copy(drive.acceleration[i], memory.acceleration)


no_op(put_joint_rates, PrescribedMotion, Inertialess)  # they stay zero, as they were allocated
no_op(settle_joints, PrescribedMotion, StrainActuation)


@version_for(settle_joints, Inertialess)
@func
def keep_last_twist(actuation: Inertialess, robot: ChainTables, state: Array, x: Array) -> None:
    """A state that has no twist of its own keeps the last one, as a guess."""
    first = LinkRow(robot.links, 0).velocity
    put_pair_at(x, first, twist_at(state, first))


@func
def passive_torque(freedom: DofRow, q: Scalar, rate: Scalar) -> Scalar:
    """Spring, damper and friction of one degree of freedom (28), (37); Coulomb friction is 0 at rest."""
    one = 0.0 * rate + 1.0
    sign = where_positive(rate, one, where_positive(-rate, -one, 0.0 * one))
    return freedom.stiffness * (freedom.rest - q) - (freedom.damping + freedom.viscous) * rate - freedom.coulomb * sign


@func
def feedback_torque(freedom: DofRow, error: Scalar, rate_error: Scalar, acceleration: Scalar) -> Scalar:
    """Feedback on position, rate and acceleration error, without the part -A q̈ of the latter: that is
    known after the dynamics.
    """
    return freedom.gain * error + freedom.rate_gain * rate_error + freedom.inertia_gain * acceleration


@func
def take_given_motion(link: LinkRow, drive: ChainDrive, i: int, x: Array, acceleration: Array) -> None:
    """A motion-given joint takes the drive's row i."""
    copy_part(drive.position[i], link.wanted, x, link.position, link.positions)
    copy_part(drive.velocity[i], link.column, x, link.velocity, link.freedoms)
    copy_part(drive.acceleration[i], link.column, acceleration, link.column, link.freedoms)


@noinline_func
def drive_joints(robot: ChainTables, feedback: bool, drive: ChainDrive, i: int, x: Array, memory: ChainMemory) -> None:
    """Motion-given joints take the drive's row i, torque-given ones its torque and
    feedback; `memory.passive` of all.
    """
    held = min(i, drive.torque.shape[0] - 1)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            take_given_motion(link, drive, i, x, memory.acceleration)
        q = angles_by(robot.kinds, link.kind, link, x)
        e = error_by(robot.kinds, link.kind, link, x, drive.position[i]) if feedback and not link.given else q
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
def limit_torques(robot: ChainTables, motors: Motors | None, x: Array, memory: ChainMemory) -> None:
    """Torques that enter the dynamics: the wish of each torque-given joint, within what its actuator gives."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if not link.given:
            for c in range(link.freedoms):
                v = link.column + c
                wanted = memory.torque[v]
                if motors is not None:
                    q, rate = x[link.position + c], x[link.velocity + c]
                    wanted = motor_torque(motors, DofRow(robot.freedoms, v), v, q, rate, wanted, x)
                memory.torque[v] = take_request(memory.bounds, v, wanted, memory.wishes)


@version_for(actuate, MixedActuation, AccelerationFeedback, Inertialess)
@func
def actuate_joints(
    actuation: AccelerationFeedback | Inertialess | MixedActuation,
    robot: ChainTables,
    options: ChainOptions,
    drive: ChainDrive,
    i: int,
    x: Array,
    memory: ChainMemory,
) -> None:
    drive_joints(robot, options.feedback, drive, i, x, memory)


@generic
def feedforward(
    actuation: AccelerationFeedback | Inertialess,
    problem: ChainProblem,
    i: int,
    t: Scalar,
    window_time: Scalar,
    x: Array,
):
    """Torques of inverse dynamics, added to what the feedback asks."""


no_op(feedforward, PrescribedMotion, MixedActuation, StrainActuation)


@version_for(feedforward, Inertialess)
@func
def find_balance(
    actuation: Inertialess, problem: ChainProblem, i: int, t: Scalar, window_time: Scalar, x: Array
) -> None:
    found = balance_chain(problem.robot, problem.forces, t, window_time, x, actuation.desk, problem.memory)
    actuation.failed[0] = 0.0 if found else 1.0


@version_for(feedforward, AccelerationFeedback)
@func
def add_feedforward(
    actuation: AccelerationFeedback, problem: ChainProblem, i: int, t: Scalar, window_time: Scalar, x: Array
) -> None:
    if problem.options.feedforward:
        feedforward_torques(
            problem.robot, problem.forces, problem.options, problem.drive, i, t, window_time, x, problem.memory
        )


@generic
def saturate(actuation: Any, robot: ChainTables, options: ChainOptions, x: Array, memory: ChainMemory):
    """All that is asked of an actuator, by feedback, forecast and controllers, within what it gives."""


no_op(saturate, PrescribedMotion, StrainActuation, Inertialess)


@version_for(saturate, MixedActuation)
@func
def saturate_feedback(
    actuation: MixedActuation, robot: ChainTables, options: ChainOptions, x: Array, memory: ChainMemory
) -> None:
    if options.feedback:
        limit_torques(robot, options.motors, x, memory)


@version_for(saturate, AccelerationFeedback)
@func
def saturate_forecast(
    actuation: AccelerationFeedback, robot: ChainTables, options: ChainOptions, x: Array, memory: ChainMemory
) -> None:
    limit_torques(robot, options.motors, x, memory)


@noinline_func
def feedforward_torques(
    robot: ChainTables,
    forces: Any,
    options: ChainOptions,
    drive: ChainDrive,
    i: int,
    t: Scalar,
    window_time: Scalar,
    x: Array,
    memory: ChainMemory,
) -> None:
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
def find_accelerations(actuation: Any, robot: ChainTables, base: int, memory: ChainMemory):
    """The dynamics of the instant, with what the actuators can give."""


@version_for(find_accelerations, PrescribedMotion, MixedActuation)
@func
def find_at_once(
    actuation: MixedActuation | PrescribedMotion, robot: ChainTables, base: int, memory: ChainMemory
) -> None:
    hybrid_dynamics(robot, base, memory)


@version_for(find_accelerations, Inertialess)
@func
def find_torques(actuation: Inertialess, robot: ChainTables, base: int, memory: ChainMemory) -> None:
    balanced_torques(robot, base, memory)


@version_for(find_accelerations, AccelerationFeedback)
@func
def find_within_bounds(actuation: AccelerationFeedback, robot: ChainTables, base: int, memory: ChainMemory) -> None:
    again, rounds = True, 0
    while again:
        hybrid_dynamics(robot, base, memory)
        again = active_set_step(memory.bounds, rounds, 0.0, memory.wishes, memory.acceleration, memory.torque)
        rounds += 1
    actuator_torques(memory.bounds, memory.wishes, memory.acceleration, memory.torque)


@kernel
def passive_torques(robot: ChainTables, x: Array, out: Array) -> None:
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
def put_all_rates(
    actuation: AccelerationFeedback | MixedActuation, robot: ChainTables, x: Array, memory: ChainMemory, out: Array
) -> None:
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if not link.given:  # else they stay zero, as they were allocated
            put_rate_by(robot.kinds, link.kind, link, x, out)
            copy_part(memory.acceleration, link.column, out, link.velocity, link.freedoms)


@version_for(settle_joints, MixedActuation, AccelerationFeedback)
@noinline_func
def settle_all(actuation: AccelerationFeedback | MixedActuation, robot: ChainTables, state: Array, x: Array) -> None:
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        settle_by(robot.kinds, link.kind, link, x)
