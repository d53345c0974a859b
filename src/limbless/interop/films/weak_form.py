"""Coefficients of drag from the force balance of the film itself: linear, without a run.

Momentum of body and added mass against drag, both from the filmed motion, multiplied with bumps (1 - z²)² of one beat
that overlap by half and integrated over time, so that no acceleration is needed. Noise in the velocities makes
coefficients too small (errors in variables): a start for shooting, and no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.environments.water import Water
from limbless.interop.films.film_smoothing import PLACES, SmoothFilm
from limbless.robots.rod import Rod

Array = NDArray[np.float64]

TRUSTED = 0.7  # R² below which a start is only that


class ForceBalance(NamedTuple):
    """Coefficients along and across that balance the filmed momentum best."""

    along: float
    across: float
    errors: tuple[float, float]
    quality: float  # R²


def force_balance(film: SmoothFilm, rod: Rod, water: Water, period: float) -> ForceBalance:
    """C1 and C2 of `water` from a film, by least squares over bumps."""
    s = film.abscissae
    weight = np.full(PLACES, s[1] - s[0])
    weight[[0, -1]] *= 0.5
    a, b = rod.half_axes(np.clip(s, 0.0, rod.length)).T
    tangent = np.stack([np.cos(film.heading), np.sin(film.heading)], axis=2)
    normal = np.stack([-tangent[..., 1], tangent[..., 0]], axis=2)
    U = film.velocity - np.asarray(water.current)[:2]
    along, across = (U * tangent).sum(axis=2), (U * normal).sum(axis=2)
    own = rod.inertia(np.clip(s, 0.0, rod.length))[:, 0]
    added = np.array([water.added_coefficients(x, y)[1] for x, y in zip(a, b, strict=True)])
    momentum = np.einsum("s,tsc->tc", weight * own, film.velocity) + np.einsum(
        "s,ts,tsc->tc", weight * added, across, normal
    )
    one = water.changed(drag=(1.0, 1.0, *water.drag[2:]))
    unit = np.array([one.drag_coefficients(x, y) for x, y in zip(a, b, strict=True)])
    forces = [
        -np.einsum("s,ts,tsc->tc", weight * unit[:, 0], np.abs(along) * along, tangent),
        -np.einsum("s,ts,tsc->tc", weight * unit[:, 1], np.abs(across) * across, normal),
    ]
    left, right = [], []
    step = film.time[1] - film.time[0]
    for centre in np.arange(film.time[0] + 0.5 * period, film.time[-1] - 0.5 * period + 1e-12, 0.5 * period):
        z = np.clip(2.0 * (film.time - centre) / period, -1.0, 1.0)
        bump, slope = (1.0 - z**2) ** 2, -8.0 * z * (1.0 - z**2) / period
        left.append(-step * slope @ momentum)
        right.append(np.stack([step * bump @ force for force in forces], axis=1))
    y, X = np.concatenate(left), np.concatenate(right)
    solution, *_ = np.linalg.lstsq(X, y, rcond=None)
    residual = y - X @ solution
    spread = float(residual @ residual) / max(len(y) - 2, 1)
    errors = np.sqrt(np.maximum(np.diag(spread * np.linalg.pinv(X.T @ X)), 0.0))
    quality = 1.0 - float(residual @ residual) / max(float(y @ y), 1e-300)
    return ForceBalance(float(solution[0]), float(solution[1]), (float(errors[0]), float(errors[1])), quality)
