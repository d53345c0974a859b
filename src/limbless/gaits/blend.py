"""A smooth passage from one gait to another, for commands that change a gait while it runs."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbless.gaits.base import Array, Drive, Gait
from limbless.gaits.body_wave import smooth_start


@dataclass(frozen=True)
class Blend:
    """`old` until `start`, `new` from `end`, and in between old + w (new - old) with the smooth step w of (64): no jump in acceleration."""

    old: Gait
    new: Gait
    start: float
    end: float

    @property
    def drives(self) -> str:
        return self.new.drives

    def sample(self, times: Array, stations: Array) -> Drive:
        """The blended drive; value, rate and acceleration are continuous."""
        return self._blended(times, self.old.sample(times, stations), self.new.sample(times, stations))

    def sample_joints(self, times: Array, turns: Sequence[tuple[str, float]]) -> Drive:
        """The same for the joints of a chain."""
        return self._blended(times, self.old.sample_joints(times, turns), self.new.sample_joints(times, turns))

    def _blended(self, times: Array, old: Drive, new: Drive) -> Drive:
        steps = np.array([smooth_start(max(t - self.start, 0.0), self.end - self.start) for t in times])
        w, wd, wdd = (column.reshape(-1, *(1,) * (old.value.ndim - 1)) for column in steps.T)
        gap, gap_rate = new.value - old.value, new.rate - old.rate
        return Drive(old.value + w * gap, old.rate + wd * gap + w * gap_rate,
                     old.acceleration + wdd * gap + 2.0 * wd * gap_rate + w * (new.acceleration - old.acceleration))
