"""`wave-and-reach`: a wave of tensions along the body, then the neck draws a figure with the tip, by feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive
from limbless.control.gaits.body_wave import smooth_steps
from limbless.control.gaits.tendon_paths import TipEight
from limbless.control.gaits.tension_wave import TensionWave
from limbless.core import InputError, Listed, Quantity, checked, quantity

_NECK = 4  # tendons: right, down, up, left


class WaveAndReach(TensionWave):
    """A `tension-wave` on all tendons but the last four, which stands still at `until`: a straight body with a raised
    neck would roll over. Until `reach` the last pair before them lets go. From `reach` on the last four (right,
    down, up, left: those of a neck) lift the tip by `lift` and draw a figure of eight (`tip-eight`), across the heading
    that the head has then.

    The tip is fed back in every control period: the pulls to the left and up change by `stiffness` times the way that
    the target has gone, and by `gain` times the distance of the tip from it. `pull` and `origin` are found on the way.
    """

    kind: Literal["wave-and-reach"] = "wave-and-reach"  # type: ignore[assignment]
    until: Quantity[float] = quantity(
        10.0, "s", "time at which the wave stands, after one period in which it slows down", gt=0
    )
    reach: Quantity[float] = quantity(11.0, "s", "time at which the neck begins to lift", gt=0)
    rise: Quantity[float] = quantity(2.0, "s", "duration of the lift", gt=0)
    lift: Quantity[float] = quantity(0.04, "m", "height of the middle of the figure over the resting tip")
    half_width: Quantity[float] = quantity(0.03, "m", "amplitude of the figure to the side")
    half_height: Quantity[float] = quantity(0.012, "m", "amplitude of the figure up")
    eight_period: Quantity[float] = quantity(4.0, "s", "time for one figure", gt=0)
    stiffness: Listed[tuple[float, float]] = quantity(
        (25.0, 25.0), "N/m", "pull per way of the tip, to the left and up"
    )
    gain: Quantity[float] = quantity(50.0, "N/(m s)", "rate of the pull per distance of the tip from its target", ge=0)
    pull: Listed[tuple[float, float]] = quantity((0.0, 0.0), "N", "pulls to the left and up, set by feedback")
    origin: Listed[tuple[float, ...]] = quantity(
        (), "m; 1; m", "resting tip, unit vector to its left and last target, set by feedback"
    )

    @checked
    def _in_order(self) -> None:
        if not self.ramp + self.period <= self.until < self.reach:
            raise ValueError(
                f"until: the wave slows down in one period ({self.period:g} s) after its ramp ({self.ramp:g} s), and "
                f"stands before `reach` ({self.reach:g} s); got {self.until:g} s"
            )

    def _target(self, time: float) -> Array:
        """(2,) m: to the left and up, from the resting tip."""
        begun = time - self.reach - self.rise
        steps = smooth_steps(np.array([min(begun + self.rise, self.rise), begun]), self.rise)[0]
        eight = TipEight(
            half_width=self.half_width, half_height=self.half_height, tilt=0.0, period=self.eight_period
        ).sample(np.array([max(begun, 0.0)]), np.zeros(1))
        return np.array([0.0, self.lift * steps[0]]) + eight.value[0, 1:]

    def feedback(self, time: float, observation: Mapping[str, Any]) -> dict[str, Any] | None:  # type: ignore[override]
        """Pulls for the next control period."""
        if time < self.reach:
            return None
        tip = np.asarray(observation["tip_position"])
        if not self.origin:
            across = np.asarray(observation["tip_axes"])[:2, 1]
            left = across / np.linalg.norm(across)
            return {"origin": (*tip.tolist(), *left.tolist(), 0.0, 0.0, 0.0, time)}
        at, left, last, before = np.split(np.array(self.origin), (3, 6, 8))
        target, way = self._target(time), tip - at
        error = target - np.array([way @ left, way[2]])
        pull = self.pull + (np.array(self.stiffness) * (target - last) + self.gain * (time - before[0]) * error)
        return {"pull": tuple(pull.tolist()), "origin": (*self.origin[:6], *target.tolist(), time)}

    def sample_tendons(self, times: Array, places: Sequence[tuple[float, float]]) -> Drive:
        if len(places) <= _NECK:
            raise InputError(
                f"gait 'wave-and-reach' drives the tendons of a body and four of its neck; the robot has {len(places)}"
            )
        share = np.clip((times - self.until) / self.period + 1.0, 0.0, 1.0)
        lost = share - np.sin(np.pi * share) / np.pi  # the clock of the wave slows down within a period, and stands
        wave = super().sample_tendons(np.minimum(times, self.until) - 0.5 * self.period * lost, places[:-_NECK])
        pace = 0.5 + 0.5 * np.cos(np.pi * share)
        lateral, up = self.pull
        neck = np.maximum([-lateral, -up, up, lateral], 0.0)
        held = np.broadcast_to(neck, (len(times), _NECK))
        fade, rate, _ = smooth_steps(times - self.until, self.reach - self.until)
        freed = np.r_[np.zeros(len(places) - _NECK - 2), 1.0, 1.0]  # the last pair, which runs along the neck
        kept, less = 1.0 - fade[:, None] * freed, rate[:, None] * freed
        value = np.concatenate([kept * wave.value, held], axis=1)
        slopes = np.concatenate([kept * pace[:, None] * wave.rate - less * wave.value, 0.0 * held], axis=1)
        return Drive(value, slopes, np.zeros_like(value))

    def breakpoints(self, start: float, end: float) -> list[float]:
        marks = (self.ramp, self.until - self.period, self.until, self.reach, self.reach + self.rise)
        return [t for t in marks if start < t < end]

    def tendon_kinks(self, start: float, end: float, places: Sequence[tuple[float, float]]) -> list[float]:
        return [t for t in super().tendon_kinks(start, end, places[:-_NECK]) if t <= self.until - self.period]

    @property
    def cycle(self) -> None:  # type: ignore[override]
        """It does not repeat itself."""

    def phases(self) -> tuple[tuple[str, float], ...]:
        """What it does, and from when on."""
        return (("wave", 0.0), ("reach", self.until))
