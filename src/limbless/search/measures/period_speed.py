"""`period_speed`: the speed of the last whole period."""

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis import speed
from limbless.simulation.result import Result


@measure(
    "period_speed",
    "m/s",
    "distance of the last whole period of the gait, over the period; not yet steady in a short run",
    wants=("time", "period"),
)
def period_speed(result: Result) -> float | None:
    return speed.period_speed(result.looks, result.period)
