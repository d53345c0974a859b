"""`tension-wave`: antagonist tendons along a body pull one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_start
from limbless.core import Field, InputError, Quantity, quantity
from limbless.mechanics.compiled import array_kernel, kernel_array, sincos

ASIDE = 1e-9
"""Share of its distance from the axis by which a tendon runs to a side; less is rounding."""


@array_kernel
def sample_tension_wave(parameters, times, middle, side, value, rate):
    """Tensions (T, tendons) and their rates."""
    largest, omega, length, ramp = parameters[0], parameters[1], parameters[2], parameters[3]
    for i in range(times.shape[0]):
        f, fd, _ = smooth_start(max(times[i], 0.0), ramp)
        for j in range(middle.shape[0]):
            sine, cosine = sincos(omega * times[i] - 2.0 * np.pi * middle[j] / length)
            pull = side[j] * (f * largest * sine)
            pulls = pull > 0.0
            value[i, j] = pull if pulls else 0.0
            rate[i, j] = side[j] * largest * (fd * sine + omega * f * cosine) if pulls else 0.0


@lru_cache
def _tendons(places: tuple[tuple[float, float], ...]) -> tuple[Array, Array, tuple[float, ...]]:
    """Middles and sides of tendons, and where those are that ever pull. Kept, because controllers ask for a drive at
    every call."""
    middle, side = np.array(places, dtype=np.float64).reshape(-1, 2).T.copy()
    return middle, side, tuple({middle for middle, side in places if abs(side) > ASIDE})


class TensionWave(Gait):
    """Antagonist tendons pull alternately, in a wave along the body.

    Tendons on the left pull with max(0, w) and those on the right with max(0, -w), where w = f(t) T sin 2π(t/period -
    X/λ). X is the middle of the tendon along the body, and f is a smooth start. Tendons above and below are slack.
    """

    kind: Literal["tension-wave"] = "tension-wave"
    largest: Quantity[float] = quantity(0.7, "N", "largest tension T", gt=0)
    period: Quantity[float] = quantity(1.5, "s", "period", gt=0)
    wavelength: Quantity[float] = quantity(0.7, "m", "wavelength λ along the body", gt=0)
    towards: Literal["tip", "base"] = Field(
        "tip", description="end that the wave runs to; the body swims the other way"
    )
    ramp: Quantity[float] = quantity(2.0, "s", "duration of the smooth start; 0: none", ge=0)
    drives: ClassVar[str] = "tension"
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    def sample_tendons(self, times: Array, places: Sequence[tuple[float, float]]) -> Drive:
        """Tensions (T, tendons), N."""
        middle, side, pulling = _tendons(tuple(places))
        if not pulling:
            raise InputError(
                f"gait {self.kind!r} pulls tendons that run left or right of the axis, and of these {len(places)} "
                "none does; move one aside (its holes, or its place), or give tensions by number (tension-step)"
            )
        parameters = np.array([self.largest, 2.0 * np.pi / self.period, self._length, self.ramp])
        found = Drive(*np.zeros((3, len(times), len(middle))))
        sample_tension_wave(parameters, kernel_array(times), middle, side, found.value, found.rate)
        return found

    @property
    def _length(self) -> float:
        """λ, negative where the wave runs to the base."""
        return self.wavelength if self.towards == "tip" else -self.wavelength

    def tendon_kinks(self, start: float, end: float, places: Sequence[tuple[float, float]]) -> list[float]:
        """Where a tendon begins or ceases to pull: w = 0 at its middle."""
        found: set[float] = set()
        length = self._length
        begin, finish = 2.0 * (start / self.period), 2.0 * (end / self.period)
        for middle in _tendons(tuple(places))[2]:
            delay = 2.0 * (middle / length)
            first = math.ceil(begin - delay)
            if first <= finish - delay:  # none, in most of the short periods that controllers ask for
                last = math.floor(finish - delay)
                found |= {self.period * (0.5 * k + 0.5 * delay) for k in range(first, last + 1)}
        return sorted(t for t in found if start < t < end)
