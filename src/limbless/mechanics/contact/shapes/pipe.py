"""The inside of a pipe: straight pieces and elbows, each between its two end planes. Beyond the ends there is nothing.

Along a straight piece the distance from the axis is convex, so that a capsule touches with its ends: spheres are
enough. In an elbow a capsule may touch the inner wall between its ends.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Vector, cross, dot
from limbless.mechanics.compiled import Scalar, Table, constants, func, kernel, noinline_func, sincos, version_for
from limbless.mechanics.contact.scene import Feature, Scene
from limbless.mechanics.contact.shapes.primitives import (
    DEEPER,
    FAR,
    SHAPE,
    NearestPoint,
    away,
    collide,
    contact_shape,
)

SAMPLES, SHRINKS = 5, 30  # of a search along a capsule


@contact_shape(capsules="none")
class Tube(NamedTuple):
    """Touched by spheres."""

    code = 5


@constants
class TubeShape(Table):
    begin: Vector  # of the axis
    along: Vector  # unit vector
    length: float
    radius: float


@contact_shape()
class Elbow(NamedTuple):
    """Touched by spheres, and by capsules between their ends."""

    code = 6


@constants
class ElbowShape(Table):
    center: Vector  # of the axis, an arc
    normal: Vector  # of its plane: the arc goes about it
    start: Vector  # unit vector from the centre to the arc's start
    bend: float  # radius of the arc
    angle: float  # of the arc, rad
    radius: float  # of the pipe


@func
def across(along: Vector) -> Vector:
    """Some direction at right angles to another: where a sphere is on the axis, all are alike."""
    helper = Vector(0.0, 0.0, 1.0) if abs(along.z) < 0.9 else Vector(1.0, 0.0, 0.0)
    n, _ = away(helper - dot(helper, along) * along, helper)
    return n


@version_for(collide, Tube)
@kernel
def touch_tube(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    pipe = TubeShape(scene.surfaces, j, SHAPE)
    d = a - pipe.begin
    s = dot(d, pipe.along)
    n, distance = away(s * pipe.along - d, across(pipe.along))
    return NearestPoint(pipe.radius - distance if 0.0 <= s <= pipe.length else FAR, n, a, 0.0)


@noinline_func
def from_arc(elbow: ElbowShape, p: Vector):
    """Distance of p from the arc, -1 where it is beyond the arc's ends, and the direction from p to the arc."""
    d = p - elbow.center
    out, size = away(d - dot(d, elbow.normal) * elbow.normal, elbow.start)
    side = cross(elbow.normal, elbow.start)
    sine, cosine = sincos(elbow.angle)
    end = cosine * elbow.start + sine * side  # unit vector from the centre to the arc's end
    # between the two end planes: on the arc's side of both; arcs are shorter than half a turn
    if dot(out, side) < 0.0 or dot(cross(out, end), elbow.normal) < 0.0 or size <= 0.0:
        return -1.0, out
    n, distance = away(elbow.bend * out - d, elbow.normal)
    return distance, n


@version_for(collide, Elbow)
@kernel
def touch_elbow(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    elbow, feature = ElbowShape(scene.surfaces, j, SHAPE), Feature(scene.features, i)
    if feature.rank < 1.5:
        distance, n = from_arc(elbow, a)
        return NearestPoint(elbow.radius - distance if distance >= 0.0 else FAR, n, a, 0.0)
    best, at = -1.0, 0.0
    for k in range(SAMPLES):
        s = k / (SAMPLES - 1.0)
        distance, _ = from_arc(elbow, a + s * (b - a))
        if distance > best:
            best, at = distance, s
    width = 1.0 / (SAMPLES - 1.0)
    low, high = max(at - width, 0.0), min(at + width, 1.0)
    for _ in range(SHRINKS):
        left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if from_arc(elbow, a + left * (b - a))[0] > from_arc(elbow, a + right * (b - a))[0]:
            high = right
        else:
            low = left
    p = a + 0.5 * (low + high) * (b - a)
    distance, n = from_arc(elbow, p)
    ends = max(from_arc(elbow, a)[0], from_arc(elbow, b)[0])
    return NearestPoint(elbow.radius - distance if distance > ends + DEEPER else FAR, n, p, 0.0)
