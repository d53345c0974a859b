"""Implicit stages of rigid joints: springs, dampers and feedback along them, and the forces on bodies, taken ahead.

Along a joint a spring K and a damper C add Â = γh C + (γh)² K to its inertia, and Â q̈ of the accelerations before to
what acts, as in cells (see `implicit`). What pushes a body answers to its velocity with -∂F/∂V, found once per step by
differences of all forces together, whatever their laws; γh times its symmetric part is added to the inertia of the
body, and held against the acceleration before. The fixed point is the exact stage: all this only sets how fast, and
whether, it is reached.
"""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import Inertia, Matrix, Symmetric, Twist, Vector, Wrench, carry_twist, twist_at
from limbless.mechanics.chain.cell_forces import NODES, blend, weights_at
from limbless.mechanics.chain.implicit_cells import (
    brace_by,
    measure,
    occupy_base,
    occupy_by,
    stage_by,
    steer_by,
    turned_by,
)
from limbless.mechanics.chain.joint_actuation import (
    actuate,
    feedforward,
    find_accelerations,
    put_joint_rates,
    saturate,
)
from limbless.mechanics.chain.kinematics import forward_kinematics
from limbless.mechanics.chain.problem import put_rates
from limbless.mechanics.chain.tables import (
    INTEGRALS,
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
    PrescribedMotion,
)
from limbless.mechanics.compiled import Array, Scalar, absolute, func, maximum, noinline_func, primal, version_for
from limbless.mechanics.control.closed_loop import command_all, put_all_control_rates
from limbless.mechanics.forces import push_all

NUDGE = 1e-7  # m/s and rad/s: of the differences that make -∂F/∂V


@version_for(steer_by, PrescribedMotion, MixedActuation, AccelerationFeedback)
@func
def steer_joints(
    actuation: AccelerationFeedback | MixedActuation | PrescribedMotion, problem: ChainProblem, n: int, share: Scalar
) -> None:
    drive_now(problem.memory.ahead, n, share)


@noinline_func
def drive_now(ahead: ImplicitForces, n: int, share: Scalar) -> None:
    """The gait at `share` (0 to 1) of step n."""
    row, weights, samples, present = NODES * n, weights_at(share), ahead.quarters, ahead.present
    blend(samples.position, row, weights, present.position[0])
    blend(samples.velocity, row, weights, present.velocity[0])
    blend(samples.acceleration, row, weights, present.acceleration[0])
    blend(samples.torque, row, weights, present.torque[0])


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
    first, last = control_columns(problem.robot, problem.memory, x)
    for c in range(first, last):
        x[c] = start[c] + gh * slope[c]


@noinline_func
def occupy_free(robot: ChainTables, start: Array, gh: Scalar, slope: Array, x: Array) -> None:
    """Joints that are motion-given stay where the drive has them; a position of four numbers is a quaternion."""
    occupy_base(LinkRow(robot.links, 0), start, gh, slope, x)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if not link.given:
            for c in range(link.velocity, link.velocity + link.freedoms):
                x[c] = start[c] + gh * slope[c]
            if link.positions == 4:
                turned_by(
                    start,
                    gh,
                    link.position,
                    Vector(x[link.velocity], x[link.velocity + 1], x[link.velocity + 2]),
                    slope,
                    x,
                )
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
    robot, forces, options, memory = problem.robot, problem.forces, problem.options, problem.memory
    now = ChainProblem(robot, forces, options, memory.ahead.present, memory, problem.records)
    actuate(actuation, robot, options, now.drive, 0, x, memory)
    feedforward(actuation, now, 0, t, window_time, x)
    forward_kinematics(robot, x, memory)
    command_all(options.controllers, t, robot, x, memory)
    saturate(actuation, robot, options, memory)
    push_all(forces, t, window_time, robot, memory)
    set_implicit_terms(robot, options.feedback, gh, before, memory)
    find_accelerations(actuation, robot, options.base, memory)
    put_rates(robot, x, memory, slope)
    put_joint_rates(actuation, robot, x, memory, slope)
    put_all_control_rates(options.controllers, t, robot, x, memory, slope)
    clear_implicit_terms(memory)
    change, speed = measure(LinkRow(robot.links, 0).velocity, memory.ahead.scale, gh, before, slope, x)
    return control_change(control_columns(robot, memory, x), memory.ahead.scale, gh, before, slope, change), speed


@func
def control_columns(robot: ChainTables, memory: ChainMemory, x: Array) -> tuple[int, int]:
    """Where the numbers of controllers begin in a state, and where they end."""
    return LinkRow(robot.links, 0).velocity + 6 + memory.torque.shape[0], len(x) - INTEGRALS


@func
def control_change(
    columns: tuple[int, int], scale: Array, gh: Scalar, before: Array, slope: Array, change: Scalar
) -> Scalar:
    """The same as `measure`, of controllers: a unit of theirs (a radian, a full activity) moves a joint by one."""
    for c in range(columns[0], columns[1]):
        way = primal(gh) * primal(scale[scale.shape[0] - 1]) * absolute(primal(slope[c]) - primal(before[c]))
        change = maximum(change, way)
    return change


@noinline_func
def set_implicit_terms(robot: ChainTables, feedback: bool, gh: Scalar, before: Array, memory: ChainMemory) -> None:
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
                share = answer_of(DofRow(robot.freedoms, v), feedback and free_to_act(memory, v), gh)
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


@func
def free_to_act(memory: ChainMemory, v: int):
    """Whether an actuator stands within its bound: at it, it does not answer."""
    return abs(memory.torque[v]) < ActuatorLimit(memory.bounds, v).limit


@noinline_func
def clear_implicit_terms(memory: ChainMemory) -> None:
    """Nothing is taken ahead outside a stage."""
    memory.ahead.span[0] = 0.0
    for v in range(memory.torque.shape[0]):
        taken = ImplicitTerm(memory.ahead.leads, v)
        taken.share = 0.0
        taken.held = 0.0


# ----------------------------------------------------------------------------------------------------- forces on bodies


@version_for(brace_by, PrescribedMotion, MixedActuation, AccelerationFeedback)
@func
def brace_bodies(
    actuation: AccelerationFeedback | MixedActuation | PrescribedMotion,
    problem: ChainProblem,
    t: Scalar,
    window_time: Scalar,
    x: Array,
) -> None:
    """-∂F/∂V of all bodies: six directions, in each of which all of them are nudged at once."""
    robot, forces, memory = problem.robot, problem.forces, problem.memory
    forward_kinematics(robot, x, memory)
    push_all(forces, t, window_time, robot, memory)
    keep_pushes(memory)
    for c in range(6):
        perturb_velocity(c, NUDGE, memory)
        push_all(forces, t, window_time, robot, memory)
        keep_slope(c, memory)
        perturb_velocity(c, -NUDGE, memory)
    for k in range(memory.bodies.shape[0]):
        ForceJacobian(memory.ahead.brakes, k).slope = dissipative_part(memory.ahead.slopes[k])


@noinline_func
def keep_pushes(memory: ChainMemory) -> None:
    for k in range(memory.bodies.shape[0]):
        ForceJacobian(memory.ahead.brakes, k).start = Body(memory.bodies, k).wrench


@noinline_func
def perturb_velocity(c: tuple, by: Any, memory: ChainMemory) -> None:
    """All bodies faster along one direction, and nothing acts on them yet."""
    add = Twist(
        Vector(by if c == 0 else 0.0, by if c == 1 else 0.0, by if c == 2 else 0.0),
        Vector(by if c == 3 else 0.0, by if c == 4 else 0.0, by if c == 5 else 0.0),
    )
    for k in range(memory.bodies.shape[0]):
        body = Body(memory.bodies, k)
        body.velocity = body.velocity + add
        body.wrench = Wrench(0.0 * add.linear, 0.0 * add.linear)


@noinline_func
def keep_slope(c: tuple, memory: ChainMemory) -> None:
    for k in range(memory.bodies.shape[0]):
        change = (-1.0 / NUDGE) * (Body(memory.bodies, k).wrench - ForceJacobian(memory.ahead.brakes, k).start)
        C = memory.ahead.slopes[k]
        C[0, c], C[1, c], C[2, c] = change.force
        C[3, c], C[4, c], C[5, c] = change.torque


@noinline_func
def dissipative_part(C: Array) -> Inertia:
    """The symmetric part of C, as far as it brakes: an entry is at most the mean of what
    brakes along both directions.
    """
    for i in range(6):
        C[i, i] = max(C[i, i], 0.0)
    for i in range(6):
        for j in range(i):
            most = (C[i, i] * C[j, j]) ** 0.5
            C[i, j] = min(max(0.5 * (C[i, j] + C[j, i]), -most), most)
            C[j, i] = C[i, j]
    return Inertia(
        Symmetric(C[0, 0], C[0, 1], C[0, 2], C[1, 1], C[1, 2], C[2, 2]),
        Matrix(Vector(C[3, 0], C[3, 1], C[3, 2]), Vector(C[4, 0], C[4, 1], C[4, 2]), Vector(C[5, 0], C[5, 1], C[5, 2])),
        Symmetric(C[3, 3], C[3, 4], C[3, 5], C[4, 4], C[4, 5], C[5, 5]),
    )
