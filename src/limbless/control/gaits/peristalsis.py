"""`peristalsis`: a wave of stretch that runs from head to tail, as earthworms crawl (paper
000, (36) in corrected form).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait, refuse_changes
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import Quantity, quantity

_LOOKS = 65  # times at which a passage is looked at for a crest that enters


def _stretched(*rows: Array) -> Drive:
    """Strains (T, S, 6), or their slopes, of a body that only stretches."""
    parts = np.zeros((3, *rows[0].shape, 6))
    parts[..., 0] = rows
    return Drive(*parts)


class Wave:
    """A wave of stretch Γ = 1 + ε(t) sin(κ (s(t) - X)), and where it is least."""

    wavelength: float

    def travelled(self, times: Array) -> tuple[Array, Array, Array]:
        """How far the wave has run, its speed and its acceleration, (T,) each."""
        raise NotImplementedError

    def swelling(self, times: Array) -> tuple[Array, Array, Array]:
        """The amplitude ε and its two rates, (T,) each."""
        raise NotImplementedError

    def _parts(self, times: Array, stations: Array) -> tuple[Any, ...]:
        """Sine and cosine of the phase (T, S), wave number, phase rate and its rate, amplitude and its two rates (T,
        1)."""
        k, (s, c, a) = 2.0 * np.pi / self.wavelength, self.travelled(times)
        phase = k * (s[:, None] - stations)
        amplitude = (e[:, None] for e in self.swelling(times))
        return np.sin(phase), np.cos(phase), k, k * c[:, None], k * a[:, None], *amplitude

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own."""
        sine, cosine, _, c, a, e, ed, edd = self._parts(times, stations)
        rate, acceleration = e * c * cosine + ed * sine, e * (a * cosine - c * c * sine) + 2.0 * ed * c * cosine
        return _stretched(1.0 + e * sine, rate, acceleration + edd * sine)

    def slope(self, times: Array, stations: Array) -> Drive:
        """d/dX of `sample`: along X the phase falls by κ."""
        sine, cosine, k, c, a, e, ed, edd = self._parts(times, stations)
        second = k * (e * (a * sine + c * c * cosine) + 2.0 * ed * c * sine - edd * cosine)
        return _stretched(-k * e * cosine, k * (e * c * sine - ed * cosine), second)

    def crests(self, times: Array, length: float) -> Drive:
        """Abscissae (T, P) of the sections of least stretch, with their speeds and accelerations along the body; P
        covers all in [0, length].

        Some of the P may lie outside the body at some times.
        """
        s, c, a = self.travelled(times)
        first = s + 0.25 * self.wavelength
        low = np.floor((first.min() - length) / self.wavelength)
        high = np.ceil(first.max() / self.wavelength)
        places = first[:, None] - np.arange(low, high + 1) * self.wavelength
        ones = np.ones_like(places)
        return Drive(places, c[:, None] * ones, a[:, None] * ones)


class Peristalsis(Wave, Gait):
    """A wave of stretch that travels along a rod, as in an earthworm.

    The stretch is Γ = 1 + ε sin(κ (s - X)), with κ = 2π/λ. The wave has travelled by s(t) = s_0 + b t + a t²/2, at the
    speed b + a t. Where the stretch is smallest the body is thickest and holds on to the ground. These places
    (`crests`) travel with the wave. A controller may change amplitude, speed and acceleration. They pass smoothly to
    their new values, and the wave does not jump.
    """

    kind: Literal["peristalsis"] = "peristalsis"
    amplitude: Quantity[float] = quantity(0.004, "1", "amplitude ε of the stretch", gt=0)
    wavelength: Quantity[float] = quantity(0.3, "m", "wavelength λ", gt=0)
    speed: Quantity[float] = quantity(0.3, "m/s", "speed b of the wave at the start; positive runs to the tail")
    acceleration: Quantity[float] = quantity(0.0, "m/s2", "rate a at which the wave speeds up")
    offset: Quantity[float] = quantity(0.0, "m", "how far s_0 the wave has run at time 0 already")

    drives: ClassVar[str] = "strain"

    def travelled(self, times: Array) -> tuple[Array, Array, Array]:
        run = self.offset + (self.speed + 0.5 * self.acceleration * times) * times
        return run, self.speed + self.acceleration * times, np.full(np.shape(times), self.acceleration)

    def swelling(self, times: Array) -> tuple[Array, Array, Array]:
        still = np.zeros(len(times))
        return still + self.amplitude, still, still

    def passage(self, fields: Mapping[str, Any], start: float, end: float) -> tuple[Any, Peristalsis]:
        """Amplitude and speed pass to their new values; s_0 of the gait from then on is such that the wave does not
        jump."""
        refuse_changes(
            self,
            fields,
            ("amplitude", "speed", "acceleration"),
            "a wave of another length would pull its anchors apart",
        )
        new = self.changed(**fields)
        if new == self:
            return self, self
        passing, last = Passing(self, new, start, end), np.array([end])
        run = float(passing.travelled(last)[0][0]) - float(new.travelled(last)[0][0])
        return passing, new.changed(offset=new.offset + run)

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times at which a crest enters at the head: the body is held by another one from then on."""
        turning = [] if not self.acceleration else [-self.speed / self.acceleration]
        edges = [start, *(t for t in turning if start < t < end), end]
        found = []
        for first, last in pairwise(edges):
            ends = sorted(float(self.travelled(np.array(t))[0]) / self.wavelength + 0.25 for t in (first, last))
            for number in range(math.floor(ends[0]), math.ceil(ends[1]) + 1):
                found += [t for t in self._time_at((number - 0.25) * self.wavelength - self.offset) if first < t < last]
        return sorted(set(found))

    def _time_at(self, distance: float) -> list[float]:
        """When the wave has run a distance: roots of a t²/2 + b t = distance, without cancellation."""
        a, b = self.acceleration, self.speed
        square = b * b + 2.0 * a * distance
        if a == 0.0 or square < 0.0:
            return [distance / b] if a == 0.0 and b else []
        q = b + math.copysign(math.sqrt(square), b)
        return [2.0 * distance / q, q / -a] if q else [0.0]

    @property
    def cycle(self) -> float | None:
        return self.wavelength / abs(self.speed) if self.speed and not self.acceleration else None


@dataclass(frozen=True)
class Passing(Wave):
    """From one wave to another of the same length within `start` to `end`, by the smooth step w of (64): ε + w Δε, and
    ∫ (c + w Δc) run."""

    old: Peristalsis
    new: Peristalsis
    start: float
    end: float

    kind: ClassVar[str] = "peristalsis"
    drives: ClassVar[str] = "strain"

    @property
    def wavelength(self) -> float:  # type: ignore[override]
        return self.new.wavelength

    def _step(self, times: Array) -> Array:
        return smooth_steps(times - self.start, self.end - self.start)

    def travelled(self, times: Array) -> tuple[Array, Array, Array]:
        """With u = (t - start) / T, Δc = Δb + Δa t: ∫ w dt = T u⁴ (5/2 - 3 u + u²), ∫ w (t - start) dt = T² u⁵ (2 - 5 u
        / 2 + 6 u² / 7)."""
        (s, c, a), (w, wd, _) = self.old.travelled(times), self._step(times)
        more, gain = self.new.travelled(times)[1] - c, self.new.acceleration - self.old.acceleration
        T = self.end - self.start
        u = np.clip((times - self.start) / T, 0.0, 1.0)
        at_start = self.new.speed - self.old.speed + gain * self.start
        run = at_start * T * u**4 * (2.5 + u * (u - 3.0)) + gain * T * T * u**5 * (2.0 + u * (6.0 * u / 7.0 - 2.5))
        return s + run, c + w * more, a + wd * more + w * gain

    def swelling(self, times: Array) -> tuple[Array, Array, Array]:
        w, wd, wdd = (self.new.amplitude - self.old.amplitude) * self._step(times)
        return self.old.amplitude + w, wd, wdd

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times at which a crest enters at the head, found between looks by bisection."""
        from scipy.optimize import brentq

        def crest(t: float) -> float:
            return float(self.travelled(np.array([t]))[0][0]) / self.wavelength + 0.25

        looks = np.linspace(start, end, _LOOKS)
        run = self.travelled(looks)[0] / self.wavelength + 0.25
        found: list[float] = []
        for (t, before), (later, after) in pairwise(zip(looks, run, strict=True)):
            for number in range(math.ceil(min(before, after)), math.floor(max(before, after)) + 1):
                if before != after:
                    found.append(
                        float(
                            brentq(lambda moment, goal=number: crest(moment) - goal, t, later, xtol=1e-15, rtol=1e-14)
                        )
                    )
        return sorted({t for t in found if start < t < end})
