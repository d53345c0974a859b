"""`optimise`: the best gait or body by a measure, within limits, with what speaks for its being the best."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from limbless.core import Array, InputError, SimulationError, write_text
from limbless.scenarios.scenario import Scenario
from limbless.search.measures.measure_registry import STEADY
from limbless.search.optimisation.availability import why_not
from limbless.search.optimisation.best import Best, Front
from limbless.search.optimisation.evaluation_log import EvaluationLog
from limbless.search.optimisation.goals import Evaluation, Goal, goal_of
from limbless.search.optimisation.objective import (
    DifferentiableObjective,
    SampledObjective,
    SearchSpace,
    confirmed,
    known_near,
    smooth_way,
)
from limbless.search.optimisation.optimisers import Evolution, Gradient, Search
from limbless.search.steady_motion.homogeneity import refuse_medium
from limbless.search.studies.variations import value_at
from limbless.search.sweeps import GUARD, SweepPlan, bounds_of, inside_a_worker, scenario_at

SAME = 1e-3
"""Of the best value: starts that end within it ended at the same gait."""
AT_BOUND = 1e-6
CHECK_GAITS = 200
_log = logging.getLogger("limbless")


class _Options(TypedDict, total=False):
    """What `optimise` takes, with a front and without."""

    maximise: str | Callable[[Any], Any] | None
    minimise: str | Callable[[Any], Any] | None
    subject_to: Sequence[str]
    changes: Mapping[str, Any] | None
    method: str
    starts: int
    out: str | Path | None
    workers: int | None
    max_evaluations: int
    seed: int
    certify: bool
    allow_code: bool
    proven: bool


@overload
def optimise(
    source: str | Path | Mapping[str, Any] | Scenario,
    over: Mapping[str, Any],
    *,
    front: None = None,
    **options: Unpack[_Options],
) -> Best: ...


@overload
def optimise(
    source: str | Path | Mapping[str, Any] | Scenario,
    over: Mapping[str, Any],
    *,
    front: int,
    **options: Unpack[_Options],
) -> Front: ...


def optimise(
    source: str | Path | Mapping[str, Any] | Scenario,
    over: Mapping[str, Any],
    *,
    maximise: str | Callable[[Any], Any] | None = None,
    minimise: str | Callable[[Any], Any] | None = None,
    subject_to: Sequence[str] = (),
    changes: Mapping[str, Any] | None = None,
    method: str = "auto",
    starts: int = 4,
    front: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    max_evaluations: int = 400,
    seed: int = 1,
    certify: bool = True,
    allow_code: bool = False,
    proven: bool = False,
) -> Best | Front:
    """Find the best point of a scenario within bounds.

    Parameters
    ----------
    source, changes : the scenario, as for `run`. Its own values are the first starting point.
    over : path -> (low, high), or `{"from": .., "to": .., "scale": "log"}`.
    maximise, minimise : name of a measure (`progress`, `mean_speed@x`), or a function of a result; with `front`, one of
        each. By default `progress`, the speed towards the head, is maximised.
    subject_to : constraints such as `"steady.torque_ratio <= 1"`, which is one constraint for each joint.
    method : `slsqp` (exact derivatives, for differentiable models and measures), `cma` (CMA-ES, extra `search`), or
        `auto`.
    starts : number of starting points of SLSQP, spread over the bounds.
    max_evaluations : largest number of CMA-ES evaluations.
    seed : random seed for the starting points and for CMA-ES.
    front : number of points of a Pareto front: the best of `minimise` at each of as many limits on `maximise`.
    out : folder that keeps every evaluation, so that a stopped search can be resumed.
    workers : processes for CMA-ES; 0 means this process.
    certify : let CMA-ES look for a better point, from the best point of SLSQP.
    proven : accept only runs that pass their balance checks, like the constraint `"proven >= 1"`.

    Returns
    -------
    Best, or with `front` a Front.
    """
    if inside_a_worker():
        raise InputError(GUARD)
    scenario = Scenario.load(source, changes, allow_code=allow_code)
    scenario.refuse_incomplete()
    settings = _Settings(
        scenario,
        _space(scenario, over),
        method,
        starts,
        workers,
        max_evaluations,
        seed,
        certify,
        allow_code,
        None if out is None else Path(out),
    )
    if proven:
        subject_to = [*([subject_to] if isinstance(subject_to, str) else subject_to), "proven >= 1"]
    if front is not None:
        return _front(settings, maximise, minimise, subject_to, front)
    return _best(settings, goal_of(maximise, minimise, subject_to))


@dataclass
class _Settings:
    scenario: Scenario
    space: SearchSpace
    method: str
    starts: int
    workers: int | None
    max_evaluations: int
    seed: int
    certify: bool
    allow_code: bool
    out: Path | None

    def method_for(self, goal: Goal) -> str:
        smooth = smooth_way(self.scenario, goal, list(self.space.over)) is not None
        if self.method == "auto":
            return "slsqp" if smooth else "cma"
        if self.method not in ("slsqp", "cma"):
            raise InputError(f"method: must be auto, slsqp or cma; got {self.method!r}")
        if self.method == "slsqp" and not smooth:
            rough = [item.name for item in goal.measures if not (item.needs == STEADY and item.smooth)]
            why = (
                f"measure {rough[0]!r} has none here"
                if rough
                else f"the steady motion of model {self.scenario.model.kind!r} here has none"
            )
            raise InputError(f"method: slsqp needs exact slopes, and {why}; use cma")
        return self.method


def _space(scenario: Scenario, over: Mapping[str, Any]) -> SearchSpace:
    """Bounds of fields that are there, are numbers, and do something."""
    if not isinstance(over, Mapping) or not over:
        raise InputError("over: name at least one field with its bounds, such as {'gait.amplitude': (0.01, 0.3)}")
    space = SearchSpace({str(path): bounds_of(str(path), given, scenario) for path, given in over.items()})
    for path in space.over:
        value_at(scenario, path)
    if {"gait.x_first", "gait.amplitude"} <= set(space.over):
        raise InputError(
            "over: gait.x_first and gait.amplitude are the same parameter but for the phase (the wave has "
            "the amplitude A exp(growth x_first)); leave one out"
        )
    plan = SweepPlan(scenario, space.over, ())
    between = {path: bounds.low + (bounds.high - bounds.low) / math.pi for path, bounds in space.over.items()}
    plan.refuse_points([*plan.telling_points(), between])  # no whole numbers: a search goes between them
    return space


def _best(settings: _Settings, goal: Goal, memory: EvaluationLog | None = None, first: Array | None = None) -> Best:
    if any(item.needs == STEADY for item in goal.measures):
        refuse_medium(settings.scenario)
    for item in goal.measures:
        if lack := why_not(item, settings.scenario):
            raise InputError(f"measure {item.name!r}: {lack}")
    method = settings.method_for(goal)
    idle = [f"gait.{name}" for name in settings.scenario.gait.start_fields if f"gait.{name}" in settings.space.over]
    if idle and all(item.needs == STEADY for item in goal.measures):
        raise InputError(f"over: {idle[0]} does nothing in steady motion, which has no beginning; leave it out")
    own = memory is None
    memory = memory or EvaluationLog(settings.out, _plan_data(settings, goal.text(), method))
    before = len(memory.known)
    try:
        search, ends = (_by_slopes if method == "slsqp" else _by_evolution)(settings, goal, memory, first)
        best = search.best
        if best is None:
            words = [data["status"] for data in memory.known.values() if data["status"] != "completed"]
            raise SimulationError(f"no point of the search could be evaluated; the last one {''.join(words[-1:])}")
        certainty = _certainty(settings, goal, memory, best, ends, method)
        found = _made(settings, goal, search, best, method, certainty, memory)
        if before:
            _log.info("%d evaluations were there already", before)
    finally:
        if own:
            memory.close()
    if settings.out is not None and own:
        text = json.dumps(found.summary(), indent=2, allow_nan=False, default=str)
        write_text(settings.out / "best.json", f"{text}\n")
        found.scenario.save(settings.out / "best.yaml")
    return found


def _plan_data(settings: _Settings, goal: str, method: str) -> dict[str, Any]:
    """What a folder holds the evaluations of."""
    return {
        "search": goal,
        "method": method,
        "scenario": settings.scenario.model_dump(mode="json"),
        "bounds": {path: bounds.data() for path, bounds in settings.space.over.items()},
        "starts": settings.starts,
        "seed": settings.seed,
        "max_evaluations": settings.max_evaluations,
    }


def _loop(search: Search, evaluate: Callable[[Sequence[Array]], list[Any]]) -> None:
    try:
        while points := search.ask():
            search.tell(points, evaluate(points))
    finally:
        search.end()


def _starts(settings: _Settings, first: Array | None) -> list[Array]:
    """The scenario's own values, then points spread over the bounds."""
    from scipy.stats import qmc

    if settings.starts < 1:
        raise InputError(f"starts: at least one; got {settings.starts}")
    space = settings.space
    own = first if first is not None else space.shares({path: value_at(settings.scenario, path) for path in space.over})
    spread = qmc.LatinHypercube(len(space.over), rng=settings.seed).random(settings.starts - 1)
    return [own, *(0.1 + 0.8 * spread)]


def _smooth(settings: _Settings, goal: Goal, memory: EvaluationLog) -> DifferentiableObjective:
    way = smooth_way(settings.scenario, goal, list(settings.space.over))
    assert way is not None
    return way(settings.scenario, settings.space, goal, memory)


def _by_slopes(settings: _Settings, goal: Goal, memory: EvaluationLog, first: Array | None) -> tuple[Search, list[Any]]:
    search = Gradient(_starts(settings, first))
    evaluate = _smooth(settings, goal, memory)

    def by_start(points: Sequence[Array]) -> list[Any]:
        return [evaluate(search.starts.index(start), point) for start, point in zip(search.asked, points, strict=True)]

    _loop(search, by_start)
    return search, search.ends


def _by_evolution(
    settings: _Settings, goal: Goal, memory: EvaluationLog, first: Array | None
) -> tuple[Search, list[Any]]:
    start = first if first is not None else _starts(settings, None)[0]
    search = Evolution(np.clip(start, 0.05, 0.95), max_evaluations=settings.max_evaluations, seed=settings.seed)
    workers = os.cpu_count() or 1 if settings.workers is None else settings.workers
    evaluate = SampledObjective(settings.scenario, settings.space, goal, memory, workers, settings.allow_code)
    try:
        _loop(search, evaluate)
    finally:
        evaluate.end()
    return search, []


def _certainty(
    settings: _Settings, goal: Goal, memory: EvaluationLog, best: Any, ends: list[Any], method: str
) -> dict[str, Any]:
    u, answer = best
    active = [
        f"{name} at its {'upper' if share > 0.5 else 'lower'} bound"
        for name, share in zip(settings.space.over, u, strict=True)
        if min(share, 1.0 - share) < AT_BOUND * 1e2
    ]
    found: dict[str, Any] = {
        "bounds_active": active,
        "limits_active": int(np.sum(answer.limits > -1e-4)) if len(answer.limits) else 0,
    }
    if method == "slsqp":
        near = [
            end
            for _, end in ends
            if end is not None
            and math.isfinite(end.value)
            and end.violation < 1e-4
            and abs(end.value - answer.value) <= SAME * abs(answer.value)
        ]
        found |= {"starts": len(ends), "starts_at_the_best": len(near)}
        if settings.certify:
            found |= _checked_by_evolution(settings, goal, memory, u, answer)
    return found


def _checked_by_evolution(
    settings: _Settings, goal: Goal, memory: EvaluationLog, u: Array, answer: Any
) -> dict[str, Any]:
    """Whether CMA-ES, which knows no slopes, finds better from the best point."""
    try:
        search = Evolution(np.clip(u, 0.0, 1.0), width=0.03, max_evaluations=CHECK_GAITS, seed=settings.seed)
    except InputError as error:
        return {"cma": str(error)}
    evaluate = _smooth(settings, goal, memory)
    _loop(search, lambda points: [evaluate.plain(point) for point in points])
    sound = [told.value for _, told in search.history if math.isfinite(told.value) and told.violation < 1e-4]
    gain = (answer.value - min(sound)) / abs(answer.value) if sound else 0.0
    return {"cma_gain": max(gain, 0.0), "cma_agrees": gain <= SAME, "cma_evaluations": len(search.history)}


def _made(
    settings: _Settings,
    goal: Goal,
    search: Search,
    best: tuple[Array, Evaluation],
    method: str,
    certainty: dict[str, Any],
    memory: EvaluationLog,
) -> Best:
    """The winner, measured once more at full resolution and by an ordinary run."""
    u, answer = best
    point = settings.space.point(u)
    scenario = scenario_at(settings.scenario, point, settings.allow_code)
    measured, confirmation = confirmed(scenario, goal, known_near(memory, goal, point))
    history = [
        {
            **settings.space.point(where),
            "value": (-1.0 if goal.largest else 1.0) * one.value,
            "violation": one.violation,
        }
        for where, one in search.history
    ]
    return Best(
        scenario,
        goal.text(),
        point,
        measured[goal.measure.name],
        measured,
        method,
        certainty,
        confirmation,
        history,
        answer.violation <= 1e-4,
    )


def _front(settings: _Settings, maximise: Any, minimise: Any, subject_to: Sequence[str], count: int) -> Front:
    """Least `minimise` at each of a sequence of limits on `maximise`, from what is least at all to what is most."""
    if maximise is None or minimise is None:
        raise InputError("front: give both maximise and minimise, the two sides of the trade-off")
    if count < 2:
        raise InputError(f"front: at least two points; got {count}")
    memory = EvaluationLog(
        settings.out,
        {
            **_plan_data(settings, f"front of {maximise} and {minimise}", settings.method),
            "limits": list(subject_to),
            "points": count,
        },
    )
    try:
        settings.certify = False
        fastest = _best(settings, goal_of(maximise, None, subject_to), memory)
        cheapest = _best(settings, goal_of(None, minimise, subject_to), memory)
        large, small = (goal_of(maximise, None, ()).measure, goal_of(None, minimise, ()).measure)
        high, low = fastest.value, confirmed(cheapest.scenario, goal_of(maximise, None, ()))[0][large.name]
        points, near = [cheapest], settings.space.shares(cheapest.values)
        for limit in np.linspace(low, high, count)[1:-1]:
            limits = [*subject_to, f"{large.name} >= {float(limit)!r}"]
            points.append(_best(settings, goal_of(None, minimise, limits), memory, near))
            near = settings.space.shares(points[-1].values)
        for point in [*points, fastest]:
            for item in (large, small):
                point.measures |= confirmed(point.scenario, goal_of(None, item.name, ()))[0]
        return Front(large.name, small.name, [*points, fastest])
    finally:
        memory.close()
