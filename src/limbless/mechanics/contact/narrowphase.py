"""Where a body touches its surroundings: the gaps of all contacts, and which of them need no look.

Every contact keeps its own friction memory.
"""

from __future__ import annotations

from limbless.mechanics.algebra import Vector, dot
from limbless.mechanics.chain import Body
from limbless.mechanics.compiled import IntArray, Rows, Scalar, func, noinline_func, sqrt
from limbless.mechanics.contact import (
    ContactRow,
    ContactSurface,
    Feature,
    LastPose,
    Scene,
    SleepState,
    no_impulse,
    put_impulse,
)
from limbless.mechanics.contact.shapes.primitives import FAR, NearestPoint, put_frame_by, touch_by

MARGIN = 0.999  # of a gap: what a sleeping contact relies on, short of the whole by more than rounding


@func
def body_travel(body: Body, seen: LastPose, extent: Scalar) -> Scalar:
    """Bound of how far any feature of a body has moved since it was last seen; it is seen now."""
    shift, turn = body.origin - seen.origin, body.rotation - seen.rotation
    seen.origin = body.origin
    seen.rotation = body.rotation
    return sqrt(dot(shift, shift)) + sqrt(dot(turn.x, turn.x) + dot(turn.y, turn.y) + dot(turn.z, turn.z)) * extent


@func
def travel_of(scene: Scene, rest: SleepState, i: int) -> Scalar:
    """Bound of how far a feature and its surface have come together."""
    other = rest.partner[i]
    return rest.travel[scene.owner[i]] + (rest.travel[other] if other >= 0 else 0.0)


@noinline_func
def wake_contacts(scene: Scene, rest: SleepState, bodies: Rows[Body], reach: Scalar, everything: bool) -> None:
    """Wake every contact whose gap may be below `reach` at the present posture, or all."""
    if scene.extent.shape[0] == 0:
        return
    for k in range(scene.extent.shape[0]):
        if scene.extent[k] > 0.0:
            rest.travel[k] += body_travel(Body(bodies, k), LastPose(rest.seen, k), scene.extent[k])
    for i in range(scene.owner.shape[0]):
        rest.awake[i] = 1 if everything or travel_of(scene, rest, i) + reach >= rest.limit[i] else 0


@func
def is_asleep(scene: Scene, rest: SleepState, i: int) -> bool:
    return scene.extent.shape[0] > 0 and rest.awake[i] == 0


@noinline_func
def find_contacts(
    scene: Scene,
    rest: SleepState,
    bodies: Rows[Body],
    time: Scalar,
    reach: Scalar,
    contacts: Rows[ContactRow],
    active: IntArray,
) -> int:
    """Gaps of all contacts that are awake at the present posture; those nearer than `reach` become active. Returns how
    many.

    A contact that is not active forgets its impulses.
    """
    count = 0
    for i in range(scene.owner.shape[0]):
        if is_asleep(scene, rest, i):
            continue
        k, j, contact = scene.owner[i], scene.surface[i], ContactRow(contacts, i)
        body, surface, feature = Body(bodies, k), ContactSurface(scene.surfaces, j), Feature(scene.features, i)
        code, R = int(surface.code), body.rotation
        a, b = body.origin + R @ feature.begin, body.origin + R @ feature.end
        nearest = NearestPoint(FAR, Vector(0.0, 0.0, 1.0), a, 0.0)
        if surface.since <= time <= surface.until:
            nearest = touch_by(scene.shapes, code, scene, i, j, a, b, reach)
        gap = nearest.gap - feature.radius
        contact.gap = gap
        if scene.extent.shape[0] > 0:
            rest.limit[i] = travel_of(scene, rest, i) + MARGIN * nearest.bound
        if gap >= reach:
            put_impulse(contact, no_impulse())
            continue
        put_frame_by(scene.shapes, code, scene, i, j, body, nearest, contact)
        contact.shear_before = contact.shear  # friction of the step before, from which this one goes on
        contact.twist_before = contact.twist
        active[count] = i
        count += 1
    return count
