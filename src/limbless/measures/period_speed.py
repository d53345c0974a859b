"""`period_speed`: the speed of the last whole period."""

from limbless.analysis import speed
from limbless.measures.registry import measure
from limbless.result import Result


@measure(
    "period_speed",
    "m/s",
    "distance of the last whole period of the gait, over the period; not yet steady in a short run",
    wants=("time", "period"),
)
def period_speed(result: Result) -> float | None:
    return speed.period_speed(result.looks, result.period)
