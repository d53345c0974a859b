"""`reached`: how much of a path a spine at rest reaches."""

import numpy as np

from limbless.search.measures.measure_registry import measure
from limbless.simulation.result import Result

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
