"""Water on free objects: the law of `open_water` for a whole body, with the immersed share φ of its volume.

Its momentum in the water, φ D W and φ J ω, is carried along as that of links is; pressure, drag, and what φ changes are
pushed at the middle of a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Matrix6, Twist, Vector, Wrench, cross, dot, product, transpose
from limbless.mechanics.chain import Body
from limbless.mechanics.compiled import Array, Rows, Scalar, func, noinline_func, sqrt, version_for
from limbless.mechanics.contact import (
    BodyInertia,
    BodyStep,
    BodyVelocity,
    Hull,
    HullCut,
    MovingBodies,
    ObjectStep,
    Rule,
    Step,
    carried_water,
    cut_hull,
    no_cut,
    pushed,
)
from limbless.mechanics.forces import (
    Flows,
    FlowState,
    WaterSurface,
    flow_at,
    immersed_slice,
    in_slice,
    open_drag,
    plane_at,
    scaled,
)


class BluntBodyDrag(NamedTuple):
    """Drag with constant coefficients along the axes of a body, which turns as well."""


class ObjectsInWater(NamedTuple):
    """Objects in water."""

    flows: Flows | None  # Flows; None: the water rests
    surface: WaterSurface | None  # WaterSurface; None: it has none
    drag: BluntBodyDrag
    hulls: Rows[Hull]  # (objects,)
    rule: Rule


@version_for(open_drag, BluntBodyDrag)
@func
def blunt_drag(drag: BluntBodyDrag, hull: Hull, W: Vector, rate: Vector) -> Wrench:
    speed = sqrt(dot(W, W))
    turn = Vector(abs(rate.x) * rate.x, abs(rate.y) * rate.y, abs(rate.z) * rate.z)
    return Wrench((-speed) * scaled(hull.quadratic, W), -1.0 * scaled(hull.quadratic_turn, turn))


@func
def hull_at(water: ObjectsInWater, hull: Hull, t: Scalar, place: Any, R: Matrix, V: Vector, w: Vector):
    """How much of an object is under water, and how fast that changes."""
    if water.surface is None:
        return no_cut(1.0), 0.0
    plane = plane_at(water.surface, water.flows, t, place, R @ V)
    n, turning = transpose(R) @ plane.normal, transpose(R) @ plane.turning
    cut = cut_hull(hull, water.rule, n, plane.depth)
    rising = plane.rising + plane.depth * plane.shrinking
    return cut, dot(cut.along, V - rising * n) + dot(cut.about, w - cross(n, turning))


@func
def push_of_water(
    water: ObjectsInWater,
    hull: Hull,
    cut: HullCut,
    wetting: Scalar,
    stream: FlowState,
    V: Vector,
    w: Vector,
    gravity: Vector,
) -> Wrench:
    """All that is not carried along with the object, along its axes."""
    F = cut.share * immersed_slice(water, hull, V, w, stream, gravity)
    W, turn = V - stream.velocity, scaled(hull.added_turn, w)
    P = scaled(hull.added, W)
    energy = 0.5 * (dot(W, P) + dot(w, turn))
    pressure = hull.displaced * (stream.rate + stream.gradient @ stream.velocity - gravity)
    return Wrench(
        F.force - wetting * P + energy * cut.along,
        F.torque + cross(cut.moment, pressure) - wetting * turn + energy * cut.about,
    )


@func
def carried_inertia(hull: Hull, share: Scalar, R: Matrix) -> Matrix6:
    """Added inertia about the centre, world axes."""
    o, D, J = Vector(0.0, 0.0, 0.0), share * hull.added, share * hull.added_turn
    O = Matrix(o, o, o)
    mass = Matrix(Vector(D.x, 0.0, 0.0), Vector(0.0, D.y, 0.0), Vector(0.0, 0.0, D.z))
    turn = Matrix(Vector(J.x, 0.0, 0.0), Vector(0.0, J.y, 0.0), Vector(0.0, 0.0, J.z))
    Rt = transpose(R)
    return Matrix6(product(product(R, mass), Rt), O, O, product(product(R, turn), Rt))


@noinline_func
def add_object_water(
    water: ObjectsInWater,
    moving_bodies: MovingBodies,
    solids: Rows[BodyInertia],
    step: Step,
    x: Array,
    start: int,
    t: Scalar,
    h: Scalar,
) -> None:
    """What water does to objects at the time t: pushes, and momentum that they carry along, into their equations."""
    for o in range(moving_bodies.free.shape[0]):
        k = moving_bodies.first + o
        hull, free = Hull(water.hulls, o), ObjectStep(moving_bodies.free, o)
        body, own = Body(step.places, k), BodyStep(step.bodies, k)
        speeds, R = BodyVelocity(x, start + 6 * k), body.rotation
        V, w = transpose(R) @ speeds.linear, speeds.angular
        stream = in_slice(R, flow_at(water.flows, t, body.origin))
        cut, wetting = hull_at(water, hull, t, body.origin, R, V, w)
        F = push_of_water(water, hull, cut, wetting, stream, V, w, transpose(R) @ hull.gravity)
        push = Wrench(R @ F.force, R @ F.torque)
        carried = carried_water(carried_inertia(hull, cut.share, R), BodyInertia(solids, k), speeds, R, h)
        body.wrench = body.wrench + push
        free.water = carried
        own.equation = pushed(own.equation + carried, h * push)


@func
def carried_force(water: ObjectsInWater | None, free: ObjectStep, twist: Twist, h: Scalar) -> Wrench:
    """What the water that an object carries along did to it, mean over the step; `twist` is that at its end."""
    if water is None:
        zero = Vector(0.0, 0.0, 0.0)
        return Wrench(zero, zero)
    return (1.0 / h) * (free.water.momentum - free.water.matrix @ twist)
