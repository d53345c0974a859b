"""Implicit stages of rigid joints: springs, dampers and feedback along them, and the forces on bodies, taken ahead.

Along a joint a spring K and a damper C add Â = γh C + (γh)² K to its inertia, and Â q̈ of the accelerations before to
what acts, as in cells (see `implicit`). What pushes a body answers to its velocity with -∂F/∂V, found once per step by
differences of all forces together, whatever their laws; γh times its symmetric part is added to the inertia of the
body, and held against the acceleration before. The fixed point is the exact stage: all this only sets how fast, and
whether, it is reached.
"""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import Twist, carry_twist, twist_at, vector_at
from limbless.mechanics.chain import (
    INTEGRALS,
    NODES,
    AccelerationFeedback,
    ActuatorLimit,
    Axis,
    Body,
    ChainMemory,
    ChainProblem,
    ChainTables,
    DofRow,
    ForceJacobian,
    ImplicitForces,
    ImplicitTerm,
    LinkRow,
    MixedActuation,
    Motors,
    PrescribedMotion,
    actuate,
    add_span,
    blend,
    brace_again,
    brace_bodies,
    brace_by,
    command_and_push,
    feedforward,
    motor_slopes,
    occupy_base,
    occupy_by,
    put_state_rates,
    stage_by,
    stage_change,
    steer_by,
    turned_by,
    weights_at,
)
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func, version_for
from limbless.mechanics.control.closed_loop import place_all_joints


@version_for(steer_by, PrescribedMotion, MixedActuation, AccelerationFeedback)
@func
def steer_joints(
    actuation: AccelerationFeedback | MixedActuation | PrescribedMotion, problem: ChainProblem, n: int, share: Scalar
) -> None:
    drive_now(problem.memory.ahead, n, share)


@noinline_func
def drive_now(ahead: ImplicitForces, n: int, share: Scalar) -> None:
    """The gait at `share` (0 to 1) of step n."""
    row, weights, drive, present = NODES * n, weights_at(share), ahead.quarters, ahead.present
    for samples, out in (
        (drive.position, present.position),
        (drive.velocity, present.velocity),
        (drive.acceleration, present.acceleration),
        (drive.torque, present.torque),
    ):
        blend(samples, row, weights, out[0])


@version_for(occupy_by, PrescribedMotion, MixedActuation, AccelerationFeedback)
@func
def occupy_joints(
    actuation: AccelerationFeedback | MixedActuation | PrescribedMotion,
    problem: ChainProblem,
    start: Array,
    gh: Scalar,
    slope: Array,
    x: Array,
) -> None:
    occupy_free(problem.robot, start, gh, slope, x)
    controls = LinkRow(problem.robot.links, 0).velocity + 6 + len(problem.memory.torque)
    add_span(controls, len(x) - INTEGRALS, start, gh, slope, x)


@noinline_func
def occupy_free(robot: ChainTables, start: Array, gh: Scalar, slope: Array, x: Array) -> None:
    """Joints that are motion-given stay where the drive has them; a position of four numbers is a quaternion."""
    occupy_base(LinkRow(robot.links, 0), start, gh, slope, x)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if not link.given:
            add_span(link.velocity, link.velocity + link.freedoms, start, gh, slope, x)
            if link.positions == 4:
                turned_by(start, gh, link.position, vector_at(x, link.velocity), slope, x)
            else:
                for c in range(link.positions):
                    slope[link.position + c] = x[link.velocity + c]
                    x[link.position + c] = start[link.position + c] + gh * x[link.velocity + c]


@version_for(stage_by, PrescribedMotion, MixedActuation, AccelerationFeedback)
@func
def joint_stage(
    actuation: AccelerationFeedback | MixedActuation | PrescribedMotion,
    problem: ChainProblem,
    t: Scalar,
    window_time: Scalar,
    gh: Scalar,
    before: Array,
    x: Array,
    slope: Array,
):
    robot, options, memory = problem.robot, problem.options, problem.memory
    now = ChainProblem(robot, problem.forces, options, memory.ahead.present, memory, problem.records)
    actuate(actuation, robot, options, now.drive, 0, x, memory)
    place_all_joints(options.controllers, robot, x, memory)
    feedforward(actuation, now, 0, t, window_time, x)
    brace_again(actuation, problem, t, window_time, x)
    command_and_push(problem, t, window_time, x)
    set_implicit_terms(robot, options.feedback, options.motors, gh, before, memory)
    put_state_rates(problem, t, x, slope)
    clear_implicit_terms(memory)
    first, last = LinkRow(robot.links, 0).velocity, len(x) - INTEGRALS
    return stage_change(first, last, memory.ahead.scale, gh, before, slope, x)


@noinline_func
def set_implicit_terms(
    robot: ChainTables, feedback: bool, motors: Motors | None, gh: Scalar, before: Array, memory: ChainMemory
) -> None:
    """Â of every free joint, and δ of every body, with the accelerations before."""
    base, body = LinkRow(robot.links, 0), Body(memory.bodies, 0)
    twist, ahead = twist_at(before, base.velocity), memory.ahead
    delta = Twist(body.rotation @ twist.linear, body.rotation @ twist.angular)
    ForceJacobian(ahead.brakes, 0).before = delta
    ahead.span[0] = gh
    for k in range(1, len(robot.links.codes)):
        link, body = LinkRow(robot.links, k), Body(memory.bodies, k)
        if link.has_arm:
            delta = carry_twist(delta, body.arm)
        if not link.given:
            for c in range(link.freedoms):
                v = link.column + c
                acceleration, taken = before[link.velocity + c], ImplicitTerm(ahead.leads, v)
                # an actuator at its bound does not answer
                acts = feedback and abs(memory.torque[v]) < ActuatorLimit(memory.bounds, v).limit
                freedom = DofRow(robot.freedoms, v)
                share = answer_of(freedom, acts, gh)
                if motors is not None:
                    damping, stiffness = motor_slopes(motors, freedom, v)
                    share = answer_of(freedom, False, gh) + gh * (damping + gh * stiffness)
                share += gh * (memory.muscles[v, 3] + gh * memory.muscles[v, 2])
                taken.share = share
                taken.held = share * acceleration
                delta = delta + acceleration * Axis(memory.axes, v).screw
        if link.has_body:
            ForceJacobian(ahead.brakes, k).before = delta


@func
def answer_of(freedom: DofRow, follows: Any, gh: Scalar):
    """Â of one degree of freedom; `follows`: its feedback acts."""
    damping, stiffness = freedom.damping + freedom.viscous, freedom.stiffness
    if follows:
        damping, stiffness = damping + freedom.rate_gain, stiffness + freedom.gain
    return gh * (damping + gh * stiffness)


@noinline_func
def clear_implicit_terms(memory: ChainMemory) -> None:
    """Nothing is taken ahead outside a stage."""
    memory.ahead.span[0] = 0.0
    for v in range(memory.torque.shape[0]):
        taken = ImplicitTerm(memory.ahead.leads, v)
        taken.share = 0.0
        taken.held = 0.0


version_for(brace_by, PrescribedMotion, MixedActuation, AccelerationFeedback)(brace_bodies)
