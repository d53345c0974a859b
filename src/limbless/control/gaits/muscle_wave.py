"""`muscle-wave`: couples of muscles that travel along a soft body."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import model_validator

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import Quantity, quantity


class MuscleWave(Gait):
    """A travelling wave of bending moment about the vertical axis; the shape is a result.

    The moment is M f(t) sin 2π(t/period - X/λ) between the arc lengths `start` and `end`, with a smooth start f. It
    drives the passive strains of a rod in the model `soft`.
    """

    kind: Literal["muscle-wave"] = "muscle-wave"
    couple: Quantity[float] = quantity(4e-3, "N m", "largest couple M")
    period: Quantity[float] = quantity(1.0, "s", "period", gt=0)
    wavelength: Quantity[float] = quantity(0.3, "m", "wavelength λ along the body", gt=0)
    start: Quantity[float] = quantity(0.0, "m", "abscissa where the muscles begin", ge=0)
    end: Quantity[float | None] = quantity(None, "m", "abscissa where they end; the tail if absent", gt=0)
    ramp: Quantity[float] = quantity(1.0, "s", "duration of the smooth start; 0: none", ge=0)
    drives: ClassVar[str] = "effort"
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    @model_validator(mode="after")
    def _has_muscles(self) -> MuscleWave:
        if self.end is not None and not self.start < self.end:
            raise ValueError(f"muscles from {self.start:g} to {self.end:g} m are none; `start` lies before `end`")
        return self

    def sample(self, times: Array, stations: Array) -> Drive:
        """Efforts (T, S, 6), N and N m."""
        value = np.zeros((len(times), len(stations), 6))
        wave = np.sin(2.0 * np.pi * (times[:, None] / self.period - stations / self.wavelength))
        there = (stations >= self.start) & (stations <= (np.inf if self.end is None else self.end))
        value[..., 5] = self.couple * smooth_steps(times, self.ramp)[0][:, None] * wave * there
        return Drive(value, np.zeros_like(value), np.zeros_like(value))

    def breaks(self) -> tuple[float, ...]:
        """Where the muscles begin and end."""
        return tuple(x for x in (self.start, self.end) if x)
