"""`inchworm`: the body humps up and stretches out again (paper 000, (46)-(47))."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait, refuse_changes, strain_drive
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import Angle, Listed, Quantity, checked, quantity


class Inchworm(Gait):
    """A hump that grows and decays in the two halves of a step.

    The heading is θ = α sin²(π t / T) sin(2π (X - l) / l). Both ends keep their heading, and the body is at rest at
    each half step, when the feet are exchanged. The paper's ω is π / T, and T, the `period`, is one step. The amplitude
    may change from step to step, by `changes` or by a controller. It reaches its new value while the hump grows, so
    that the feet are still exchanged at rest.
    """

    kind: Literal["inchworm"] = "inchworm"
    amplitude: Quantity[Angle] = quantity(1.8, "rad", "largest heading α")
    period: Quantity[float] = quantity(2.0, "s", "duration T of one step", gt=0)
    length: Quantity[float] = quantity(0.3, "m", "length l of the body that humps", gt=0)
    changes: Listed[tuple[tuple[float, Angle], ...]] = quantity(
        (), "s, rad", "other amplitudes: rows of the time at which a step begins and its α"
    )

    drives: ClassVar[str] = "strain"

    @checked
    def _between_steps(self) -> None:
        times = np.array([time for time, _ in self.changes])
        if (np.abs(times / self.period - np.rint(times / self.period)) > 1e-9).any():
            raise ValueError(
                f"changes: times must be multiples of the period, {self.period:g} s, where a step begins; got "
                f"{times.tolist()}"
            )
        if not (np.diff(times) > 0.0).all():
            raise ValueError(f"changes: times must increase; got {times.tolist()}")

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6): yaw curvature θ'."""
        w, k = 2.0 * np.pi / self.period, 2.0 * np.pi / self.length
        hump = k * np.cos(k * (stations - self.length))
        swell = 0.5 * (1.0 - np.cos(w * times)), 0.5 * w * np.sin(w * times), 0.5 * w * w * np.cos(w * times)
        a, ad, add = self._amplitudes(times)
        heights = a * swell[0], a * swell[1] + ad * swell[0], a * swell[2] + 2.0 * ad * swell[1] + add * swell[0]
        return strain_drive([height[:, None] * hump for height in heights])

    def _amplitudes(self, times: Array) -> Array:
        """α and its two rates (3, T)."""
        found, before = np.zeros((3, len(times))), self.amplitude
        found[0] = before
        for time, amplitude in self.changes:
            found += (amplitude - before) * smooth_steps(times - time, 0.5 * self.period)
            before = amplitude
        return found

    def passage(self, fields: Mapping[str, Any], start: float, end: float) -> tuple[Inchworm, Inchworm]:
        """Another amplitude from the next step on."""
        refuse_changes(self, fields, ("amplitude",), "its feet take hold when and where the environment says")
        wanted = self.changed(**fields).amplitude
        next_step = math.ceil(start / self.period - 1e-9) * self.period
        kept = tuple(row for row in self.changes if row[0] < next_step - 1e-9 * self.period)
        now = kept[-1][1] if kept else self.amplitude
        if "amplitude" not in fields:
            return self, self
        new = self.changed(changes=kept if wanted == now else (*kept, (next_step, wanted)))
        return new, new

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Where a change begins, and where it is done."""
        edges = {t for time, _ in self.changes for t in (time, time + 0.5 * self.period)}
        return sorted(t for t in edges if start < t < end)
