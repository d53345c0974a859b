"""`travelling-curvature`: a curve that the body runs along, each section after the one before it (paper 000, (51) and
(54) corrected).
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait, strain_drive
from limbless.core import Quantity, quantity


def bump(z: Array, half: float) -> tuple[Array, Array, Array]:
    """exp(-z² / (half² - z²)) for |z| < half, else 0, and its first two derivatives: smooth everywhere.

    With y = z² / half² the exponent is -y / (1 - y). The paper prints the denominator with the other sign, which
    diverges.
    """
    value, slope, bend = np.zeros_like(z), np.zeros_like(z), np.zeros_like(z)
    inside = np.abs(z) < half
    z = z[inside]
    y = (z / half) ** 2
    gap = 1.0 - y
    height = np.exp(-np.minimum(y / gap, 700.0))
    rise = -2.0 * z / half**2 / gap**2  # slope of the exponent
    value[inside], slope[inside] = height, height * rise
    bend[inside] = height * (rise**2 - 2.0 / half**2 / gap**2 - 8.0 * z * z / half**4 / gap**3)
    return value, slope, bend


class TravellingCurvature(Gait):
    """A curve that the whole body follows at constant speed behind its head.

    The curvatures are K(X, t) = f(X + V t): the head draws f(s), and the body runs along it at the speed |V|, head
    first if V < 0. For yaw f = a cos(2π s/λ) + b bump(z), and for pitch b_y bump(z), with z = s/V - t_o - T_o/2. The
    turn thus enters at the head from t_o to t_o + T_o. The heading changes by V b T_o 0.60345016.
    """

    kind: Literal["travelling-curvature"] = "travelling-curvature"
    amplitude: Quantity[float] = quantity(10.0, "1/m", "amplitude a of the undulation")
    wavelength: Quantity[float] = quantity(0.6, "m", "wavelength λ along the body", gt=0)
    speed: Quantity[float] = quantity(-0.5, "m/s", "velocity V along the body; negative goes head first", lt=0)
    turn: Quantity[float] = quantity(0.0, "1/m", "height b of the turn in yaw")
    climb: Quantity[float] = quantity(0.0, "1/m", "height b_y of the turn in pitch; positive bends towards -z")
    turn_start: Quantity[float] = quantity(3.0, "s", "time t_o at which the turn begins at the head")
    turn_duration: Quantity[float] = quantity(2.0, "s", "time T_o that the turn takes at the head", gt=0)

    drives: ClassVar[str] = "strain"

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own. In time, f(X + V t) has the rates V
        f' and V² f''.
        """
        k, t = 2.0 * np.pi / self.wavelength, times[:, None]
        omega = k * self.speed
        here, now = (
            (np.cos(k * stations), np.sin(k * stations)),
            (self.amplitude * np.cos(omega * t), self.amplitude * np.sin(omega * t)),
        )
        wave = here[0] * now[0] - here[1] * now[1]  # a cos(k (X + V t))
        waves = (wave, -omega * (here[1] * now[0] + here[0] * now[1]), -omega * omega * wave)
        if not (self.turn or self.climb):
            return strain_drive(waves)
        z = stations / self.speed + t - self.turn_start - 0.5 * self.turn_duration
        if np.abs(z).min(initial=np.inf) >= 0.5 * self.turn_duration:  # not yet, or no longer
            return strain_drive(waves)
        rises = bump(z, 0.5 * self.turn_duration)
        turned = [height + self.turn * rise for height, rise in zip(waves, rises, strict=True)]
        return strain_drive(turned, [self.climb * rise for rise in rises])

    def passing(self) -> tuple[str, str] | None:
        field = "turn" if self.turn else "climb" if self.climb else None
        return None if field is None else (field, "the turn passes along the body once")

    @property
    def cycle(self) -> float:
        return self.wavelength / abs(self.speed)
