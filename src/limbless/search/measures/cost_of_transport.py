"""`cost_of_transport`: what a way costs."""

import numpy as np

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import energy_use, speed
from limbless.simulation.result import Result


def _lean(run: Lean) -> float | None:
    if speed.why_no_transport(run.moved, run.length, run.facts):
        return None
    return energy_use.cost_of_way(run.positive_work, run.mass, float(np.linalg.norm(run.moved)))


def _along(way: float, duration: float, work: float, mass: float) -> float | None:
    return energy_use.cost_of_way(work, mass, way) if way > 0.0 else None


@measure(
    "cost_of_transport", "1", "positive work over weight times distance", lean=_lean, wants=("time",), along=_along
)
def cost_of_transport(result: Result) -> float | None:
    return energy_use.cost_of_transport(result.dataset, result.mass)
