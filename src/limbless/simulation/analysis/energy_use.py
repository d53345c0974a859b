"""What the actuators spend: power of each joint, positive work, cost of transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.simulation.analysis.speed import change, displacement, no_transport, period_speed

if TYPE_CHECKING:
    import xarray as xr


STANDARD_GRAVITY = 9.81
"""m/s2: the weight in the cost of transport uses it in water too, as is usual."""


def positive_work(dataset: xr.Dataset) -> float | None:
    """Sum over the joints, or over the strains of a rod, of the work given while it is positive (J), as it was counted
    at every step: what is spent when nothing is recovered from braking.
    """
    spent = change(dataset, "positive_work")
    return None if spent is None else float(spent.sum())


def electrical_energy(dataset: xr.Dataset) -> float | None:
    """What all motors take from their supply less what they give back (J), by the records; None without motors."""
    if "joint_current" not in dataset:
        return None
    power = (dataset["joint_voltage"].values * dataset["joint_current"].values).sum(axis=1)
    return float(np.trapezoid(power, dataset["time"].values))


def by_phase(dataset: xr.Dataset, phases: Sequence[tuple[str, float]]) -> list[dict[str, Any]] | None:
    """Work of the pulleys in each phase of a gait (name, start in s): {phase, start, end, work, positive_work}, s, J.
    A phase in which a body leaves the water is two, `in water` while more than half of the body is immersed and `on
    land`. None without pulleys, or where a gait does one thing alone.
    """
    if not phases or "pulley_work" not in dataset or not dataset.sizes["time"]:
        return None
    time, marks = dataset["time"].values, [(name, float(start)) for name, start in phases]
    if "immersion" in dataset:
        dry = dataset["immersion"].values.mean(axis=1) < 0.5
        ashore = float(time[len(dry) - int(np.argmin(dry[::-1]))]) if dry[-1] and not dry[0] else None
        end = marks[1][1] if len(marks) > 1 else time[-1]
        if ashore is not None and ashore < end:
            marks = [("in water", marks[0][1]), ("on land", ashore), *marks[1:]]
    last = float(time[-1])
    ends = [*(min(start, last) for _, start in marks[1:]), last]
    counted = {"work": "pulley_work", "positive_work": "positive_work"}
    totals = {field: dataset[name].values.sum(axis=1) for field, name in counted.items()}
    return [
        {
            "phase": name,
            "start": start,
            "end": end,
            **{field: float(np.diff(np.interp([start, end], time, total))[0]) for field, total in totals.items()},
        }
        for (name, start), end in zip(marks, ends, strict=True)
        if start < last
    ]


def wake_share(dataset: xr.Dataset) -> float | None:
    """Energy left behind in the wake over the work of the actuators; None without a wake, or without work."""
    if "law_work" not in dataset or "wake" not in dataset["law"].values or not dataset.sizes["time"]:
        return None
    wake, work = dataset["law_work"].sel(law="wake").values, dataset["actuator_work"].values
    return float(-(wake[-1] - wake[0]) / (work[-1] - work[0])) if work[-1] > work[0] else None


def mean_pulley_power(looks: xr.Dataset, period: float | None) -> float | None:
    """Mean power of all pulleys (W), or of the motors of winches: over the last whole period, or the whole run where
    the gait has none; None without tendons. From the instants at which a run is looked at (`Result.looks`): those
    around the beginning of the last period are among them, whatever is recorded.
    """
    if "pulley_work" not in looks or looks.sizes.get("time", 0) < 2:
        return None
    time, work = looks["time"].values, looks["pulley_work"].values.sum(axis=1)
    start = time[-1] - period if period and period <= (time[-1] - time[0]) * (1.0 + 1e-12) else time[0]
    return float((work[-1] - np.interp(start, time, work)) / (time[-1] - start))


def towing_efficiency(dataset: xr.Dataset, looks: xr.Dataset, period: float | None) -> float | None:
    """Power that would tow the straight body, head first, at the speed of the last period, over the mean power of the
    pulleys; None without tendons, water or a period, or for a robot that gets nowhere (`no_transport`).
    """
    power, speed = mean_pulley_power(looks, period), period_speed(looks, period)
    quadratic, linear = (dataset.attrs.get(f"towing_{name}") for name in ("quadratic", "linear"))
    if quadratic is None or linear is None or speed is None or not power or power <= 0.0 or no_transport(dataset):
        return None
    return float((quadratic * speed + linear) * speed * speed / power)


def cost_of_transport(dataset: xr.Dataset, mass: float | None) -> float | None:
    """By positive work: see `cost_of_work`."""
    return cost_of_work(positive_work(dataset), dataset, mass)


def cost_of_work(work: float | None, dataset: xr.Dataset, mass: float | None) -> float | None:
    """Work / (mass * 9.81 m/s2 * distance between the first and the last place of the centre of mass); None
    for a robot that is held, falls or stays where it is (`no_transport`).
    """
    moved = displacement(dataset)
    if work is None or moved is None or mass is None or no_transport(dataset) is not None:
        return None
    return cost_of_way(work, mass, float(np.linalg.norm(moved)))


def cost_of_way(work: float, mass: float, distance: float) -> float | None:
    """Work over weight and distance; None where nothing weighs."""
    return work / (mass * STANDARD_GRAVITY * distance) if mass else None
