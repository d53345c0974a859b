"""The nearest point of an ellipse, however slender, and the same with its edge rounded off.

    p = argmin ½ |p - y|² - ½ t log(1 - p1²/a1² - p2²/a2²)

t = 0 is the projection onto the ellipse with the semi-axes a, t > 0 a smooth map into its inside, monotone and never
steeper than 1. In both p_i = a_i² y_i / (a_i² + λ), where λ is the root of one equation:

    φ(λ) = sum (a_i y_i / (a_i² + λ))² + t / λ = 1

φ^(-1/2) is concave: Newton's method for φ^(-1/2) = 1, begun on the left of the root, comes nearer from that side in
every iteration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.compiled import Scalar, func, sqrt

ITERATIONS, ENOUGH = 60, 4e-16


class Nearest(NamedTuple):
    """The point, the derivatives of p by y (symmetric), and what derivatives by t and by the size
    of the ellipse are made of.
    """

    p1: float
    p2: float
    j11: float
    j12: float
    j22: float
    v1: float  # p_i / (a_i² + λ)
    v2: float
    root: float  # λ
    weight: float  # -∂φ/∂λ / 2 at the root


@func
def multiplier(a1: Scalar, a2: Scalar, y1: Any, y2: Any, t: Scalar):
    """λ; zero where y lies inside the ellipse and its edge is sharp."""
    s1, s2, b1, b2 = a1 * a1, a2 * a2, a1 * abs(y1), a2 * abs(y2)
    if t <= 0.0 and (a2 * y1) ** 2 + (a1 * y2) ** 2 <= (a1 * a2) ** 2:
        return 0.0
    root = max(max(t, 0.0), max(b1 - s1, b2 - s2))  # φ >= 1 here
    for _ in range(ITERATIONS):
        f1, f2 = b1 / (s1 + root), b2 / (s2 + root)
        soft = t / root if t > 0.0 else 0.0
        phi = f1 * f1 + f2 * f2 + soft
        fall = 2.0 * (f1 * f1 / (s1 + root) + f2 * f2 / (s2 + root)) + (soft / root if t > 0.0 else 0.0)
        step = 2.0 * phi * (sqrt(phi) - 1.0) / fall
        root += step
        if step <= ENOUGH * root:
            break
    return root


@func
def nearest(a1: Scalar, a2: Scalar, y1: Any, y2: Any, t: Scalar) -> Nearest:
    """The nearest point of the ellipse with positive semi-axes a to y, and its derivatives."""
    root = multiplier(a1, a2, y1, y2, t)
    if root <= 0.0:
        return Nearest(y1, y2, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    s1, s2 = a1 * a1, a2 * a2
    k1, k2 = s1 / (s1 + root), s2 / (s2 + root)
    p1, p2 = k1 * y1, k2 * y2
    v1, v2 = p1 / (s1 + root), p2 / (s2 + root)
    weight = p1 * v1 / s1 + p2 * v2 / s2 + (0.5 * t / (root * root) if t > 0.0 else 0.0)
    return Nearest(p1, p2, k1 - v1 * v1 / weight, -v1 * v2 / weight, k2 - v2 * v2 / weight, v1, v2, root, weight)


@func
def drift_share(at: Nearest, t: Scalar):
    """Derivative of p by log sqrt(t), over -v."""
    return t / (at.root * at.weight)


@func
def growth_share(at: Nearest, a1: Scalar, a2: Scalar):
    """Derivative of p by the logarithm of the size of the ellipse, over v."""
    window_time = (at.p1 / a1) ** 2 + (at.p2 / a2) ** 2
    bent = at.p1 * at.v1 / (a1 * a1) + at.p2 * at.v2 / (a2 * a2)
    return 2.0 * at.root - (2.0 * at.root * bent - window_time) / at.weight
