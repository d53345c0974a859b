"""Phases of a run: which joints are motion-given when, and how a joint passes from free motion back to its gait."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation import Actuation, Switched
from limbless.core import InputError
from limbless.mechanics.chain import ChainDrive

Array = NDArray[np.float64]


class Phase(NamedTuple):
    """From `start` on: the mask of motion-given degrees of freedom, whether a feedback drives the rest, and their
    constant torques.
    """

    start: float
    given: NDArray[np.int64]  # (N,)
    feedback: bool
    torque: Array  # (joints,)


def phases_of(actuation: Actuation, given: NDArray[np.int64], feedback: bool, joints: int) -> list[Phase]:
    """The phases of an actuation: one, unless it switches."""
    if not isinstance(actuation, Switched):
        return [Phase(-np.inf, given, feedback, np.zeros(joints))]
    found = []
    for number, phase in enumerate(actuation.phases):
        mask = given.copy()
        if phase.drive == "motion":
            mask[len(mask) - joints :] = 1
        torque = np.zeros(joints) if phase.torque is None else np.array(phase.torque)
        if len(torque) != joints:
            raise InputError(
                f"actuation.phases[{number}].torque must have {joints} numbers, one per joint; got {len(torque)} "
                "(did the number of modules change?)"
            )
        found.append(Phase(-np.inf if number == 0 else phase.start, mask, phase.drive == "pd", torque))
    return found


def phase_at(phases: list[Phase], times: Array) -> NDArray[np.int64]:
    """Number of the phase at each time."""
    return np.searchsorted([phase.start for phase in phases], times, side="right") - 1


def handed_over(piece: ChainDrive, times: Array, start: float, offset: Array, rate: Array, settle: float) -> ChainDrive:
    """The drive with a correction that begins at `start` with this offset and rate and is gone, smoothly, `settle`
    seconds later.
    """
    s = np.clip((times - start) / settle, 0.0, 1.0)[:, None]
    value = (1 - 10 * s**3 + 15 * s**4 - 6 * s**5, s - 6 * s**3 + 8 * s**4 - 3 * s**5)
    slope = (-30 * s**2 + 60 * s**3 - 30 * s**4, 1 - 18 * s**2 + 32 * s**3 - 15 * s**4)
    bend = (-60 * s + 180 * s**2 - 120 * s**3, -36 * s + 96 * s**2 - 60 * s**3)
    a, b = offset, settle * rate
    return piece._replace(
        position=piece.position + value[0] * a + value[1] * b,
        velocity=piece.velocity + (slope[0] * a + slope[1] * b) / settle,
        acceleration=piece.acceleration + (bend[0] * a + bend[1] * b) / settle**2,
    )
