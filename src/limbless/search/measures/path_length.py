"""`path_length`: how long the way was."""

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis import speed
from limbless.simulation.result import Result


@measure("path_length", "m", "length of the path of the centre of mass", wants=("time",))
def path_length(result: Result) -> float | None:
    return speed.path_length(result.dataset)
