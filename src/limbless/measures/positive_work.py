"""`positive_work`: what the actuators spend."""

from limbless.analysis import energy
from limbless.measures.registry import Lean, measure
from limbless.result import Result


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
    return energy.positive_work(result.dataset)
