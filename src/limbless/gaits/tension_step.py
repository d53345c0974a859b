"""`tension-step`: the tendons go from one set of tensions to another."""
from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import model_validator

from limbless.description import quantity
from limbless.errors import InputError
from limbless.gaits.base import Array, Drive, Gait
from limbless.gaits.body_wave import smooth_steps


class TensionStep(Gait):
    """Tensions that are held, then rise or fall smoothly (10 u³ - 15 u⁴ + 6 u⁵) or at once to others."""

    kind: Literal["tension-step"] = "tension-step"
    before: tuple[float, ...] = quantity((), "N", "tension of each tendon before; none if absent")
    after: tuple[float, ...] = quantity((), "N", "tension of each tendon behind; none if absent")
    at: float = quantity(0.0, "s", "when the change begins", ge=0)
    ramp: float = quantity(0.05, "s", "how long it takes; 0: at once", ge=0)
    drives: ClassVar[str] = "tension"

    @model_validator(mode="after")
    def _pulls(self) -> TensionStep:
        lowest = min((*self.before, *self.after), default=0.0)
        if lowest < 0.0:
            raise ValueError(f"a tendon can only pull; found {lowest:g} N, allowed are numbers from 0")
        return self

    def sample(self, times: Array, stations: Array) -> Drive:
        """Tensions (T, tendons), N."""
        ends = [np.array(part or (0.0,) * len(stations)) for part in (self.before, self.after)]
        for name, part in zip(("before", "after"), ends, strict=True):
            if len(part) != len(stations):
                raise InputError(f"gait.{name} has {len(part)} tensions, but the robot has {len(stations)} tendons; "
                                 "give one for each, or another robot (tendon_count and segments of a neck)")
        share, rate, _ = smooth_steps(times - self.at, self.ramp)
        share, rate = (np.where(times >= self.at, part, 0.0)[:, None] for part in (share, rate))
        step = ends[1] - ends[0]
        return Drive(ends[0] + share * step, rate * step, np.zeros((len(times), len(stations))))

    def breakpoints(self, start: float, end: float) -> list[float]:
        return [t for t in dict.fromkeys((self.at, self.at + self.ramp)) if start < t < end]
