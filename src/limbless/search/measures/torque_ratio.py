"""`torque_ratio`: the largest torque, measured by what its joint can give."""

import numpy as np
from numpy.typing import NDArray

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import actuator_limits
from limbless.simulation.result import Result


def _largest(peak: NDArray[np.float64], limit: NDArray[np.float64]) -> float | None:
    known = np.isfinite(limit)
    return float((peak[known] / limit[known]).max()) if known.any() else None


def _lean(run: Lean) -> float | None:
    return _largest(run.peak, run.limit)


@measure(
    "torque_ratio",
    "1",
    "largest ratio of a joint's torque to its `torque_limit`; above 1 a limit is passed. With contacts, of a torque "
    "that lasts 10 ms: the peak of a single step has no limit as steps shrink",
    lean=_lean,
    wants=("time", "torque", "limit"),
)
def torque_ratio(result: Result) -> float | None:
    data = result.dataset
    if "joint_torque" not in data or "joint_limit" not in data:
        return None
    torque = data["lasting_torque"].values if "lasting_torque" in data else actuator_limits.peak_torque(data)
    return _largest(torque, data["joint_limit"].values)
