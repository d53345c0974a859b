"""`mean_speed`: how fast a robot gets away from where it started."""

import numpy as np

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import speed
from limbless.simulation.result import Result


def _lean(run: Lean) -> float | None:
    return float(np.linalg.norm(run.moved)) / run.duration if run.duration else None


def _along(way: float, duration: float, work: float, mass: float) -> float | None:
    return way / duration if duration else None


@measure(
    "mean_speed",
    "m/s",
    "distance between the first and the last place of the centre of mass, over the time",
    lean=_lean,
    wants=("time",),
    along=_along,
)
def mean_speed(result: Result) -> float | None:
    return speed.mean_speed(result.dataset)
