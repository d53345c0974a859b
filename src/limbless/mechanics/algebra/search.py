"""Where a function of one variable vanishes between two ends of different sign."""
from __future__ import annotations

from limbless.mechanics.compiled.kernel import inline

LEAST_SHARE = 0.05                              # of an interval: no step leaves less of it, so that both ends come together


@inline
def false_position(low, high, below, above):
    """The zero of the straight line through (low, below < 0) and (high, above > 0), kept away from both ends."""
    width = high - low
    return min(max(low - below * width / (above - below), low + LEAST_SHARE * width), high - LEAST_SHARE * width)
