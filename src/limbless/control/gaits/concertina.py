"""`concertina`: folds that press against the walls of a pipe, and a stretched part that travels along the body."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, JointGait
from limbless.control.gaits.helix import rise
from limbless.core import Angle, InputError, Quantity, quantity


class Concertina(JointGait):
    """The body is folded in a zigzag, except for an opening that travels along it.

    Folds hold the body in a pipe. Where they open, the body gets longer and pushes the part ahead forward. The yaw of
    joint i is (-1)^i A (1 - w), with w = cos^(2 p)(π (t / T - i / n)) and n joints. There is one opening at a time. It
    travels from the base to the tip in a period T, or to the base if T is negative. The robot moves against it.
    """

    kind: Literal["concertina"] = "concertina"
    amplitude: Quantity[Angle] = quantity(
        math.radians(50.0), "rad", "yaw A of a folded joint, to one side and the other in turn"
    )
    period: Quantity[float] = quantity(
        4.0, "s", "period T of a whole cycle; negative: the opening travels from the tip"
    )
    sharpness: Quantity[int] = quantity(2, "1", "p: 1 opens about half of the body, more opens less", ge=1, le=20)
    ramp: Quantity[float] = quantity(0.0, "s", "time over which the straight body folds at the start", ge=0)
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Joint angles (T, joints), rad, and their derivatives, of joints that yaw and pitch in turn."""
        return self.sample_joints(times, (("yaw", 1.0), ("pitch", 1.0)) * (len(stations) // 2))

    def sample_joints(self, times: Array, turns: Sequence[tuple[str, float]]) -> Drive:
        """The same, of joints whose labels and senses are given; joints that do not yaw stay at 0."""
        if self.period == 0.0:
            raise InputError("gait.period: a concertina needs a period; got 0")
        yaws = [column for column, (label, _) in enumerate(turns) if label == "yaw"]
        if len(yaws) < 3:
            raise InputError(f"a concertina folds at least three joints that yaw; this robot has {len(yaws)}")
        value, first, second = (np.zeros((len(times), len(turns))) for _ in range(3))
        k, p = math.pi / self.period, self.sharpness
        for number, column in enumerate(yaws):
            size = turns[column][1] * self.amplitude * (-1.0) ** number
            x = k * times - math.pi * number / len(yaws)
            c, s = np.cos(x), np.sin(x)
            value[:, column] = size * (1.0 - c ** (2 * p))
            first[:, column] = size * 2 * p * k * c ** (2 * p - 1) * s
            second[:, column] = size * 2 * p * k**2 * (c ** (2 * p) - (2 * p - 1) * c ** (2 * p - 2) * s**2)
        share, slope, bend = (column[:, None] for column in rise(times, self.ramp))
        return Drive(share * value, share * first + slope * value, share * second + 2.0 * slope * first + bend * value)

    @property
    def cycle(self) -> float:
        return abs(self.period)
