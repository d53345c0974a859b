"""`peak_torque`: the largest torque of any joint, or along a rod."""

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import actuator_limits
from limbless.simulation.result import Result


def _lean(run: Lean) -> float:
    return float(run.peak.max(initial=0.0))


@measure(
    "peak_torque",
    "N m",
    "largest absolute torque of any joint, or along a rod, at any step (N for one that slides)",
    lean=_lean,
    wants=("time", "torque"),
)
def peak_torque(result: Result) -> float | None:
    return max(actuator_limits.peak_torque_by_axis(result.dataset).values(), default=None)
