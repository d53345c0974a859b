"""The scorecard: every invariant that the models' specifications ask for, the test that holds it, its tolerance and
what was measured.

`validation/scorecard.yaml` names the tests. They are run by pytest with a plugin (`margins.py`) that notes,
for every comparison in them, how much of its tolerance was used.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from limbless.core.description import Description
from limbless.core.input_problems import problems_of, report
from limbless.scenarios.document import read_file


class Invariant(Description):
    """A line of the scorecard."""

    invariant: str = Field(min_length=10, description="what must hold, in words")
    item: str = Field(min_length=1, description="number in the list of invariants of the model's specification")
    tests: tuple[str, ...] = Field((), description="what holds it, as pytest names it; none: it is not tested")
    note: str = Field("", description="what is not tested, or why nothing is measured")


class Scorecard(Description):
    """Invariants per model."""

    models: dict[str, tuple[Invariant, ...]]


class Measured(NamedTuple):
    """How a test came out, and its comparison that used most of its tolerance."""

    passed: bool
    difference: float | None
    tolerance: float | None


class ModelScore(NamedTuple):
    """A scorecard whose tests were run."""

    card: Scorecard
    results: Mapping[str, Measured]

    @property
    def good(self) -> bool:
        return all(
            self.results[test].passed for lines in self.card.models.values() for line in lines for test in line.tests
        )

    def counts(self) -> dict[str, tuple[int, int]]:
        """Per model: invariants that tests hold, and all."""
        return {
            model: (
                sum(bool(line.tests) and all(self.results[test].passed for test in line.tests) for line in lines),
                len(lines),
            )
            for model, lines in self.card.models.items()
        }

    def told(self) -> str:
        return "scorecard: " + ", ".join(f"{model} {held} of {total}" for model, (held, total) in self.counts().items())

    def markdown(self) -> str:
        """A section for the page."""
        parts = [
            "## Scorecard",
            "",
            "The invariants that the specification of each model lists, the tests that hold them, and the "
            "comparison in these tests",
            "that came nearest to its tolerance: the difference that was measured, and the largest that is "
            "allowed (none, where",
            "the tests compare no numbers).",
            "",
            "| model | invariants held by tests |",
            "|---|---|",
            *(f"| {model} | {held} of {total} |" for model, (held, total) in self.counts().items()),
        ]
        for model, lines in self.card.models.items():
            parts += [
                "",
                f"### Invariants of {model}",
                "",
                "| item | invariant | tests | measured | allowed |",
                "|---|---|---|---|---|",
                *(self._line(line) for line in lines),
            ]
        return "\n".join(parts)

    def _line(self, line: Invariant) -> str:
        found = [self.results[test] for test in line.tests]
        sharp = [one for one in found if one.difference is not None and one.tolerance]
        worst = max(sharp, key=lambda one: (one.difference or 0.0) / (one.tolerance or 1.0), default=None)
        names = "<br>".join(
            f"`{test.partition('::')[2]}`" + ("" if result.passed else " **fails**")
            for test, result in zip(line.tests, found, strict=True)
        )
        cells = (
            line.item,
            line.invariant + (f" ({line.note})" if line.note else ""),
            names or "**not tested**",
            f"{worst.difference:.1e}" if worst else "",
            f"{worst.tolerance:.1e}" if worst else "",
        )
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def load(home: Path) -> Scorecard:
    """validation/scorecard.yaml."""
    document = read_file(home / "scorecard.yaml", where="validation/scorecard.yaml")
    try:
        return Scorecard.model_validate(document.data)
    except ValidationError as error:
        raise report(problems_of(error, Scorecard, document.data), document.where, document.place) from None


def run(home: Path) -> ModelScore:
    """Run the tests that the scorecard names, in a process of their own."""
    card = load(home)
    tests = sorted({test for lines in card.models.values() for line in lines for test in line.tests})
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "margins.json"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment |= {"LIMBLESS_MARGINS": str(notes), "PYTHONPATH": os.pathsep.join(paths)}
        subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "margins", "-p", "no:cacheprovider", "-q", *tests],
            cwd=home.parent,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        noted: dict[str, Any] = json.loads(notes.read_text(encoding="utf-8")) if notes.is_file() else {}
    return ModelScore(card, {test: _collected(test, noted) for test in tests})


def _collected(test: str, noted: Mapping[str, Any]) -> Measured:
    """A test with all its parameters: it passes when all do, and the nearest miss counts."""
    own = [entry for name, entry in noted.items() if name == test or name.startswith(f"{test}[")]
    sharp = [entry for entry in own if entry["tolerance"]]
    worst = max(sharp, key=lambda entry: entry["difference"] / entry["tolerance"], default=None)
    passed = bool(own) and all(entry["passed"] for entry in own)
    return Measured(passed, worst and worst["difference"], worst and worst["tolerance"])
