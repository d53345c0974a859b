"""The measures of the library: how far and how fast a robot gets, what its actuators spend and give, its rhythm, what a
spine at rest reaches, and `steady.*`, the numbers of the motion that a gait settles into (see `limbless.steady`).
"""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.search.measures.measure_registry import STEADY, Lean, leanly, measure
from limbless.simulation.analysis import actuator_limits, energy_use, rhythm, speed, statics_work
from limbless.simulation.analysis.balances import PROVES
from limbless.simulation.result import Result


def _mean_speed_along(way: float, duration: float, work: float, mass: float) -> float | None:
    return way / duration if duration else None


@measure(
    "mean_speed",
    "m/s",
    "distance between the first and the last place of the centre of mass, over the time",
    lean=partial(leanly, _mean_speed_along, False, None),
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


def _cost_of_transport_along(way: float, duration: float, work: float, mass: float) -> float | None:
    return energy_use.cost_of_way(work, mass, way) if way > 0.0 else None


@measure(
    "cost_of_transport",
    "1",
    "positive work over weight times distance",
    lean=partial(leanly, _cost_of_transport_along, True, None),
    wants=("time",),
    along=_cost_of_transport_along,
)
def cost_of_transport(result: Result) -> float | None:
    return energy_use.cost_of_transport(result.dataset, result.mass)


@measure("proven", "1", f"1 where {PROVES}; 0 elsewhere", wants=("time",))
def proven(result: Result) -> float:
    return float(result.proven)


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


def _of_driven_joints(function: Callable[..., Any], result: Result) -> Any:
    """Of the joints that a controller drives, seen from the head; of all joints where there is none."""
    loops = () if result.scenario is None else result.scenario.loops
    joints: Any = next((loop.joints for loop in loops if hasattr(loop, "joints")), "all")
    robot = None if result.scenario is None else result.scenario.robot.build()
    away = -1.0 if getattr(robot, "head", "base") == "tip" else 1.0
    return function(result.dataset, slice(None) if isinstance(joints, str) else list(joints), away)


for _function, _unit, _meaning, _wants in (
    (rhythm.frequency, "Hz", "how often the joints go to and fro, their median over the second half of the run", ()),
    (rhythm.phase_lag, "1", "cycles by which each joint lags behind its neighbour towards the head, their mean", ()),
    (rhythm.wavelength, "1", "body lengths of the wave along the joints, positive from head to tail", ()),
    (rhythm.activity_frequency, "Hz", "turns per second of each oscillator, and their median", ("oscillators",)),
    (
        rhythm.locking_time,
        "s",
        "when oscillators keep step: differences of phase stay within 0.05 rad from then on",
        ("oscillators",),
    ),
):
    measure(_function.__name__, _unit, _meaning, wants=("time", *_wants))(partial(_of_driven_joints, _function))


@measure(
    "actuator_work", "J", "work of all actuators, less what is given back to them while they brake", wants=("time",)
)
def actuator_work(result: Result) -> float | None:
    work = speed.change(result.dataset, "actuator_work")
    return None if work is None else float(work)


@measure("electrical_energy", "J", "voltage times current of all motors, in time, by the records", wants=("time",))
def electrical_energy(result: Result) -> float | None:
    return energy_use.electrical_energy(result.dataset)


@measure("electrical_cost_of_transport", "1", "electrical energy over weight times distance", wants=("time",))
def electrical_cost_of_transport(result: Result) -> float | None:
    return energy_use.cost_of_work(energy_use.electrical_energy(result.dataset), result.dataset, result.mass)


@measure(
    "positive_work",
    "J",
    "work of all actuators while it is positive: nothing is recovered from braking",
    lean=attrgetter("positive_work"),
    wants=("time",),
)
def positive_work(result: Result) -> float | None:
    return energy_use.positive_work(result.dataset)


def _peak_torque_lean(run: Lean) -> float:
    return float(run.peak.max(initial=0.0))


@measure(
    "peak_torque",
    "N m",
    "largest absolute torque of any joint, or along a rod, at any step (N for one that slides)",
    lean=_peak_torque_lean,
    wants=("time", "torque"),
)
def peak_torque(result: Result) -> float | None:
    return max(actuator_limits.peak_torque_by_axis(result.dataset).values(), default=None)


def _largest(peak: NDArray[np.float64], limit: NDArray[np.float64]) -> float | None:
    known = np.isfinite(limit)
    return float((peak[known] / limit[known]).max()) if known.any() else None


def _torque_ratio_lean(run: Lean) -> float | None:
    return _largest(run.peak, run.limit)


@measure(
    "torque_ratio",
    "1",
    "largest ratio of a joint's torque to its `torque_limit`; above 1 a limit is passed. With contacts, of a torque "
    "that lasts 10 ms: the peak of a single step has no limit as steps shrink",
    lean=_torque_ratio_lean,
    wants=("time", "torque", "limit"),
)
def torque_ratio(result: Result) -> float | None:
    data = result.dataset
    if "joint_torque" not in data or "joint_limit" not in data:
        return None
    torque = data["lasting_torque"].values if "lasting_torque" in data else actuator_limits.peak_torque(data)
    return _largest(torque, data["joint_limit"].values)


for _name, _unit, _meaning, _smooth, *_needed in (
    ("speed", "m/s", "speed of the steady motion along its path", True),
    ("turn_rate", "rad/s", "net turn of a period, over the period", True),
    ("positive_work", "J", "positive work of all actuators in a period", True),
    ("power", "W", "positive work of a period, over the period", True),
    ("cost_of_transport", "1", "positive work over weight times distance, of a period", True),
    ("peak_torque", "N m", "largest absolute torque of any joint", False, "torque"),
    (
        "torque_ratio",
        "1",
        "largest ratio of a joint's torque (norm of order 16 over time) to its `torque_limit`",
        True,
        "torque",
        "limit",
    ),
    (
        "spread",
        "1",
        "among contacts: largest difference of the speeds of three settled periods, over their mean",
        False,
    ),
    (
        "largest_multiplier",
        "1",
        "size of the largest Floquet multiplier: below 1 the motion is stable",
        False,
        "smoothness",
    ),
):
    measure(f"steady.{_name}", _unit, _meaning, needs=STEADY, smooth=_smooth, wants=tuple(_needed))(attrgetter(_name))
