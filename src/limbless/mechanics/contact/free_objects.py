"""Free objects over a step, and the surfaces that bodies carry: where there are `MovingBodies`.

An object is a rigid body whose origin is its centre of mass. It remembers its `BodyVelocity` as links do, and
is stepped by the same rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.mechanics.algebra import (
    Quaternion,
    Twist,
    Vector,
    Wrench,
    carry_wrench,
    copy_part,
    half_turn,
    normalised,
    power,
    quaternion_rate,
    rotation_from_quaternion,
    transpose,
)
from limbless.mechanics.chain import Body, BodyRecord
from limbless.mechanics.compiled import Array, Rows, Scalar, func, noinline_func
from limbless.mechanics.contact import (
    PLACED,
    BodyInertia,
    BodyOutcome,
    BodyStep,
    BodyVelocity,
    CarriedSurface,
    MovingBodies,
    ObjectPose,
    ObjectStep,
    StateLayout,
    Step,
    UniformField,
    add_object_water,
    body_equation,
    carried_force,
    from_other,
    keep_body,
    mean_twist,
    pushed,
)
from limbless.mechanics.contact.shapes.primitives import SHAPE, Cuboid, RoundBar

if TYPE_CHECKING:
    from limbless.mechanics.contact.scene import Scene


@noinline_func
def move_surfaces(moving_bodies: MovingBodies, scene: Scene, bodies: Rows[Body]) -> None:
    """Put the surfaces that bodies carry where the bodies are."""
    for c in range(len(moving_bodies.carried.codes)):
        carried = CarriedSurface(moving_bodies.carried, c)
        body, j = Body(bodies, carried.body), carried.surface
        if carried.box:
            crate = Cuboid(scene.surfaces, j, SHAPE)
            crate.center = body.origin
            crate.axes = transpose(body.rotation)
        else:
            bar = RoundBar(scene.surfaces, j, SHAPE)
            bar.begin = body.origin + body.rotation @ carried.begin
            bar.end = body.origin + body.rotation @ carried.end


@func
def pull_at(pulls: Rows[UniformField], t: Scalar) -> Vector:
    """The field on objects at a time."""
    total = Vector(0.0, 0.0, 0.0)
    for p in range(pulls.shape[0]):
        pull = UniformField(pulls, p)
        if pull.since <= t <= pull.until:
            total = total + pull.field
    return total


@noinline_func
def place_objects(moving_bodies: MovingBodies, bodies: Rows[Body], x: Array, place: int) -> None:
    """Objects where a state has them; theirs begins at `place`."""
    for o in range(moving_bodies.free.shape[0]):
        body, placed = Body(bodies, moving_bodies.first + o), ObjectPose(x, place + PLACED * o)
        q = placed.turn
        body.origin = placed.origin
        body.rotation = rotation_from_quaternion(q.w, q.x, q.y, q.z)


@noinline_func
def start_objects(
    solids: Rows[BodyInertia], step: Step, x: Array, where: StateLayout, t: Scalar, h: Scalar, share: Scalar
) -> None:
    """Objects at `share` of a step (its middle, or where the gaps of a soft body are measured): their poses, equations
    and first guess.
    """
    moving_bodies, ahead = step.moving_bodies, share * h
    g = pull_at(moving_bodies.pulls, t + ahead)
    for o in range(moving_bodies.free.shape[0]):
        k = moving_bodies.first + o
        body, own, solid = Body(step.places, k), BodyStep(step.bodies, k), BodyInertia(solids, k)
        placed, speeds = ObjectPose(x, where.objects + PLACED * o), BodyVelocity(x, where.speeds + 6 * k)
        q = half_turn(placed.turn, speeds.angular, ahead)
        R = rotation_from_quaternion(q.w, q.x, q.y, q.z)
        ObjectStep(moving_bodies.free, o).middle = q
        body.origin = placed.origin + ahead * speeds.linear
        body.rotation = R
        body.wrench = Wrench(solid.mass * g, Vector(0.0, 0.0, 0.0))
        own.equation = body_equation(solid, speeds, R, h)
        own.equation = pushed(own.equation, h * body.wrench)
        own.twist = Twist(speeds.linear + h * g, R @ speeds.angular)
    if moving_bodies.water is not None:
        add_object_water(moving_bodies.water, moving_bodies, solids, step, x, where.speeds, t + ahead, h)


@func
def push_other(
    solids: Rows[BodyInertia], step: Step, i: int, wrench: Wrench, h: Scalar, x: Array, start: int, works: Array
) -> None:
    """The force on the other body of contact i, whose impulse on its own body is `wrench`; `works` are those on the
    robot: none where objects touch, and of both where links touch each other.
    """
    moving_bodies = step.moving_bodies
    other = moving_bodies.other[i]
    if step.owner[i] >= moving_bodies.first:
        works[i] = 0.0
    if other < 0:
        return
    body, back = Body(step.places, other), carry_wrench(wrench, from_other(step, i, other))
    body.wrench = body.wrench - (1.0 / h) * back
    if other < moving_bodies.first:
        works[i] -= power(mean_twist(solids, step, other, x, start), back)


@noinline_func
def end_objects(
    solids: Rows[BodyInertia],
    step: Step,
    outcomes: Rows[BodyOutcome],
    x: Array,
    where: StateLayout,
    t: Scalar,
    h: Scalar,
    share: Scalar,
) -> None:
    """Works, velocities and poses of objects at the end of a step, from where they stand: at `share` of it."""
    moving_bodies, left = step.moving_bodies, (1.0 - share) * h
    g = pull_at(moving_bodies.pulls, t + share * h)
    for o in range(moving_bodies.free.shape[0]):
        k = moving_bodies.first + o
        body, solid, outcome = Body(step.places, k), BodyInertia(solids, k), BodyOutcome(outcomes, k)
        placed, speeds = ObjectPose(x, where.objects + PLACED * o), BodyVelocity(x, where.speeds + 6 * k)
        R, after = body.rotation, BodyStep(step.bodies, k).twist
        F = body.wrench + carried_force(moving_bodies.water, ObjectStep(moving_bodies.free, o), after, h)
        before = Twist(speeds.linear, R @ speeds.angular)
        placed.work = placed.work + 0.5 * h * (power(before, F) + power(after, F))
        placed.impulse = placed.impulse + h * carry_wrench(F, body.origin)
        now = Twist(after.linear, transpose(R) @ after.angular)
        outcome.wrench = F - Wrench(solid.mass * g, Vector(0.0, 0.0, 0.0))
        outcome.rates = (1.0 / h) * (now - Twist(speeds.linear, speeds.angular))
        speeds.linear = now.linear
        speeds.angular = now.angular
        placed.origin = body.origin + left * now.linear
        q = ObjectStep(moving_bodies.free, o).middle
        d = quaternion_rate(q, now.angular)
        placed.turn = normalised(Quaternion(q.w + left * d.w, q.x + left * d.x, q.y + left * d.y, q.z + left * d.z))


@noinline_func
def keep_objects(
    solids: Rows[BodyInertia],
    step: Step,
    outcomes: Rows[BodyOutcome],
    x: Array,
    where: StateLayout,
    bodies: Rows[BodyRecord],
    objects: Array,
    r: int,
) -> None:
    """Record the objects."""
    moving_bodies = step.moving_bodies
    for o in range(moving_bodies.free.shape[0]):
        k = moving_bodies.first + o
        outcome, record = BodyOutcome(outcomes, k), BodyRecord(bodies, r, k)
        keep_body(
            BodyInertia(solids, k), BodyVelocity(x, where.speeds + 6 * k), outcome.rates, Body(step.places, k), record
        )
        record.wrench = outcome.wrench
        copy_part(x, where.objects + PLACED * o, objects[r, o], 0, PLACED)
