"""Free objects over a step, and the surfaces that bodies carry: versions of `company` for a crowd.

An object is a rigid body whose origin is its centre of mass. It remembers its `Speeds` as links do, and is stepped by
the same rule.
"""

from __future__ import annotations

from limbless.mechanics.algebra.inertia import Twist, Wrench, carry_twist, carry_wrench, power
from limbless.mechanics.algebra.lie import Quaternion, normalised
from limbless.mechanics.algebra.vectors import Vector, rotation_from_quaternion, transpose
from limbless.mechanics.chain.tables import Body, BodyRecord
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import inline, lean_pass
from limbless.mechanics.contact.bodies import body_equation
from limbless.mechanics.contact.company import (
    PLACED,
    Carried,
    Crowd,
    Free,
    Placed,
    Pull,
    carried_force,
    carry_surfaces,
    depth_scale,
    end_objects,
    is_crowded,
    is_fixed,
    is_on_robot,
    keep_objects,
    last_of_robot,
    push_other,
    relative_before,
    relative_twist,
    soak,
    stand_objects,
    start_objects,
    start_of,
    twist_before,
)
from limbless.mechanics.contact.midpoint import half_turn, quaternion_rate
from limbless.mechanics.contact.moving import BarShape, CrateShape
from limbless.mechanics.contact.outcome import keep_body
from limbless.mechanics.contact.shapes import SHAPE
from limbless.mechanics.contact.step_tables import BodyStep, Outcome, Solid, Speeds


@version_for(last_of_robot, Crowd)
@inline
def last_before_objects(crowd, step, count):
    a = count - 1
    while a >= 0 and step.owner[step.active[a]] >= crowd.first:
        a -= 1
    return a


@version_for(is_fixed, Crowd)
@inline
def touches_fixed(crowd, i):
    return crowd.other[i] < 0


@version_for(is_on_robot, Crowd)
@inline
def pushes_robot(crowd, i):
    """From outside: a robot's contact with what does not move, or with an object."""
    return crowd.on_robot[i] == 1


@inline
def from_other(step, i, other):
    """From the origin of the other body to that of the contact's own."""
    return Body(step.places, step.owner[i]).origin - Body(step.places, other).origin


@inline
def relative(crowd, step, i, own, others):
    """Twist `own` of contact i's body less that of what it touches, `others` about its own origin, if that moves."""
    other = crowd.other[i]
    if other < 0:
        return own
    return own - carry_twist(others, from_other(step, i, other))


@inline
def other_of(crowd, i):
    """What contact i touches; the base stands for what does not move, and is not asked."""
    return max(crowd.other[i], 0)


@version_for(relative_twist, Crowd)
@inline
def twist_between(crowd, step, i):
    own, other = BodyStep(step.bodies, step.owner[i]), BodyStep(step.bodies, other_of(crowd, i))
    return relative(crowd, step, i, own.twist, other.twist)


@version_for(relative_before, Crowd)
@inline
def before_between(crowd, step, i):
    own, other = BodyStep(step.bodies, step.owner[i]), BodyStep(step.bodies, other_of(crowd, i))
    return relative(crowd, step, i, own.before, other.before)


@version_for(twist_before, Crowd)
@inline
def twist_between_before(crowd, solids, step, i, x, start):
    own, other = step.owner[i], other_of(crowd, i)
    return relative(crowd, step, i, start_of(solids, step, own, x, start), start_of(solids, step, other, x, start))


@version_for(depth_scale, Crowd)
@inline
def size_of(crowd, i, radius):
    return crowd.size[i]


@version_for(is_crowded, Crowd)
@inline
def too_many(crowd):
    return crowd.crowded[0] > 0


@version_for(carry_surfaces, Crowd)
@lean_pass
def carry_all(crowd, scene, bodies):
    for c in range(len(crowd.carried.codes)):
        carried = Carried(crowd.carried, c)
        body, j = Body(bodies, carried.body), carried.surface
        if carried.box:
            crate = CrateShape(scene.surfaces, j, SHAPE)
            crate.center = body.origin
            crate.axes = transpose(body.rotation)
        else:
            bar = BarShape(scene.surfaces, j, SHAPE)
            bar.begin = body.origin + body.rotation @ carried.begin
            bar.end = body.origin + body.rotation @ carried.end


@inline
def pull_at(pulls, t):
    """The field on objects at a time."""
    total = Vector(0.0, 0.0, 0.0)
    for p in range(pulls.shape[0]):
        pull = Pull(pulls, p)
        if pull.since <= t <= pull.until:
            total = total + pull.field
    return total


@version_for(stand_objects, Crowd)
@lean_pass
def stand_all(crowd, bodies, x, place):
    for o in range(crowd.free.shape[0]):
        body, placed = Body(bodies, crowd.first + o), Placed(x, place + PLACED * o)
        q = placed.turn
        body.origin = placed.origin
        body.rotation = rotation_from_quaternion(q.w, q.x, q.y, q.z)


@version_for(start_objects, Crowd)
@lean_pass
def start_all(crowd, solids, step, x, where, t, h):
    g = pull_at(crowd.pulls, t + 0.5 * h)
    for o in range(crowd.free.shape[0]):
        k = crowd.first + o
        body, own, solid = Body(step.places, k), BodyStep(step.bodies, k), Solid(solids, k)
        placed, speeds = Placed(x, where.objects + PLACED * o), Speeds(x, where.speeds + 6 * k)
        q = half_turn(placed.turn, speeds.angular, 0.5 * h)
        R = rotation_from_quaternion(q.w, q.x, q.y, q.z)
        Free(crowd.free, o).middle = q
        body.origin = placed.origin + (0.5 * h) * speeds.linear
        body.rotation = R
        body.wrench = Wrench(solid.mass * g, Vector(0.0, 0.0, 0.0))
        matrix, momentum = body_equation(solid, speeds, R, h)
        own.matrix = matrix
        own.momentum = momentum + h * body.wrench
        own.twist = Twist(speeds.linear + h * g, R @ speeds.angular)
    soak(crowd.water, crowd, solids, step, x, where.speeds, t + 0.5 * h, h)


@version_for(push_other, Crowd)
@inline
def push_back(crowd, solids, step, i, wrench, h, x, start, works):
    other = crowd.other[i]
    if step.owner[i] >= crowd.first:
        works[i] = 0.0
    if other < 0:
        return
    body, back = Body(step.places, other), carry_wrench(wrench, from_other(step, i, other))
    body.wrench = body.wrench - (1.0 / h) * back
    if other < crowd.first:
        before, after = start_of(solids, step, other, x, start), BodyStep(step.bodies, other).twist
        works[i] -= 0.5 * (power(before, back) + power(after, back))


@version_for(end_objects, Crowd)
@lean_pass
def end_all(crowd, solids, step, outcomes, x, where, t, h):
    g = pull_at(crowd.pulls, t + 0.5 * h)
    for o in range(crowd.free.shape[0]):
        k = crowd.first + o
        body, solid, outcome = Body(step.places, k), Solid(solids, k), Outcome(outcomes, k)
        placed, speeds = Placed(x, where.objects + PLACED * o), Speeds(x, where.speeds + 6 * k)
        R, after = body.rotation, BodyStep(step.bodies, k).twist
        F = body.wrench + carried_force(crowd.water, Free(crowd.free, o), after, h)
        before = Twist(speeds.linear, R @ speeds.angular)
        placed.work = placed.work + 0.5 * h * (power(before, F) + power(after, F))
        placed.impulse = placed.impulse + h * carry_wrench(F, body.origin)
        now = Twist(after.linear, transpose(R) @ after.angular)
        outcome.wrench = F - Wrench(solid.mass * g, Vector(0.0, 0.0, 0.0))
        outcome.rates = (1.0 / h) * (now - Twist(speeds.linear, speeds.angular))
        speeds.linear = now.linear
        speeds.angular = now.angular
        placed.origin = body.origin + (0.5 * h) * now.linear
        q = Free(crowd.free, o).middle
        d = quaternion_rate(q, now.angular)
        placed.turn = normalised(
            Quaternion(q.w + 0.5 * h * d.w, q.x + 0.5 * h * d.x, q.y + 0.5 * h * d.y, q.z + 0.5 * h * d.z)
        )


@version_for(keep_objects, Crowd)
@lean_pass
def keep_all(crowd, solids, step, outcomes, x, where, records, r):
    for o in range(crowd.free.shape[0]):
        k = crowd.first + o
        outcome, record = Outcome(outcomes, k), BodyRecord(records.bodies, r, k)
        keep_body(Solid(solids, k), Speeds(x, where.speeds + 6 * k), outcome.rates, Body(step.places, k), record)
        record.wrench = outcome.wrench
        for c in range(PLACED):
            records.objects[r, o, c] = x[where.objects + PLACED * o + c]
