"""`peristalsis`: a wave of stretch that runs from head to tail, as earthworms crawl (paper 000, (36) in corrected form)."""
from __future__ import annotations

import math
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from limbless.description import quantity
from limbless.gaits.base import Array, Drive, Gait


class Peristalsis(Gait):
    """Stretch Γ = 1 + ε sin(κ (s - X)), κ = 2π/λ: s(t) = b t + a t²/2 is how far the wave has run at speed b + a t.

    Where the stretch is least the body is thickest, and holds on to the ground: these places (`crests`) run along with the wave.
    """

    kind: Literal["peristalsis"] = "peristalsis"
    amplitude: float = quantity(0.004, "1", "amplitude ε of the stretch", gt=0)
    wavelength: float = quantity(0.3, "m", "wavelength λ", gt=0)
    speed: float = quantity(0.3, "m/s", "speed b of the wave at the start; positive runs to the tail")
    acceleration: float = quantity(0.0, "m/s2", "rate a at which the wave speeds up")

    drives: ClassVar[str] = "strain"

    def travelled(self, times: Array) -> tuple[Array, Array, float]:
        """How far the wave has run, its speed and its acceleration."""
        return (self.speed + 0.5 * self.acceleration * times) * times, self.speed + self.acceleration * times, self.acceleration

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own."""
        k, (s, c, a) = 2.0 * np.pi / self.wavelength, self.travelled(times)
        phase = k * (s[:, None] - stations)
        sine, cosine, c = self.amplitude * np.sin(phase), self.amplitude * np.cos(phase), k * c[:, None]
        strain = [np.zeros((*phase.shape, 6)) for _ in range(3)]
        strain[0][..., 0] = 1.0 + sine
        strain[1][..., 0] = c * cosine
        strain[2][..., 0] = k * a * cosine - c * c * sine
        return Drive(*strain)

    def slope(self, times: Array, stations: Array) -> Drive:
        """d/dX of `sample`: the wave only travels, so the slope follows from its rates."""
        k, (s, c, a) = 2.0 * np.pi / self.wavelength, self.travelled(times)
        phase = k * (s[:, None] - stations)
        sine, cosine, c = self.amplitude * np.sin(phase), self.amplitude * np.cos(phase), k * c[:, None]
        slope = [np.zeros((*phase.shape, 6)) for _ in range(3)]
        slope[0][..., 0] = -k * cosine
        slope[1][..., 0] = k * c * sine
        slope[2][..., 0] = k * (k * a * sine + c * c * cosine)
        return Drive(*slope)

    def crests(self, times: Array, length: float) -> Drive:
        """Abscissae (T, P) of the sections of least stretch, with their speeds and accelerations along the body; P covers all in [0,
        length].

        Some of the P may lie outside the body at some times.
        """
        s, c, a = self.travelled(times)
        first = s + 0.25 * self.wavelength
        low = np.floor((first.min() - length) / self.wavelength)
        high = np.ceil(first.max() / self.wavelength)
        places = first[:, None] - np.arange(low, high + 1) * self.wavelength
        ones = np.ones_like(places)
        return Drive(places, c[:, None] * ones, a * ones)

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times at which a crest enters at the head: the body is held by another one from then on."""
        turning = [] if not self.acceleration else [-self.speed / self.acceleration]
        edges = [start, *(t for t in turning if start < t < end), end]
        found = []
        for first, last in pairwise(edges):
            ends = sorted(float(self.travelled(np.array(t))[0]) / self.wavelength + 0.25 for t in (first, last))
            for number in range(math.floor(ends[0]), math.ceil(ends[1]) + 1):
                found += [t for t in self._time_at((number - 0.25) * self.wavelength) if first < t < last]
        return sorted(set(found))

    def _time_at(self, distance: float) -> list[float]:
        """When the wave has run a distance: roots of a t²/2 + b t = distance, without cancellation."""
        a, b = self.acceleration, self.speed
        room = b * b + 2.0 * a * distance
        if a == 0.0 or room < 0.0:
            return [distance / b] if a == 0.0 and b else []
        q = b + math.copysign(math.sqrt(room), b)
        return [2.0 * distance / q, q / -a] if q else [0.0]

    @property
    def cycle(self) -> float | None:
        return self.wavelength / abs(self.speed) if self.speed and not self.acceleration else None
