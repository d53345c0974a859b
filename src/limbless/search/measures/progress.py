"""`progress`: how fast a robot moves towards its head."""

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis import speed
from limbless.simulation.result import Result


@measure(
    "progress",
    "m/s",
    "way of the centre of mass towards the head, all along, over the time: negative where it moves tail first",
    wants=("time",),
)
def progress(result: Result) -> float | None:
    return speed.progress(result.looks)
