"""`consumption`: what a spine at rest spends along its path."""

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis import statics_work
from limbless.simulation.result import Result


@measure("consumption", "J", "statics: positive work of the actuators along the path", wants=("statics",))
def consumption(result: Result) -> float | None:
    return (statics_work.summary(result.dataset) or {}).get("consumption")
