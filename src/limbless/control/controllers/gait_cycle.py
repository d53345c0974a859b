"""A cycle of a gait as Fourier series of its clock: what a controller that drives a gait needs of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.controllers.base import Array, LoopLayout
from limbless.control.controllers.signals import signals
from limbless.core import InputError

_SAMPLES = 128
_HARMONICS = 24
_SMALL = 1e-12  # of the largest: a harmonic that is rounding
_LEFT = 1e-6  # of the largest angle: what the series may miss


class GaitCycle(NamedTuple):
    """Q(τ) of all joints, τ from 0 to 2 π in a cycle."""

    period: float  # s
    mean: Array  # (joints,)
    cosine: Array  # (harmonics, joints)
    sine: Array
    order: Array  # (harmonics,)

    def at(self, clock: Any) -> tuple[Any, Any, Any]:
        """Q, dQ/dτ and d²Q/dτ² of all joints."""
        value, rate, second = self.mean, 0.0 * self.mean, 0.0 * self.mean
        for k, a, b in zip(self.order, self.cosine, self.sine, strict=True):
            c, s = np.cos(k * clock), np.sin(k * clock)
            wave = signals(list(a)) * c + signals(list(b)) * s
            value, second = value + wave, second - wave * (k * k)
            rate = rate + (signals(list(b)) * c - signals(list(a)) * s) * k
        return value, rate, second


def gait_cycle(layout: LoopLayout) -> GaitCycle:
    """The cycle of the scenario's gait, without its smooth start."""
    gait = layout.gait
    if gait is None or gait.cycle is None or gait.drives not in ("shape", "joint"):
        raise InputError("controller.output: it drives a gait, and needs one of shapes or joints with a period (gait)")
    steady = gait.changed(**dict.fromkeys(gait.start_fields, 0.0)) if gait.start_fields else gait
    times = gait.cycle * np.arange(_SAMPLES) / _SAMPLES
    position = joint_motion(layout.chain, steady, times).position
    parts = np.fft.rfft(position, axis=0) / _SAMPLES
    kept = np.flatnonzero(np.abs(parts[1 : _HARMONICS + 1]).max(axis=1) > _SMALL * np.abs(position).max()) + 1
    found = GaitCycle(gait.cycle, parts[0].real, 2.0 * parts[kept].real, -2.0 * parts[kept].imag, kept.astype(float))
    phases = 2.0 * np.pi * np.arange(_SAMPLES)[:, None, None] * kept[:, None] / _SAMPLES
    rebuilt = found.mean + (found.cosine * np.cos(phases) + found.sine * np.sin(phases)).sum(axis=1)
    missed = float(np.abs(rebuilt - position).max())
    if missed > _LEFT * np.abs(position).max():
        raise InputError(
            f"controller.output: a cycle of the gait has corners: {_HARMONICS} harmonics miss {missed:.2g} rad; a "
            "controller drives smooth gaits"
        )
    return found
