"""What a joint is. A kind is an empty class with a `code`, and its versions of the functions below: one file, or a part
of this one.

The recursions never ask for a kind. numba learns from the type of `robot.kinds` which kinds a robot has: where there is
one, nothing is asked at run time; where there are several, one integer is.

A kind of m freedoms says where its body goes (`forward_joint`), and by which twists its unit velocities move
it (the screws of its axes). The dynamics of any joint is then that of m axes one after the other, without
bodies between (Gauss elimination of the m accelerations).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Symmetric,
    Twist,
    Vector,
    Wrench,
    articulated_inertia,
    normalised,
    power,
    product,
    put_quaternion_at,
    quaternion_at,
    quaternion_conjugate,
    quaternion_log,
    quaternion_product,
    rotation_by,
    rotation_from_quaternion,
    transpose,
    twist_cross,
    vector_at,
)
from limbless.mechanics.chain.tables import (
    ActuatorLimit,
    Axis,
    ChainMemory,
    ChainTables,
    DofRow,
    ImplicitForces,
    ImplicitTerm,
    LinkRow,
)
from limbless.mechanics.compiled import Array, Scalar, func, generic, has_tangents, sincos, switch, version_for


class FrameMotion(NamedTuple):
    """Where a recursion stands: rotation R, origin, velocity V and known acceleration A of a body, world axes."""

    R: Matrix
    origin: Vector
    V: Twist
    A: Twist


# ------------------------------------------------------------------------------------ what the recursions ask of a kind


@generic
def joint_arm(link: LinkRow, x: Array) -> Vector:
    """The arm from the previous origin to this one, in the frame of the previous body."""


@generic
def forward_joint(link: LinkRow, x: Array, memory: ChainMemory, here: FrameMotion) -> FrameMotion:
    """The body beyond the joint, its origin already reached; the screws of the joint's axes
    are left in `memory.axes`.
    """


@generic
def aba_inward(link: LinkRow, robot: ChainTables, memory: ChainMemory, I: Inertia, P: Wrench) -> tuple[Inertia, Wrench]:
    """Inertia I and wrench P with which all beyond answers, taken across the joint towards the base."""


@generic
def aba_outward(link: LinkRow, robot: ChainTables, memory: ChainMemory, delta: Twist) -> Twist:
    """δ of the body before the joint taken across it; accelerations or torques of its freedoms are left in `memory`."""


@generic
def angles(link: LinkRow, x: Array) -> Vector:
    """The position as one number per freedom (Vector, unused ones any): what springs see."""


@generic
def error(link: LinkRow, x: Array, wanted: Array) -> Vector:
    """From the present position to the `wanted` row of a drive, one number per freedom: what feedback sees."""


@generic
def put_rate(link: LinkRow, x: Array, out: Array):
    """Rate of the position in a state."""


@generic
def normalise_joint(link: LinkRow, x: Array):
    """After a step: put the position back where it belongs (unit quaternions)."""


reach_by, place_by, transmit_by, respond_by = (
    switch(joint_arm),
    switch(forward_joint),
    switch(aba_inward),
    switch(aba_outward),
)
angles_by, error_by, put_rate_by, settle_by = switch(angles), switch(error), switch(put_rate), switch(normalise_joint)


known_kinds: list[Any] = []
"""Every kind of joint, in the order of their files."""


def joint_kind(cls: Any) -> Any:
    """Class decorator: a kind with its `code` (in tables), how many numbers its position and its velocity take
    (`positions`, `freedoms`), and whether its origin moves as it does (`reaches`).
    """
    known_kinds.append(cls)
    return cls


# ------------------------------------------------------------------------------------------------------- for every kind


@func
def moved(link: LinkRow, x: Array, memory: ChainMemory, here: FrameMotion, R: Matrix, S: Twist) -> FrameMotion:
    """Across one axis of constant direction S: V' = V + q̇ S, A' = A + V x q̇ S, and q̈ S where it is given (4)-(6)."""
    relative = x[link.velocity] * S
    A = here.A + twist_cross(here.V, relative)
    if link.given:
        A = A + memory.acceleration[link.column] * S
    return FrameMotion(R, here.origin, here.V + relative, A)


@func
def implicit_term(ahead: ImplicitForces, v: int) -> tuple[Scalar, Scalar]:
    """What an implicit stage adds along axis v to its inertia, and to what acts along it: see `implicit_joints`."""
    if ahead is None:
        return 0.0, 0.0
    taken = ImplicitTerm(ahead.leads, v)
    return taken.share, taken.held


@func
def transmit_along(
    v: int, S: Twist, link: LinkRow, robot: ChainTables, memory: ChainMemory, I: Inertia, P: Wrench, around: Symmetric
) -> tuple[Inertia, Wrench]:
    """Across axis v. Torque-given: (34)-(39); motion-given: the body beyond is carried rigidly, (23)-(24).

    `around` is the part of I in which the axis moves: beside its size an axis without inertia of its `own` stands out.
    """
    axis = Axis(memory.axes, v)
    U = I @ S
    axis.answer = U
    if link.given:
        axis.force = power(S, P)
    else:
        more, held = implicit_term(memory.ahead, v)
        D = power(S, U) + DofRow(robot.freedoms, v).rotor + ActuatorLimit(memory.bounds, v).leading + more
        u = memory.torque[v] + memory.passive[v] + held - power(S, P)
        axis.force = u
        axis.mobility = 1.0 / D
        axis.own = D
        axis.around = around.xx + around.yy + around.zz
        I = articulated_inertia(I, U, D)
        P = P + (u / D) * U
    return I, P


@func
def respond_along(v: int, S: Twist, link: LinkRow, robot: ChainTables, memory: ChainMemory, delta: Twist) -> Twist:
    """Acceleration (41) or torque (28) of axis v, rotor included, and δ beyond it."""
    axis = Axis(memory.axes, v)
    reaction = power(delta, axis.answer)
    if link.given:
        rotor = DofRow(robot.freedoms, v).rotor
        memory.torque[v] = axis.force + reaction + rotor * memory.acceleration[v] - memory.passive[v]
    else:
        joint = axis.mobility * (axis.force - reaction)
        memory.acceleration[v] = joint
        delta = delta + joint * S
    return delta


@func
def turning(axis: Vector) -> Twist:
    """S of a rotation about an axis through the origin."""
    return Twist(0.0 * axis, axis)


@func
def sliding(axis: Vector) -> Twist:
    """S of a translation."""
    return Twist(axis, 0.0 * axis)


# ----------------------------------------------------------------------------------------------- revolute and prismatic


@joint_kind
class Revolute(NamedTuple):
    """q turns the body about `axis`."""

    code = 1
    positions = 1
    freedoms = 1
    reaches = False


@joint_kind
class Prismatic(NamedTuple):
    """q slides the body along `axis`."""

    code = 2
    positions = 1
    freedoms = 1
    reaches = True


@func
def turn(R: Matrix, axis: Vector, aligned: int, angle: Scalar) -> tuple[Matrix, Vector]:
    """R rotated by `angle` about an axis of its own frame, and that axis in the world; short where the axis is x, y or
    z (1, 2, 3) and has no slopes.
    """
    s, c = sincos(angle)
    if has_tangents(axis.x):
        return product(R, rotation_by(axis, s, c)), R @ axis
    Rt = transpose(R)
    if aligned == 3:
        return transpose(Matrix(c * Rt.x + s * Rt.y, c * Rt.y - s * Rt.x, Rt.z)), Rt.z
    if aligned == 2:
        return transpose(Matrix(c * Rt.x - s * Rt.z, Rt.y, c * Rt.z + s * Rt.x)), Rt.y
    if aligned == 1:
        return transpose(Matrix(Rt.x, c * Rt.y + s * Rt.z, c * Rt.z - s * Rt.y)), Rt.x
    return product(R, rotation_by(axis, s, c)), R @ axis


@version_for(joint_arm, Revolute)
@func
def turn_reach(link: LinkRow, x: Array) -> Vector:
    return link.arm


@version_for(joint_arm, Prismatic)
@func
def slide_reach(link: LinkRow, x: Array) -> Vector:
    return link.arm + x[link.position] * link.axis


@version_for(forward_joint, Revolute)
@func
def turn_place(link: LinkRow, x: Array, memory: ChainMemory, here: FrameMotion) -> FrameMotion:
    R, direction = turn(here.R, link.axis, link.aligned, x[link.position])
    S = turning(direction)
    Axis(memory.axes, link.column).screw = S
    return moved(link, x, memory, here, R, S)


@version_for(forward_joint, Prismatic)
@func
def slide_place(link: LinkRow, x: Array, memory: ChainMemory, here: FrameMotion) -> FrameMotion:
    S = sliding(here.R @ link.axis)
    Axis(memory.axes, link.column).screw = S
    return moved(link, x, memory, here, here.R, S)


@version_for(aba_inward, Revolute)
@func
def turn_transmit(
    link: LinkRow, robot: ChainTables, memory: ChainMemory, I: Inertia, P: Wrench
) -> tuple[Inertia, Wrench]:
    S = turning(Axis(memory.axes, link.column).screw.angular)
    return transmit_along(link.column, S, link, robot, memory, I, P, I.J)


@version_for(aba_inward, Prismatic)
@func
def slide_transmit(
    link: LinkRow, robot: ChainTables, memory: ChainMemory, I: Inertia, P: Wrench
) -> tuple[Inertia, Wrench]:
    S = sliding(Axis(memory.axes, link.column).screw.linear)
    return transmit_along(link.column, S, link, robot, memory, I, P, I.M)


@version_for(aba_outward, Revolute)
@func
def turn_respond(link: LinkRow, robot: ChainTables, memory: ChainMemory, delta: Twist) -> Twist:
    S = turning(Axis(memory.axes, link.column).screw.angular)
    return respond_along(link.column, S, link, robot, memory, delta)


@version_for(aba_outward, Prismatic)
@func
def slide_respond(link: LinkRow, robot: ChainTables, memory: ChainMemory, delta: Twist) -> Twist:
    S = sliding(Axis(memory.axes, link.column).screw.linear)
    return respond_along(link.column, S, link, robot, memory, delta)


@version_for(angles, Revolute, Prismatic)
@func
def one_angle(link: LinkRow, x: Array) -> Vector:
    q = x[link.position]
    return Vector(q, q, q)


@version_for(error, Revolute, Prismatic)
@func
def one_error(link: LinkRow, x: Array, wanted: Array) -> Vector:
    q = wanted[link.wanted] - x[link.position]
    return Vector(q, q, q)


@version_for(put_rate, Revolute, Prismatic)
@func
def put_one_rate(link: LinkRow, x: Array, out: Array) -> None:
    out[link.position] = x[link.velocity]


@version_for(normalise_joint, Revolute, Prismatic)
@func
def settle_one(link: LinkRow, x: Array):
    return None


# -------------------------------------------------------------------------------------- three axes: one after the other


@func
def axes_transmit(link: LinkRow, robot: ChainTables, memory: ChainMemory, I: Inertia, P: Wrench):
    """Any kind of several freedoms: its axes one after the other, the last one first."""
    for c in range(link.freedoms - 1, -1, -1):
        v = link.column + c
        I, P = transmit_along(v, Axis(memory.axes, v).screw, link, robot, memory, I, P, I.J)
    return I, P


@func
def axes_respond(link: LinkRow, robot: ChainTables, memory: ChainMemory, delta: Twist):
    for c in range(link.freedoms):
        v = link.column + c
        delta = respond_along(v, Axis(memory.axes, v).screw, link, robot, memory, delta)
    return delta


# ------------------------------------------------------------------------------------------------------------ spherical


@joint_kind
class Spherical(NamedTuple):
    """A unit quaternion turns the body; velocities are along the axes of the body beyond."""

    code = 3
    positions = 4
    freedoms = 3
    reaches = False


version_for(joint_arm, Spherical)(turn_reach)


# Its axes turn: a screw without a linear part is a third less to compute than any screw.


@version_for(aba_inward, Spherical)
@func
def ball_transmit(
    link: LinkRow, robot: ChainTables, memory: ChainMemory, I: Inertia, P: Wrench
) -> tuple[Inertia, Wrench]:
    for c in range(2, -1, -1):
        v = link.column + c
        I, P = transmit_along(v, turning(Axis(memory.axes, v).screw.angular), link, robot, memory, I, P, I.J)
    return I, P


@version_for(aba_outward, Spherical)
@func
def ball_respond(link: LinkRow, robot: ChainTables, memory: ChainMemory, delta: Twist) -> Twist:
    for c in range(3):
        v = link.column + c
        delta = respond_along(v, turning(Axis(memory.axes, v).screw.angular), link, robot, memory, delta)
    return delta


@version_for(forward_joint, Spherical)
@func
def ball_place(link: LinkRow, x: Array, memory: ChainMemory, here: FrameMotion) -> FrameMotion:
    q, v = quaternion_at(x, link.position), link.column
    R = product(here.R, rotation_from_quaternion(q.w, q.x, q.y, q.z))
    columns = transpose(R)
    Axis(memory.axes, v).screw = turning(columns.x)
    Axis(memory.axes, v + 1).screw = turning(columns.y)
    Axis(memory.axes, v + 2).screw = turning(columns.z)
    spin = turning(R @ vector_at(x, link.velocity))
    A = here.A + twist_cross(here.V, spin)
    if link.given:
        A = A + turning(R @ vector_at(memory.acceleration, v))
    return FrameMotion(R, here.origin, here.V + spin, A)


@version_for(angles, Spherical)
@func
def ball_angles(link: LinkRow, x: Array) -> Vector:
    return quaternion_log(quaternion_at(x, link.position))


@version_for(error, Spherical)
@func
def ball_error(link: LinkRow, x: Array, wanted: Array):
    """From the present orientation to the reference, in the child's axes."""
    present, reference = quaternion_at(x, link.position), quaternion_at(wanted, link.wanted)
    return quaternion_log(quaternion_product(quaternion_conjugate(present), reference))


@version_for(put_rate, Spherical)
@func
def put_ball_rate(link: LinkRow, x: Array, out: Array) -> None:
    put_quaternion_rate(x, link.position, vector_at(x, link.velocity), out)


@version_for(normalise_joint, Spherical)
@func
def settle_ball(link: LinkRow, x: Array) -> None:
    put_quaternion_at(x, link.position, normalised(quaternion_at(x, link.position)))


@func
def put_quaternion_rate(x: Array, i: int, w: Vector, out: Array) -> None:
    """q̇ = ½ q ω, with ω in the turning body's axes."""
    a, b, c, d = x[i], x[i + 1], x[i + 2], x[i + 3]
    out[i] = -0.5 * (b * w.x + c * w.y + d * w.z)
    out[i + 1] = 0.5 * (a * w.x + c * w.z - d * w.y)
    out[i + 2] = 0.5 * (a * w.y + d * w.x - b * w.z)
    out[i + 3] = 0.5 * (a * w.z + b * w.y - c * w.x)
