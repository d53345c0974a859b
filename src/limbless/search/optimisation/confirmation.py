"""The winner of a search, measured at full resolution and by an ordinary run with its balances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from limbless.scenarios.scenario import Scenario
from limbless.search.measures import measured
from limbless.search.measures.measure_registry import STEADY
from limbless.search.optimisation.goals import Goal
from limbless.search.steady_motion.period_map import Near, begun
from limbless.search.steady_motion.period_screw import path_of, pose_change
from limbless.search.steady_motion.steady import Families, SteadyMotion
from limbless.simulation.analysis import speed
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario

STEPS = 100
SETTLED = 1e-5
"""What a transient has faded to when a run counts as steady."""
MOST_PERIODS = 300


def confirmed(scenario: Scenario, goal: Goal, near: Near | None = None) -> tuple[dict[str, float], dict[str, Any]]:
    """All measures of a goal, and what an ordinary run has to say to them; `near`: where the search has found it."""
    found: dict[str, float] = {}
    said: dict[str, Any] = {}
    steady = [item for item in goal.measures if item.needs == STEADY]
    others = [item for item in goal.measures if item.needs != STEADY]
    if steady:
        motion = Families(STEPS).steady(scenario, near=near)
        found |= measured(steady, motion)
        said |= run_of(motion)
    if others:
        result = run_scenario(scenario)
        found |= measured(others, result)
        said |= {**_believed(result), **{item.name: found[item.name] for item in others}}
    return found, said


def _believed(result: Result) -> dict[str, Any]:
    """Whether a run is proven, why not, and which way it went: m/s, and m/s towards its head."""
    found = {"proven": result.proven, "doubts": list(result.doubts)}
    ways = {"mean_speed": speed.mean_speed(result.dataset), "progress": speed.progress(result.looks)}
    return found | {name: value for name, value in ways.items() if value is not None}


def run_of(motion: SteadyMotion) -> dict[str, Any]:
    """Speed and torques of the last period of a run from rest, long enough for its transient to fade."""
    if motion.kept is not None:
        return {**_believed(motion.kept), "speed": motion.speed, "residual": motion.residual}
    largest = motion.largest_multiplier or 0.0
    periods = MOST_PERIODS if largest >= 1.0 else math.ceil(math.log(SETTLED) / math.log(max(largest, 0.1))) + 2
    periods = min(periods, MOST_PERIODS)
    gait, step = begun(motion.scenario.gait), motion.period / max(STEPS, motion.steps)
    fields = {name: 2.0 * motion.period for name in gait.start_fields if name == "ramp"}
    soft = gait.changed(**fields) if fields else gait
    first = motion.scenario.model_copy(
        update={"gait": soft, "duration": periods * motion.period, "step": step, "record_every": motion.period}
    )
    begin = run_scenario(first)
    last = run_scenario(first.model_copy(update={"duration": motion.period, "record_every": step}), after=begin)
    way, _ = path_of(pose_change(last), abs(motion.turn_rate) > 0.0)
    said: dict[str, Any] = {"periods": periods + 1, "speed": float(way) / motion.period, **_believed(last)}
    if last.proven and not begin.proven:
        said |= {name: value for name, value in _believed(begin).items() if name != "progress"}
    if "joint_torque" in last.dataset and "joint_limit" in last.dataset:
        limit = last.dataset["joint_limit"].values
        known = np.isfinite(limit)
        peak = np.abs(last.dataset["joint_torque"].values).max(axis=0)
        said["torque_ratio"] = float((peak[known] / limit[known]).max()) if known.any() else None
    return said
