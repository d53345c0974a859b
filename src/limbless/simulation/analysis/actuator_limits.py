"""Torques against what the actuators can give, and positions against the ranges of their joints: peaks, and where and
when a limit is passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from limbless.core import Array
from limbless.robots.rod import AXES, STRAINS

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Excess:
    """A joint, or a strain at a section of a rod, that passed its limit: when first, and the worst (signed) torque with
    its time. SI units.
    """

    joint: str
    limit: float
    first_time: float
    worst_torque: float
    worst_time: float


@dataclass(frozen=True)
class RangeExcess:
    """A joint that left its range: the bound that it passed, when first, and the position farthest beyond with its
    time. SI units.
    """

    joint: str
    limit: float
    first_time: float
    worst_position: float
    worst_time: float


def joint_names(dataset: xr.Dataset) -> list[str]:
    """Names of the joints, or their numbers (from 0) where they have none."""
    return [str(name) for name in dataset["joint"].values] if "joint" in dataset.dims else []


def joints_by_axis(dataset: xr.Dataset) -> dict[str, list[int]]:
    """Joint numbers of each axis label (yaw, pitch, roll, ..), in the order in which the labels first appear along the
    body; `joint` where there is none.
    """
    known = "joint_axis" in dataset.coords
    labels = dataset["joint_axis"].values.tolist() if known else ["joint"] * dataset.sizes.get("joint", 0)
    return {label: [n for n, own in enumerate(labels) if own == label] for label in dict.fromkeys(labels)}


def peak_torque(dataset: xr.Dataset) -> Array:
    """Largest absolute torque of each joint (joint,), N m (N for a sliding joint): in any step,
    or else over all records.
    """
    if "peak_torque" in dataset:
        return np.abs(dataset["peak_torque"].values)
    return np.asarray(np.abs(dataset["joint_torque"].values).max(axis=0, initial=0.0))


def _has_peaks(dataset: xr.Dataset) -> bool:
    """Whether the largest torques of joints are known: not where tendons drive them and tensions are what was counted
    at every step.
    """
    return "joint_torque" in dataset and ("peak_torque" in dataset or "peak_tension" not in dataset)


def peak_torque_by_axis(dataset: xr.Dataset) -> dict[str, float]:
    """Largest absolute torque over all joints of each axis label, or largest effort along the body of each strain that
    a rod drives; empty where none is known.
    """
    if "peak_effort" in dataset:
        largest = np.abs(dataset["peak_effort"].values).max(axis=0, initial=0.0)
        return {AXES[c]: float(value) for c, value in enumerate(largest) if value > 0.0}
    if not _has_peaks(dataset):
        return {}
    peaks = peak_torque(dataset)
    return {label: float(peaks[numbers].max()) for label, numbers in joints_by_axis(dataset).items()}


def peak_tension(dataset: xr.Dataset) -> float | None:
    """Largest tension of any tendon, in any step, or at any point of statics (N); None without tendons."""
    name = "peak_tension" if "peak_tension" in dataset else "tension"
    return float(np.nanmax(dataset[name].values)) if name in dataset and dataset[name].size else None


def peak_rise_by_axis(dataset: xr.Dataset, step: float) -> dict[str, float]:
    """How far a smooth torque may rise above `peak_torque_by_axis` between two steps: an eighth of its second
    difference over a step, from the largest record and the two beside it. 0 for a peak at either end, or where nothing
    was recorded.
    """
    if not _has_peaks(dataset):
        return {}
    size, time, rise = np.abs(dataset["joint_torque"].values), dataset["time"].values, {}
    for label, numbers in joints_by_axis(dataset).items():
        record, joint = np.unravel_index(size[:, numbers].argmax(), (len(size), len(numbers))) if len(size) else (0, 0)
        around = slice(max(record - 1, 0), record + 2)
        bend = 0.0
        if len(size[around]) == 3:
            before, top, after = size[around, numbers[joint]]
            bend = (2.0 * top - before - after) / np.diff(time[around]).mean() ** 2
        rise[label] = float(max(bend, 0.0) * step**2 / 8.0)
    return rise


def ranges_left(dataset: xr.Dataset) -> list[RangeExcess]:
    """Every joint whose position left the range from `joint_lower` to `joint_upper`, in the order of the body."""
    if "range_time" not in dataset or "joint_lower" not in dataset:
        return []
    first, worst, when = (dataset[name].values for name in ("range_time", "range_excess", "excess_time"))
    lower, upper = dataset["joint_lower"].values, dataset["joint_upper"].values
    return [
        RangeExcess(
            name,
            float(bound := upper[n] if worst[n] > 0 else lower[n]),
            float(first[n]),
            float(bound + worst[n]),
            float(when[n]),
        )
        for n, name in enumerate(joint_names(dataset))
        if np.isfinite(first[n])
    ]


def limits_exceeded(dataset: xr.Dataset) -> list[Excess | RangeExcess]:
    """Every joint whose |torque| passed its `joint_limit`, in the order of the body; then
    those that left their range.
    """
    return [*torques_exceeded(dataset), *ranges_left(dataset)]


def torques_exceeded(dataset: xr.Dataset) -> list[Excess]:
    """Every joint whose |torque| passed its `joint_limit`, in the order of the body; of a rod every strain whose
    |effort| passed its `effort_limit`, at the section where it did so most. As they were compared at every step.
    """
    rod = "effort_limit" in dataset
    bound, counted = ("effort_limit", "peak_effort") if rod else ("joint_limit", "peak_torque")
    if not {bound, counted, "peak_time", "limit_time"} <= dataset.variables.keys():
        return []
    names = STRAINS if rod else joint_names(dataset)
    places = [f" at X = {x:.4g} m" for x in dataset["abscissa"].values] if rod else [""]
    limit = dataset[bound].values
    peak, when, first = (np.atleast_2d(dataset[name].values) for name in (counted, "peak_time", "limit_time"))
    worst = np.abs(peak).argmax(axis=0)
    return [
        Excess(f"{name}{places[k]}", float(limit[n]), float(first[:, n].min()), float(peak[k, n]), float(when[k, n]))
        for n, (name, k) in enumerate(zip(names, worst, strict=True))
        if np.isfinite(first[:, n]).any()
    ]
