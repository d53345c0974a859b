"""A wheel that bears what lies on it: it touches a plane, and rubs along its rolling direction and along its axle."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra.vectors import Vector, cross, dot
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import func
from limbless.mechanics.compiled.tables import Table, constants
from limbless.mechanics.contact.scene import ContactSurface, Feature
from limbless.mechanics.contact.shapes.primitives import SHAPE, NearestPoint, away, collide, put_frame


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
def touch_axle(scene, i, j, a, b, reach):
    plane = LoadedWheelShape(scene.surfaces, j, SHAPE)
    return NearestPoint(dot(plane.normal, a) - plane.offset, plane.normal, a, 0.0)


@version_for(put_frame, LoadedWheel)
@func
def put_axle_frame(scene, i, j, body, nearest, contact):
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
