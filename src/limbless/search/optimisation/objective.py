"""What a search asks of the library at a point: values, limits and, where there are some, slopes; each found once.

The winner of a search, measured at full resolution and by an ordinary run with its balances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from limbless.core import Array, InputError, SimulationError
from limbless.scenarios.scenario import Scenario
from limbless.search.measures import find, measured
from limbless.search.measures.measure_registry import STEADY
from limbless.search.optimisation.evaluation_log import EvaluationLog, key_of
from limbless.search.optimisation.goals import PER_JOINT, Evaluation, Goal, answer_of
from limbless.search.steady_motion.homogeneity import refuse_medium
from limbless.search.steady_motion.period_map import Near, begun
from limbless.search.steady_motion.period_screw import path_of, pose_change
from limbless.search.steady_motion.steady import Families, SteadyMotion, is_smooth
from limbless.search.studies import soft_gradients
from limbless.search.sweeps import Bounds, InProcess, LocalTeam, SweepPlan, scenario_at
from limbless.simulation.analysis import speed
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario

SPREAD, SPENT = "steady.spread", "consumption"
STEPS = 50
"""Steps of a period while searching: the speed of an eel is right to 2e-6, and a gait costs half."""

NEAR = 1e-6
"""m/s or rad/s: where Newton's method stops while searching; its last step is taken without a pass,
which leaves the square of it.
"""


class SearchSpace:
    """Bounds of all parameters; points in it are shares from 0 to 1."""

    def __init__(self, over: Mapping[str, Bounds]) -> None:
        self.over = dict(over)

    def point(self, u: Array) -> dict[str, float]:
        return {path: float(bounds.at(share)) for (path, bounds), share in zip(self.over.items(), u, strict=True)}

    def shares(self, point: Mapping[str, float]) -> Array:
        return np.clip([bounds.share(point[path]) for path, bounds in self.over.items()], 0.0, 1.0)

    def widths(self, u: Array) -> Array:
        """d value / d share."""
        return np.array(
            [
                bounds.at(share) * math.log(bounds.high / bounds.low)
                if bounds.scale == "log"
                else bounds.high - bounds.low
                for bounds, share in zip(self.over.values(), u, strict=True)
            ]
        )


def _smooth_key(goal: Goal, point: Mapping[str, float]) -> str:
    return key_of(f"smooth {goal.names}", point)


def known_near(memory: EvaluationLog, goal: Goal, point: Mapping[str, float]) -> Near | None:
    """The steady motion that a search by slopes has found at a point."""
    data = memory.get(_smooth_key(goal, point)) or {}
    return _neighbour(data) if "map_slope" in data else None


def _neighbour(data: Mapping[str, Any], step: Array | None = None) -> Near:
    """A steady motion that was found before, carried on along its own slopes."""
    unknowns = np.asarray(data["unknowns"])
    if step is not None:
        unknowns = unknowns + np.asarray(data["unknown_slopes"]) @ step
    return Near(unknowns, np.asarray(data["map_slope"]), np.asarray(data["rows"]))


class DifferentiableObjective:
    """Steady motions with exact slopes, in this process; a neighbour's motion is where the next one begins."""

    def __init__(self, scenario: Scenario, space: SearchSpace, goal: Goal, memory: EvaluationLog) -> None:
        self.scenario, self.space, self.goal, self.memory = scenario, space, goal, memory
        self.families, self.near = Families(STEPS, NEAR), {}  # type: ignore[var-annotated]
        self.paths = list(space.over)

    def __call__(self, number: int, u: Array) -> Evaluation:
        """At a point that the search from a start asks for, by the number of that start."""
        point = self.space.point(u)
        name = _smooth_key(self.goal, point)
        data = self.memory.get(name) or self.memory.put(name, self._found(number, point))
        if data["status"] != "completed":
            return Evaluation(math.inf, np.zeros(0))
        self.near[number] = point, data
        widths = self.space.widths(u)
        slopes = {measure: np.asarray(slope) * widths for measure, slope in data["slopes"].items()}
        per_joint = {name: values for name, values in data["limits"].items() if name != self.goal.measure.name}
        return answer_of(self.goal, {**data["values"], **per_joint}, slopes)

    def _found(self, number: int, point: dict[str, float]) -> dict[str, Any]:
        try:
            return {"point": point, "status": "completed", **self._solved(number, point)}
        except (InputError, SimulationError) as error:
            return {"point": point, "status": f"failed: {error}", "values": {}}

    def _solved(self, number: int, point: dict[str, float]) -> dict[str, Any]:
        motion = self.families.steady(scenario_at(self.scenario, point, False), self.paths, self._near(number, point))
        values, limits, slopes = {}, {}, {}
        for item in self.goal.measures:
            key = item.name.removeprefix("steady.")
            values[item.name] = item.function(motion)
            slopes[item.name] = [motion.slopes[key][path] for path in self.paths]
            if item.name == PER_JOINT and item.name != self.goal.measure.name:
                loaded = motion.torque_ratios > 1e-6  # a motion in a plane loads some joints alone
                limits[item.name] = motion.torque_ratios[loaded].tolist()
                ratios = np.array([motion.slopes["torque_ratios"][path][loaded] for path in self.paths])
                slopes[item.name] = ratios.T.tolist()
        return {
            "values": values,
            "limits": limits,
            "slopes": slopes,
            "unknowns": motion.unknowns.tolist(),
            "unknown_slopes": motion.unknown_slopes.tolist(),
            "map_slope": motion.map_slope.tolist(),
            "rows": motion.rows.tolist(),
        }

    def _near(self, number: int, point: dict[str, float]) -> Near | None:
        if number not in self.near:
            return None
        before, data = self.near[number]
        return _neighbour(data, np.array([point[path] - before[path] for path in self.paths]))

    def plain(self, u: Array) -> Evaluation:
        """The same without slopes."""
        try:
            values = self._values(scenario_at(self.scenario, self.space.point(u), False))
        except (InputError, SimulationError):
            return Evaluation(math.inf, np.zeros(0))
        return answer_of(self.goal, values)

    def _values(self, scenario: Scenario) -> dict[str, Any]:
        motion = self.families.steady(scenario)
        return {
            item.name: motion.torque_ratios
            if item.name == PER_JOINT and item.name != self.goal.measure.name
            else item.function(motion)
            for item in self.goal.measures
        }


class StaticsObjective(DifferentiableObjective):
    """What spines at rest spend, with slopes by adjoints."""

    def _solved(self, number: int, point: dict[str, float]) -> dict[str, Any]:
        from limbless.search.studies import statics_gradients

        value, slopes = statics_gradients.consumption(Scenario.load(self.scenario, point), self.paths)
        return {"values": {SPENT: value}, "limits": {}, "slopes": {SPENT: [slopes[path] for path in self.paths]}}

    def _values(self, scenario: Scenario) -> dict[str, Any]:
        from limbless.search.studies import statics_gradients

        return {SPENT: statics_gradients.consumption(scenario)[0]}


class MotionObjective(DifferentiableObjective):
    """How far soft bodies get in a run, and what their actuators give and spend, with slopes carried along."""

    def _solved(self, number: int, point: dict[str, float]) -> dict[str, Any]:
        names = [item.name for item in self.goal.measures]
        values, slopes = soft_gradients.moved(Scenario.load(self.scenario, point), self.paths, names)
        return {"values": values, "limits": {}, "slopes": {name: slope.tolist() for name, slope in slopes.items()}}

    def _values(self, scenario: Scenario) -> dict[str, Any]:
        return measured(list(self.goal.measures), run_scenario(scenario))


def smooth_way(scenario: Scenario, goal: Goal, paths: Sequence[str] = ()) -> type[DifferentiableObjective] | None:
    """What evaluates a goal with exact slopes along some fields; None where there are none."""
    if all(item.name == SPENT for item in goal.measures):
        from limbless.search.studies import statics_gradients

        return StaticsObjective if statics_gradients.has_slopes(scenario) else None
    if all(item.name in soft_gradients.MEASURES for item in goal.measures):
        return MotionObjective if soft_gradients.has_slopes(scenario, paths) else None
    steady = all(item.needs == STEADY and item.smooth for item in goal.measures)
    return DifferentiableObjective if steady and is_smooth(scenario) else None


class SampledObjective:
    """Whatever a measure asks for, run by run, on workers of this machine.

    Steady motion among contacts counts for its mean, less its spread over three periods: the best single period is
    luck of stick and slip.
    """

    def __init__(
        self, scenario: Scenario, space: SearchSpace, goal: Goal, memory: EvaluationLog, workers: int, allow_code: bool
    ) -> None:
        self.space, self.goal, self.memory = space, goal, memory
        self.settles = goal.measure.needs == STEADY and refuse_medium(scenario) == "settled"
        measures = {item.name: item for item in (*goal.measures, *([find(SPREAD)] if self.settles else []))}
        plan = SweepPlan(scenario, dict.fromkeys(space.over, (0.0,)), tuple(measures.values()), allow_code=allow_code)
        self.team: Any = LocalTeam(plan, workers) if workers else InProcess(plan)

    def __call__(self, points: Sequence[Array]) -> list[Evaluation]:
        asked = [self.space.point(u) for u in points]
        names = [key_of(f"rough {self.goal.names}", point) for point in asked]
        fresh = [number for number, name in enumerate(names) if self.memory.get(name) is None]

        def take(rows: list[Any]) -> None:
            for row in rows:
                self.memory.put(
                    names[row.run],
                    {
                        "point": asked[row.run],
                        "status": row.status,
                        "values": {name: None if math.isnan(value) else value for name, value in row.values.items()},
                    },
                )

        if fresh:
            self.team.fill([(number, asked[number]) for number in fresh], take, keep=True)
        return [self._answer(self.memory.get(name)) for name in names]

    def _answer(self, data: dict[str, Any] | None) -> Evaluation:
        if data is None or data["status"] != "completed" or None in data["values"].values():
            return Evaluation(math.inf, np.zeros(0))
        answer = answer_of(self.goal, data["values"])
        worse = abs(answer.value) * data["values"][SPREAD] if self.settles else 0.0
        return answer._replace(value=answer.value + worse)

    def end(self) -> None:
        self.team.end()


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
    fades = math.log(SETTLED) / math.log(max(largest, 0.1)) if largest < 1.0 else MOST_PERIODS
    periods = min(math.ceil(fades) + 2, MOST_PERIODS)
    gait, step = begun(motion.scenario.gait), motion.period / max(STEPS, motion.steps)
    soft = gait.changed(ramp=2.0 * motion.period) if "ramp" in gait.start_fields else gait
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
