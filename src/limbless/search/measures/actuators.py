"""What actuators spend, and what they have to give."""

import numpy as np
from numpy.typing import NDArray

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import actuator_limits, energy_use
from limbless.simulation.result import Result


@measure(
    "actuator_work", "J", "work of all actuators, less what is given back to them while they brake", wants=("time",)
)
def actuator_work(result: Result) -> float | None:
    if "actuator_work" not in result.dataset or not result.dataset.sizes["time"]:
        return None
    work = result.dataset["actuator_work"].values
    return float(work[-1] - work[0])


def _positive_work_lean(run: Lean) -> float:
    return run.positive_work


@measure(
    "positive_work",
    "J",
    "work of all actuators while it is positive: nothing is recovered from braking",
    lean=_positive_work_lean,
    wants=("time",),
)
def positive_work(result: Result) -> float | None:
    return energy_use.positive_work(result.dataset)


def _peak_torque_lean(run: Lean) -> float:
    return float(run.peak.max(initial=0.0))


@measure(
    "peak_torque",
    "N m",
    "largest absolute torque of any joint, or along a rod, at any step (N for one that slides)",
    lean=_peak_torque_lean,
    wants=("time", "torque"),
)
def peak_torque(result: Result) -> float | None:
    return max(actuator_limits.peak_torque_by_axis(result.dataset).values(), default=None)


def _largest(peak: NDArray[np.float64], limit: NDArray[np.float64]) -> float | None:
    known = np.isfinite(limit)
    return float((peak[known] / limit[known]).max()) if known.any() else None


def _torque_ratio_lean(run: Lean) -> float | None:
    return _largest(run.peak, run.limit)


@measure(
    "torque_ratio",
    "1",
    "largest ratio of a joint's torque to its `torque_limit`; above 1 a limit is passed. With contacts, of a torque "
    "that lasts 10 ms: the peak of a single step has no limit as steps shrink",
    lean=_torque_ratio_lean,
    wants=("time", "torque", "limit"),
)
def torque_ratio(result: Result) -> float | None:
    data = result.dataset
    if "joint_torque" not in data or "joint_limit" not in data:
        return None
    torque = data["lasting_torque"].values if "lasting_torque" in data else actuator_limits.peak_torque(data)
    return _largest(torque, data["joint_limit"].values)
