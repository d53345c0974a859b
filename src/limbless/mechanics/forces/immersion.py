"""How much of an elliptic section is under water, exact at any roll: share, first moment, changes as it moves.

The plane of the water has the unit normal n; n2 and n3 are its parts along the half axes a and b of the section, e =
sqrt(a² n2² + b² n3²) is how far the section reaches along it, and h = depth of the centre / e.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import Vector, cross
from limbless.mechanics.compiled import Array, Scalar, absolute, func, maximum, minimum, sqrt, where_positive

THIN = 1e-9  # of a half axis: a section that stands upright reaches at least so far
STEEP = 1e-3  # change of h along a link above which its integrals are taken in closed form


class Cut(NamedTuple):
    """A section that the water cuts, along its own axes."""

    share: float  # φ of its area that is immersed
    moment: Vector  # s: first moment of the immersed part over the whole area, m
    along: Vector  # dφ/dr, 1/m
    about: Vector  # dφ/dθ
    upward: float  # dφ/dη of a surface that rises, 1/m


class Integrals(NamedTuple):
    """Of a stretch along which h goes in a straight line."""

    share: float  # ∫ φ ds
    lever: float  # ∫ s φ ds
    sag: float  # ∫ (1 - h²)^(3/2) ds


class Waterplane(NamedTuple):
    """Of the same stretch: the slope φ' of its sections, ∂φ/∂h, and its moments."""

    at: float  # where moments are taken about, from the middle of the stretch, m
    height: float  # h there
    width: float  # ∫ φ' ds
    lever: float  # ∫ (s - at) φ' ds
    spread: float  # ∫ (s - at)² φ' ds


@func
def reach_of(a: Scalar, b: Scalar, n: Vector) -> tuple[Scalar, Vector]:
    """e of a section along its own axes, and the vector (a² n2 e2 + b² n3 e3)."""
    pull = Vector(0.0 * n.x, (a * a) * n.y, (b * b) * n.z)
    return maximum(sqrt(pull.y * n.y + pull.z * n.z), THIN * b + 0.0 * n.x), pull


@func
def series_of(z: Scalar) -> Scalar:
    """(arcsin(s) - s) / s³ of z = s² in [0, 1/4], right to 3e-17: interpolated at the zeros of
    Chebyshev's polynomial of degree 13.
    """
    y = z * z
    even = 0.16666666666666669 + y * (
        0.04464285714635543
        + y
        * (
            0.02237217294214989
            + y
            * (0.013971212973552933 + y * (0.01032281435018578 + y * (0.01740087944269402 + y * 0.028757851367421563)))
        )
    )
    odd = 0.07499999999998433 + y * (
        0.030381944138531247
        + y
        * (0.017352392720869973 + y * (0.011479177415184906 + y * (0.005457506718640359 - y * 0.014851887071247198)))
    )
    return even + z * odd


@func
def arc_of(h: Scalar) -> Scalar:
    """arccos(-h) of h in [-1, 1]: half of the arc of a circle that is under water. Without the call that arctangents
    cost; from |h| = 1/2 on by the half angle.
    """
    size = absolute(h)
    z = where_positive(size - 0.5, 0.5 * (1.0 - size), h * h)
    s = where_positive(size - 0.5, sqrt(z), h)
    arc = s + s * z * series_of(z)
    return where_positive(size - 0.5, where_positive(h, np.pi - 2.0 * arc, 2.0 * arc), 0.5 * np.pi + arc)


@func
def share_of(h: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """φ, its slope φ' and c³ = (1 - h²)^(3/2); h is bound to [-1, 1]."""
    h = maximum(minimum(h, 1.0 + 0.0 * h), -1.0 + 0.0 * h)
    c = sqrt(maximum(1.0 - h * h, 0.0 * h))
    return (1.0 / np.pi) * (arc_of(h) + h * c), (2.0 / np.pi) * c, c * c * c


@func
def cut_section(a: Scalar, b: Scalar, n: Vector, depth: Scalar) -> Cut:
    """A section whose centre is `depth` below the plane of normal n, along its own axes."""
    e, pull = reach_of(a, b, n)
    h = depth / e
    share, slope, sag = share_of(h)
    tilt = slope * h / (e * e)
    turn = cross(Vector(0.0 * h, pull.y, 0.0 * h), n) + cross(Vector(0.0 * h, 0.0 * h, pull.z), n)
    return Cut(share, (-(2.0 / (3.0 * np.pi)) * sag / e) * pull, (-slope / e) * n, -tilt * turn, slope / e)


@func
def antiderivatives(h: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """∫ φ dh, ∫ h φ dh and ∫ c³ dh from -1 on."""
    inner = maximum(minimum(h, 1.0 + 0.0 * h), -1.0 + 0.0 * h)
    over = maximum(h, 1.0 + 0.0 * h)
    c = sqrt(maximum(1.0 - inner * inner, 0.0 * h))
    q = arc_of(inner)
    asine = q - 0.5 * np.pi
    share = (inner * q + c - c * c * c / 3.0) / np.pi + (over - 1.0)
    lever = (
        0.5 * inner * inner * q - 0.25 * (asine - inner * c) + 0.125 * (asine - inner * c * (1.0 - 2.0 * inner * inner))
    ) / np.pi + 0.5 * (over * over - 1.0)
    return share, lever, 0.125 * (inner * c * (5.0 - 2.0 * inner * inner) + 3.0 * asine)


@func
def integrals_along(
    first: Scalar, slope: Scalar, length: Scalar, nodes: Array, weights: Array, start: int, count: int
) -> Integrals:
    """`Integrals` over [0, length] of h = first + slope s: closed where it is steep, else by Gauss points."""
    if slope * length > STEEP or slope * length < -STEEP:
        low, high = antiderivatives(first), antiderivatives(first + slope * length)
        share, moment, sag = high[0] - low[0], high[1] - low[1], high[2] - low[2]
        return Integrals(share / slope, (moment - first * share) / (slope * slope), sag / slope)
    o = 0.0 * first
    found = Integrals(o, o, o)
    for j in range(start, start + count):
        s, ds = nodes[j] * length, weights[j] * length
        share, _, sag = share_of(first + slope * s)
        found = Integrals(found.share + ds * share, found.lever + ds * s * share, found.sag + ds * sag)
    return found


@func
def slopes_below(h: Scalar):
    """∫ φ' dh, ∫ h φ' dh and ∫ h² φ' dh up to h."""
    h = maximum(minimum(h, 1.0 + 0.0 * h), -1.0 + 0.0 * h)
    c = sqrt(maximum(1.0 - h * h, 0.0 * h))
    asine = arc_of(h) - 0.5 * np.pi
    return (
        (h * c + asine) / np.pi,
        -(2.0 / (3.0 * np.pi)) * c * c * c,
        (asine - h * c * (1.0 - 2.0 * h * h)) / (4.0 * np.pi),
    )


@func
def waterplane_along(middle: Any, slope: Scalar, length: Scalar, nodes: Array, weights: Array, start: int, count: int):
    """`Waterplane` of h = middle + slope s, s from the middle of a stretch of this length. Where it is steep, about the
    place where h = 0, so that nothing large cancels in a stretch that stands upright.
    """
    half = 0.5 * length
    if slope * length > STEEP or slope * length < -STEEP:
        low, high, per = slopes_below(middle - slope * half), slopes_below(middle + slope * half), 1.0 / slope
        return Waterplane(
            -middle * per,
            0.0 * middle,
            per * (high[0] - low[0]),
            per * per * (high[1] - low[1]),
            per * per * per * (high[2] - low[2]),
        )
    o = 0.0 * middle
    found = Waterplane(o, middle, o, o, o)
    for j in range(start, start + count):
        s = (nodes[j] - 0.5) * length
        _, rise, _ = share_of(middle + slope * s)
        a = weights[j] * length * rise
        found = Waterplane(o, middle, found.width + a, found.lever + s * a, found.spread + s * s * a)
    return found
