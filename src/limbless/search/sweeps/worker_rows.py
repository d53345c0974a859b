"""One run of a plan as a row: what is measured, or the words of what went wrong."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from limbless.core import InputError, SimulationError, told
from limbless.mechanics.compiled import TANGENTS as LANES
from limbless.scenarios.scenario import Scenario
from limbless.search.measures import leanly_measured, measured
from limbless.search.measures.measure_registry import STEADY, Lean
from limbless.search.steady_motion.steady import Families
from limbless.search.sweeps import MODELS, RolloutRun, RolloutScratch, StoredRow, SweepPlan, scenario_at
from limbless.simulation.analysis.speed import transport_facts
from limbless.simulation.simulate import run_scenario

Item = int | tuple[int, dict[str, Any]]
"""The number of a run, whose point the plan knows; or a number with a point of its own."""


def number_of(item: Item) -> int:
    return item[0] if isinstance(item, tuple) else item


class Evaluator:
    """Makes the rows of a plan; what does not change from run to run is made once."""

    def __init__(self, plan: SweepPlan) -> None:
        self.plan = plan
        self.of_results = [item for item in plan.measure if item.needs != STEADY]
        self.of_motions = [item for item in plan.measure if item.needs == STEADY]
        self.families = Families()
        self.desk, self.wanted = RolloutScratch(), {word for item in self.of_results for word in item.wants}
        self._facts: list[tuple[Any, dict[str, Any]]] = []
        still = all(item.name not in ("steady.largest_multiplier", "steady.spread") for item in plan.measure)
        self.lean = (
            not self.of_motions
            and plan.scenario.task is None
            and all(item.lean is not None for item in self.of_results)
        )
        self.in_lanes = self.lean or (not self.of_results and still)

    def values(self, scenario: Scenario) -> dict[str, float]:
        """All measures of one scenario."""
        found: dict[str, float] = {}
        if self.of_motions:
            found |= measured(self.of_motions, self.families.steady(scenario))
        if self.of_results:
            result = run_scenario(scenario)
            found |= {**measured(self.of_results, result), "proven": float(result.proven)}
        return {name: found[name] for name in sorted(found, key=self._place)}

    def _place(self, name: str) -> int:
        names = [item.name for item in self.plan.measure]
        return next(
            (number for number, known in enumerate(names) if name == known or name.startswith(f"{known}.")), len(names)
        )

    def row(self, item: Item) -> StoredRow:
        """A row, also where the run failed: its measures are empty, and its status says why."""
        began = clock.perf_counter()
        values: dict[str, float] = {}
        run, point = number_of(item), self._point(item)
        try:
            changed = scenario_at(self.plan.scenario, point, self.plan.allow_code)
            values, status = self.values(changed), "completed"
        except Exception as error:
            status = f"failed: {error if isinstance(error, InputError | SimulationError) else told(error)}"
        return StoredRow(run, values, status, clock.perf_counter() - began)

    def rows(self, items: Sequence[Item]) -> list[StoredRow]:
        """Rows of a chunk: robots of one make eight at a time where that can be, all others one by one."""
        found: dict[int, StoredRow] = {}
        if self.in_lanes:
            together = self._runs_together if self.lean else self._together
            for first in range(0, len(items), LANES):
                found |= together(items[first : first + LANES])
        return [found.get(number_of(item)) or self.row(item) for item in items]

    def _runs_together(self, items: Sequence[Item]) -> dict[int, StoredRow]:
        """The rows of up to eight runs that went side by side; those that could not, or diverged, are left out."""
        began = clock.perf_counter()
        scenarios: dict[int, Scenario] = {}
        for item in items:
            with suppress(InputError, SimulationError):  # alone, so that it has its own words
                scenario = scenario_at(self.plan.scenario, self._point(item), self.plan.allow_code)
                if self.desk.knows(scenario, self.wanted):
                    scenarios[number_of(item)] = scenario
        found: dict[int, StoredRow] = {}
        for number, ran, lane in self.desk.side_by_side(scenarios):
            values = leanly_measured(self.of_results, self._lean(ran, lane, scenarios[number]))
            found[number] = StoredRow(number, values, "completed", (clock.perf_counter() - began) / len(items))
        return found

    def _lean(self, ran: RolloutRun, lane: int, scenario: Scenario) -> Lean:
        model = ran.models[lane]
        facts = next((facts for known, facts in self._facts if known is model), None)
        if facts is None:
            facts = transport_facts(scenario)
            self._facts = [*self._facts[-MODELS:], (model, facts)]
        mass, length = ran.kind.traits(model)
        return Lean(
            scenario.duration,
            ran.moved(lane),
            float(ran.score.positive[:, lane].sum()),
            ran.score.peak[:, lane].copy(),
            ran.kind.limits(model),
            mass,
            length,
            facts,
        )

    def _together(self, items: Sequence[Item]) -> dict[int, StoredRow]:
        """The rows of up to eight steady motions that were found side by side."""
        began = clock.perf_counter()
        try:
            scenarios = [scenario_at(self.plan.scenario, self._point(item), self.plan.allow_code) for item in items]
            motions = self.families.side_by_side(scenarios)
        except (InputError, SimulationError):
            return {}  # one by one, so that each has its own words
        seconds = (clock.perf_counter() - began) / len(items)
        return {
            number_of(item): StoredRow(number_of(item), measured(self.of_motions, motion), "completed", seconds)
            for item, motion in zip(items, motions, strict=True)
            if motion is not None
        }

    def _point(self, item: Item) -> dict[str, Any]:
        return item[1] if isinstance(item, tuple) else self.plan.point(item)


def make_rows(plan: SweepPlan, runs: Sequence[Item], memory: dict[str, Any] = {}) -> list[StoredRow]:  # noqa: B006
    """Rows in a process that is asked again and again: the evaluator of the last plan is kept."""
    if memory.get("code") != plan.code:
        memory |= {"code": plan.code, "evaluator": Evaluator(plan)}
    return memory["evaluator"].rows(runs)
