"""Which numbers of a run are those of a motion, and which those of one that has diverged."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from limbless.core import Array, SimulationError

TOO_LARGE = 1e9
"""Of any number in a state: far beyond positions (m), angles (rad) and work (J) of such robots."""
TOO_FAST = 1e6
"""m/s or rad/s: nothing without limbs moves like that."""
TOO_STRONG = 1e30
"""Of any number in a record: beyond every acceleration and torque; its square is still a number."""
_SPEEDS = ("twist", "base_twist", "joint_velocity")


def is_sound(x: Array) -> bool:
    """Whether a state is one of a motion."""
    return bool((np.abs(x) < TOO_LARGE).all())


def refuse_lost(failed: int, x: Array, knots: Array) -> None:
    """A motion that could not be followed, or has diverged, has no derivatives; x is where it has come to."""
    if failed or not is_sound(x):
        raise SimulationError(
            f"the motion could not be followed to t = {knots[-1]:g} s with its derivatives; run the "
            "scenario alone to see why, or try a shorter step",
            float(knots[0]),
        )


def sound_records(records: Mapping[str, Array]) -> int:
    """Number of leading records that are finite and not absurdly fast."""
    bad = np.zeros(len(records["time"]), dtype=bool)
    for name, values in records.items():
        limit = TOO_FAST if name in _SPEEDS else TOO_STRONG
        if values.max(initial=0.0) < limit and values.min(initial=0.0) > -limit:  # nearly always, and without a copy
            continue  # false for NaN
        # there may be no record: no -1 here
        flat = np.abs(values).reshape(len(values), math.prod(values.shape[1:]))
        bad |= ~(flat < limit).all(axis=1)
    return int(np.argmax(bad)) if bad.any() else len(bad)
