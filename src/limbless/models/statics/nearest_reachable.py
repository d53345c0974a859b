"""The nearest point of a workspace: least distance within bounds on the tensions, with kinks where a pair changes
its pulling tendon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array

OPTIMAL = 1e-10  # projected gradient that counts as none, of the product of rates and distance
_STEPS = 60
_HALVINGS = 25


class Miss(NamedTuple):
    """What remains to the target at some tensions, and its rates on either side."""

    remaining: Array  # (components,) tip - target, m
    up: Array  # (components, unknowns) its derivatives towards larger unknowns, m/N
    down: Array  # (components, unknowns) and from smaller ones: others where a pair is slack, at 0


def projected_gradient(u: Array, miss: Miss, low: float, high: float) -> Array:
    """(unknowns,) slope of half the squared distance along what can still lower it within the bounds, m²/N; zero at
    the nearest point.
    """
    up, down = miss.up.T @ miss.remaining, miss.down.T @ miss.remaining
    rising, falling = (up < 0.0) & (u < high), (down > 0.0) & (u > low)
    return np.where(rising & (~falling | (-up >= down)), up, np.where(falling, down, 0.0))


def _side(miss: Miss, above: NDArray[np.bool_]) -> Array:
    """Gradient on one side of the kinks."""
    return np.asarray(np.where(above, miss.up.T @ miss.remaining, miss.down.T @ miss.remaining))


def approach(at: Callable[[Array], Miss], u: Array, low: float, high: float) -> Array:
    """From tensions near by to those that are first-order optimal: projected quasi-Newton (BFGS) steps that stop at
    kinks and bounds.

    The slope of the distance is exact; its curvature starts from Gauss and Newton's and is learned from the steps.
    Where the posture meets a stop on the way the slope jumps, and if the nearest point is such a place the last
    improvement is returned.
    """
    kinks = np.array([low, 0.0, high])
    u = np.where(
        np.abs(u[:, None] - kinks).min(axis=1) < 1e-6 * high, kinks[np.abs(u[:, None] - kinks).argmin(axis=1)], u
    )
    miss = at(u)
    # at the edge of the workspace the rates are singular: the bend of the edge, of this size, is what
    # makes the distance grow
    bend = np.linalg.norm(miss.remaining) * np.linalg.norm(miss.up) / high
    curvature = miss.up.T @ miss.up + bend * np.eye(len(u))
    for _ in range(_STEPS):
        slope = projected_gradient(u, miss, low, high)
        if np.abs(slope).max() <= OPTIMAL * np.linalg.norm(miss.up) * np.linalg.norm(miss.remaining):
            break
        free = np.flatnonzero(slope)
        step = np.zeros(len(u))
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
        if (step * slope)[(u == 0.0) | (u == low) | (u == high)].max(initial=-1.0) > 0.0:
            # never across a kink or a bound by which the slope was chosen
            step = -slope / curvature.diagonal()
        above = (u > 0.0) | ((u == 0.0) & (step > 0.0))
        found = _along(at, u, miss, step, np.where(above, max(low, 0.0), low), np.where(above, high, 0.0), (low, high))
        if found is None:
            break
        new, there = found
        way, change = (new - u)[free], (_side(there, above) - _side(miss, above))[free]
        if way @ change > 1e-12 * np.linalg.norm(way) * np.linalg.norm(change):
            inner = curvature[np.ix_(free, free)]
            pushed = inner @ way
            curvature[np.ix_(free, free)] = (
                inner - np.outer(pushed, pushed) / (way @ pushed) + np.outer(change, change) / (way @ change)
            )
        u, miss = new, there
    return u


def _along(
    at: Callable[[Array], Miss],
    u: Array,
    miss: Miss,
    step: Array,
    lowest: Array,
    highest: Array,
    bounds: tuple[float, float],
) -> tuple[Array, Miss] | None:
    """The longest of ever shorter steps within its smooth cell that comes nearer, or, where the distance is
    rounding, is flatter.
    """
    size, flatness = miss.remaining @ miss.remaining, np.abs(projected_gradient(u, miss, *bounds)).max()
    for halving in range(_HALVINGS):
        new = np.clip(u + 0.5**halving * step, lowest, highest)
        if (new == u).all():
            return None
        there = at(new)
        gain = size - there.remaining @ there.remaining
        flatter = np.abs(projected_gradient(new, there, *bounds)).max() < flatness
        if gain > 1e-12 * size or (gain > -1e-12 * size and flatter):
            return new, there
    return None
