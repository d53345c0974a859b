"""`mean_speed`: how fast a robot gets away from where it started."""
from limbless.analysis import speed
from limbless.measures.registry import measure
from limbless.result import Result


@measure("mean_speed", "m/s", "distance between the first and the last place of the centre of mass, over the time")
def mean_speed(result: Result) -> float | None:
    return speed.mean_speed(result.dataset)
