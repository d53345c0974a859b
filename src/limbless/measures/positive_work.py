"""`positive_work`: what the actuators spend."""
from limbless.analysis import energy
from limbless.measures.registry import measure
from limbless.result import Result


@measure("positive_work", "J", "work of all actuators while it is positive: nothing is recovered from braking")
def positive_work(result: Result) -> float | None:
    return energy.positive_work(result.dataset)
