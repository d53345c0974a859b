"""One run of a plan as a row: what is measured, or the words of what went wrong."""
from __future__ import annotations

import time as clock
from collections.abc import Sequence
from typing import Any

from limbless.callables import told
from limbless.errors import InputError, SimulationError
from limbless.measures import measured
from limbless.measures.registry import STEADY
from limbless.mechanics.compiled.scalars import TANGENTS as LANES
from limbless.scenarios.scenario import Scenario
from limbless.search.plan import Plan
from limbless.search.rollout import scenario_at
from limbless.search.steady import Families
from limbless.search.store import Row
from limbless.simulation import run_scenario

Item = int | tuple[int, dict[str, Any]]
"""The number of a run, whose point the plan knows; or a number with a point of its own."""


def number_of(item: Item) -> int:
    return item[0] if isinstance(item, tuple) else item


class Evaluator:
    """Makes the rows of a plan; what does not change from run to run is made once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.of_results = [item for item in plan.measure if item.needs != STEADY]
        self.of_motions = [item for item in plan.measure if item.needs == STEADY]
        self.families = Families()
        self.in_lanes = not self.of_results and all(item.name != "steady.largest_multiplier" for item in plan.measure)

    def values(self, scenario: Scenario) -> dict[str, float]:
        """All measures of one scenario."""
        found: dict[str, float] = {}
        if self.of_motions:
            found |= measured(self.of_motions, self.families.steady(scenario))
        if self.of_results:
            found |= measured(self.of_results, run_scenario(scenario))
        return {name: found[name] for name in sorted(found, key=self._place)}

    def _place(self, name: str) -> int:
        names = [item.name for item in self.plan.measure]
        return next((number for number, known in enumerate(names) if name == known or name.startswith(f"{known}.")),
                    len(names))

    def row(self, item: Item) -> Row:
        """A row, also where the run failed: its measures are empty, and its status says why."""
        began = clock.perf_counter()
        values: dict[str, float] = {}
        run, point = number_of(item), self._point(item)
        try:
            changed = scenario_at(self.plan.scenario, point, self.plan.allow_code)
            values, status = self.values(changed), "completed"
        except (InputError, SimulationError) as error:
            status = f"failed: {error}"
        except Exception as error:
            status = f"failed: {told(error)}"
        return Row(run, values, status, clock.perf_counter() - began)

    def rows(self, items: Sequence[Item]) -> list[Row]:
        """Rows of a chunk: gaits of one robot eight at a time where that can be, all others one by one."""
        found: dict[int, Row] = {}
        if self.in_lanes:
            for first in range(0, len(items), LANES):
                found |= self._together(items[first:first + LANES])
        return [found.get(number_of(item)) or self.row(item) for item in items]

    def _together(self, items: Sequence[Item]) -> dict[int, Row]:
        """The rows of up to eight steady motions that were found side by side."""
        began = clock.perf_counter()
        try:
            scenarios = [scenario_at(self.plan.scenario, self._point(item), self.plan.allow_code) for item in items]
            motions = self.families.side_by_side(scenarios)
        except (InputError, SimulationError):
            return {}                                    # one by one, so that each has its own words
        seconds = (clock.perf_counter() - began) / len(items)
        return {number_of(item): Row(number_of(item), measured(self.of_motions, motion), "completed", seconds)
                for item, motion in zip(items, motions, strict=True) if motion is not None}

    def _point(self, item: Item) -> dict[str, Any]:
        return item[1] if isinstance(item, tuple) else self.plan.point(item)


def make_rows(plan: Plan, runs: Sequence[Item], memory: dict[str, Any] = {}) -> list[Row]:  # noqa: B006 - kept on purpose
    """Rows in a process that is asked again and again: the evaluator of the last plan is kept."""
    if memory.get("code") != plan.code:
        memory |= {"code": plan.code, "evaluator": Evaluator(plan)}
    return memory["evaluator"].rows(runs)
