"""How often a run ends alike: repeats with starts and steps that differ a little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError, SimulationError
from limbless.robots.rod import HELD
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.error_bars import Watch, watched, with_steps
from limbless.simulation.analysis import speed
from limbless.simulation.result import Result

SIZE = 0.01
"""How far starts differ: of the body's length, and of that a period (or second) as a velocity."""
ALIKE = 0.1
"""Of the way of the run, or of the body's length where that is shorter: places that are no farther apart are one."""
STEPS = (0.7, 1.0)
"""Between which shares of the step those of repeats lie."""


@dataclass
class Robustness:
    """Repeats of a run.

    Attributes
    ----------
    moved : (repeats, 3) m, way of the centre of mass; NaN for one that failed.
    alike : (repeats,) whether it ended as the run did: completed, proven like it, within 10 % of its way.
    endings : how each ended.
    elsewhere : whether starts differ too, or steps alone: where the base is fixed, or a posture finds the start.
    """

    result: Result
    moved: Array
    alike: NDArray[np.bool_]
    endings: list[str]
    elsewhere: bool

    def told(self) -> str:
        """How often the outcome is the same, in a sentence."""
        count, same = len(self.alike), int(self.alike.sum())
        spread = np.linalg.norm(np.nanstd(self.moved, axis=0)) if np.isfinite(self.moved).any() else float("nan")
        starts = f"from other starts (by {SIZE:.0%} of the body's length) and " if self.elsewhere else ""
        line = f"{same} of {count} repeats {starts}with other steps end alike; their ways spread by {spread:.2g} m"
        other = [ending for ending, fits in zip(self.endings, self.alike, strict=True) if not fits]
        return line + (f"; others: {'; '.join(dict.fromkeys(other))}" if other else "")

    def as_dict(self) -> dict[str, Any]:
        """What `summary.json` holds under `robustness`."""
        return {"repeats": len(self.alike), "alike": int(self.alike.sum()), "told": self.told()}


def robustness(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    repeats: int = 10,
    seed: int = 1,
    result: Result | None = None,
    watch: Watch | None = None,
    allow_code: bool = False,
) -> Robustness:
    """Repeat a run with other starts and steps, and count how often it ends alike.

    Each repeat moves the start by 1 % of the body's length in x and y, and adds the velocity of that distance per
    period (per second for a gait without one). Steps are up to 30 % shorter. A `proven` run solved its equations; this
    function tells whether its outcome depends on details that nobody controls.

    Parameters
    ----------
    source, changes : the scenario, as for `run`.
    result : the run itself, if it exists already.

    Returns
    -------
    Robustness : the repeats, and which of them ended alike.
    """
    if repeats < 1:
        raise InputError(f"repeats: at least one; got {repeats}")
    scenario = Scenario.load(source, changes, allow_code=allow_code)
    if scenario.task is not None:
        raise InputError("a task of statics has no start that could differ")
    if result is None:
        result = watched(scenario, "the run", watch)
    own, body = speed.displacement(result.dataset), speed.body_length(result.dataset)
    if own is None:
        raise InputError("no motion was recorded: nothing can end alike")
    within = ALIKE * max(float(np.linalg.norm(own)), body)
    random = np.random.default_rng(seed)
    moved, alike, endings = [], [], []
    for number in range(1, repeats + 1):
        other, elsewhere = _beside(scenario, body, random)
        way, ending = _ending(other, f"repeat {number} of {repeats}", watch)
        near = bool(np.linalg.norm(way - own) <= within)
        same = ending == result.outcome
        moved.append(way)
        alike.append(near and same)
        endings.append(f"{np.linalg.norm(way - own):.2g} m elsewhere" if same and not near else ending)
    return Robustness(result, np.array(moved), np.array(alike), endings, elsewhere)


def _ending(scenario: Scenario, label: str, watch: Watch | None) -> tuple[Array, str]:
    """The way of a repeat, and how it ended."""
    try:
        found = watched(scenario, label, watch)
    except SimulationError as error:
        return np.full(3, np.nan), f"failed: {error}"
    if found.status == "interrupted":
        raise KeyboardInterrupt
    way = speed.displacement(found.dataset)
    return np.full(3, np.nan) if way is None else way, found.outcome


def _beside(scenario: Scenario, body: float, random: np.random.Generator) -> tuple[Scenario, bool]:
    """The scenario with another step and, where its base and its model leave it free, another start; whether it has."""
    robot, initial, size = scenario.robot.build(), scenario.initial, SIZE * body
    free = np.array([c not in HELD.get(robot.base, ()) for c in range(3)]) * [1.0, 1.0, 0.0]
    shift, push = size * random.uniform(-1.0, 1.0, (2, 3)) * free
    finer = with_steps(scenario, 1.0 / random.uniform(*STEPS))
    place = {"initial.position": (np.array(initial.position) + shift).tolist()}
    twist = np.array(initial.twist) + np.concatenate([push / (scenario.gait.cycle or 1.0), np.zeros(3)])
    for changes in ({**place, "initial.twist": twist.tolist()}, place):
        if initial.result is not None or not free.any():
            break
        try:  # a posture finds the place itself; where contacts decide the motion no twist may be given
            moved = Scenario.load(scenario, changes).initial
            scenario.assemble().initial_state(moved, scenario.gait)
            return finer.model_copy(update={"initial": moved}), True
        except InputError:
            continue
    return finer, False
