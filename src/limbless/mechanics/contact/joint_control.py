"""What drives the joints over a step (68)-(69): actuators, springs, dampers and rotors as impulses and resistances."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import copy_part, fill
from limbless.mechanics.chain import (
    ActuatorLimit,
    ChainDrive,
    ChainMemory,
    ChainTables,
    DofRow,
    LinkRow,
    active_set_step,
    keep_voltage,
    motor_impulse,
    take_request,
)
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func
from limbless.mechanics.contact import ContactOptions, JointStep, StateLayout, Step, StepFeedback, rubbed
from limbless.mechanics.control.closed_loop import command_all, put_all_control_rates
from limbless.mechanics.integrate.running_totals import add_work, compare

# 1/m: error of joint rates over that of the contact laws which a solved step may keep
RATE_SLACK = 100.0


@func
def row_of(feedback: StepFeedback | None, n: int) -> int:
    """The drive's row at the middle of the step from knot n; feedback alone has no other rows."""
    return 2 * n + 1 if feedback is None else feedback.rows * n + feedback.rows - 1


@func
def take_middle(robot: ChainTables, drive: ChainDrive, i: int, state: Array) -> None:
    """Positions that are given at the middle of the step, row i of the drive."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            state[link.position] = drive.position[i, link.column]


@func
def requested_impulse(
    feedback: StepFeedback, freedom: DofRow, drive: ChainDrive, i: int, h: Scalar, link: LinkRow, state: Array
) -> tuple[Scalar, Scalar]:
    """Impulse that is asked of an actuator beside a given torque, and what it takes off per
    rate at the end of the step.
    """
    if feedback is None:
        return 0.0, 0.0
    v, rate = link.column, state[link.velocity]
    Kp, Kd, A = freedom.gain, freedom.rate_gain, freedom.inertia_gain
    error, wanted = drive.position[i, v] - state[link.position], drive.velocity[i, v]
    if abs(error) <= 0.5 * feedback.backlash:
        Kp, Kd, A = 0.0, 0.0, 0.0
    else:
        error -= 0.5 * feedback.backlash * (1.0 if error > 0.0 else -1.0)
    if feedback.theta > 0.0:
        push, hold = h * (Kp * error + Kd * wanted), h * (Kd + feedback.theta * h * Kp)
    else:
        push, hold = h * (Kp * error + Kd * (wanted - rate)), 0.0
    if A > 0.0:  # A (q̈_ref - q̈), with the acceleration that the step will have
        push, hold = push + A * (h * drive.acceleration[i, v] + rate), hold + A
    return push, hold


@func
def control_joints(
    options: ContactOptions,
    robot: ChainTables,
    drive: ChainDrive,
    i: int,
    h: Scalar,
    chain: ChainMemory,
    step: Step,
    x: Array,
) -> None:
    """Impulses and resistances of all joints over a step from x; row i of the drive is that of its middle. A
    motion-given joint takes its rate at the end. Controllers have left what they command in `chain.total`.
    """
    held, state = min(i, drive.torque.shape[0] - 1), chain.state
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        v, freedom, joint = link.column, DofRow(robot.freedoms, link.column), JointStep(step.joints, link.column)
        if link.given:
            joint.effort = drive.velocity[i + 1, v]
            joint.push = joint.effort  # what `put_control` makes of it stays so
            joint.passive = 0.0
            continue
        push, hold = requested_impulse(options.feedback, freedom, drive, i, h, link, state)
        wanted = h * drive.torque[held, v] + push
        if options.controllers is not None:
            stiffness, damping = chain.muscles[v, 2], chain.muscles[v, 3]  # of muscles, at the end of the step
            wanted += h * (chain.total[v] + damping * state[link.velocity])
            hold += h * damping + 0.5 * h * h * stiffness
        if options.motors is not None:
            wanted, hold = motor_impulse(options.motors, freedom, link, h, wanted, hold, x, chain)
        bound = ActuatorLimit(chain.bounds, v)
        bound.limit = h * freedom.saturation
        bound.gain = hold
        chain.torque[v] = take_request(chain.bounds, v, wanted, chain.wishes)
        joint.passive = freedom.rotor + h * (freedom.damping + freedom.viscous) + 0.5 * h * h * freedom.stiffness
        joint.push = (
            h * freedom.stiffness * (freedom.rest - state[link.position]) + freedom.rotor * state[link.velocity]
        )
        put_control(joint, bound, chain.torque[v])


@func
def run_controllers(
    controllers: tuple, robot: ChainTables, where: StateLayout, t: Scalar, h: Scalar, chain: ChainMemory, x: Array
) -> None:
    """At the middle of a step: numbers of controllers there, half a step of their rates on; what they command, in
    `chain.total`, and their rates there, in `chain.slope`. Actuators gave what they gave in the step before.
    """
    state, count = chain.state, chain.torque.shape[0]
    for c in range(where.control, where.sums):
        state[c] = x[c]
        chain.slope[c] = 0.0
    for half in range(2):
        for c in range(where.control, where.sums):
            state[c] = x[c] + 0.5 * h * half * chain.slope[c]
        fill(chain.torque, 0.0)
        command_all(controllers, t, robot, state, chain)
        copy_part(chain.torque, 0, chain.total, 0, count)
        copy_part(x, where.torque, chain.torque, 0, count)
        put_all_control_rates(controllers, t, robot, state, chain, chain.slope)


@func
def put_control(joint: JointStep, bound: ActuatorLimit, push: Scalar) -> None:
    """Resistance and impulse of a joint: the actuator, as it stands now, and the rest."""
    joint.resist = joint.passive + bound.leading
    joint.effort = joint.push + push


@func
def end_joints(
    robot: ChainTables, drive: ChainDrive, i: int, h: Scalar, chain: ChainMemory, step: Step, x: Array
) -> None:
    """Joint positions and rates at the end of the step."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        v, place = link.column, link.position
        x[link.velocity] = step.rates[v]
        x[place] = drive.position[i + 1, v] if link.given else chain.state[place] + 0.5 * h * step.rates[v]


@noinline_func
def violates_limits(slack: Any, rounds: Any, chain: ChainMemory, step: Step):
    """After a solve: whether some actuator gives what it should not; then the step's equations for the next one."""
    again = active_set_step(chain.bounds, rounds, slack, chain.wishes, step.rates, chain.torque)
    if again:
        for v in range(step.rates.shape[0]):
            joint = JointStep(step.joints, v)
            put_control(joint, ActuatorLimit(chain.bounds, v), chain.torque[v])
            joint.free_resist = joint.resist
            joint.free_effort = joint.effort
    return again


@func
def finish_joints(
    robot: ChainTables,
    options: ContactOptions,
    where: StateLayout,
    t: Scalar,
    h: Scalar,
    chain: ChainMemory,
    step: Step,
    x: Array,
) -> tuple[Scalar, Scalar]:
    """Torques and works of all joints over a step; returns what actuators and what springs,
    dampers and friction did (J).
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
        if link.given:
            given = joint.effort - own + freedom.rotor * (new - old)
        else:
            given = chain.torque[v] - ActuatorLimit(chain.bounds, v).leading * new
        x[where.torque + v] = given / h
        if options.motors is not None:
            keep_voltage(options.motors, v, given / h, new, x)
        x[where.rub + v] = joint.rub
        driven += 0.5 * given * (old + new)
        passive += 0.5 * own * (old + new)
        add_work(chain.tally, v, 0.5 * given * (old + new))
        compare(chain.tally, v, t + h, given / h)
    return driven, passive
