"""Samples on a grid, freed of noise: splines that leave off as much as the noise accounts for, and no more.

What is measured (a filmed midline) has noise, and its second derivative in time, which forces follow, has far more of
it: a wave of n samples keeps its noise multiplied by about (n/π)² there. `smooth_grid` finds values on the same grid
whose differences from the samples are as large as noise of the given size: those of the coarsest splines that do so.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DEGREE = 5             # of the splines
ORDERS = (4, 5)        # of the differences that tell noise from signal: of a signal they shrink with the order
NOISY = 0.7            # ratio of the two, normalised, from which on it is noise
LEAST = 24             # differences that such a judgement needs
ROUNDING = 1e-9        # of the largest value: noise below is that of the numbers themselves
ALIKE = 1.3            # ratio up to which two estimates of the noise may differ
CHANCE = 2.0           # standard deviations by which a residual of noise alone may be larger than expected
NOTHING = 1e-3         # of the noise: less than that taken off is nothing; the grid cannot tell noise from signal


class Smoothed(NamedTuple):
    """Values on the grid, and what was done to them."""

    values: Array      # (T, S)
    noise: float       # standard deviation that was taken to be in the samples
    removed: float     # root mean square of what was taken off; 0: nothing could be, or there was no noise


def difference_weights(x: Array, order: int) -> Array:
    """(n - order, n): differences over order + 1 neighbours, zero for polynomials below `order`; rows of norm 1."""
    rows = np.zeros((len(x) - order, len(x)))
    for i in range(len(rows)):
        window = x[i:i + order + 1]
        apart = window[:, None] - window + np.eye(order + 1)
        weights = 1.0 / np.prod(apart / np.ptp(window), axis=1)
        rows[i, i:i + order + 1] = weights / np.linalg.norm(weights)
    return rows


def noise_in(t: Array, x: Array, values: Array) -> float:
    """Standard deviation of white noise in samples (T, S) at times t and places x; 0 where they are smooth.

    Differences in both directions leave little of a signal that the grid resolves, and all of the noise.
    """
    sizes = []
    for order in ORDERS:
        if (len(t) - order) * (len(x) - order) < LEAST or min(len(t), len(x)) <= order:
            return 0.0
        found = difference_weights(t, order) @ values @ difference_weights(x, order).T
        sizes.append(float(np.sqrt(np.mean(found**2))))
    if sizes[1] <= ROUNDING * float(np.abs(values).max(initial=0.0)) or sizes[1] < NOISY * sizes[0]:
        return 0.0
    return sizes[1]


def _fitted(x: Array, values: Array, spans: int) -> tuple[Array, int]:
    """Samples (n, m) replaced by least-squares splines on that many spans with about equally many samples each, and
    the number of coefficients."""
    from scipy.interpolate import BSpline

    inner = np.interp(np.linspace(0.0, len(x) - 1.0, spans + 1)[1:-1], np.arange(len(x)), x)
    knots = np.concatenate([np.full(DEGREE + 1, x[0]), inner, np.full(DEGREE + 1, x[-1])])
    basis, _ = np.linalg.qr(BSpline.design_matrix(x, knots, DEGREE).toarray())
    return basis @ (basis.T @ values), basis.shape[1]


def _smoothed_along(x: Array, values: Array, noise: float) -> tuple[Array, float]:
    """Samples (n, m) smoothed along their first axis, and the standard deviation of the noise that is left in them.

    The spline with the fewest spans whose residual is no more than the noise: σ² (n - coefficients), but for chance.
    """
    n, m = values.shape
    for spans in range(1, n - DEGREE):
        fitted, coefficients = _fitted(x, values, spans)
        free = n - coefficients
        if free <= 0:
            break
        if np.sum((values - fitted) ** 2) <= (1.0 + CHANCE * np.sqrt(2.0 / (m * free))) * noise**2 * m * free:
            return fitted, noise * float(np.sqrt(coefficients / n))
    return values, noise


def _better(x: Array, values: Array, noise: float) -> float:
    """A better estimate of noise that differences have found: what splines with half as many coefficients as samples
    leave, which is the mean of far more numbers. Where that is much more, the splines miss the signal: as it was."""
    spans = len(x) // 2 - DEGREE
    if spans < 1:
        return noise
    fitted, coefficients = _fitted(x, values, spans)
    left = float(np.sqrt(np.sum((values - fitted) ** 2) / (values.shape[1] * (len(x) - coefficients))))
    return left if left < ALIKE * noise else noise


def smooth_grid(t: Array, x: Array, values: Array, noise: float | None = None) -> Smoothed:
    """Samples (T, S) at times t and places x without their noise, of the stated standard deviation or as found in them.

    Where there is none they come back as they were, bit for bit.
    """
    found = noise_in(t, x, values) if noise is None else noise
    if found <= 0.0:
        return Smoothed(values, 0.0, 0.0)
    if noise is None:
        found = _better(x, values.T, _better(t, values, found))
    once, left = _smoothed_along(t, values, found)
    twice, _ = _smoothed_along(x, np.ascontiguousarray(once.T), left)
    smooth = np.ascontiguousarray(twice.T)
    removed = float(np.sqrt(np.mean((smooth - values) ** 2)))
    return Smoothed(smooth, found, removed) if removed > NOTHING * found else Smoothed(values, found, 0.0)
