"""Joints that each follow a sine: what `joint-wave` and `serpenoid` come down to, compiled, generic in the scalar."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbless.control.gaits.base import Array, Drive
from limbless.control.gaits.body_wave import smooth_start
from limbless.mechanics.compiled import array_kernel, as_lanes, kernel_array, sincos


class Sines(NamedTuple):
    """Of every joint: f(t) (amplitude sin(rate t + phase) + offset) + still, f a smooth start that lasts `ramp`."""

    amplitude: Array
    rate: Array
    phase: Array
    offset: Array
    still: Array
    ramp: float

    def table(self) -> Array:
        """(6, joints), as the samplers take it."""
        return np.stack([*self[:5], np.full(len(self.amplitude), self.ramp)])


@array_kernel
def sample_sines(table, times, value, first, second):
    """Angles (T, joints) and their first two derivatives; generic in the scalar of all."""
    for i in range(times.shape[0]):
        t = times[i]
        for j in range(table.shape[1]):
            f, fd, fdd = smooth_start(t, table[5, j])
            amplitude, rate = table[0, j], table[1, j]
            sine, cosine = sincos(rate * t + table[2, j])
            wave = amplitude * sine + table[3, j]
            wave_rate, wave_acceleration = amplitude * rate * cosine, -amplitude * rate * rate * sine
            value[i, j] = f * wave + table[4, j]
            first[i, j] = fd * wave + f * wave_rate
            second[i, j] = fdd * wave + 2.0 * fd * wave_rate + f * wave_acceleration


@array_kernel
def sample_lane_sines(table, times, value, first, second):
    """`sample_sines` on arrays of lanes: eight gaits, each at its own times."""
    sample_sines(as_lanes(table), as_lanes(times), as_lanes(value), as_lanes(first), as_lanes(second))


def sampled(sines: Sines, times: Array) -> Drive:
    """The drive of all joints at some times."""
    found = Drive(*(np.empty((len(times), len(sines.amplitude))) for _ in Drive._fields))
    sample_sines(sines.table(), kernel_array(times), *found)
    return found
