"""A chain by its screws: poses, Jacobians, metric and bias of all bodies, from spatial columns and composite inertias
(paper 003).

Every twist, wrench and inertia here is taken along the world axes at one point, where the base origin is at this
instant: far from the world's origin nothing is lost, and the metric does not change. Column a of the Jacobian is the
spatial screw s_a (5)-(6). The first columns are the base's (`base_charts`), then one per joint.

Kernels take the robot, the frame of its base or the number nb of its speeds, and a state x or its speeds.
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
    twist_cross,
    wrench_cross,
)
from limbless.mechanics.chain import Body, ChainTables, DofRow, LinkRow, Prismatic, body_inertia, nothing, sliding
from limbless.mechanics.compiled import Array, Scalar, align_stack, func, kernel, noinline_func, unpack
from limbless.mechanics.forces import push_all
from limbless.mechanics.geometry.base_charts import (
    Frame,
    GeometricMemory,
    JointScrew,
    Spatial,
    base_origin,
    base_rotation,
    move_base,
    put_base_screws,
)

SLIDES = Prismatic.code


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
    links, screws = robot.links, memory.screws
    R, start = base_rotation(frame, x), base_origin(frame, x)
    put_base_screws(frame, x, R, screws)
    arm = 0.0 * start
    V, A = move_base(frame, speeds, screws, arm)
    put_motion(memory, 0, R, start, arm, V, A)
    for k in range(1, len(links.codes)):
        link = LinkRow(links, k)
        a, q, direction = frame.speeds + link.column, x[frame.coordinates + link.column], R @ link.axis
        arm = arm + R @ link.arm
        if link.kind == SLIDES:
            arm = arm + q * direction
            s = sliding(direction)
        else:
            R = product(R, rotation_about(link.axis, q))
            s = Twist(cross(arm, direction), direction)
        screw, rate = JointScrew(screws, a), twist_cross(V, s)
        screw.twist = s
        screw.rate = rate
        A = A + speeds[a] * rate
        V = V + speeds[a] * s
        put_motion(memory, k, R, start, arm, V, A)


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
    (17). Leaves the composite inertia and the load of each body.
    """
    align_stack()
    links, start = robot.links, Body(memory.bodies, 0).origin
    K, F = nothing(0.0 * start.x)
    for k in range(len(links.codes) - 1, -1, -1):
        link, spatial = LinkRow(links, k), Spatial(memory.spatial, k)
        if link.has_body:
            body = Body(memory.bodies, k)
            arm, V = body.origin - start, spatial.twist
            I = carry_inertia(body_inertia(link, body.rotation), arm)  # at the reference point
            K = K + I
            F = F + I @ spatial.known + wrench_cross(V, I @ V) - carry_wrench(body.wrench, arm)
        spatial.composite = K
        spatial.load = F
        if k > 0:
            a = nb + link.column
            put_column(a, K, F, memory)
            memory.metric[a, a] += DofRow(robot.freedoms, link.column).rotor
    for a in range(nb):
        put_column(a, K, F, memory)


@kernel
def weigh_state(
    robot: ChainTables, forces: tuple, frame: Frame, time: Scalar, x: Array, speeds: Array, memory: GeometricMemory
) -> None:
    """Poses, twists, screws, metric and bias of a state, called from Python; the `forces` are taken off the bias."""
    tables, base, held = unpack(robot), unpack(frame), unpack(memory)
    place(tables, base, unpack(x), unpack(speeds), held)
    for k in range(len(tables.links.codes)):
        body = Body(held.bodies, k)
        body.wrench = Wrench(0.0 * body.origin, 0.0 * body.origin)
    push_all(unpack(forces), time, time, tables, held)
    weigh(tables, base.speeds, held)
