"""A smooth passage from one gait to another, for commands that change a gait while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps


@dataclass(frozen=True)
class Blend:
    """`old` until `start`, `new` from `end`, and in between old + w (new - old) with the smooth step w of (64): no jump
    in acceleration.
    """

    old: Gait
    new: Gait
    start: float
    end: float

    @property
    def drives(self) -> str:
        return self.new.drives

    @property
    def kind(self) -> str:
        return self.new.kind

    def sample(self, times: Array, stations: Array) -> Drive:
        """The blended drive; value, rate and acceleration are continuous."""
        return self._blended(times, self.old.sample(times, stations), self.new.sample(times, stations))

    def sample_joints(self, times: Array, turns: Sequence[tuple[str, float]]) -> Drive:
        """The same for the joints of a chain."""
        return self._blended(times, self.old.sample_joints(times, turns), self.new.sample_joints(times, turns))

    def sample_tendons(self, times: Array, places: Sequence[tuple[float, float]]) -> Drive:
        """The same for tensions, or torques of winches."""
        return self._blended(times, self.old.sample_tendons(times, places), self.new.sample_tendons(times, places))

    def sample_lengths(self, times: Array, straight: Array) -> Drive:
        """The same for the lengths that winches leave."""
        return self._blended(times, self.old.sample_lengths(times, straight), self.new.sample_lengths(times, straight))

    def slope(self, times: Array, stations: Array) -> Drive:
        """d/ds of `sample`: what a rod bends by."""
        return self._blended(times, self.old.slope(times, stations), self.new.slope(times, stations))

    def _blended(self, times: Array, old: Drive, new: Drive) -> Drive:
        steps = smooth_steps(times - self.start, self.end - self.start)
        w, wd, wdd = steps.reshape(3, -1, *(1,) * (old.value.ndim - 1))
        gap, gap_rate = new.value - old.value, new.rate - old.rate
        return Drive(
            old.value + w * gap,
            old.rate + wd * gap + w * gap_rate,
            old.acceleration + wdd * gap + 2.0 * wd * gap_rate + w * (new.acceleration - old.acceleration),
        )

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Where one of the two is not smooth."""
        return sorted({*self.old.breakpoints(start, end), *self.new.breakpoints(start, end)})

    def breaks(self) -> tuple[float, ...]:
        return (*self.old.breaks(), *self.new.breaks())

    def jumps(self, start: float, end: float) -> list[float]:
        return sorted({*self.old.jumps(start, end), *self.new.jumps(start, end)})

    def tendon_kinks(self, start: float, end: float, places: Sequence[tuple[float, float]]) -> list[float]:
        return sorted({*self.old.tendon_kinks(start, end, places), *self.new.tendon_kinks(start, end, places)})
