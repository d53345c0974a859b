"""`consumption`: what a spine at rest spends along its path."""

from limbless.analysis import statics
from limbless.measures.registry import measure
from limbless.result import Result


@measure("consumption", "J", "statics: positive work of the actuators along the path", wants=("statics",))
def consumption(result: Result) -> float | None:
    return (statics.summary(result.dataset) or {}).get("consumption")
