"""From base to tip: where the bodies of a chain are and how they move."""

from __future__ import annotations

from limbless.mechanics.algebra.columns import twist_at, vector_at
from limbless.mechanics.algebra.inertia import Twist, Wrench, carry_twist
from limbless.mechanics.algebra.vectors import Vector, cross, dot, rotation_from_quaternion
from limbless.mechanics.chain.joints import Place, place_by, reach_by
from limbless.mechanics.chain.tables import Body, Link
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_pass
from limbless.mechanics.compiled.scalars import sqrt


@inline
def base_place(base, x):
    """The base: its pose stands first in a state; its twist is along its own axes."""
    R = rotation_from_quaternion(x[3], x[4], x[5], x[6])
    twist = twist_at(x, base.velocity)
    V = Twist(R @ twist.linear, R @ twist.angular)
    return Place(R, vector_at(x, base.position), V, 0.0 * V)


@inline
def carried(here, arm):
    """The same motion at another point of the same body."""
    return Place(here.R, here.origin + arm, carry_twist(here.V, arm), carry_twist(here.A, arm))


@inline
def put_place(body, here):
    """A body that has been moved, and on which nothing acts yet."""
    body.rotation = here.R
    body.origin = here.origin
    body.velocity = here.V
    body.known = here.A
    body.wrench = Wrench(0.0 * here.origin, 0.0 * here.origin)


@lean_pass
def move(robot, x, memory):
    """Rotation R, origin, velocity V (4) and known part A of the acceleration (5)-(6) of each body, and the screws of
    all axes.
    """
    align_stack()
    kinds, links, _ = robot
    here = base_place(Link(links, 0), x)
    put_place(Body(memory.bodies, 0), here)
    for k in range(1, len(links.codes)):
        link, body = Link(links, k), Body(memory.bodies, k)
        if link.has_arm:
            arm = here.R @ reach_by(kinds, link.kind, link, x)
            body.arm = arm
            here = carried(here, arm)
        here = place_by(kinds, link.kind, link, x, memory, here)
        if link.has_body:
            put_place(body, here)


@inline
def mass_flow(links, bodies):
    """Mass of a chain times the velocity of its centre, from the motion of its bodies; and the mass."""
    mass, total = 0.0, Vector(0.0, 0.0, 0.0)
    for k in range(len(links.codes)):
        link, body = Link(links, k), Body(bodies, k)
        if link.has_body:
            V = body.velocity
            total = total + link.mass * V.linear + cross(V.angular, body.rotation @ link.moment)
            mass += link.mass
    return total, mass


@lean_pass
def mass_speed(robot, bodies):
    """Speed of the centre of mass of a chain, m/s."""
    flow, mass = mass_flow(robot.links, bodies)
    return sqrt(dot(flow, flow)) / mass if mass > 0.0 else 0.0
