"""How far to go along a step of Newton's method: where the slope of a convex function has all but vanished."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.compiled import Scalar, func, generic

LEAST_SHARE = 0.05  # of an interval: no trial leaves less of it, so that both ends come together


@generic
def directional_slope(step: Any, share: Scalar) -> Scalar:
    """Slope of the function at a share (0 to 1) of a step: one version per kind of step."""


@func
def false_position(low: Scalar, high: Scalar, below: Scalar, above: Scalar) -> Scalar:
    """The zero of the straight line through (low, below < 0) and (high, above > 0), kept away from both ends."""
    width = high - low
    return min(max(low - below * width / (above - below), low + LEAST_SHARE * width), high - LEAST_SHARE * width)


@func
def line_search(step: Any, enough: Scalar) -> Scalar:
    """The share at which the slope is at most `enough` of that at the start, by false position; 1 if it still falls,
    0 if it rises from the start, as rounding makes it at the minimum.
    """
    above = directional_slope(step, 1.0)
    if above <= 0.0:
        return 1.0
    low, high, share = 0.0, 1.0, 1.0
    below = directional_slope(step, 0.0)
    if below >= 0.0:
        return 0.0
    least = enough * abs(below)
    for _ in range(30):
        share = false_position(low, high, below, above)
        slope = directional_slope(step, share)
        if abs(slope) <= least:
            break
        if slope > 0.0:
            high, above = share, slope
        else:
            low, below = share, slope
    return share
