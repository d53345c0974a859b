"""Regularised dry friction along and across a slice of body, with sgn(u) -> u / sqrt(u² + ε²)."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import Vector, Wrench
from limbless.mechanics.compiled import Scalar, constants, func, maximum, sqrt, version_for, where_positive
from limbless.mechanics.forces.laws import OnSegment, Slice, law_slice, law_wrench, plain_law, sliced_wrench


@constants
class SmoothFriction(OnSegment):
    """A straight segment on a plane that it lies on; e1 points to the tail."""

    forward: float  # largest force per length of sliding to the head, N/m
    backward: float  # to the tail
    across: float
    fading: float  # speed below which it fades, m/s
    joined: bool  # the two directions together; else a box, which takes them apart
    weighted: bool  # together by the direction of slip (Hu 2009); else by an ellipse


SmoothFrictionLaw = plain_law("SmoothFrictionLaw", SmoothFriction, bands=True)
version_for(law_wrench, SmoothFrictionLaw)(sliced_wrench)


@func
def friction_force(friction: SmoothFriction, velocity: Vector) -> Vector:
    """Per unit length. A box takes the two directions apart, as paper 003 does (19); an ellipse opposes the sliding as
    a whole with the largest power; weighted friction is each coefficient times the component of the direction of slip
    (Hu, Nirody, Scott and Shelley 2009; Alben 2013).
    """
    u, v, speed = velocity.x, velocity.y, friction.fading
    along, across = where_positive(u, friction.backward, friction.forward), friction.across
    if friction.weighted:
        scale = 1.0 / sqrt(u * u + v * v + speed * speed)
        return Vector(-along * (u * scale), -across * (v * scale), 0.0 * u)
    if friction.joined:
        a, b, fading = along * u, across * v, maximum(along, across) * speed
        scale = 1.0 / sqrt(a * a + b * b + fading * fading)
        return Vector(-along * (a * scale), -across * (b * scale), 0.0 * u)
    return Vector(-along * (u / sqrt(u * u + speed * speed)), -across * (v / sqrt(v * v + speed * speed)), 0.0 * u)


@version_for(law_slice, SmoothFrictionLaw)
@func
def friction_slice(kind: Any, friction: SmoothFriction, t: Scalar, piece: Slice) -> Wrench:
    force = friction_force(friction, piece.velocity)
    return Wrench(force, 0.0 * force)
