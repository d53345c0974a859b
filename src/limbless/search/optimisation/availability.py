"""Which measures a scenario has: what it lacks is said before the first run, not by a column of empty rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.scenarios.scenario import Scenario
from limbless.search.measures.measure_registry import Measure
from limbless.search.steady_motion.homogeneity import kinks_of, refuse_medium


def _time(scenario: Scenario) -> str | None:
    return None if scenario.task is None else "a task of statics has no time, and so no way, speed or work of a motion"


def _statics(scenario: Scenario) -> str | None:
    return (
        None
        if scenario.task is not None
        else (
            f"is a number of spines at rest (model tendon-statics with a task), and model {scenario.model.kind!r} moves"
        )
    )


def _target(scenario: Scenario) -> str | None:
    return None if scenario.task == "inverse" else f"needs targets to reach, and task {scenario.task!r} has none"


def _period(scenario: Scenario) -> str | None:
    cycle = scenario.gait.cycle
    if not cycle:
        return f"gait {scenario.gait.kind!r} has no period"
    return (
        None
        if scenario.duration >= cycle
        else (f"the run lasts {scenario.duration:g} s and the period of its gait {cycle:g} s; let it last longer")
    )


def _torque(scenario: Scenario) -> str | None:
    model: Any = scenario.assemble()
    return (
        None
        if {"joint_torque", "effort"} & set(model.schema())
        else (f"model {scenario.model.kind!r} has no torques of actuators for this robot")
    )


def _limit(scenario: Scenario) -> str | None:
    arrays = getattr(scenario.robot.build(), "arrays", None)
    known = arrays is not None and np.isfinite(arrays().torque_limit).any()
    return None if known else "no joint of this robot has a `torque_limit`; give it one"


def _smoothness(scenario: Scenario) -> str | None:
    return (
        None
        if refuse_medium(scenario) != "settled"
        else (f"this motion has {kinks_of(scenario)}, and so no multipliers; `steady.spread` tells how it repeats")
    )


def _oscillators(scenario: Scenario) -> str | None:
    return None if "oscillators" in [loop.kind for loop in scenario.loops] else "needs a controller of oscillators"


def _guidance(scenario: Scenario) -> str | None:
    return None if "guidance" in [loop.kind for loop in scenario.loops] else "needs a controller of guidance"


def _path(scenario: Scenario) -> str | None:
    path = any(getattr(loop, "path", ()) for loop in scenario.loops)
    return None if path else "needs a controller that follows a path"


_LACKS = {
    "guidance": _guidance,
    "path": _path,
    "time": _time,
    "oscillators": _oscillators,
    "statics": _statics,
    "target": _target,
    "period": _period,
    "torque": _torque,
    "limit": _limit,
    "smoothness": _smoothness,
}


def why_not(measure: Measure, scenario: Scenario) -> str | None:
    """Why a scenario has no such number; None where it has."""
    for word in measure.wants:
        lack = _LACKS[word](scenario)
        if lack is not None:
            return lack
    return None
