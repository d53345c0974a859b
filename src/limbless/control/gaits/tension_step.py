"""`tension-step`, `length-step`, `winch-step`: tendons go from one set of tensions, lengths or torques to another."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import InputError, Listed, Quantity, checked, quantity


class TendonStep(Gait):
    """One number per tendon that is held, then goes smoothly (10 u³ - 15 u⁴ + 6 u⁵) or at once to another."""

    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    at: Quantity[float] = quantity(0.0, "s", "when the change begins", ge=0)
    ramp: Quantity[float] = quantity(0.05, "s", "how long it takes; 0: at once", ge=0)
    numbers: ClassVar[str]
    """What the numbers are called."""

    def sample(self, times: Array, stations: Array) -> Drive:
        """(T, tendons)"""
        ends = [np.array(part or (0.0,) * len(stations)) for part in (self.before, self.after)]
        for name, part in zip(("before", "after"), ends, strict=True):
            if len(part) != len(stations):
                raise InputError(
                    f"gait.{name} has {len(part)} {self.numbers}, but the robot has {len(stations)} "
                    "tendons; give one for each, or another robot (tendon_count and segments of a neck)"
                )
        share, rate, _ = smooth_steps(times - self.at, self.ramp)
        share, rate = (np.where(times >= self.at, part, 0.0)[:, None] for part in (share, rate))
        share = np.clip(share, 0.0, 1.0)  # a mean of both ends, never beyond them by rounding
        value = (1.0 - share) * ends[0] + share * ends[1]
        return Drive(value, rate * (ends[1] - ends[0]), np.zeros((len(times), len(stations))))

    def breakpoints(self, start: float, end: float) -> list[float]:
        return [t for t in dict.fromkeys((self.at, self.at + self.ramp)) if start < t < end]

    def jumps(self, start: float, end: float) -> list[float]:
        return self.breakpoints(start, end) if self.ramp == 0.0 else []


class TensionStep(TendonStep):
    """Tensions that change once, smoothly or at once, and are constant before and after.

    The smooth change is the polynomial 10 u³ - 15 u⁴ + 6 u⁵.
    """

    kind: Literal["tension-step"] = "tension-step"
    before: Listed[tuple[float, ...]] = quantity((), "N", "tension of each tendon before; none if absent")
    after: Listed[tuple[float, ...]] = quantity((), "N", "tension of each tendon behind; none if absent")
    drives: ClassVar[str] = "tension"
    numbers: ClassVar[str] = "tensions"

    @checked
    def _pulls(self) -> None:
        lowest = min((*self.before, *self.after), default=0.0)
        if lowest < 0.0:
            raise ValueError(f"a tendon can only pull; found {lowest:g} N, allowed are numbers from 0")


class LengthStep(TendonStep):
    """Winches that have drawn their tendons in by some lengths, then smoothly or at once by others."""

    kind: Literal["length-step"] = "length-step"
    before: Listed[tuple[float, ...]] = quantity(
        (), "m", "by how much each tendon is shorter before than in the straight robot; negative: longer; 0 if absent"
    )
    after: Listed[tuple[float, ...]] = quantity((), "m", "the same behind")
    drives: ClassVar[str] = "tendon-length"
    numbers: ClassVar[str] = "lengths"

    @checked
    def _takes_time(self) -> None:
        if self.ramp == 0.0 < self.at:
            raise ValueError(
                "ramp: a winch that winds at once, in the midst of a run, does work that nothing counts; "
                "give a ramp above 0 (1e-3 s)"
            )

    def sample_lengths(self, times: Array, straight: Array) -> Drive:
        """Unstretched lengths (T, tendons), m."""
        drawn = self.sample(times, np.arange(len(straight), dtype=np.float64))
        return Drive(straight - drawn.value, -drawn.rate, drawn.acceleration)


class WinchStep(TendonStep):
    """Torques of the motors of winches that are held, then go smoothly or at once to others."""

    kind: Literal["winch-step"] = "winch-step"
    before: Listed[tuple[float, ...]] = quantity(
        (), "N m", "torque of each winch before, positive winds its tendon up; none if absent"
    )
    after: Listed[tuple[float, ...]] = quantity((), "N m", "the same behind")
    drives: ClassVar[str] = "winch-torque"
    numbers: ClassVar[str] = "torques"
