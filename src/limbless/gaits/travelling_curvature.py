"""`travelling-curvature`: a curve that the body runs along, each section after the one before it (paper 000, (51) and (54) corrected)."""
from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.description import quantity
from limbless.gaits.base import Array, Drive, Gait


def bump(z: Array, half: float) -> tuple[Array, Array, Array]:
    """exp(-z² / (half² - z²)) for |z| < half, else 0, and its first two derivatives: smooth everywhere.

    With y = z² / half² the exponent is -y / (1 - y). The paper prints the denominator with the other sign, which diverges.
    """
    y = (z / half) ** 2
    inside = y < 1.0
    room = np.where(inside, 1.0 - y, 1.0)
    value = np.where(inside, np.exp(-np.minimum(np.where(inside, y, 0.0) / room, 700.0)), 0.0)
    slope = -2.0 * z / half**2 / room**2                                       # of the exponent
    bend = -2.0 / half**2 / room**2 - 8.0 * z * z / half**4 / room**3
    return value, value * slope, value * (slope**2 + bend)


class TravellingCurvature(Gait):
    """Curvatures K(X, t) = f(X + V t): the head draws a curve f(s), and all that follows runs along it at speed |V| (V < 0: head first).

    Yaw: f = a cos(2π s/λ) + b bump(z), pitch: b_y bump(z), with z = s/V - t_o - T_o/2, so that the turn enters at the head from t_o to
    t_o + T_o. The heading changes by V b T_o 0.60345016.
    """

    kind: Literal["travelling-curvature"] = "travelling-curvature"
    amplitude: float = quantity(10.0, "1/m", "amplitude a of the undulation")
    wavelength: float = quantity(0.6, "m", "wavelength λ along the body", gt=0)
    speed: float = quantity(-0.5, "m/s", "velocity V along the body; negative goes head first", lt=0)
    turn: float = quantity(0.0, "1/m", "height b of the turn in yaw")
    climb: float = quantity(0.0, "1/m", "height b_y of the turn in pitch; positive bends towards -z")
    turn_start: float = quantity(3.0, "s", "time t_o at which the turn begins at the head")
    turn_duration: float = quantity(2.0, "s", "time T_o that the turn takes at the head", gt=0)

    drives: ClassVar[str] = "strain"

    def curve(self, s: Array) -> tuple[Array, Array, Array]:
        """f(s) for pitch and yaw (..., 2), and its first two derivatives."""
        k = 2.0 * np.pi / self.wavelength
        z = s / self.speed - self.turn_start - 0.5 * self.turn_duration
        rise = bump(z, 0.5 * self.turn_duration) if self.turn or self.climb else (np.zeros_like(s),) * 3
        wave = self.amplitude * np.cos(k * s), -self.amplitude * k * np.sin(k * s), -self.amplitude * k * k * np.cos(k * s)
        return tuple(np.stack([self.climb * r / self.speed**n, w + self.turn * r / self.speed**n], axis=-1)   # type: ignore[return-value]
                     for n, (r, w) in enumerate(zip(rise, wave, strict=True)))

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own."""
        curve = self.curve(stations + self.speed * times[:, None])
        parts = []
        for n, f in enumerate(curve):
            strain = np.zeros((*f.shape[:2], 6))
            strain[..., 4:] = self.speed**n * f
            parts.append(strain)
        parts[0][..., 0] = 1.0
        return Drive(*parts)

    @property
    def cycle(self) -> float:
        return self.wavelength / abs(self.speed)
