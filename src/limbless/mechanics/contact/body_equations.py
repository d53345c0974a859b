"""What each body of a chain brings to a step: its matrix and its momentum, with the water it carries along.

A body remembers its `BodyVelocity`. Velocity terms are those of the middle of the step, linearised: a product a x b becomes
half of a_A x b_E + a_E x b_A, so that fast rotation stays bounded at any step.
"""

from __future__ import annotations

from limbless.mechanics.algebra.matrix6 import Matrix6, carry_matrix6, matrix6_of
from limbless.mechanics.algebra.spatial import Twist, Wrench, carry_twist, carry_wrench, rigid_inertia, rotate_inertia
from limbless.mechanics.algebra.vectors import Matrix, Vector, product, rows, skew, transpose
from limbless.mechanics.chain.tables import AddedMassState, Body, LinkRow, VaryingAddedMass
from limbless.mechanics.compiled.generic import generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func, noinline_func
from limbless.mechanics.contact.step import BodyInertia, BodyStep, BodyVelocity, NoAddedMass, WithAddedMass


@func
def twist_at_start(solid, speeds, R):
    """Twist of a body about its origin, world axes, from its own velocity."""
    return carry_twist(Twist(speeds.linear, R @ speeds.angular), -(R @ solid.center))


@func
def body_equation(solid, speeds, R, h):
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
    return matrix, carry_wrench(Wrench(m * speeds.linear, R @ L), center)


@func
def water_equation(link, solid, speeds, R, h):
    """Matrix and momentum of the water that a body carries along, about its origin: N (u_E - u_A) - h N s + h V x* N V.

    N is the added inertia; s = (ω x v_C, 0) turns the change of the velocities that bodies remember into a spatial
    acceleration.
    """
    own = rigid_inertia(link.mass, link.moment, link.inertia)
    return carried_water(matrix6_of(rotate_inertia(R, link.whole - own)), solid, speeds, R, h)


@func
def carried_water(N, solid, speeds, R, h):
    """The same of an added inertia N, world axes."""
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
    return matrix, momentum


@noinline_func
def prepare(robot, solids, step, x, start, h):
    """Matrices and momenta of all bodies, with the impulse of the outer forces; their `BodyVelocity` begin at `start` of the
    state x.
    """
    for k in range(len(robot.links.codes)):
        if LinkRow(robot.links, k).has_body:
            body, own = Body(step.places, k), BodyStep(step.bodies, k)
            matrix, momentum = body_equation(BodyInertia(solids, k), BodyVelocity(x, start + 6 * k), body.rotation, h)
            own.matrix = matrix
            own.momentum = momentum + h * body.wrench


@generic
def prepare_water(water, robot, solids, step, x, start, h):
    """Matrices and momenta of the water that bodies carry along, added to their own."""


no_op(prepare_water, NoAddedMass)


@version_for(prepare_water, VaryingAddedMass)
@noinline_func
def add_water_awash(water, robot, solids, step, x, start, h):
    for k in range(len(robot.links.codes)):
        link, own = LinkRow(robot.links, k), BodyStep(step.bodies, k)
        floating = AddedMassState(water.rows, k)
        if link.wet and floating.state > -0.5:
            rotation, carried = Body(step.places, k).rotation, floating.inertia
            if floating.state > 0.5:
                carried = rotate_inertia(rotation, link.whole - rigid_inertia(link.mass, link.moment, link.inertia))
            matrix, momentum = carried_water(
                matrix6_of(carried), BodyInertia(solids, k), BodyVelocity(x, start + 6 * k), rotation, h
            )
            own.matrix = own.matrix + matrix
            own.momentum = own.momentum + momentum


@version_for(prepare_water, WithAddedMass)
@noinline_func
def add_water(water, robot, solids, step, x, start, h):
    for k in range(len(robot.links.codes)):
        link, own = LinkRow(robot.links, k), BodyStep(step.bodies, k)
        if link.wet:
            rotation = Body(step.places, k).rotation
            matrix, momentum = water_equation(link, BodyInertia(solids, k), BodyVelocity(x, start + 6 * k), rotation, h)
            own.matrix = own.matrix + matrix
            own.momentum = own.momentum + momentum
