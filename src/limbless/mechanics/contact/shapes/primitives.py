"""What can be touched. A shape is an empty class with a `code`, a table of its numbers, and its version of
`collide`: one file, or a part of this one. `contact_shape` says what of a body is measured against it. numba learns
from the type of `scene.shapes` which shapes there are: the others are not compiled.

A feature is a sphere or a capsule (see `Feature`). A contact point lies on the feature, the normal points from the
surface to the body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limbless.core import InputError
from limbless.mechanics.algebra import Matrix, Vector, dot, transpose
from limbless.mechanics.compiled import (
    Array,
    Scalar,
    Table,
    constants,
    func,
    generic,
    kernel,
    noinline_func,
    sqrt,
    switch,
    table,
    version_for,
)
from limbless.mechanics.contact.scene import ContactRow, ContactSurface, Feature, FrictionCoefficients, PatchRow, Scene

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body

SURFACE_COLUMNS, SHAPE = 28, 12  # numbers of a surface; where those of its shape begin
FAR = 1e9
# m: a capsule touches between its ends where it is nearer by this; a flat face is left to the ends
DEEPER = 1e-7


class ShapePairing(NamedTuple):
    """What of a body is measured against a shape."""

    shape: Any
    spheres: int
    capsules: str
    sleeps: bool
    corners: Callable[[Sequence[float]], list[Any]] | None


known_shapes: dict[int, ShapePairing] = {}
"""Every shape by its code, as tables of surfaces have it."""


def contact_shape(
    spheres: int = 1,
    capsules: str = "between",
    sleeps: bool = False,
    corners: Callable[[Sequence[float]], list[Any]] | None = None,
) -> Callable[[Any], Any]:
    """Class decorator: makes a class with a `code` of its own a shape, whose frame is that of anything hard.

    Parameters
    ----------
    spheres : how many contacts a sphere may have with it at once: 0 where capsules alone are measured, 2 in grooves.
    capsules : those that are measured: `all`, `between` their ends (where spheres are not enough), or `none`.
    sleeps : whether its `collide` gives a bound of the gap, so that a contact may sleep far away from it.
    corners : its numbers -> places of the corners that may enter the faces of a box, if it has some.
    """

    def register(cls: Any) -> Any:
        version_for(put_frame, cls)(put_hard_frame)
        taken = known_shapes[cls.code].shape.__name__ if cls.code in known_shapes else cls.__name__
        if taken != cls.__name__:
            raise InputError(
                f"contact shape {cls.__name__}: {taken} has code {cls.code}; {max(known_shapes) + 1} is free"
            )
        known_shapes[cls.code] = ShapePairing(cls, spheres, capsules, sleeps, corners)
        return cls

    return register


class NearestPoint(NamedTuple):
    """Where a feature is nearest to a surface."""

    gap: float  # between the axis of the feature and the surface
    normal: Vector
    here: Vector  # on the axis
    # of the gap, less the radius, that shrinks no faster than the body moves (0: no such bound)
    bound: float


@generic
def collide(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    """Gap, normal and place on the axis a-b of contact i against surface j; what is farther than
    `reach` need not be told apart.
    """


@generic
def put_frame(scene: Scene, i: int, j: int, body: Body, nearest: NearestPoint, contact: ContactRow):
    """The frame of a contact that is near: arm, normal, tangent, coefficients."""


touch_by, put_frame_by = switch(collide), switch(put_frame)


@func
def length_of(v: Vector) -> Scalar:
    return sqrt(dot(v, v))


@func
def nearest_on_segment(a: Vector, b: Vector, p: Vector) -> Scalar:
    """Share of the way from a to b of the point nearest to p."""
    d = b - a
    square = dot(d, d)
    return 0.0 if square <= 0.0 else min(max(dot(p - a, d) / square, 0.0), 1.0)


@func
def nearest_of_segments(a: Vector, b: Vector, p: Vector, q: Vector) -> tuple[Scalar, Scalar]:
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
def away(d: Vector, fallback: Vector) -> tuple[Vector, Scalar]:
    """Unit vector along d and its length; `fallback` where d is nothing."""
    size = length_of(d)
    return ((1.0 / size) * d if size > 1e-12 else fallback), size


@func
def tangent_along(R: Matrix, n: Vector) -> Vector:
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
def friction_at(scene: Scene, j: int, place: Vector) -> FrictionCoefficients:
    """Coefficients of the surface, or of the last patch that holds the place."""
    found = ContactSurface(scene.surfaces, j).friction
    for m in range(scene.patches.shape[0]):
        patch = PatchRow(scene.patches, m)
        if patch.surface == j and patch.west <= place.x <= patch.east and patch.south <= place.y <= patch.north:
            found = patch.friction
    return found


@func
def side_share(flank: Scalar, up: Vector, n: Vector) -> Scalar:
    """Friction where a body touches, over that on its belly: from 1 where the normal is the body's own z axis to
    `flank` on its sides and back.
    """
    belly = max(dot(up, n), 0.0)
    return flank + (1.0 - flank) * (belly * belly)


@func
def scaled_friction(friction: FrictionCoefficients, share: Scalar) -> FrictionCoefficients:
    """The same times a number; rolling as it is."""
    return FrictionCoefficients(
        share * friction.forward, share * friction.backward, share * friction.lateral, friction.rolling
    )


@func
def put_hard_frame(scene: Scene, i: int, j: int, body: Body, nearest: NearestPoint, contact: ContactRow) -> None:
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


@contact_shape(capsules="none")
class PlaneSurface(NamedTuple):
    """Touched by spheres, and by the rims of discs."""

    code = 0


@constants
class PlaneShape(Table):
    """normal . x = offset"""

    normal: Vector
    offset: float


@version_for(collide, PlaneSurface)
@func
def touch_plane(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    """A rim goes round a, about a-b, in the distance of b: its lowest point; of one that lies flat, its middle."""
    plane, here = PlaneShape(scene.surfaces, j, SHAPE), a
    if Feature(scene.features, i).rank > 2.5:
        axis, rim = away(b - a, plane.normal)
        down = dot(plane.normal, axis) * axis - plane.normal
        size = length_of(down)
        if size > 1e-9:
            here = a + (rim / size) * down
    return NearestPoint(dot(plane.normal, here) - plane.offset, plane.normal, here, 0.0)


# ------------------------------------------------------------------------------------------------------------------ peg


@contact_shape(spheres=0, capsules="all", sleeps=True)
class Peg(NamedTuple):
    """Touched by capsules."""

    code = 1


@table
class RoundBar(Table):
    """With round ends; it stands, or a body carries it along."""

    begin: Vector
    end: Vector
    radius: float


@func
def beside_bar(bar: RoundBar, a: Vector, b: Vector, s: Scalar, t: Scalar) -> tuple[Scalar, Vector, Vector]:
    """Gap between a-b at its share s and a bar at its share t, the normal there, and the place on a-b."""
    here = a + s * (b - a)
    n, distance = away(here - (bar.begin + t * (bar.end - bar.begin)), Vector(0.0, 0.0, 1.0))
    return distance - bar.radius, n, here


@version_for(collide, Peg)
@noinline_func
def touch_peg(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    peg = RoundBar(scene.surfaces, j, SHAPE)
    s, t = nearest_of_segments(a, b, peg.begin, peg.end)
    gap, n, here = beside_bar(peg, a, b, s, t)
    return NearestPoint(gap, n, here, gap - Feature(scene.features, i).radius)


# ------------------------------------------------------------------------------------------------------------------ box


def box_corners(numbers: Sequence[float]) -> list[Any]:
    """The eight corners of a `Cuboid`, world."""
    centre, axes, half = np.array(numbers[:3]), np.reshape(numbers[3:12], (3, 3)), np.array(numbers[12:15])
    return [centre + (half * corner) @ axes for corner in product((-1.0, 1.0), repeat=3)]


@contact_shape(sleeps=True, corners=box_corners)
class BoxSurface(NamedTuple):
    """Touched by spheres, and by capsules between their ends."""

    code = 2


@table
class Cuboid(Table):
    """A box of six flat faces, which stands, or is carried along by a body."""

    center: Vector
    axes: Matrix  # in rows
    half: Vector  # half of its sizes


@func
def cuboid_distance(x: Vector, h: Vector) -> tuple[Scalar, Vector]:
    """Signed distance from x to a box of half sizes h, and the outward normal, both along the box's own axes."""
    out = x - Vector(min(max(x.x, -h.x), h.x), min(max(x.y, -h.y), h.y), min(max(x.z, -h.z), h.z))
    size = length_of(out)
    if size > 1e-12:
        return size, (1.0 / size) * out
    dx, dy, dz = h.x - abs(x.x), h.y - abs(x.y), h.z - abs(x.z)
    if dx <= dy and dx <= dz:
        return -dx, Vector(1.0 if x.x > 0.0 else -1.0, 0.0, 0.0)
    if dy <= dz:
        return -dy, Vector(0.0, 1.0 if x.y > 0.0 else -1.0, 0.0)
    return -dz, Vector(0.0, 0.0, 1.0 if x.z > 0.0 else -1.0)


@kernel
def box_distance(surfaces: Array, j: int, p: Vector) -> tuple[Scalar, Vector]:
    """Signed distance from p to the `Cuboid` of a surface, and the outward normal in the world."""
    box = Cuboid(surfaces, j, SHAPE)
    distance, n = cuboid_distance(box.axes @ (p - box.center), box.half)
    return distance, transpose(box.axes) @ n


@version_for(collide, BoxSurface)
@noinline_func
def touch_box(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    """Gap of a sphere, or of a capsule whose nearest point lies between its ends (the distance is convex along it).

    The rank tells which: two roundings of one point may differ, so that a sphere cannot be told by its ends.
    """
    feature, surfaces = Feature(scene.features, i), scene.surfaces
    bound = box_distance(surfaces, j, 0.5 * (a + b))[0] - 0.5 * length_of(b - a) - feature.radius
    near, n = box_distance(surfaces, j, a)
    if feature.rank < 1.5:
        return NearestPoint(near, n, a, bound)
    beyond, m = box_distance(surfaces, j, b)
    if dot(n, b - a) >= 0.0 or dot(m, b - a) <= 0.0:  # grows from one end on: that end is the nearest
        return NearestPoint(FAR, n, a, bound)
    low, high = 0.0, 1.0
    for _ in range(40):
        left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if box_distance(surfaces, j, a + left * (b - a))[0] < box_distance(surfaces, j, a + right * (b - a))[0]:
            high = right
        else:
            low = left
    p = a + 0.5 * (low + high) * (b - a)
    distance, n = box_distance(surfaces, j, p)
    return NearestPoint(distance if distance < min(near, beyond) - DEEPER else FAR, n, p, bound)
