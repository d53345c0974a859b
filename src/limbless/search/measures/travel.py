"""How far and how fast a robot gets, and what that costs."""

import numpy as np

from limbless.search.measures.measure_registry import Lean, measure
from limbless.simulation.analysis import energy_use, speed
from limbless.simulation.result import Result


def _mean_speed_lean(run: Lean) -> float | None:
    return float(np.linalg.norm(run.moved)) / run.duration if run.duration else None


def _mean_speed_along(way: float, duration: float, work: float, mass: float) -> float | None:
    return way / duration if duration else None


@measure(
    "mean_speed",
    "m/s",
    "distance between the first and the last place of the centre of mass, over the time",
    lean=_mean_speed_lean,
    wants=("time",),
    along=_mean_speed_along,
)
def mean_speed(result: Result) -> float | None:
    return speed.mean_speed(result.dataset)


@measure(
    "period_speed",
    "m/s",
    "distance of the last whole period of the gait, over the period; not yet steady in a short run",
    wants=("time", "period"),
)
def period_speed(result: Result) -> float | None:
    return speed.period_speed(result.looks, result.period)


@measure("path_length", "m", "length of the path of the centre of mass", wants=("time",))
def path_length(result: Result) -> float | None:
    return speed.path_length(result.dataset)


@measure(
    "progress",
    "m/s",
    "way of the centre of mass towards the head, all along, over the time: negative where it moves tail first",
    wants=("time",),
)
def progress(result: Result) -> float | None:
    return speed.progress(result.looks)


def _cost_of_transport_lean(run: Lean) -> float | None:
    if speed.why_no_transport(run.moved, run.length, run.facts):
        return None
    return energy_use.cost_of_way(run.positive_work, run.mass, float(np.linalg.norm(run.moved)))


def _cost_of_transport_along(way: float, duration: float, work: float, mass: float) -> float | None:
    return energy_use.cost_of_way(work, mass, way) if way > 0.0 else None


@measure(
    "cost_of_transport",
    "1",
    "positive work over weight times distance",
    lean=_cost_of_transport_lean,
    wants=("time",),
    along=_cost_of_transport_along,
)
def cost_of_transport(result: Result) -> float | None:
    return energy_use.cost_of_transport(result.dataset, result.mass)
