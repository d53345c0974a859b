"""Which measures a scenario has: what it lacks is said before the first run, not by a column of empty rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.scenarios.scenario import Scenario
from limbless.search.measures.measure_registry import Measure
from limbless.search.steady_motion.homogeneity import kinks_of, refuse_medium


def _lack(scenario: Scenario, word: str) -> str | None:
    """What a scenario has not that a word of `Measure.wants` names; None where it has."""
    kind, task, cycle = scenario.model.kind, scenario.task, scenario.gait.cycle or 0.0
    match word:
        case "time":
            told = "a task of statics has no time, and so no way, speed or work of a motion"
            return None if task is None else told
        case "statics":
            told = f"is a number of spines at rest (model tendon-statics with a task), and model {kind!r} moves"
            return told if task is None else None
        case "target":
            return None if task == "inverse" else f"needs targets to reach, and task {task!r} has none"
        case "period" if not cycle:
            return f"gait {scenario.gait.kind!r} has no period"
        case "period":
            told = f"the run lasts {scenario.duration:g} s and the period of its gait {cycle:g} s; let it last longer"
            return told if scenario.duration < cycle else None
        case "torque":
            model: Any = scenario.assemble()
            known = {"joint_torque", "effort"} & set(model.schema())
            return None if known else f"model {kind!r} has no torques of actuators for this robot"
        case "limit":
            arrays = getattr(scenario.robot.build(), "arrays", None)
            limited = arrays is not None and np.isfinite(arrays().torque_limit).any()
            return None if limited else "no joint of this robot has a `torque_limit`; give it one"
        case "smoothness" if refuse_medium(scenario) == "settled":
            return f"this motion has {kinks_of(scenario)}, and so no multipliers; `steady.spread` tells how it repeats"
        case "smoothness":
            return None
        case "oscillators" | "guidance":
            return None if word in [loop.kind for loop in scenario.loops] else f"needs a controller of {word}"
        case "path":
            path = any(getattr(loop, "path", ()) for loop in scenario.loops)
            return None if path else "needs a controller that follows a path"
    raise KeyError(word)


def why_not(measure: Measure, scenario: Scenario) -> str | None:
    """Why a scenario has no such number; None where it has."""
    return next((lack for word in measure.wants if (lack := _lack(scenario, word)) is not None), None)
