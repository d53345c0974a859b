"""What can be touched. A shape is an empty class with a `code`, a table of its numbers, and its version of `collide`: one
file, or a part of this one. numba learns from the type of `scene.shapes` which shapes there are: the others are not
compiled.

A feature is a sphere or a capsule (see `Feature`). A contact point lies on the feature, the normal points from the
surface to the body.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra.vectors import Matrix, Vector, cross, dot, transpose
from limbless.mechanics.compiled.generic import generic, switch, version_for
from limbless.mechanics.compiled.kernel import func, kernel, noinline_func
from limbless.mechanics.compiled.scalars import sqrt
from limbless.mechanics.compiled.tables import Table, constants
from limbless.mechanics.contact.scene import ContactSurface, Feature, FrictionCoefficients, PatchRow

SURFACE_COLUMNS, SHAPE = 28, 12  # numbers of a surface; where those of its shape begin
FAR = 1e9
DEEPER = 1e-7  # m: a capsule touches between its ends where it is nearer by this; a flat face
# is left to the ends


class NearestPoint(NamedTuple):
    """Where a feature is nearest to a surface."""

    gap: float  # between the axis of the feature and the surface
    normal: Vector
    here: Vector  # on the axis
    bound: float  # of the gap, less the radius, that shrinks no faster than the body moves (0: no
    # such bound)


@generic
def collide(scene, i, j, a, b, reach):
    """Gap, normal and place on the axis a-b of contact i against surface j; what is farther than `reach` need not be
    told apart.
    """


@generic
def put_frame(scene, i, j, body, nearest, contact):
    """The frame of a contact that is near: arm, normal, tangent, coefficients."""


touch_by, put_frame_by = switch(collide), switch(put_frame)


@func
def length_of(v):
    return sqrt(dot(v, v))


@func
def nearest_on_segment(a, b, p):
    """Share of the way from a to b of the point nearest to p."""
    d = b - a
    square = dot(d, d)
    if square <= 0.0:
        return 0.0
    return min(max(dot(p - a, d) / square, 0.0), 1.0)


@func
def nearest_of_segments(a, b, p, q):
    """Shares along a-b and p-q of their nearest points."""
    d, e, r = b - a, q - p, a - p
    dd, ee, de = dot(d, d), dot(e, e), dot(d, e)
    bulk = dd * ee - de * de
    s = 0.5
    if dd <= 0.0:
        s = 0.0
    elif bulk > 1e-12 * dd * ee:
        s = min(max((de * dot(e, r) - dot(d, r) * ee) / bulk, 0.0), 1.0)
    t = nearest_on_segment(p, q, a + s * d)
    s = nearest_on_segment(a, b, p + t * e)
    t = nearest_on_segment(p, q, a + s * d)
    return s, t


@func
def away(d, fallback):
    """Unit vector along d and its length; `fallback` where d is nothing."""
    size = length_of(d)
    if size > 1e-12:
        return (1.0 / size) * d, size
    return fallback, size


@func
def tangent_along(R, n):
    """The body's x axis made tangential (27); for a body that stands upright, its z axis, to which the tangent tends as
    it pitches up.
    """
    Rt = transpose(R)
    t = Rt.x - dot(Rt.x, n) * n
    size = length_of(t)
    if size > 1e-6:
        return (1.0 / size) * t
    side = -1.0 if dot(Rt.x, n) > 0.0 else 1.0
    t = side * (Rt.z - dot(Rt.z, n) * n)
    return (1.0 / length_of(t)) * t


@func
def friction_at(scene, j, place):
    """Coefficients of the surface, or of the last patch that holds the place."""
    found = ContactSurface(scene.surfaces, j).friction
    for m in range(scene.patches.shape[0]):
        patch = PatchRow(scene.patches, m)
        if patch.surface == j and patch.west <= place.x <= patch.east and patch.south <= place.y <= patch.north:
            found = patch.friction
    return found


@func
def side_share(flank, up, n):
    """Friction where a body touches, over that on its belly: from 1 where the normal is the body's own z axis to
    `flank` on its sides and back.
    """
    belly = max(dot(up, n), 0.0)
    return flank + (1.0 - flank) * (belly * belly)


@func
def scaled_friction(friction, share):
    """The same times a number; rolling as it is."""
    return FrictionCoefficients(
        share * friction.forward, share * friction.backward, share * friction.lateral, friction.rolling
    )


@func
def put_hard_frame(scene, i, j, body, nearest, contact):
    """Against anything hard: the place lies on the feature's skin."""
    radius, n = Feature(scene.features, i).radius, nearest.normal
    place = nearest.here - radius * n
    contact.arm = place - body.origin
    contact.normal = n
    contact.tangent = tangent_along(body.rotation, n)
    surface = ContactSurface(scene.surfaces, j)
    share = Feature(scene.features, i).share * side_share(surface.flank, transpose(body.rotation).z, n)
    contact.friction = scaled_friction(friction_at(scene, j, place), share)
    contact.cone = surface.cone
    contact.radius = radius
    contact.restitution = surface.bounce


# ---------------------------------------------------------------------------------------------------------------- plane


class PlaneSurface(NamedTuple):
    """Touched by spheres."""

    code = 0


@constants
class PlaneShape(Table):
    """normal . x = offset"""

    normal: Vector
    offset: float


version_for(put_frame, PlaneSurface)(put_hard_frame)


@version_for(collide, PlaneSurface)
@func
def touch_plane(scene, i, j, a, b, reach):
    plane = PlaneShape(scene.surfaces, j, SHAPE)
    return NearestPoint(dot(plane.normal, a) - plane.offset, plane.normal, a, 0.0)


# ------------------------------------------------------------------------------------------------------------------ peg


class Peg(NamedTuple):
    """Touched by capsules."""

    code = 1


class RoundBar(Table):
    """With round ends."""

    begin: Vector
    end: Vector
    radius: float


@constants
class PegShape(RoundBar):
    """A bar that does not move."""


version_for(put_frame, Peg)(put_hard_frame)


@func
def beside_bar(bar, a, b, s, t):
    """Gap between a-b at its share s and a bar at its share t, the normal there, and the place on a-b."""
    here = a + s * (b - a)
    n, distance = away(here - (bar.begin + t * (bar.end - bar.begin)), Vector(0.0, 0.0, 1.0))
    return distance - bar.radius, n, here


@version_for(collide, Peg)
@noinline_func
def touch_peg(scene, i, j, a, b, reach):
    peg = PegShape(scene.surfaces, j, SHAPE)
    s, t = nearest_of_segments(a, b, peg.begin, peg.end)
    gap, n, here = beside_bar(peg, a, b, s, t)
    return NearestPoint(gap, n, here, gap - Feature(scene.features, i).radius)


# ------------------------------------------------------------------------------------------------------------------ box


class BoxSurface(NamedTuple):
    """Touched by spheres, and by capsules between their ends."""

    code = 2


class Cuboid(Table):
    """A box of six flat faces."""

    center: Vector
    axes: Matrix  # in rows
    half: Vector  # half of its sizes


@constants
class BoxShape(Cuboid):
    """A box that does not move."""


version_for(put_frame, BoxSurface)(put_hard_frame)


class FixedBox(NamedTuple):
    """A box of the table `BoxShape`."""

    surfaces: object
    row: int


@func
def cuboid_distance(x, h):
    """Signed distance from x to a box of half sizes h, and the outward normal, both along the box's own axes."""
    window_time = Vector(min(max(x.x, -h.x), h.x), min(max(x.y, -h.y), h.y), min(max(x.z, -h.z), h.z))
    out = x - window_time
    size = length_of(out)
    if size > 1e-12:
        return size, (1.0 / size) * out
    dx, dy, dz = h.x - abs(x.x), h.y - abs(x.y), h.z - abs(x.z)
    if dx <= dy and dx <= dz:
        return -dx, Vector(1.0 if x.x > 0.0 else -1.0, 0.0, 0.0)
    if dy <= dz:
        return -dy, Vector(0.0, 1.0 if x.y > 0.0 else -1.0, 0.0)
    return -dz, Vector(0.0, 0.0, 1.0 if x.z > 0.0 else -1.0)


@func
def distance_from(cuboid, p):
    """Signed distance from p to a `Cuboid`, and the outward normal in the world."""
    E = cuboid.axes
    distance, n = cuboid_distance(E @ (p - cuboid.center), cuboid.half)
    return distance, transpose(E) @ n


@generic
def distance_at(box, p):
    """Signed distance from p to a box, and the outward normal in the world."""


@kernel
def box_distance(surfaces, j, p):
    """The same of a box that does not move."""
    return distance_from(BoxShape(surfaces, j, SHAPE), p)


@version_for(distance_at, FixedBox)
@func
def fixed_distance(box, p):
    return box_distance(box.surfaces, box.row, p)


@func
def touch_cuboid(box, scene, i, a, b):
    """Gap of a sphere, or of a capsule whose nearest point lies between its ends (the distance is convex along it).

    The rank tells which: two roundings of one point may differ, so that a sphere cannot be told by its ends.
    """
    feature = Feature(scene.features, i)
    bound = distance_at(box, 0.5 * (a + b))[0] - 0.5 * length_of(b - a) - feature.radius
    if feature.rank < 1.5:
        distance, n = distance_at(box, a)
        return NearestPoint(distance, n, a, bound)
    near, n = distance_at(box, a)
    beyond, m = distance_at(box, b)
    if dot(n, b - a) >= 0.0 or dot(m, b - a) <= 0.0:  # grows from one end on: that end is the nearest
        return NearestPoint(FAR, n, a, bound)
    low, high = 0.0, 1.0
    for _ in range(40):
        left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if distance_at(box, a + left * (b - a))[0] < distance_at(box, a + right * (b - a))[0]:
            high = right
        else:
            low = left
    s = 0.5 * (low + high)
    p = a + s * (b - a)
    distance, n = distance_at(box, p)
    return NearestPoint(distance if distance < min(near, beyond) - DEEPER else FAR, n, p, bound)


@version_for(collide, BoxSurface)
@noinline_func
def touch_box(scene, i, j, a, b, reach):
    return touch_cuboid(FixedBox(scene.surfaces, j), scene, i, a, b)


# ---------------------------------------------------------------------------------------------------------------- wheel


class Wheel(NamedTuple):
    """One wheel that always touches, under a given load; its feature has the place first and the rolling direction
    next.
    """

    code = 4


@constants
class WheelShape(Table):
    load: float  # N
    axle: Vector  # in the body's frame


@version_for(collide, Wheel)
@func
def touch_wheel(scene, i, j, a, b, reach):
    return NearestPoint(0.0 if WheelShape(scene.surfaces, j, SHAPE).load > 0.0 else FAR, Vector(0.0, 0.0, 1.0), a, 0.0)


@version_for(put_frame, Wheel)
@func
def put_wheel_frame(scene, i, j, body, nearest, contact):
    """Along the wheel's own rolling direction and axle, and the load it carries."""
    wheel = WheelShape(scene.surfaces, j, SHAPE)
    t, axle = body.rotation @ Feature(scene.features, i).end, body.rotation @ wheel.axle
    contact.arm = nearest.here - body.origin
    contact.normal = cross(t, axle)
    contact.tangent = t
    contact.friction = ContactSurface(scene.surfaces, j).friction
    contact.given = wheel.load
    contact.cone = ContactSurface(scene.surfaces, j).cone
