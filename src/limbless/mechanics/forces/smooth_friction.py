"""Regularised dry friction along and across a slice of body, with sgn(u) -> u / sqrt(u² + ε²)."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra.spatial import Wrench
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import func
from limbless.mechanics.compiled.scalars import maximum, sqrt, where_positive
from limbless.mechanics.compiled.tables import constants
from limbless.mechanics.forces.laws import OnSegment, law, law_slice, law_wrench, sliced_wrench


@constants
class SmoothFriction(OnSegment):
    """A straight segment on a plane that it lies on; e1 points to the tail."""

    forward: float  # largest force per length of sliding to the head, N/m
    backward: float  # to the tail
    across: float
    fading: float  # speed below which it fades, m/s
    joined: bool  # the two directions together; else a box, which takes them apart
    weighted: bool  # together by the direction of slip (Hu 2009); else by an ellipse


class SmoothFrictionLaw(NamedTuple):
    """Marks `Laws` of the table `SmoothFriction`."""


law(SmoothFrictionLaw, SmoothFriction, bands=True)
version_for(law_wrench, SmoothFrictionLaw)(sliced_wrench)


@func
def friction_force(friction, velocity):
    """Per unit length. A box takes the two directions apart, as paper 003 does (19); an ellipse opposes the sliding as
    a whole with the largest power; weighted friction is each coefficient times the component of the direction of slip
    (Hu, Nirody, Scott and Shelley 2009; Alben 2013).
    """
    u, v, speed = velocity.x, velocity.y, friction.fading
    along, across = where_positive(u, friction.backward, friction.forward), friction.across
    if friction.weighted:
        scale = 1.0 / sqrt(u * u + v * v + speed * speed)
        force = Vector(-along * (u * scale), -across * (v * scale), 0.0 * u)
    elif friction.joined:
        a, b, fading = along * u, across * v, maximum(along, across) * speed
        scale = 1.0 / sqrt(a * a + b * b + fading * fading)
        force = Vector(-along * (a * scale), -across * (b * scale), 0.0 * u)
    else:
        force = Vector(-along * (u / sqrt(u * u + speed * speed)), -across * (v / sqrt(v * v + speed * speed)), 0.0 * u)
    return force


@version_for(law_slice, SmoothFrictionLaw)
@func
def friction_slice(kind, friction, t, piece):
    force = friction_force(friction, piece.velocity)
    return Wrench(force, 0.0 * force)
