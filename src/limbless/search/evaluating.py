"""One run of a plan as a row: what is measured, or the words of what went wrong."""
from __future__ import annotations

import time as clock
from collections.abc import Sequence
from typing import Any

from limbless.callables import told
from limbless.errors import InputError, SimulationError
from limbless.measures import measured
from limbless.measures.registry import STEADY
from limbless.scenarios.scenario import Scenario
from limbless.search.plan import Plan
from limbless.search.steady import Families
from limbless.search.store import Row
from limbless.simulation import run_scenario

Item = int | tuple[int, dict[str, Any]]
"""The number of a run, whose point the plan knows; or a number with a point of its own."""


class Evaluator:
    """Makes the rows of a plan; what does not change from run to run is made once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.of_results = [item for item in plan.measure if item.needs != STEADY]
        self.of_motions = [item for item in plan.measure if item.needs == STEADY]
        self.families = Families()

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
        run, point = item if isinstance(item, tuple) else (item, self.plan.point(item))
        try:
            changed = Scenario.load(self.plan.scenario, point, allow_code=self.plan.allow_code)
            values, status = self.values(changed), "completed"
        except (InputError, SimulationError) as error:
            status = f"failed: {error}"
        except Exception as error:
            status = f"failed: {told(error)}"
        return Row(run, values, status, clock.perf_counter() - began)

    def rows(self, items: Sequence[Item]) -> list[Row]:
        return [self.row(item) for item in items]


def make_rows(plan: Plan, runs: Sequence[Item], memory: dict[str, Any] = {}) -> list[Row]:  # noqa: B006 - kept on purpose
    """Rows in a process that is asked again and again: the evaluator of the last plan is kept."""
    if memory.get("code") != plan.code:
        memory |= {"code": plan.code, "evaluator": Evaluator(plan)}
    return memory["evaluator"].rows(runs)
