"""Runs cases: measures, decides each row, draws the figure."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from limbless.core.errors import InputError
from limbless.view.figures.style import styled
from validation.runner.cases import Case, CaseRow

MET, NOT_MET, NOT_RUN = "met", "not met", "not run"
_SIZE, _RESOLUTION = (5.4, 3.0), 100  # inches, dots per inch: small enough to be kept beside the page


class RowOutcome(NamedTuple):
    """A row with what was measured (None where nothing is) and its verdict."""

    row: CaseRow
    measured: float | None
    verdict: str
    fitted: float | None = None  # the same number of an experiment's fitted arm

    @property
    def fails(self) -> bool:
        """Not met, and not declared as a known shortfall."""
        return self.verdict == NOT_MET and not self.row.shortfall


class Report(NamedTuple):
    """A case that was run."""

    case: Case
    outcomes: list[RowOutcome]
    problem: str  # why it could not be measured
    seconds: float
    figure: Path | None

    @property
    def verdict(self) -> str:
        found = [outcome.verdict for outcome in self.outcomes]
        return next((word for word in (NOT_MET, NOT_RUN, MET) if word in found), found[0])


def run(cases: Iterable[Case], pictures: Path | None = None) -> Iterator[Report]:
    """Run cases one after the other; figures go to `pictures` (nowhere by default)."""
    for case in cases:
        yield run_case(case, pictures)


def run_case(case: Case, pictures: Path | None = None) -> Report:
    """Measure, decide, draw. A check that fails leaves all that it should have measured not met."""
    if case.missing:
        problem = f"needs {', '.join(case.missing)}: pip install 'limbless[dev]'"
        return Report(case, [RowOutcome(row, None, row.verdict or NOT_RUN) for row in case.rows], problem, 0.0, None)
    begun = time.perf_counter()
    with styled():
        from matplotlib.figure import Figure

        sheet = Figure(figsize=_SIZE, layout="constrained")
        values, problem = _measured(case, sheet)
        path = _saved(sheet, pictures / f"{case.name}.png") if pictures is not None and not problem else None
    return Report(
        case, [_decided(case, row, values, problem) for row in case.rows], problem, time.perf_counter() - begun, path
    )


def _measured(case: Case, sheet: Any) -> tuple[dict[str, float], str]:
    try:
        return dict(case.module.check(case, sheet)), ""
    except Exception as error:  # whatever goes wrong is shown, and the other cases go on
        logging.getLogger(__name__).info("%s", case.name, exc_info=True)
        return {}, f"{_place(case, error)}{type(error).__name__}: {error}".removesuffix(": ")


def _place(case: Case, error: Exception) -> str:
    """File and line of the case, or of what lies beside it, where an exception came from."""
    root = case.folder.parents[1]
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(root)]
    frame = next((frame for frame in reversed(own) if _is_of_cases(root, frame.filename)), None)
    return "" if frame is None else f"{Path(frame.filename).relative_to(root).as_posix()}:{frame.lineno}: "


def _is_of_cases(root: Path, filename: str) -> bool:
    first, second = Path(filename).relative_to(root).parts[:2]
    return first == "validation" and second != "runner"


def _decided(case: Case, row: CaseRow, values: dict[str, float], problem: str) -> RowOutcome:
    if row.verdict is not None:
        return RowOutcome(row, None, row.verdict)
    if problem:
        return RowOutcome(row, None, NOT_MET)
    names = (row.value, *([f"{row.value}, fitted"] if row.fitted else []))
    for name in names:
        if name not in values:
            raise InputError(
                f"validation/{case.name}/check.py returns no {name!r}; it returns {', '.join(sorted(values))}"
            )
    measured, *fitted = (float(values[name]) for name in names)
    met = row.holds(measured)
    if row.fitted is not None:
        met = met and abs(fitted[0] - row.fitted.reference) <= row.fitted.tolerance
    return RowOutcome(row, measured, MET if met else NOT_MET, *fitted)


def _saved(sheet: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.savefig(path, dpi=_RESOLUTION, metadata={"Software": None})
    return path
