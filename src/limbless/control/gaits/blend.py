"""A smooth passage from one gait to another, for commands that change a gait while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps
from limbless.control.gaits.joint_wave import sample_sines
from limbless.mechanics.compiled import array_kernel, kernel_array, strict_kernel


@strict_kernel
def blend_rows(steps, old, old_rate, old_acceleration, new, new_rate, new_acceleration, out):
    """old + w (new - old) and its first two derivatives, (3, T, n)."""
    for i in range(out.shape[1]):
        w, wd, wdd = steps[0, i], steps[1, i], steps[2, i]
        for j in range(out.shape[2]):
            gap, gap_rate = new[i, j] - old[i, j], new_rate[i, j] - old_rate[i, j]
            out[0, i, j] = old[i, j] + w * gap
            out[1, i, j] = old_rate[i, j] + wd * gap + w * gap_rate
            second = old_acceleration[i, j] + wdd * gap + 2.0 * wd * gap_rate
            out[2, i, j] = second + w * (new_acceleration[i, j] - old_acceleration[i, j])


@array_kernel
def blend_sines(steps, old, new, times, both, out):
    """The same of joints that each follow a sine before and after; `both` (6, T, n) is room for them."""
    sample_sines(old, times, both[0], both[1], both[2])
    sample_sines(new, times, both[3], both[4], both[5])
    blend_rows(steps, both[0], both[1], both[2], both[3], both[4], both[5], out)


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
        waves = [gait.sines(turns) for gait in (self.old, self.new)]
        if waves[0] is not None and waves[1] is not None:
            shape, (old, new) = (len(times), len(turns)), (wave.table() for wave in waves)
            out = np.empty((3, *shape))
            blend_sines(self._steps(times), old, new, kernel_array(times), np.empty((6, *shape)), out)
            return Drive(out[0], out[1], out[2])
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
        shape = old.value.shape
        rows = [kernel_array(part).reshape(len(times), -1) for part in (*old, *new)]
        out = np.empty((3, *rows[0].shape))
        blend_rows(self._steps(times), *rows, out)
        return Drive(out[0].reshape(shape), out[1].reshape(shape), out[2].reshape(shape))

    def _steps(self, times: Array) -> Array:
        return smooth_steps(times - self.start, self.end - self.start)

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Where one of the two is not smooth."""
        return sorted({*self.old.breakpoints(start, end), *self.new.breakpoints(start, end)})

    def breaks(self) -> tuple[float, ...]:
        return (*self.old.breaks(), *self.new.breaks())

    def jumps(self, start: float, end: float) -> list[float]:
        return sorted({*self.old.jumps(start, end), *self.new.jumps(start, end)})

    def tendon_kinks(self, start: float, end: float, places: Sequence[tuple[float, float]]) -> list[float]:
        return sorted({*self.old.tendon_kinks(start, end, places), *self.new.tendon_kinks(start, end, places)})
