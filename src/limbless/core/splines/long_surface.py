"""Samples over many times as one smooth surface: fits to overlapping windows, each passing smoothly into the next.

The fit of `tensor_spline` knows every sample time from every other, and its work grows with the third power of their
number. What happens a thousand frames away says nothing about how to smooth here: windows lose nothing, and each has a
smoothing of its own (an animal that rests and swims wants two).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from limbless.core.splines.tensor_spline import Mask, SplineAxis, SplineSurface, fit_surface
from limbless.core.timeline import Array

LONG = 1200  # times that are still one window
WINDOW = 800  # times of a window, about
OVERLAP = 200  # times that two neighbours share


@dataclass(frozen=True)
class LongSurface:
    """Surfaces of windows that overlap; what `SplineSurface` offers, for all of them together."""

    parts: tuple[SplineSurface, ...]
    firsts: tuple[int, ...]  # number of each one's first time
    times: Array  # (T,) of all samples

    def _shares(self, t: Array) -> Array:
        """(windows, len(t)): how much each counts, 1 in all; smooth steps where two overlap."""
        begin = self.times[[span.start for span in self._spans[1:]]][:, None]
        end = self.times[[span.stop - 1 for span in self._spans[:-1]]][:, None]
        u = np.clip((t - begin) / (end - begin), 0.0, 1.0)
        steps = np.vstack([np.ones(len(t)), u**3 * (10.0 - 15.0 * u + 6.0 * u**2), np.zeros(len(t))])
        return steps[:-1] - steps[1:]

    @property
    def _spans(self) -> list[slice]:
        """The samples of each window."""
        return [slice(first, first + len(part.values)) for first, part in zip(self.firsts, self.parts, strict=True)]

    def rows(self, t: Array) -> Array:
        """(len(t), m, C): coefficients along the body at times t."""
        shares, found = self._shares(t), None
        for k, part in enumerate(self.parts):
            inside = np.flatnonzero(shares[k] > 0.0)
            rows = part.rows(t[inside])
            found = np.zeros((len(t), *rows.shape[1:])) if found is None else found
            found[inside] += shares[k][inside, None, None] * rows
        return np.asarray(found)

    def __call__(self, t: Array, s: Array, time_order: int = 0, place_order: int = 0) -> Array:
        if time_order:
            raise ValueError("windows pass into each other by values; differentiate those")
        return np.einsum("tjc,sj->tsc", self.rows(t), self.place.basis(s, place_order), optimize=True)

    @property
    def place(self) -> SplineAxis:
        """The splines along the body, the same in all windows."""
        return self.parts[0].place

    @cached_property
    def values(self) -> Array:
        """(T, S, C) at the samples."""
        shares = self._shares(self.times)
        found = np.zeros((len(self.times), *self.parts[0].values.shape[1:]))
        for part, span, share in zip(self.parts, self._spans, shares, strict=True):
            found[span] += share[span, None, None] * part.values
        return found

    def _marked(self, name: str) -> Mask:
        found = np.zeros((len(self.times), self.parts[0].values.shape[1]), dtype=bool)
        shares = self._shares(self.times)
        for part, span, share in zip(self.parts, self._spans, shares, strict=True):
            found[span] |= getattr(part, name) & (share[span] > 0.0)[:, None]
        return found

    @cached_property
    def gaps(self) -> Mask:
        """(T, S) samples that were not there."""
        return self._marked("gaps")

    @cached_property
    def outliers(self) -> Mask:
        """(T, S) samples that a window left out."""
        return self._marked("outliers")

    @property
    def noise(self) -> float:
        """Standard deviation of the samples, the mean of all windows."""
        return float(np.sqrt(np.mean([part.noise**2 for part in self.parts])))

    def resampled(self, values: Array) -> LongSurface:
        """The surface that other samples (T, S, C) of the same grid give, smoothed as much."""
        parts = (part.resampled(values[span]) for part, span in zip(self.parts, self._spans, strict=True))
        return replace(self, parts=tuple(parts))

    def smoother(self, in_time: float, along: float) -> LongSurface:
        """With both λ multiplied."""
        return replace(self, parts=tuple(part.smoother(in_time, along) for part in self.parts))

    def scaled(self, size: float) -> LongSurface:
        """With all values multiplied."""
        return replace(self, parts=tuple(part.scaled(size) for part in self.parts))


def fit_any(
    t: Array, s: Array, values: Array, noise: float | None = None, least: float | None = 0.0
) -> SplineSurface | LongSurface:
    """`fit_surface`, in windows where there are many times."""
    if len(t) <= LONG:
        return fit_surface(t, s, values, noise, least)
    count = int(np.ceil((len(t) - OVERLAP) / (WINDOW - OVERLAP)))
    size = int(np.ceil((len(t) + (count - 1) * OVERLAP) / count))
    firsts = np.linspace(0, len(t) - size, count).round().astype(int).tolist()
    parts = [fit_surface(t[first : first + size], s, values[first : first + size], noise, least) for first in firsts]
    return LongSurface(tuple(parts), tuple(firsts), t)
