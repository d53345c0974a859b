"""`serpenoid`: a sine in every joint, each a phase step ahead of the one before (paper 003, (29); Hirose's curve)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps
from limbless.control.gaits.joint_wave import Sines, sampled
from limbless.core import Angle, Field, InputError, Listed, Quantity, checked, quantity, refuse_numbers


class Serpenoid(Gait):
    """A sine in every joint, each a phase step ahead of the joint before it.

    Joint j = 0, 1, .. has the angle amplitude sin(frequency t + (j + 1) phase_step) + offset. With `driven` only the
    listed joints undulate, the k-th of them with (k + 1) phase steps. `posture` is added to every joint. From `stop`
    on, all joints pass smoothly, within `settle` seconds, to the angles `target`: crawl, then reach.
    """

    kind: Literal["serpenoid"] = "serpenoid"
    amplitude: Quantity[Angle] = quantity(0.4, "rad", "joint amplitude, alpha")
    frequency: Quantity[Angle] = quantity(1.0, "rad/s", "angular frequency, omega", gt=0)
    phase_step: Quantity[Angle] = quantity(math.pi / 2, "rad", "phase from joint to joint, beta")
    offset: Quantity[Angle] = quantity(0.0, "rad", "mean angle of the joints that undulate, gamma: turns")
    ramp: Quantity[float] = quantity(0.0, "s", "duration of a smooth start; 0: none (the paper)", ge=0)
    driven: Listed[tuple[int, ...] | None] = Field(
        None, description="numbers of the joints (from 0) that undulate; all if absent"
    )
    posture: Listed[tuple[Angle, ...] | None] = quantity(
        None, "rad", "constant angle of every joint, added; none if absent"
    )
    stop: Quantity[float | None] = quantity(
        None, "s", "time at which the joints leave the wave for `target`; never if absent", ge=0
    )
    settle: Quantity[float] = quantity(2.0, "s", "time that the passage to `target` takes", gt=0)
    target: Listed[tuple[Angle, ...] | None] = quantity(
        None, "rad", "angles of all joints after `stop`; zero if absent"
    )

    drives: ClassVar[str] = "joint"
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    @checked
    def _target_needs_stop(self) -> None:
        if self.target is not None and self.stop is None:
            raise ValueError("target: give also `stop`, the time at which the joints leave the wave")

    @classmethod
    def from_curve(cls, winding: float, waves: float, links: int, **fields: Any) -> Serpenoid:
        """Hirose's serpenoid curve, heading = a cos(b s) over a body of unit length, as joints of `links` equal links.

        Parameters
        ----------
        winding : largest heading a of the curve, rad.
        waves : b, rad per body length (2 pi: one whole wave).
        links : number n of links; the joints get amplitude 2 a sin(b / 2n) and phase step b / n.
        """
        if links < 2:
            raise InputError(f"links: a curve needs at least 2 links to bend between; got {links}")
        return cls(amplitude=2.0 * winding * math.sin(waves / (2.0 * links)), phase_step=waves / links, **fields)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Joint angles (T, joints) in rad; `stations` are joint numbers."""
        drive = sampled(self._waves(len(stations)), times)
        return drive if self.stop is None else self._stopped(times, drive, self.stop)

    def sines(self, turns: Sequence[tuple[str, float]]) -> Sines | None:
        return self._waves(len(turns)) if self.stop is None else None

    def passing(self) -> tuple[str, str] | None:
        return ("stop", "the wave ends there") if self.stop else None

    def _waves(self, count: int) -> Sines:
        """The sine of every joint, until the wave stops."""
        amplitude, steps = np.zeros(count), np.zeros(count)
        for k, joint in enumerate(self._numbers(count)):
            amplitude[joint], steps[joint] = self.amplitude, k + 1.0
        still = np.where(steps > 0.0, self.offset, 0.0) + self._angles("posture", self.posture, count)
        return Sines(
            amplitude, np.full(count, self.frequency), self.phase_step * steps, np.zeros(count), still, self.ramp
        )

    def _stopped(self, times: Array, wave: Drive, stop: float) -> Drive:
        """The wave, then from `stop` on a smooth passage to the target."""
        target = self._angles("target", self.target, wave.value.shape[1])
        p, pd, pdd = smooth_steps(times - stop, self.settle)[..., None]
        gap = target - wave.value
        return Drive(
            wave.value + p * gap,
            wave.rate + pd * gap - p * wave.rate,
            wave.acceleration + pdd * gap - 2.0 * pd * wave.rate - p * wave.acceleration,
        )

    def _numbers(self, count: int) -> tuple[int, ...]:
        chosen = tuple(range(count)) if self.driven is None else self.driven
        refuse_numbers("gait.driven", chosen, count, "joints")
        return chosen

    def _angles(self, name: str, angles: tuple[float, ...] | None, count: int) -> Array:
        if angles is not None and len(angles) != count:
            raise InputError(
                f"gait.{name}: give {count} angles, one per joint; got {len(angles)} (did the number of "
                f"modules change?)"
            )
        return np.zeros(count) if angles is None else np.array(angles)

    def breakpoints(self, start: float, end: float) -> list[float]:
        """The end of the smooth start, and the passage to the target."""
        ends = [self.ramp] if self.stop is None else [self.ramp, self.stop, self.stop + self.settle]
        return [t for t in ends if start < t < end and t > 0.0]

    @property
    def cycle(self) -> float:
        return 2.0 * math.pi / self.frequency
