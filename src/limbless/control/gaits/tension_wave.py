"""`tension-wave`: antagonist tendons along a body pull one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import Field, Quantity, quantity


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
        middle, side = np.array(places, dtype=np.float64).reshape(-1, 2).T
        omega = 2.0 * np.pi / self.period
        start, start_rate, _ = smooth_steps(times, self.ramp) * self.largest
        phase = omega * times[:, None] - 2.0 * np.pi * middle / self._length
        sine = np.sin(phase)
        rate = start_rate[:, None] * sine + omega * start[:, None] * np.cos(phase)
        pull = side * (start[:, None] * sine)
        pulls = pull > 0.0
        return Drive(np.where(pulls, pull, 0.0), np.where(pulls, side * rate, 0.0), np.zeros(pull.shape))

    @property
    def _length(self) -> float:
        """λ, negative where the wave runs to the base."""
        return self.wavelength if self.towards == "tip" else -self.wavelength

    def tendon_kinks(self, start: float, end: float, places: Sequence[tuple[float, float]]) -> list[float]:
        """Where a tendon begins or ceases to pull: w = 0 at its middle."""
        found = set()
        for middle in {middle for middle, side in places if side != 0.0}:
            delay = middle / self._length
            first = math.ceil(2.0 * (start / self.period - delay))
            last = math.floor(2.0 * (end / self.period - delay))
            found |= {self.period * (0.5 * k + delay) for k in range(first, last + 1)}
        return sorted(t for t in found if start < t < end)
