"""Forces, moments and work of the model that moves as a film: with standard errors from refits with simulated noise.

Smoothing takes a little of the shape away, and of its accelerations more: refits of the smooth film with noise of its
own lose as much again, so that the distance of their mean is part of the error, beside their scatter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from limbless.interop.films.film_smoothing import SmoothFilm
    from limbless.simulation.result import Result

Array = NDArray[np.float64]

REFITS = 8


class Loads(NamedTuple):
    """Along the body, averaged over a film; or the standard errors of all that."""

    places: Array  # (S,) shares of the length
    thrust: Array  # (S,) N/m: mean of what pushes along the way
    drag: Array  # (S,) N/m: mean of what pushes against it
    moment: Array  # (S,) N m: amplitude of the moment that bends the body
    work: Array  # () J: of the actuators while they drive, each beat
    power: Array  # () W: the same over time


def loads_of(result: Result, way: Array, period: float) -> Loads:
    """Of one run whose mean point went `way` (2,)."""
    from limbless.simulation.analysis.energy_use import positive_work

    data = result.dataset
    forces, turn = data["fluid_force"].values, data["orientation"].values
    angle = 2.0 * np.arctan2(turn[..., 3], turn[..., 0])
    c, s = np.cos(angle), np.sin(angle)
    world = np.stack([c * forces[..., 0] - s * forces[..., 1], s * forces[..., 0] + c * forces[..., 1]], axis=-1)
    lengths = data["section_length"].values
    along = world @ (way / max(float(np.linalg.norm(way)), 1e-300)) / lengths
    moment = np.sqrt(2.0) * data["effort"].values[..., 5].std(axis=0)
    power = float(positive_work(data) or 0.0) / float(np.ptp(data["time"].values))
    return Loads(
        (np.cumsum(lengths) - 0.5 * lengths) / lengths.sum(),
        np.maximum(along, 0.0).mean(axis=0),
        np.minimum(along, 0.0).mean(axis=0),
        moment,
        np.array(power * period),
        np.array(power),
    )


def load_errors(film: SmoothFilm, found: Loads, again: Callable[[SmoothFilm], Loads], seed: int = 0) -> Loads:
    """Standard errors: the film with noise of its own, smoothed and run again."""
    rng, surface = np.random.default_rng(seed), film.surface
    several: Sequence[Loads] = [
        again(film.resampled(surface.values + surface.noise * rng.normal(size=surface.values.shape)))
        for _ in range(REFITS)
    ]
    errors = [
        np.hypot(np.std(values, axis=0, ddof=1), np.mean(values, axis=0) - own)
        for values, own in zip(zip(*several, strict=True), found, strict=True)
    ]
    return Loads(found.places, *errors[1:])
