"""What the motors of a run have to give: not the peak of one step alone, which a hop may set, but what lasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array
from limbless.simulation.analysis.actuator_limits import joints_by_axis

if TYPE_CHECKING:
    import xarray as xr


LASTS = 0.01
"""s: what a torque has to last to be called lasting."""
AT_LIMIT = 0.999
"""Of its limit: a torque beyond is at the limit."""
CURVE = (0.0, 0.25, 0.5, 0.75, 0.9)
"""Shares of the lasting torque at which the speed is told."""


def start_up(period: float | None, ramp: float | None, duration: float) -> float:
    """How long a gait needs to begin (s): its ramp and a period more, but at most half of the run."""
    return min((ramp or 0.0) + (period or 0.0), 0.5 * duration)


def loads(time: Array, torque: Array, velocity: Array, limit: Array | None, after: float) -> dict[str, Any]:
    """Load of each joint, from its torque (steps, joints), N m, and velocity, rad/s, at every step from `after` on.

    Returns
    -------
    Numbers of each joint (joints,): `peak`; `rms` of its means over 10 ms, since the square of an impact of one
    step grows as the step shrinks; `p99`, below which it is in 99 % of the time; `lasting`, the largest
    size that it keeps for 10 ms without a break; `at_limit`, the share of time at its limit (0 without one);
    `speed`, the largest; `curve` (joints, 5), the largest speed amid 10 ms in which the motor drives with at least 0,
    25, 50, 75 and 90 % of `lasting`: the corner points that its torque-speed curve has to enclose.
    """
    chosen = time > after
    size, rate = np.abs(torque[chosen]), np.abs(velocity[chosen])
    drives = torque[chosen] * velocity[chosen] >= 0.0
    step = float(np.median(np.diff(time))) if len(time) > 1 else LASTS
    window = min(max(round(LASTS / step), 1), max(len(size), 1))
    held = np.lib.stride_tricks.sliding_window_view(size, window, axis=0).min(axis=-1)  # what lasts, around each step
    summed = np.cumsum(np.vstack([np.zeros((1, size.shape[1])), torque[chosen]]), axis=0)
    lasting, middle = held.max(axis=0, initial=0.0), slice(window // 2, window // 2 + len(held))
    bound = np.full(size.shape[1], np.inf) if limit is None else limit
    moving = np.where(drives, rate, 0.0)[middle]
    fast = [np.where(held >= share * lasting, moving, 0.0).max(axis=0, initial=0.0) for share in CURVE]
    return {
        "peak": size.max(axis=0, initial=0.0),
        "rms": np.sqrt(np.mean(((summed[window:] - summed[:-window]) / window) ** 2, axis=0)),
        "p99": np.quantile(size, 0.99, axis=0),
        "lasting": lasting,
        "at_limit": np.mean(size >= AT_LIMIT * bound, axis=0),
        "speed": rate.max(axis=0, initial=0.0),
        "curve": np.stack(fast, axis=1),
    }


def by_axis(found: dict[str, Any], groups: dict[str, list[int]]) -> dict[str, dict[str, Any]]:
    """The largest over the joints of each axis, of every number, in plain types."""
    return {
        label: {
            name: value[joints].max(axis=0).tolist() if value.ndim > 1 else float(value[joints].max())
            for name, value in found.items()
        }
        for label, joints in groups.items()
    }


def of_series(parts: Sequence[xr.Dataset], after: float) -> dict[str, dict[str, Any]]:
    """Loads by axis of a run whose every step is recorded, in one piece or several that follow each other."""
    time, torque, velocity = (
        np.concatenate([part[name].values for part in parts]) for name in ("time", "joint_torque", "joint_velocity")
    )
    limit = parts[0]["joint_limit"].values if "joint_limit" in parts[0] else None
    return by_axis(loads(time, torque, velocity, limit, after), joints_by_axis(parts[0]))
