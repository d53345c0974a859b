"""`positive_work`: what the actuators spend."""

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import energy_use
from limbless.simulation.result import Result


def _lean(run: Lean) -> float:
    return run.positive_work


@measure(
    "positive_work",
    "J",
    "work of all actuators while it is positive: nothing is recovered from braking",
    lean=_lean,
    wants=("time",),
)
def positive_work(result: Result) -> float | None:
    return energy_use.positive_work(result.dataset)
