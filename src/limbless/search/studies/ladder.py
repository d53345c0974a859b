"""The ladder: one scenario through every model that takes it; what differs by the model, and what by numerics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limbless.core import InputError, SimulationError, nearest, write_table, write_text
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.error_bars import Watch, error_bars
from limbless.simulation import comparison
from limbless.simulation.comparison import ComparedNumber
from limbless.simulation.result import Result

RUNGS = ("soft", "non-smooth", "macro-continuous", "newton-euler", "geometric", "tendon-statics")
"""All models, that with the most physics first."""
_NO_NUMBER = ("simulated", "computed in")
"""What says nothing about the animal."""


@dataclass
class Rung:
    """One model of a ladder: its result with error bars, or why there is none."""

    model: str
    label: str
    result: Result | None = None
    refused: str = ""


@dataclass
class Ladder:
    """One scenario through several models; the first rung that ran is what the others are compared with."""

    rungs: list[Rung]

    @property
    def ran(self) -> list[Rung]:
        return [rung for rung in self.rungs if rung.result is not None]

    @property
    def results(self) -> list[Result]:
        return [rung.result for rung in self.rungs if rung.result is not None]

    def numbers(self) -> list[ComparedNumber]:
        """The numbers of `limbless compare`, with their numerical errors."""
        return [line for line in comparison.lines(self.results) if not line.label.startswith(_NO_NUMBER)]

    def verdict(self, line: ComparedNumber, number: int) -> str:
        """Why a number of a rung differs from that of the first: `model form` where it differs by more than both
        numerical errors, `numerical error` where it does not, nothing where an error is not known."""
        found = line.difference(number)
        if found is None or found[1] is None:
            return ""
        return "model form" if abs(found[0]) > found[1] else "numerical error"

    def rows(self) -> list[tuple[str, ...]]:
        """The table in words: each number ± its error, then why each rung differs from the first, and the spread."""
        found, count = self.numbers(), len(self.results)
        told = []
        for line, row in zip(found, comparison.rows(found, count), strict=True):
            values = [value for value in line.values if value is not None]
            largest = max(map(abs, values), default=0.0)
            spread = f"{100.0 * (max(values) - min(values)) / largest:.2g} %" if largest else ""
            verdicts = (self.verdict(line, number) for number in range(1, count))
            told.append((*row[: count + 1], *verdicts, spread))
        cost = (f"{1e3 * (one.wall_time or 0.0) / _span(one):.3g} ms/s" for one in self.results)
        return [*told, ("cost", *cost, *[""] * count)]

    @property
    def heads(self) -> tuple[str, ...]:
        labels = [rung.label for rung in self.ran]
        return ("number", *labels, *(f"{label} differs by" for label in labels[1:]), "spread")

    def to_markdown(self) -> str:
        """The table, and in words why models refused."""
        lines = [self.heads, ("---",) * len(self.heads), *self.rows()]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        refused = "".join(f"\n- {rung.model}: refused: {rung.refused}" for rung in self.rungs if rung.result is None)
        return f"{table}\n{refused}\n"

    def write(self, folder: str | Path) -> Path:
        """`ladder.csv`, `ladder.md` and a folder for each run."""
        folder, rows = Path(folder), self.rows()
        write_table(folder / "ladder.csv", {head: [row[k] for row in rows] for k, head in enumerate(self.heads)})
        write_text(folder / "ladder.md", self.to_markdown())
        for rung in self.ran:
            assert rung.result is not None
            rung.result.write(folder / rung.model)
        return folder


def ladder(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    models: Sequence[str] | None = None,
    watch: Watch | None = None,
) -> Ladder:
    """Run a scenario through several models, each with its error bars (step, quadrature, number of links).

    Parameters
    ----------
    source, changes : as for `run`.
    models : kinds of models, that with the most physics first; all that there are if absent. One that does not take
        the scenario is a rung with the reason.
    watch : as for `error_bars`.
    """
    wanted = list(RUNGS if models is None else models)
    for kind in wanted:
        if kind not in RUNGS:
            raise InputError(f"models: unknown model {kind!r}; {nearest(kind, RUNGS)}")
        if wanted.count(kind) > 1:
            raise InputError(f"models: {kind!r} is named twice; name each model once")
    animal = Scenario.load(source, changes)
    rungs = []
    for kind in wanted:
        try:
            scenario = animal if animal.model.kind == kind else Scenario.load(animal, {"model.kind": kind})
            result = error_bars(scenario, watch=watch).result
            rungs.append(Rung(kind, _label(scenario), result))
        except (InputError, SimulationError) as error:
            rungs.append(Rung(kind, kind, refused=" ".join(str(error).split())))
    found = Ladder(rungs)
    if len(found.ran) < 2:
        told = "; ".join(f"{rung.model}: {rung.refused}" for rung in rungs if rung.result is None)
        raise InputError(f"a ladder needs at least two models that take the scenario; refused: {told}")
    return found


def _span(result: Result) -> float:
    """Simulated time, s; 1 where there is none."""
    return float(result.summary().get("duration") or 1.0)


def _label(scenario: Scenario) -> str:
    """The model, and how finely it sees the robot."""
    links = getattr(scenario.robot.build(), "links", None)
    cells = getattr(scenario.model, "cells", None)
    return f"{scenario.model.kind}, {f'{len(links)} links' if links else f'{cells} cells' if cells else 'vertebrae'}"
