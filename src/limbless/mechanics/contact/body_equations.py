"""What each body of a chain brings to a step: its joint's screw, its matrix and its momentum, with the water it
carries along.

A body remembers its `BodyVelocity`. Velocity terms are those of the middle of the step, linearised: a product
a x b becomes half of a_A x b_E + a_E x b_A, so that fast rotation stays bounded at any step.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Matrix6,
    Twist,
    Vector,
    Wrench,
    carry_matrix6,
    carry_twist,
    carry_wrench,
    cross,
    matrix6_of,
    product,
    rigid_inertia,
    rotate_inertia,
    rows,
    skew,
    transpose,
)
from limbless.mechanics.chain import (
    AddedMassState,
    Axis,
    Body,
    BodyRecord,
    ChainTables,
    LinkRow,
    Prismatic,
    Revolute,
    VaryingAddedMass,
    sliding,
    turning,
)
from limbless.mechanics.compiled import Array, IntArray, Rows, Scalar, func, generic, noinline_func, switch, version_for
from limbless.mechanics.contact import BodyInertia, BodyStep, BodyVelocity, Equation, Step


@generic
def screw(link: LinkRow, axes: Rows[Axis]) -> Twist:
    """S of a joint of one freedom, world axes, at the origin of the body beyond."""


screw_by = switch(screw)


@version_for(screw, Revolute)
@func
def turning_screw(link: LinkRow, axes: Rows[Axis]) -> Twist:
    return turning(Axis(axes, link.column).screw.angular)


@version_for(screw, Prismatic)
@func
def sliding_screw(link: LinkRow, axes: Rows[Axis]):
    return sliding(Axis(axes, link.column).screw.linear)


@func
def twist_at_start(solid: BodyInertia, speeds: BodyVelocity, R: Matrix) -> Twist:
    """Twist of a body about its origin, world axes, from its own velocity."""
    return carry_twist(Twist(speeds.linear, R @ speeds.angular), -(R @ solid.center))


@func
def body_equation(solid: BodyInertia, speeds: BodyVelocity, R: Matrix, h: Scalar) -> Equation:
    """Matrix and momentum of a body about its origin: m, and Θ with half the gyroscopic moment of ω linearised,
    Θ + h/2 ([ω]Θ - [Θω]).
    """
    m, w = solid.mass, speeds.angular
    T = rows(solid.inertia)
    L = T @ w
    G = T + product(skew(0.5 * h * w), T) - skew(0.5 * h * L)
    O = Matrix(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    mass = Matrix(Vector(m, 0.0, 0.0), Vector(0.0, m, 0.0), Vector(0.0, 0.0, m))
    center = R @ solid.center
    matrix = carry_matrix6(Matrix6(mass, O, O, product(product(R, G), transpose(R))), center)
    return Equation(matrix, carry_wrench(Wrench(m * speeds.linear, R @ L), center))


@func
def pushed(E: Equation, impulse: Wrench) -> Equation:
    """The equation of a body with an impulse on it."""
    return Equation(E.matrix, E.momentum + impulse)


@func
def carried_water(N: Matrix6, solid: BodyInertia, speeds: BodyVelocity, R: Matrix, h: Scalar) -> Equation:
    """Matrix and momentum of the water that a body carries along, about its origin: N (u_E - u_A) - h N s + h V x* N V.

    N is the added inertia, world axes; s = (ω x v_C, 0) turns the change of the velocities that bodies remember into
    a spatial acceleration.
    """
    V, v = twist_at_start(solid, speeds, R), speeds.linear
    momentum = N @ V
    W, X = skew(0.5 * h * V.angular), skew(0.5 * h * V.linear)
    P, L = skew(0.5 * h * momentum.force), skew(0.5 * h * momentum.torque)
    turned = skew(0.5 * h * v) + product(W, skew(R @ solid.center))
    matrix = Matrix6(
        N.A - product(N.A, W) + product(W, N.A),
        N.B + product(N.A, turned) + product(W, N.B) - P,
        N.C - product(N.C, W) + product(W, N.C) + product(X, N.A) - P,
        N.D + product(N.C, turned) + product(W, N.D) + product(X, N.B) - L,
    )
    return Equation(matrix, momentum)


@noinline_func
def prepare(robot: ChainTables, solids: Rows[BodyInertia], step: Step, x: Array, start: int, h: Scalar) -> None:
    """Matrices and momenta of all bodies, with the impulse of the outer forces; their `BodyVelocity` begin
    at `start` of the state x.
    """
    for k in range(len(robot.links.codes)):
        if LinkRow(robot.links, k).has_body:
            body, own = Body(step.places, k), BodyStep(step.bodies, k)
            solid, speeds = BodyInertia(solids, k), BodyVelocity(x, start + 6 * k)
            own.equation = pushed(body_equation(solid, speeds, body.rotation, h), h * body.wrench)
            own.start = twist_at_start(solid, speeds, body.rotation)


@noinline_func
def prepare_water(
    wet: IntArray,
    awash: VaryingAddedMass,
    robot: ChainTables,
    solids: Rows[BodyInertia],
    step: Step,
    x: Array,
    start: int,
    h: Scalar,
) -> None:
    """Matrices and momenta of the water that bodies carry along, added to their own."""
    for i in range(len(wet)):
        k = wet[i]
        if awash is not None and AddedMassState(awash.rows, k).state <= -0.5:
            continue
        link, own, rotation = LinkRow(robot.links, k), BodyStep(step.bodies, k), Body(step.places, k).rotation
        N = matrix6_of(added_inertia(awash, link, k, rotation))
        water = carried_water(N, BodyInertia(solids, k), BodyVelocity(x, start + 6 * k), rotation, h)
        own.equation = own.equation + water


@func
def added_inertia(awash: VaryingAddedMass, link: LinkRow, k: int, R: Matrix) -> Inertia:
    """Added inertia of body k, world axes: all of it, or that of the part under water."""
    if awash is not None and AddedMassState(awash.rows, k).state <= 0.5:
        return AddedMassState(awash.rows, k).inertia
    return rotate_inertia(R, link.whole - rigid_inertia(link.mass, link.moment, link.inertia))


@func
def keep_body(solid: BodyInertia, speeds: BodyVelocity, rates: Twist, body: Body, record: BodyRecord) -> None:
    """Pose, twist and spatial acceleration about the origin of a body, world axes, from what its centre of mass did."""
    R = body.rotation
    arm, w, turn = R @ solid.center, R @ speeds.angular, R @ rates.angular
    v = speeds.linear - cross(w, arm)
    a = rates.linear - cross(turn, arm) - cross(w, cross(w, arm))
    record.rotation = R
    record.origin = body.origin
    record.twist = Twist(v, w)
    record.twist_rate = Twist(a - cross(w, v), turn)
