"""Free objects over a step, and the surfaces that bodies carry: versions of `company` for a crowd.

An object is a rigid body whose origin is its centre of mass. It remembers its `BodyVelocity` as links do, and is stepped by
the same rule.
"""

from __future__ import annotations

from limbless.mechanics.algebra.lie import Quaternion, normalised
from limbless.mechanics.algebra.spatial import Twist, Wrench, carry_twist, carry_wrench, power
from limbless.mechanics.algebra.vectors import Vector, rotation_from_quaternion, transpose
from limbless.mechanics.chain.tables import Body, BodyRecord
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import func, noinline_func
from limbless.mechanics.contact.body_equations import body_equation
from limbless.mechanics.contact.half_turn import half_turn, quaternion_rate
from limbless.mechanics.contact.moving_bodies import (
    PLACED,
    CarriedSurface,
    MovingBodies,
    ObjectPose,
    ObjectStep,
    UniformField,
    add_object_water,
    carried_force,
    depth_scale,
    end_objects,
    has_too_many_contacts,
    is_fixed,
    is_on_robot,
    keep_objects,
    last_of_robot,
    move_surfaces,
    place_objects,
    push_other,
    relative_before,
    relative_twist,
    start_objects,
    start_of,
    twist_before,
)
from limbless.mechanics.contact.shapes.carried_shapes import MovingCapsuleShape, MovingCuboidShape
from limbless.mechanics.contact.shapes.primitives import SHAPE
from limbless.mechanics.contact.step import BodyInertia, BodyOutcome, BodyStep, BodyVelocity
from limbless.mechanics.contact.step_outcome import keep_body


@version_for(last_of_robot, MovingBodies)
@func
def last_before_objects(moving_bodies, step, count):
    a = count - 1
    while a >= 0 and step.owner[step.active[a]] >= moving_bodies.first:
        a -= 1
    return a


@version_for(is_fixed, MovingBodies)
@func
def touches_fixed(moving_bodies, i):
    return moving_bodies.other[i] < 0


@version_for(is_on_robot, MovingBodies)
@func
def pushes_robot(moving_bodies, i):
    """From outside: a robot's contact with what does not move, or with an object."""
    return moving_bodies.on_robot[i] == 1


@func
def from_other(step, i, other):
    """From the origin of the other body to that of the contact's own."""
    return Body(step.places, step.owner[i]).origin - Body(step.places, other).origin


@func
def relative(moving_bodies, step, i, own, others):
    """Twist `own` of contact i's body less that of what it touches, `others` about its own origin, if that moves."""
    other = moving_bodies.other[i]
    if other < 0:
        return own
    return own - carry_twist(others, from_other(step, i, other))


@func
def other_of(moving_bodies, i):
    """What contact i touches; the base stands for what does not move, and is not asked."""
    return max(moving_bodies.other[i], 0)


@version_for(relative_twist, MovingBodies)
@func
def twist_between(moving_bodies, step, i):
    own, other = BodyStep(step.bodies, step.owner[i]), BodyStep(step.bodies, other_of(moving_bodies, i))
    return relative(moving_bodies, step, i, own.twist, other.twist)


@version_for(relative_before, MovingBodies)
@func
def before_between(moving_bodies, step, i):
    own, other = BodyStep(step.bodies, step.owner[i]), BodyStep(step.bodies, other_of(moving_bodies, i))
    return relative(moving_bodies, step, i, own.before, other.before)


@version_for(twist_before, MovingBodies)
@func
def twist_between_before(moving_bodies, solids, step, i, x, start):
    own, other = step.owner[i], other_of(moving_bodies, i)
    return relative(
        moving_bodies, step, i, start_of(solids, step, own, x, start), start_of(solids, step, other, x, start)
    )


@version_for(depth_scale, MovingBodies)
@func
def size_of(moving_bodies, i, radius):
    return moving_bodies.size[i]


@version_for(has_too_many_contacts, MovingBodies)
@func
def too_many(moving_bodies):
    return moving_bodies.crowded[0] > 0


@version_for(move_surfaces, MovingBodies)
@noinline_func
def carry_all(moving_bodies, scene, bodies):
    for c in range(len(moving_bodies.carried.codes)):
        carried = CarriedSurface(moving_bodies.carried, c)
        body, j = Body(bodies, carried.body), carried.surface
        if carried.box:
            crate = MovingCuboidShape(scene.surfaces, j, SHAPE)
            crate.center = body.origin
            crate.axes = transpose(body.rotation)
        else:
            bar = MovingCapsuleShape(scene.surfaces, j, SHAPE)
            bar.begin = body.origin + body.rotation @ carried.begin
            bar.end = body.origin + body.rotation @ carried.end


@func
def pull_at(pulls, t):
    """The field on objects at a time."""
    total = Vector(0.0, 0.0, 0.0)
    for p in range(pulls.shape[0]):
        pull = UniformField(pulls, p)
        if pull.since <= t <= pull.until:
            total = total + pull.field
    return total


@version_for(place_objects, MovingBodies)
@noinline_func
def stand_all(moving_bodies, bodies, x, place):
    for o in range(moving_bodies.free.shape[0]):
        body, placed = Body(bodies, moving_bodies.first + o), ObjectPose(x, place + PLACED * o)
        q = placed.turn
        body.origin = placed.origin
        body.rotation = rotation_from_quaternion(q.w, q.x, q.y, q.z)


@version_for(start_objects, MovingBodies)
@noinline_func
def start_all(moving_bodies, solids, step, x, where, t, h):
    g = pull_at(moving_bodies.pulls, t + 0.5 * h)
    for o in range(moving_bodies.free.shape[0]):
        k = moving_bodies.first + o
        body, own, solid = Body(step.places, k), BodyStep(step.bodies, k), BodyInertia(solids, k)
        placed, speeds = ObjectPose(x, where.objects + PLACED * o), BodyVelocity(x, where.speeds + 6 * k)
        q = half_turn(placed.turn, speeds.angular, 0.5 * h)
        R = rotation_from_quaternion(q.w, q.x, q.y, q.z)
        ObjectStep(moving_bodies.free, o).middle = q
        body.origin = placed.origin + (0.5 * h) * speeds.linear
        body.rotation = R
        body.wrench = Wrench(solid.mass * g, Vector(0.0, 0.0, 0.0))
        matrix, momentum = body_equation(solid, speeds, R, h)
        own.matrix = matrix
        own.momentum = momentum + h * body.wrench
        own.twist = Twist(speeds.linear + h * g, R @ speeds.angular)
    add_object_water(moving_bodies.water, moving_bodies, solids, step, x, where.speeds, t + 0.5 * h, h)


@version_for(push_other, MovingBodies)
@func
def push_back(moving_bodies, solids, step, i, wrench, h, x, start, works):
    other = moving_bodies.other[i]
    if step.owner[i] >= moving_bodies.first:
        works[i] = 0.0
    if other < 0:
        return
    body, back = Body(step.places, other), carry_wrench(wrench, from_other(step, i, other))
    body.wrench = body.wrench - (1.0 / h) * back
    if other < moving_bodies.first:
        before, after = start_of(solids, step, other, x, start), BodyStep(step.bodies, other).twist
        works[i] -= 0.5 * (power(before, back) + power(after, back))


@version_for(end_objects, MovingBodies)
@noinline_func
def end_all(moving_bodies, solids, step, outcomes, x, where, t, h):
    g = pull_at(moving_bodies.pulls, t + 0.5 * h)
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
        placed.origin = body.origin + (0.5 * h) * now.linear
        q = ObjectStep(moving_bodies.free, o).middle
        d = quaternion_rate(q, now.angular)
        placed.turn = normalised(
            Quaternion(q.w + 0.5 * h * d.w, q.x + 0.5 * h * d.x, q.y + 0.5 * h * d.y, q.z + 0.5 * h * d.z)
        )


@version_for(keep_objects, MovingBodies)
@noinline_func
def keep_all(moving_bodies, solids, step, outcomes, x, where, records, r):
    for o in range(moving_bodies.free.shape[0]):
        k = moving_bodies.first + o
        outcome, record = BodyOutcome(outcomes, k), BodyRecord(records.bodies, r, k)
        keep_body(
            BodyInertia(solids, k), BodyVelocity(x, where.speeds + 6 * k), outcome.rates, Body(step.places, k), record
        )
        record.wrench = outcome.wrench
        for c in range(PLACED):
            records.objects[r, o, c] = x[where.objects + PLACED * o + c]
