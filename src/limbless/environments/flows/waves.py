"""`waves`: waves on the surface by Airy's linear theory, and the motion of the water below them."""

from __future__ import annotations

import math
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import PrivateAttr

from limbless.core import Angle, InputError, Quantity, checked, quantity
from limbless.environments.flows.base import Array, Flow, filled
from limbless.mechanics.compiled import Rows
from limbless.mechanics.forces import FAR, FLOW_KINDS

GRAVITY = 9.81
"""m/s2: of waves that no water has taken in yet."""
STEEPEST, STEEP = 0.3, 0.1
"""Of k times amplitude: refused above, and with a note above."""


class WavesFlow(Flow):
    """A water wave of small amplitude (Airy).

    The height is a cos(k x - ω t + phase), with ω² = g k tanh(k depth) and the gravity of the water. Several waves in
    one list add up. Velocities are taken at the position itself, not stretched to the crest. The water needs a
    `surface`.
    """

    kind: Literal["waves"] = "waves"
    has_waves: ClassVar[bool] = True
    amplitude: Quantity[float] = quantity(0.02, "m", "amplitude a: half of the height from trough to crest", ge=0)
    length: Quantity[float | None] = quantity(None, "m", "wave length; or give the period", gt=0)
    period: Quantity[float | None] = quantity(None, "s", "period; or give the length", gt=0)
    direction: Quantity[Angle] = quantity(0.0, "rad", "where it runs to: angle from x towards y")
    phase: Quantity[Angle] = quantity(0.0, "rad", "phase at the origin at time 0: a crest at 0")
    depth: Quantity[float | None] = quantity(None, "m", "depth of the water; infinite if absent", gt=0)

    _gravity: float = PrivateAttr(GRAVITY)

    @checked
    def _one_of_both(self) -> None:
        if (self.length is None) == (self.period is None):
            raise ValueError("length: give it or the `period`, one of them; the other follows")
        if self.steepness > STEEPEST:
            raise ValueError(self._too_steep)

    @property
    def _too_steep(self) -> str:
        return (
            f"amplitude: a wave with k a = {self.steepness:.2g} is too steep for linear theory, which is taken up "
            f"to {STEEPEST:g}; lower the amplitude or make it longer"
        )

    def under(self, gravity: float) -> Self:
        found = self.changed()
        found._gravity = gravity
        if found.steepness > STEEPEST:
            raise InputError(f"flow.{found._too_steep}")
        return found

    @property
    def number(self) -> float:
        """Wave number k, 1/m."""
        if self.length is not None:
            return 2.0 * math.pi / self.length
        square = (2.0 * math.pi / (self.period or 1.0)) ** 2 / self._gravity
        k = square
        if self.depth is not None:
            k = max(square, math.sqrt(square / self.depth))
            for _ in range(100):  # Newton's method for k tanh(k h) = ω²/g
                tanh = math.tanh(k * self.depth)
                k -= (k * tanh - square) / (tanh + k * self.depth * (1.0 - tanh**2))
        return k

    @property
    def rate(self) -> float:
        """Angular frequency ω, rad/s."""
        bound = 1.0 if self.depth is None else math.tanh(self.number * self.depth)
        return math.sqrt(self._gravity * self.number * bound)

    @property
    def steepness(self) -> float:
        """k a"""
        return self.number * self.amplitude

    def notes(self) -> tuple[str, ...]:
        steep = [f"flow.waves.amplitude: k a = {self.steepness:.2g}; linear theory is good to about that share"]
        return (*super().notes(), *(steep if self.steepness > STEEP else ()))

    @property
    def _axis(self) -> Array:
        return np.array([math.cos(self.direction), math.sin(self.direction), 0.0])

    @property
    def _bottom(self) -> float:
        return 0.0 if self.depth is None else math.exp(-2.0 * self.number * self.depth)

    def rows(self, level: float) -> Rows:
        return filled(
            1,
            FLOW_KINDS.wave,
            origin=(0.0, 0.0, level),
            axis=self._axis,
            rate=self.rate,
            phase=self.phase,
            strength=self.amplitude,
            size=self.number,
            bottom=self._bottom,
        )

    def _angle(self, time: Array, place: Array) -> Array:
        return np.asarray(self.number * (place @ self._axis) - self.rate * np.asarray(time) + self.phase)

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        angle, up = self._angle(time, place), np.exp(np.clip(self.number * (place[..., 2] - level), -FAR, FAR))
        speed, down = self.amplitude * self.rate / (1.0 - self._bottom), self._bottom / up
        along, rising = speed * (up + down) * np.cos(angle), speed * (up - down) * np.sin(angle)
        return np.asarray(along[..., None] * self._axis + rising[..., None] * np.array([0.0, 0.0, 1.0]))

    def height(self, time: Array, place: Array) -> Array:
        return np.asarray(self.amplitude * np.cos(self._angle(time, place)))

    def slope(self, time: Array, place: Array) -> Array:
        return np.asarray(-self.steepness * np.sin(self._angle(time, place))[..., None] * self._axis[:2])
