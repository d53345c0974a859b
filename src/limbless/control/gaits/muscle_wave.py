"""`muscle-wave`: couples of muscles that travel along a soft body."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import Listed, Quantity, checked, quantity


class MuscleWave(Gait):
    """A travelling wave of bending moment about the vertical axis; the shape is a result.

    The moment is M f(t) b(X) sin 2π(t/period - X/λ) between the arc lengths `start` and `end`, with a smooth start f.
    It drives the passive strains of a rod in the model `soft`.
    """

    kind: Literal["muscle-wave"] = "muscle-wave"
    couple: Quantity[float] = quantity(4e-3, "N m", "largest couple M")
    period: Quantity[float] = quantity(1.0, "s", "period", gt=0)
    wavelength: Quantity[float] = quantity(0.3, "m", "wavelength λ along the body; below 0 waves run to the base")
    start: Quantity[float] = quantity(0.0, "m", "abscissa where the muscles begin", ge=0)
    end: Quantity[float | None] = quantity(None, "m", "abscissa where they end; the tail if absent", gt=0)
    envelope: Listed[tuple[float, ...]] = quantity(
        (), "1", "b from `start` to `end`: coefficients of a cubic B-spline with clamped ends; 1 everywhere if absent"
    )
    ramp: Quantity[float] = quantity(1.0, "s", "duration of the smooth start; 0: none", ge=0)
    drives: ClassVar[str] = "effort"
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    @checked
    def _has_muscles(self) -> None:
        if self.end is not None and not self.start < self.end:
            raise ValueError(f"muscles from {self.start:g} to {self.end:g} m are none; `start` lies before `end`")
        if not self.wavelength:
            raise ValueError("`wavelength` is 0; give a length, below 0 for waves that run from the tip to the base")
        if self.envelope and (len(self.envelope) < 4 or self.end is None):
            given = f"{len(self.envelope)} and `end` {self.end}"
            raise ValueError(f"an envelope needs 4 coefficients or more, and `end`, where its spline ends; got {given}")

    def sample(self, times: Array, stations: Array) -> Drive:
        """Efforts (T, S, 6), N and N m."""
        value = np.zeros((6, len(times), len(stations))).transpose(1, 2, 0)  # one component is written, and read alone
        when, where = 2.0 * np.pi * times / self.period, 2.0 * np.pi * stations / self.wavelength
        there = 1.0 * ((stations >= self.start) & (stations <= (np.inf if self.end is None else self.end)))
        if self.envelope:
            there *= self._spline(stations)
        # sin(when - where), with a sine of each instant and of each place
        turning = self.couple * smooth_steps(times, self.ramp)[0] * np.stack([np.sin(when), -np.cos(when)])
        value[..., 5] = turning.T @ (there * np.stack([np.cos(where), np.sin(where)]))
        still = np.zeros(value.shape)  # nobody reads it: `zeros_like` would write it
        return Drive(value, still, still)

    def _spline(self, stations: Array) -> Array:
        """The envelope at abscissae; beyond its ends as there."""
        from scipy.interpolate import BSpline

        inner = np.linspace(0.0, 1.0, len(self.envelope) - 2)
        along = np.clip((stations - self.start) / ((self.end or 0.0) - self.start), 0.0, 1.0)
        knots = np.concatenate([np.zeros(3), inner, np.ones(3)])
        return np.asarray(BSpline(knots, np.array(self.envelope), 3)(along))

    def breaks(self) -> tuple[float, ...]:
        """Where the muscles begin and end."""
        return tuple(x for x in (self.start, self.end) if x)
