"""Drag at one point of a body, along three axes of its own: linear and quadratic, of the velocity and of the rate."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra.vectors import Matrix, Vector, cross, product, transpose
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import func
from limbless.mechanics.compiled.scalars import absolute
from limbless.mechanics.compiled.tables import constants
from limbless.mechanics.forces.laws import OnBody, about_body, law, law_wrench


@constants
class BodyDragRow(OnBody):
    start: Vector  # the point, along the law's own axes, m
    frame: Matrix  # the law's axes in the body, in columns
    linear: Vector  # N s/m
    quadratic: Vector  # N s2/m2
    turning: Vector  # N m s/rad
    turning_quadratic: Vector  # N m s2/rad2
    wind: Vector  # velocity of the medium, world axes, m/s


class BodyDragLaw(NamedTuple):
    """Marks `Laws` of the table `BodyDragRow`."""


law(BodyDragLaw, BodyDragRow, bands=True)


@func
def resisted(linear, quadratic, v):
    """-(l + q |v|) v, component by component."""
    return Vector(
        -(linear.x + quadratic.x * absolute(v.x)) * v.x,
        -(linear.y + quadratic.y * absolute(v.y)) * v.y,
        -(linear.z + quadratic.z * absolute(v.z)) * v.z,
    )


@version_for(law_wrench, BodyDragLaw)
@func
def body_drag_wrench(kind, row, laws, t, body):
    E = product(body.rotation, row.frame)
    rate = transpose(E) @ body.velocity.angular
    velocity = transpose(E) @ (body.velocity.linear - row.wind) + cross(rate, row.start)
    return about_body(
        row, E, resisted(row.linear, row.quadratic, velocity), resisted(row.turning, row.turning_quadratic, rate)
    )
