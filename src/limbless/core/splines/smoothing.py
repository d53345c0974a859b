"""Samples on a grid, freed of noise where they have some; a table that is exact stays as it is.

What is measured (a filmed midline) has noise, and its second derivative in time, which forces follow, has far more of
it: a wave of n samples keeps its noise multiplied by about (n/π)² there. `smooth_grid` takes it off with the surface
that films are smoothed by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbless.core.splines.long_surface import fit_any
from limbless.core.timeline import Array

ORDERS = (4, 5)  # of the differences that tell noise from signal: of a signal they shrink with the order
NOISY = 0.7  # ratio of the two, normalised, from which on it is noise
LEAST = 24  # differences that such a judgement needs
ROUNDING = 1e-9  # of the largest value: noise below is that of the numbers themselves
NOTHING = 1e-3  # of the noise: less than that taken off is nothing; the grid cannot tell noise from signal


class Smoothed(NamedTuple):
    """Values on the grid, and what was done to them."""

    values: Array  # (T, S)
    noise: float  # standard deviation that was taken to be in the samples
    # root mean square of what was taken off; 0: nothing could be, or there was no noise
    removed: float


def difference_weights(x: Array, order: int) -> Array:
    """(n - order, n): differences over order + 1 neighbours, zero for polynomials below `order`; rows of norm 1."""
    rows = np.zeros((len(x) - order, len(x)))
    for i in range(len(rows)):
        window = x[i : i + order + 1]
        apart = window[:, None] - window + np.eye(order + 1)
        weights = 1.0 / np.prod(apart / np.ptp(window), axis=1)
        rows[i, i : i + order + 1] = weights / np.linalg.norm(weights)
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


def smooth_grid(t: Array, x: Array, values: Array, noise: float | None = None) -> Smoothed:
    """Samples (T, S) at times t and places x without their noise, of the stated standard deviation or as found in them.

    Where there is none they come back as they were, bit for bit. Else they are smoothed as films are: see
    `long_surface`.
    """
    found = noise_in(t, x, values) if noise is None else noise
    if found <= 0.0:
        return Smoothed(values, 0.0, 0.0)
    surface = fit_any(t, x, values[..., None], noise, least=None)
    smooth, found = np.ascontiguousarray(surface.values[..., 0]), surface.noise if noise is None else noise
    removed = float(np.sqrt(np.mean((smooth - values) ** 2)))
    return Smoothed(smooth, found, removed) if removed > NOTHING * found else Smoothed(values, found, 0.0)
