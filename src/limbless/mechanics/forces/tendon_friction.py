"""Friction of a tendon where it turns: by how much its tension falls or rises there.

In motion the sign comes from the sliding rate b of the tendon at that place, s = -b / sqrt(b² + e²): a tendon that
stands still creeps with `slip` speeds of about e. In the hole of a disk the ratio is that of statics. At a rounded
point of a link, and along the channel of a rod, it is that of a rope on a capstan: exp(-μ s φ), φ the angle by which
the tendon turns.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Vector, cross, dot
from limbless.mechanics.compiled import Array, Rows, Scalar, Table, arctangent2, constants, exponential, func, sqrt


@constants
class TendonFriction(Table):
    """Friction of one tendon."""

    coefficient: float  # 1
    slip: float  # e, m/s


class DiskFriction(NamedTuple):
    """Tendons rub in the holes of disks."""

    rows: Rows[TendonFriction]  # (tendons,)
    sliding: Array  # (chords,) rate of all chords of the tendon from this one on, m/s


class CapstanFriction(DiskFriction):
    """Tendons rub on rounded points, or along curved channels."""


@func
def friction_ratio(mu: Scalar, slip: Scalar, before: Vector, after: Vector) -> Scalar:
    """F_(i+1)/F_i of a tendon that rubs on a disk with coefficient `mu`: root of the balance (26)-(27), exact in
    F_(i+1).

    `before`, `after`: unit vectors from the hole along the tendon to both sides, axes of the disk, its normal along z.
    `slip` in [-1, 1] scales and signs the coefficient; with it the root is one smooth expression: smaller than 1 when
    pulled, larger when released.
    """
    aa, cc = before.x * before.x + before.y * before.y, after.x * after.x + after.y * after.y
    ac = before.x * after.x + before.y * after.y
    m = mu * slip
    root = sqrt(max(aa + cc + 2.0 * ac - m * m * (aa * cc - ac * ac), 0.0))
    return (1.0 + m * m * ac - m * root) / (1.0 - m * m * cc)


@func
def turn_at(before: Vector, after: Vector):
    """How much a tendon turns across a disk: the size of the force on its hole over the tension."""
    y, z = before.x + after.x, before.y + after.y
    return sqrt(y * y + z * z)


@func
def capstan(mu: Scalar, slip: Scalar, before: Vector, after: Vector):
    """The ratio of a tendon that wraps from one direction to another, and by which angle it turns. `slip` as above."""
    across = cross(before, after)
    angle = arctangent2(sqrt(dot(across, across)), dot(before, after))
    return exponential(-mu * slip * angle), angle


@func
def slide(rate: Scalar, slip: Scalar):
    """s of a sliding rate, and how fast it changes with it."""
    size = sqrt(rate * rate + slip * slip)
    return -rate / size, slip * slip / (size * size * size)
