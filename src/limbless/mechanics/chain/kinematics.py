"""From base to tip: where the bodies of a chain are and how they move."""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Twist,
    Vector,
    Wrench,
    carry_twist,
    cross,
    dot,
    rotation_from_quaternion,
    twist_at,
    vector_at,
)
from limbless.mechanics.chain import Body, ChainMemory, ChainTables, FrameMotion, LinkRow, place_by, reach_by
from limbless.mechanics.compiled import Array, Rows, Scalar, align_stack, func, noinline_func, sqrt


@func
def base_motion(base: LinkRow, x: Array) -> FrameMotion:
    """The base: its pose stands first in a state; its twist is along its own axes."""
    R = rotation_from_quaternion(x[3], x[4], x[5], x[6])
    twist = twist_at(x, base.velocity)
    V = Twist(R @ twist.linear, R @ twist.angular)
    return FrameMotion(R, vector_at(x, base.position), V, 0.0 * V)


@func
def carried(here: FrameMotion, arm: Vector) -> FrameMotion:
    """The same motion at another point of the same body."""
    return FrameMotion(here.R, here.origin + arm, carry_twist(here.V, arm), carry_twist(here.A, arm))


@func
def put_place(body: Body, here: FrameMotion) -> None:
    """A body that has been moved, and on which nothing acts yet."""
    body.rotation = here.R
    body.origin = here.origin
    body.velocity = here.V
    body.known = here.A
    body.wrench = Wrench(0.0 * here.origin, 0.0 * here.origin)


@noinline_func
def forward_kinematics(robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    """Rotation R, origin, velocity V (4) and known part A of the acceleration (5)-(6) of each body,
    and the screws of all axes.
    """
    align_stack()
    kinds, links, _ = robot
    here = base_motion(LinkRow(links, 0), x)
    put_place(Body(memory.bodies, 0), here)
    for k in range(1, len(links.codes)):
        link, body = LinkRow(links, k), Body(memory.bodies, k)
        if link.has_arm:
            arm = here.R @ reach_by(kinds, link.kind, link, x)
            body.arm = arm
            here = carried(here, arm)
        here = place_by(kinds, link.kind, link, x, memory, here)
        if link.has_body:
            put_place(body, here)


@func
def mass_flow(links: Rows[LinkRow], bodies: Rows[Body]) -> tuple[Vector, Scalar]:
    """Mass of a chain times the velocity of its centre, from the motion of its bodies; and the mass."""
    total = 0.0 * Body(bodies, 0).origin
    mass = total.x
    for k in range(len(links.codes)):
        link, body = LinkRow(links, k), Body(bodies, k)
        if link.has_body:
            V = body.velocity
            total = total + link.mass * V.linear + cross(V.angular, body.rotation @ link.moment)
            mass += link.mass
    return total, mass


@noinline_func
def mass_speed(robot: ChainTables, bodies: Rows[Body]) -> Scalar:
    """Speed of the centre of mass of a chain, m/s."""
    flow, mass = mass_flow(robot.links, bodies)
    return sqrt(dot(flow, flow)) / mass if mass > 0.0 else 0.0
