"""`helix`: the body winds around a pole and rolls about itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, JointGait
from limbless.core import Angle, InputError, Quantity, checked, quantity

_DIFFERENCE = 1e-3  # rad of roll: differences of sixth order are then right to rounding, 1e-11 of an angle
_WEIGHTS = ((1, 3 / 4, 3 / 2), (2, -3 / 20, -3 / 20), (3, 1 / 60, 1 / 90))


class Helix(JointGait):
    """Links wound around a pole; the body rolls about its own axis and climbs.

    Every link touches the pole with its middle. A body of radius r that rolls at ω without slip climbs at r ω cos(β)
    and moves around the pole at r ω sin(β). The joints must yaw and pitch alternately. Joint angles are found link by
    link, so that a coarse chain lies exactly on its helix. Their rates are sixth-order differences.
    """

    kind: Literal["helix"] = "helix"
    radius: Quantity[float] = quantity(
        0.1,
        "m",
        "distance of the middles of the links from the axis of the helix: radius of the "
        "pole and of the body, or a little less, to press",
        gt=0,
    )
    angle: Quantity[Angle] = quantity(
        math.radians(20.0), "rad", "slope β of the links against a level turn; negative winds the other way round"
    )
    link_length: Quantity[float] = quantity(..., "m", "distance from joint to joint", gt=0)
    rate: Quantity[Angle] = quantity(1.0, "rad/s", "rate ω at which the body rolls about its own axis; 0 holds still")
    roll: Quantity[Angle] = quantity(0.0, "rad", "roll of the body at the start")
    ramp: Quantity[float] = quantity(0.0, "s", "time over which the rolling starts", ge=0)
    tighten: Quantity[float] = quantity(
        0.0,
        "1",
        "share by which the joints bend more than the helix needs, so that feedback presses on the pole",
        ge=0,
        le=1,
    )
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    @checked
    def _slope_is_a_slope(self) -> None:
        if abs(self.angle) >= math.radians(89.0):
            raise ValueError(f"angle: {math.degrees(self.angle):.4g} deg is upright; a helix slopes by less than 89")

    @property
    def azimuth(self) -> float:
        """Azimuth from link to link, rad: every link is tangent to the helix's cylinder at its middle."""
        return 2.0 * math.atan(0.5 * self.link_length * math.cos(self.angle) / self.radius)

    def directions(self, count: int) -> Array:
        """(count, 3) of the links, the axis of the helix along z; the middle of the first is at (radius, 0, 0)."""
        azimuth = self.azimuth * np.arange(count)
        flat, up = math.cos(self.angle), math.sin(self.angle)
        return np.stack([-flat * np.sin(azimuth), flat * np.cos(azimuth), np.full(count, up)], axis=1)

    def base_frame(self, roll: float) -> Array:
        """(3, 3) axes of the first link in columns, where the axis of the helix is z: x along it."""
        along = self.directions(1)[0]
        out = np.array([1.0, 0.0, 0.0])
        side = np.cross(out, along)
        return np.stack(
            [along, math.cos(roll) * side + math.sin(roll) * out, math.cos(roll) * out - math.sin(roll) * side], axis=1
        )

    def sample_joints(self, times: Array, turns: Sequence[tuple[str, float]]) -> Drive:
        """Joint angles (T, joints), rad, and their derivatives."""
        kinds = [turn for turn, _ in turns]
        if kinds != ["yaw", "pitch"] * (len(kinds) // 2) or not kinds:
            raise InputError(
                "a helix takes joints that yaw and pitch in turn, as universal joints do; this robot's "
                f"joints {', '.join(kinds[:4]) or 'are none'}"
            )
        sign = np.array([way for _, way in turns])
        rolls, rate, second = self._rolls(times)
        value = self._angles(rolls, len(kinds) // 2)
        slope, bend = np.zeros_like(value), np.zeros_like(value)
        for number, first, twice in _WEIGHTS:
            ahead, behind = (self._angles(rolls + side * number * _DIFFERENCE, len(kinds) // 2) for side in (1, -1))
            slope = slope + first / _DIFFERENCE * (ahead - behind)
            bend = bend + twice / _DIFFERENCE**2 * (ahead - 2.0 * value + behind)
        sign = (1.0 + self.tighten) * sign
        return Drive(
            sign * value, sign * slope * rate[:, None], sign * (bend * rate[:, None] ** 2 + slope * second[:, None])
        )

    def _rolls(self, times: Array) -> tuple[Array, Array, Array]:
        """Roll of the body and its two rates; the ramp is a smooth rise of the rate, 3 x² - 2 x³."""
        share, slope, _ = rise(times, self.ramp)
        x = np.clip(times / self.ramp, 0.0, 1.0) if self.ramp > 0.0 else np.ones_like(times)
        gone = self.ramp * (x**3 - 0.5 * x**4) + np.maximum(times - self.ramp, 0.0)
        return self.roll + self.rate * gone, self.rate * share, self.rate * slope

    def _angles(self, rolls: Array, joints: int) -> Array:
        """(T, 2 joints) yaw and pitch that take each link into the direction of the next."""
        ways, found = self.directions(joints + 1), np.empty((len(rolls), 2 * joints))
        frames = np.array([self.base_frame(roll) for roll in rolls])
        for joint in range(joints):
            local = np.einsum("tji,j->ti", frames, ways[joint + 1])
            yaw, pitch = np.arctan2(local[:, 1], local[:, 0]), -np.arcsin(local[:, 2])
            found[:, 2 * joint], found[:, 2 * joint + 1] = yaw, pitch
            frames = frames @ _yaw_then_pitch(yaw, pitch)
        return found

    @property
    def cycle(self) -> float | None:
        return 2.0 * math.pi / abs(self.rate) if self.rate else None


def rise(times: Array, ramp: float) -> tuple[Array, Array, Array]:
    """A smooth rise from 0 to 1, 3 x² - 2 x³ over the ramp (1 where there is none), and its two rates."""
    if ramp <= 0.0:
        return np.ones_like(times), np.zeros_like(times), np.zeros_like(times)
    x = np.clip(times / ramp, 0.0, 1.0)
    return 3.0 * x**2 - 2.0 * x**3, 6.0 * (x - x**2) / ramp, np.where(x < 1.0, 6.0 - 12.0 * x, 0.0) / ramp**2


def _yaw_then_pitch(yaw: Array, pitch: Array) -> Array:
    """(T, 3, 3) rotations about z, then about the new y."""
    c, s, C, S, o = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch), np.zeros_like(yaw)
    return np.stack([np.stack([c * C, -s, c * S], -1), np.stack([s * C, c, s * S], -1), np.stack([-S, o, C], -1)], -2)
