"""Samples on a grid, freed of noise: smoothing splines that take off as much as the noise accounts for, and no more.

What is measured (a filmed midline) has noise, and its second derivative in time, which forces follow, has far more of it: a wave of n samples
keeps its noise multiplied by about (n/π)² there. `smooth_grid` finds values on the same grid whose differences from the samples look like
noise of the given size; an interpolating spline through them is then the smoothing spline.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DEGREE = 5             # of the splines; their third derivative is penalised, as is natural for that degree
ORDERS = (4, 5)        # of the differences that tell noise from signal: of a signal they shrink from one order to the next
NOISY = 0.7            # ratio of the two, normalised, from which on it is noise
LEAST = 24             # differences that such a judgement needs
ROUNDING = 1e-9        # of the largest value: noise below is that of the numbers themselves
CHANCE = 2.0           # standard deviations by which a residual of noise alone may be larger than expected
NOTHING = 1e-3         # of the noise: less than that taken off is nothing; the grid is too coarse to tell noise from signal
STEPS = 400            # penalties that are tried, equally spaced in their logarithm


class Smoothed(NamedTuple):
    """Values on the grid, and what was done to them."""

    values: Array      # (T, S)
    noise: float       # standard deviation that was taken to be in the samples
    removed: float     # root mean square of what was taken off; 0: nothing could be, or there was no noise


def difference_weights(x: Array, order: int) -> Array:
    """(n - order, n): differences over order + 1 neighbours that vanish for polynomials below `order`, each row of norm 1."""
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


def _modes(x: Array) -> tuple[Array, Array]:
    """Rising penalties d and modes U of the smoothing splines on a grid: samples y become U (1 + λ d)⁻¹ Uᵀ y."""
    from scipy.interpolate import BSpline, make_interp_spline

    scaled = (x - x[0]) / (x[-1] - x[0])
    basis = make_interp_spline(scaled, np.eye(len(x)), k=DEGREE)               # column j: 1 at sample j, 0 at the others
    bends = BSpline(basis.t, basis.c, DEGREE).derivative(3)
    edges = np.unique(basis.t)
    nodes, weights = np.polynomial.legendre.leggauss(3)                        # exact: the third derivative is of second degree
    half = 0.5 * np.diff(edges)[:, None]
    places, shares = (edges[:-1, None] + half * (1.0 + nodes)).ravel(), (half * weights).ravel()
    bend = bends(places)
    penalty, modes = np.linalg.eigh((bend * shares[:, None]).T @ bend)
    return np.maximum(penalty, 0.0), modes


def _smoothed_along(x: Array, values: Array, noise: float) -> tuple[Array, float]:
    """Samples (n, m) smoothed along their first axis, and the standard deviation of the noise that is left in them.

    The largest penalty whose residual is what this noise leaves: σ² times the trace of (1 - smoother)², but for chance.
    """
    if noise <= 0.0:
        return values, noise
    penalty, modes = _modes(x)
    parts = modes.T @ values
    energy = np.mean(parts**2, axis=1)
    kept = np.ones(len(penalty))
    for weight in np.logspace(-3.0, 15.0, STEPS) / penalty[-1]:
        taken = weight * penalty / (1.0 + weight * penalty)
        many = values.shape[1] * np.sum(taken**2) ** 2 / np.sum(taken**4)      # numbers of which the residual is the mean
        if np.sum(taken**2 * energy) <= (1.0 + CHANCE * np.sqrt(2.0 / many)) * noise**2 * np.sum(taken**2):
            kept = 1.0 - taken
    return modes @ (kept[:, None] * parts), noise * float(np.sqrt(np.mean(kept**2)))


def smooth_grid(t: Array, x: Array, values: Array, noise: float | None = None) -> Smoothed:
    """Samples (T, S) at times t and places x without their noise, of the stated standard deviation or as found in them.

    Where there is none they come back as they were, bit for bit.
    """
    found = noise_in(t, x, values) if noise is None else noise
    if found <= 0.0:
        return Smoothed(values, 0.0, 0.0)
    once, left = _smoothed_along(t, values, found)
    twice, _ = _smoothed_along(x, np.ascontiguousarray(once.T), left)
    smooth = np.ascontiguousarray(twice.T)
    removed = float(np.sqrt(np.mean((smooth - values) ** 2)))
    return Smoothed(smooth, found, removed) if removed > NOTHING * found else Smoothed(values, found, 0.0)
