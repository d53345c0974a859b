"""Drag at one point of a body, along three axes of its own: linear and quadratic, of the velocity and of the rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.algebra import Vector, cross, product, transpose
from limbless.mechanics.compiled import Scalar, absolute, constants, func, version_for
from limbless.mechanics.forces.laws import OnAxes, about_body, law_wrench, plain_law

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body


@constants
class BodyDragRow(OnAxes):
    linear: Vector  # N s/m
    quadratic: Vector  # N s2/m2
    turning: Vector  # N m s/rad
    turning_quadratic: Vector  # N m s2/rad2
    wind: Vector  # velocity of the medium, world axes, m/s


BodyDragLaw = plain_law("BodyDragLaw", BodyDragRow, bands=True)


@func
def resisted(linear: Any, quadratic: Any, v: Vector) -> Vector:
    """-(l + q |v|) v, component by component."""
    return Vector(
        -(linear.x + quadratic.x * absolute(v.x)) * v.x,
        -(linear.y + quadratic.y * absolute(v.y)) * v.y,
        -(linear.z + quadratic.z * absolute(v.z)) * v.z,
    )


@version_for(law_wrench, BodyDragLaw)
@func
def body_drag_wrench(kind: Any, row: BodyDragRow, laws: Any, t: Scalar, body: Body):
    E = product(body.rotation, row.frame)
    rate = transpose(E) @ body.velocity.angular
    velocity = transpose(E) @ (body.velocity.linear - row.wind) + cross(rate, row.start)
    return about_body(
        row, E, resisted(row.linear, row.quadratic, velocity), resisted(row.turning, row.turning_quadratic, rate)
    )
