"""Wheels, which rub along their rolling direction and along their axle: one that bears what lies on it and touches a
plane, and one that always touches under a given load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import Vector, cross, dot
from limbless.mechanics.compiled import Scalar, Table, constants, func, version_for
from limbless.mechanics.contact.scene import ContactRow, ContactSurface, Feature, Scene
from limbless.mechanics.contact.shapes.primitives import (
    FAR,
    SHAPE,
    NearestPoint,
    away,
    collide,
    contact_shape,
    put_frame,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body


@contact_shape()
class LoadedWheel(NamedTuple):
    """One wheel over a plane; its feature has the centre first and the rolling direction next, and its radius."""

    code = 7


@constants
class LoadedWheelShape(Table):
    """normal . x = offset is the ground"""

    normal: Vector
    offset: float
    axle: Vector  # in the body's frame


@version_for(collide, LoadedWheel)
@func
def touch_axle(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    plane = LoadedWheelShape(scene.surfaces, j, SHAPE)
    return NearestPoint(dot(plane.normal, a) - plane.offset, plane.normal, a, 0.0)


@version_for(put_frame, LoadedWheel)
@func
def put_axle_frame(scene: Scene, i: int, j: int, body: Body, nearest: NearestPoint, contact: ContactRow) -> None:
    """In the plane, along the rolling direction; for a body that stands upright, across its axle."""
    feature, n = Feature(scene.features, i), nearest.normal
    rolling = body.rotation @ feature.end
    axle = body.rotation @ LoadedWheelShape(scene.surfaces, j, SHAPE).axle
    upright, _ = away(cross(axle, n), rolling)
    t, _ = away(rolling - dot(rolling, n) * n, upright)
    contact.arm = nearest.here - feature.radius * n - body.origin
    contact.normal = n
    contact.tangent = t
    contact.friction = ContactSurface(scene.surfaces, j).friction
    contact.cone = ContactSurface(scene.surfaces, j).cone
    contact.radius = feature.radius


# ---------------------------------------------------------------------------------------------------------------- wheel


@contact_shape()
class Wheel(NamedTuple):
    """One wheel that always touches, under a given load; its feature has the place first and
    the rolling direction next.
    """

    code = 4


@constants
class WheelShape(Table):
    load: float  # N
    axle: Vector  # in the body's frame


@version_for(collide, Wheel)
@func
def touch_wheel(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    return NearestPoint(0.0 if WheelShape(scene.surfaces, j, SHAPE).load > 0.0 else FAR, Vector(0.0, 0.0, 1.0), a, 0.0)


@version_for(put_frame, Wheel)
@func
def put_wheel_frame(scene: Scene, i: int, j: int, body: Body, nearest: NearestPoint, contact: ContactRow) -> None:
    """Along the wheel's own rolling direction and axle, and the load it carries."""
    wheel = WheelShape(scene.surfaces, j, SHAPE)
    t, axle = body.rotation @ Feature(scene.features, i).end, body.rotation @ wheel.axle
    contact.arm = nearest.here - body.origin
    contact.normal = cross(t, axle)
    contact.tangent = t
    contact.friction = ContactSurface(scene.surfaces, j).friction
    contact.given = wheel.load
    contact.cone = ContactSurface(scene.surfaces, j).cone
