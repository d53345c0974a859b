"""`curvature-wave`: a curvature that travels along a body, or bends all of it alike."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait, strain_drive
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import Quantity, quantity


class CurvatureWave(Gait):
    """A travelling wave of yaw curvature along a rod.

    The curvature is κ f(t) sin 2π(t/period - X/λ), with a smooth start f. Without `wavelength` it is the same
    everywhere.
    """

    kind: Literal["curvature-wave"] = "curvature-wave"
    curvature: Quantity[float] = quantity(5.0, "1/m", "largest curvature κ")
    period: Quantity[float] = quantity(1.0, "s", "period", gt=0)
    wavelength: Quantity[float | None] = quantity(None, "m", "wavelength λ along the body; uniform if absent", gt=0)
    ramp: Quantity[float] = quantity(1.0, "s", "duration of the smooth start; 0: none", ge=0)
    drives: ClassVar[str] = "strain"
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own."""
        omega, k = 2.0 * np.pi / self.period, 0.0 if self.wavelength is None else 2.0 * np.pi / self.wavelength
        phase = omega * times[:, None] - k * stations
        f, fd, fdd = self.curvature * smooth_steps(times, self.ramp)[..., None]
        sine, cosine = np.sin(phase), np.cos(phase)
        rows = (f * sine, fd * sine + omega * f * cosine, fdd * sine + 2.0 * omega * fd * cosine - omega**2 * f * sine)
        return strain_drive(rows)
