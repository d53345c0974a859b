"""Shapes that a body carries along: a round bar, and a box. Their numbers change from step to step (`move_surfaces`).
The corners of boxes that do not move, which enter the faces of those that do.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Vector, dot
from limbless.mechanics.compiled import Scalar, Table, constants, func, noinline_func, version_for
from limbless.mechanics.contact.scene import Feature, Scene
from limbless.mechanics.contact.shapes.primitives import (
    SHAPE,
    NearestPoint,
    RoundBar,
    beside_bar,
    box_distance,
    collide,
    contact_shape,
    nearest_of_segments,
    touch_box,
)

PARALLEL = 1e-12  # squared sine of the angle below which two axes are parallel


@contact_shape(spheres=0, capsules="all", sleeps=True)
class MovingCapsule(NamedTuple):
    """A capsule or a sphere that moves, touched by capsules."""

    code = 8


@contact_shape(sleeps=True)
class MovingCuboid(NamedTuple):
    """A box that moves, touched by spheres, and by capsules between their ends."""

    code = 9


@contact_shape()
class Corner(NamedTuple):
    """A corner that does not move, touched by a box that does."""

    code = 10


@constants
class CornerShape(Table):
    place: Vector  # world
    crate: float  # row of the surface that the moving box carries


version_for(collide, MovingCuboid)(touch_box)


@func
def nearest_of_bars(a: Vector, b: Vector, p: Vector, q: Vector) -> tuple[Scalar, Scalar]:
    """Shares along a-b and p-q of their nearest points; the middle of the overlap of parallel axes."""
    d, e = b - a, q - p
    dd, ee, de = dot(d, d), dot(e, e), dot(d, e)
    if dd <= 0.0 or ee <= 0.0 or dd * ee - de * de > PARALLEL * dd * ee:
        return nearest_of_segments(a, b, p, q)
    u, v = dot(p - a, d) / dd, dot(q - a, d) / dd  # the ends of p-q along a-b
    low, high = min(max(min(u, v), 0.0), 1.0), min(max(max(u, v), 0.0), 1.0)
    s = 0.5 * (low + high)
    return s, min(max(dot(a + s * d - p, e) / ee, 0.0), 1.0)


@version_for(collide, MovingCapsule)
@noinline_func
def touch_bar(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    bar = RoundBar(scene.surfaces, j, SHAPE)
    s, t = nearest_of_bars(a, b, bar.begin, bar.end)
    gap, n, here = beside_bar(bar, a, b, s, t)
    return NearestPoint(gap, n, here, gap - Feature(scene.features, i).radius)


@version_for(collide, Corner)
@noinline_func
def touch_corner(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    """The feature is the box itself: its surface is where it is, and pushed away from the corner."""
    corner = CornerShape(scene.surfaces, j, SHAPE)
    distance, n = box_distance(scene.surfaces, int(corner.crate), corner.place)
    return NearestPoint(distance, -n, corner.place, distance)
