"""What a spine at rest spends along its path, and how much of that it reaches."""

import numpy as np

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis import statics_work
from limbless.simulation.result import Result


@measure("consumption", "J", "statics: positive work of the actuators along the path", wants=("statics",))
def consumption(result: Result) -> float | None:
    return (statics_work.summary(result.dataset) or {}).get("consumption")


WITHIN = 1e-3  # m


@measure(
    "reached",
    "1",
    "statics: share of the points at which the tip comes within 1 mm of its target",
    wants=("statics", "target"),
)
def reached(result: Result) -> float | None:
    data = result.dataset
    return float(np.mean(data["target_error"].values <= WITHIN)) if "target_error" in data else None
