"""`torque_ratio`: the largest torque, measured by what its joint can give."""
import numpy as np

from limbless.analysis import limits
from limbless.measures.registry import measure
from limbless.result import Result


@measure("torque_ratio", "1", "largest ratio of a joint's torque to its `torque_limit`; above 1 a limit is passed")
def torque_ratio(result: Result) -> float | None:
    data = result.dataset
    if "joint_torque" not in data or "joint_limit" not in data:
        return None
    limit = data["joint_limit"].values
    known = np.isfinite(limit)
    return float((limits.peak_torque(data)[known] / limit[known]).max()) if known.any() else None
