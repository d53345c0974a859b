"""A chain by its screws: poses, Jacobians, metric and bias of all bodies, from spatial columns and composite inertias
(paper 003).

Every twist, wrench and inertia here is taken along the world axes at one point, where the base origin is at this
instant: far from the world's origin nothing is lost, and the metric does not change. Column a of the Jacobian is the
spatial screw s_a (5)-(6). The first columns are the base's (`frames`), then one per joint.

Kernels take the robot, the frame of its base or the number nb of its speeds, a state x or its speeds, and any memory
that has `bodies`, `spatial`, `screws`, `base`, `metric` and `bias`.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Twist,
    Vector,
    Wrench,
    carry_inertia,
    carry_twist,
    carry_wrench,
    cross,
    power,
    product,
    rotation_about,
    rotation_from_quaternion,
    twist_cross,
    wrench_cross,
)
from limbless.mechanics.chain import (
    Base,
    Body,
    ChainTables,
    DofRow,
    LinkRow,
    Prismatic,
    Revolute,
    body_inertia,
    nothing,
    sliding,
)
from limbless.mechanics.compiled import Array, Scalar, align_stack, func, generic, noinline_func, switch, version_for
from limbless.mechanics.forces import push_all
from limbless.mechanics.geometry.base_charts import (
    Frame,
    GeometricMemory,
    JointScrew,
    Spatial,
    base_origin,
    base_quaternion,
    home_rotation,
    move_base,
    put_base_screws,
)


@generic
def cross_joint(link: LinkRow, x: Array, R: Matrix, arm: Vector) -> tuple[Matrix, Vector, Twist]:
    """Rotation and arm (from the reference point) of the body beyond a joint whose origin has been reached, and the
    joint's screw.
    """


@version_for(cross_joint, Revolute)
@func
def turn_about(link: LinkRow, x: Array, R: Matrix, arm: Vector) -> tuple[Matrix, Vector, Twist]:
    direction = R @ link.axis
    return product(R, rotation_about(link.axis, x[link.position])), arm, Twist(cross(arm, direction), direction)


@version_for(cross_joint, Prismatic)
@func
def slide_along(link: LinkRow, x: Array, R: Matrix, arm: Vector):
    direction = R @ link.axis
    return R, arm + x[link.position] * direction, sliding(direction)


cross_joint_by = switch(cross_joint)


@func
def put_motion(memory: GeometricMemory, k: int, R: Matrix, start: Vector, arm: Vector, V: Twist, A: Twist) -> None:
    body, spatial = Body(memory.bodies, k), Spatial(memory.spatial, k)
    body.rotation = R
    body.origin = start + arm
    body.velocity = carry_twist(V, arm)
    spatial.twist = V
    spatial.known = A


@noinline_func
def place(robot: ChainTables, frame: Frame, x: Array, speeds: Array, memory: GeometricMemory) -> None:
    """From base to tip: poses (1), spatial screws (6) with their rates [V, s], twists (5) and velocity part of the
    accelerations.
    """
    align_stack()
    kinds, links, _ = robot
    screws, nb = memory.screws, frame.speeds
    q = base_quaternion(frame, x)
    R = rotation_from_quaternion(q.w, q.x, q.y, q.z)
    H = home_rotation(frame)
    start = base_origin(frame, H, x)
    put_base_screws(frame, H, R, x, screws)
    arm = 0.0 * start
    V, A = move_base(frame, speeds, screws, arm)
    put_motion(memory, LinkRow(links, 0).position, R, start, arm, V, A)
    for k in range(1, len(links.codes)):
        link = LinkRow(links, k)
        if link.has_arm:
            arm = arm + R @ link.arm
        R, arm, s = cross_joint_by(kinds, link.kind, link, x, R, arm)
        a = nb + link.column
        screw, rate = JointScrew(screws, a), twist_cross(V, s)
        screw.twist = s
        screw.rate = rate
        A = A + speeds[a] * rate
        V = V + speeds[a] * s
        put_motion(memory, k, R, start, arm, V, A)


@func
def push_bodies(forces: tuple, t: Scalar, window_time: Scalar, robot: ChainTables, memory: GeometricMemory) -> None:
    """All that pushes, once the bodies are placed."""
    for k in range(len(robot.links.codes)):
        body = Body(memory.bodies, k)
        body.wrench = Wrench(0.0 * body.origin, 0.0 * body.origin)
    push_all(forces, t, window_time, robot, memory)


@func
def inertia_of(link: LinkRow, R: Matrix, arm: Vector) -> Inertia:
    """Inertia of a body, added mass included, at the reference point."""
    own = body_inertia(link, R)
    return carry_inertia(own, arm)


@func
def put_column(a: int, K: Inertia, F: Wrench, memory: GeometricMemory) -> None:
    """Row and column a of the metric, M_ja = s_j . K_a s_a for j <= a (10), and the bias s_a . F."""
    screw, metric = JointScrew(memory.screws, a), memory.metric
    s = screw.twist
    U = K @ s
    screw.pull = U
    for j in range(a + 1):
        entry = power(JointScrew(memory.screws, j).twist, U)
        metric[a, j] = entry
        metric[j, a] = entry
    memory.bias[a] = power(s, F)


@noinline_func
def weigh(robot: ChainTables, nb: int, memory: GeometricMemory) -> None:
    """From tip to base: metric M (10), and bias = Γ(ẋ, ẋ) less the generalised force of the wrenches on all bodies
    (17).

    Leaves the composite inertia and the load of each body, and power and sum of the wrenches.
    """
    align_stack()
    links, base = robot.links, Base(memory.base, 0)
    K, F = nothing(0.0 * base.power)
    total, rate_of_work = 0.0 * F, 0.0 * base.power
    start = Body(memory.bodies, 0).origin
    for k in range(len(links.codes) - 1, -1, -1):
        link, spatial = LinkRow(links, k), Spatial(memory.spatial, k)
        if link.has_body:
            body = Body(memory.bodies, k)
            arm, V, outside = body.origin - start, spatial.twist, body.wrench
            I = inertia_of(link, body.rotation, arm)
            K = K + I
            at_reference = carry_wrench(outside, arm)
            F = F + I @ spatial.known + wrench_cross(V, I @ V) - at_reference
            total = total + at_reference
            rate_of_work += power(body.velocity, outside)
        spatial.composite = K
        spatial.load = F
        if k > 0:
            a = nb + link.column
            put_column(a, K, F, memory)
            memory.metric[a, a] += DofRow(robot.freedoms, link.column).rotor
    for a in range(nb):
        put_column(a, K, F, memory)
    base.power = rate_of_work
    base.pushed = total


@noinline_func
def hold_base(robot: ChainTables, acceleration: Array, memory: GeometricMemory) -> None:
    """With all accelerations known: what must hold the robot from outside, F + Σ K_a s_a a_a; nothing if it is free."""
    need = Spatial(memory.spatial, 0).load
    for a in range(len(acceleration)):
        need = need + acceleration[a] * JointScrew(memory.screws, a).pull
    Base(memory.base, 0).held = need
