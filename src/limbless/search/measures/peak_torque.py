"""`peak_torque`: the largest torque of any joint."""

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import actuator_limits
from limbless.simulation.result import Result


def _lean(run: Lean) -> float:
    return float(run.peak.max(initial=0.0))


@measure(
    "peak_torque",
    "N m",
    "largest absolute torque of any joint at any step (N for one that slides)",
    lean=_lean,
    wants=("time", "torque"),
)
def peak_torque(result: Result) -> float | None:
    data = result.dataset
    return float(actuator_limits.peak_torque(data).max(initial=0.0)) if "joint_torque" in data else None
