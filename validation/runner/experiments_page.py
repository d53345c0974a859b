"""docs/experiments.md: runs beside robots and animals, nothing fitted unless it is said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from limbless.core.errors import InputError
from limbless.core.files import wrapped, write_text
from validation.experiments import fitted_verdict, verdict
from validation.runner.cases import Case, CaseRow
from validation.runner.results_page import _anchor, _table, number
from validation.runner.run_cases import Report, RowOutcome

_HEAD = """# Experiments

This page compares runs with measured motion of robots and animals, the worst row first. A balance proves that equations
were integrated well; only an experiment shows that they describe a robot. `limbless validate --write` writes the page
from the cases of kind `experiment` in the folder `validation/`; do not edit it.

The first comparison fits nothing. Where a case has a fitted arm, two more columns show it, and the second table lists
what was fitted. Each number has up to four lengths, which are not added:

- the scatter of the experiment, as a standard deviation or as single trials;
- the numerical error of the run;
- the band of what the experiment does not say: each case lists its assumptions with range and reason;
- for a fitted arm, what 32 draws of the fitted parameters give.

One-at-a-time tables show how far each assumption alone moves a row; the largest effect is in bold. A number that nobody
has published yet is marked as predicted.

limbless computes the verdicts:

- *inside*: the scatter (twice its standard deviation) meets the run with its error and band;
- *outside by*: the gap, as a fraction of the measured mean;
- *not decidable*: the band is wider than half of the value, or the run was fitted to that number.

A row outside does not fail the tests. A value that differs from the recorded one by more than its numerical error does.
"""
_NEXT = """## Next steps

- [Limits](limits.md): what the equations leave out.
- [Compare with my robot's log](compare-log.md): the same comparison for your robot.
- [Validation](validation.md): papers, closed forms and other engines."""


def _worst_first(pair: tuple[Report, RowOutcome]) -> float:
    mean, value = (pair[1].row.scatter or (0.0, 0.0))[0], pair[1].measured
    return -abs(math.log(value / mean)) if value and mean and value / mean > 0.0 else 0.0


def markdown(reports: Sequence[Report]) -> str:
    """The whole page."""
    chosen = [report for report in reports if report.case.kind == "experiment"]
    pairs = [(report, outcome) for report in chosen for outcome in report.outcomes if outcome.row.scatter is not None]
    pairs.sort(key=_worst_first)
    for report, outcome in pairs:
        if verdict(outcome.row, outcome.measured or 0.0).startswith("outside") and not outcome.row.missing:
            raise InputError(
                f"validation/{report.case.name}: {outcome.row.statement!r} is outside: say which physics is `missing`"
            )
    rows = [
        (
            f"[{report.case.name}](#{_anchor(report.case)})",
            outcome.row.statement,
            _experiment(outcome),
            number(outcome.measured, outcome.row.unit),
            "" if outcome.measured is None else f"{outcome.measured / (outcome.row.scatter or (1.0, 0.0))[0]:.2f}",
            report.problem or verdict(outcome.row, outcome.measured or 0.0),
            number(outcome.fitted, outcome.row.unit),
            "" if outcome.fitted is None else fitted_verdict(outcome.row, outcome.fitted),
        )
        for report, outcome in pairs
    ]
    heads = ("case", "what", "experiment", "limbless, un-fitted", "ratio", "verdict", "fitted", "verdict of the fit")
    fitted = "## What was fitted\n\n" + (_fits(chosen) or "Nothing.")
    return "\n\n".join([_HEAD, _table(heads, rows), fitted, *(_section(report) for report in chosen), _NEXT]) + "\n"


def _fits(reports: Sequence[Report]) -> str:
    """Values with intervals, and below what they were fitted to and tested on."""
    arms = [(report, report.case.fitted) for report in reports if report.case.fitted is not None]
    rows = [
        (report.case.name, path, f"{value:.4g}", _interval(low, high))
        for report, arm in arms
        for path, (value, low, high) in arm.values.items()
    ]
    told = [
        f"**{report.case.name}**: fitted to {arm.train}. Tested on {arm.test}."
        + (f" Not determined: {arm.open}." if arm.open else "")
        for report, arm in arms
    ]
    return "\n\n".join([_table(("case", "parameter", "value", "95 %"), rows), *told]) if rows else ""


def _interval(low: float | None, high: float | None) -> str:
    return "not determined" if low is None or high is None else f"{low:.4g} to {high:.4g}"


def _experiment(outcome: RowOutcome) -> str:
    """Mean and standard deviation of results; behind it of how many, and what the mean is known to."""
    row = outcome.row
    if row.scatter is None:
        return ""
    mean, sd = row.scatter
    told = f"{mean:.4g} ± {number(sd, row.unit)}"
    if row.mean_error is None:
        return told
    what = f"{len(row.trials)} trials" if row.trials else f"of {row.count}"
    return f"{told} ({what}, mean ± {row.mean_error:.2g})"


def _fit(outcome: RowOutcome) -> tuple[str, str]:
    row = outcome.row
    if row.fitted is None:
        return "", ""
    return number(outcome.fitted, row.unit), f"{row.fitted.interval[0]:.4g} to {row.fitted.interval[1]:.4g}"


def _effects(case: Case, row: CaseRow) -> tuple[str, ...]:
    """Value at either end of each assumption; the one that moves it farthest in bold."""
    spans = {path: abs(high - low) for path, (low, high) in row.effects.items()}
    largest = max(spans, key=lambda path: spans[path])
    told = {path: f"{low:.4g} to {high:.4g}" for path, (low, high) in row.effects.items()}
    told[largest] = f"**{told[largest]}**"
    return row.statement, *(told.get(path, "") for path in case.assumed)


def _section(report: Report) -> str:
    case = report.case
    lines = [f"## {case.title}", "", f"*{case.source}; {', '.join(case.models)}; `limbless validate {case.name}`*", ""]
    lines += [case.remarks.strip(), ""] if case.remarks else []
    lines += [f"**not run: {report.problem}**", ""] if report.problem else []
    table = [
        (
            outcome.row.statement,
            _experiment(outcome),
            number(outcome.measured, outcome.row.unit),
            number(outcome.row.tolerance, outcome.row.unit),
            ""
            if outcome.row.band is None
            else f"{outcome.row.band[0]:.4g} to {number(outcome.row.band[1], outcome.row.unit)}",
            verdict(outcome.row, outcome.measured or 0.0),
            *(_fit(outcome) if case.fitted else ()),
        )
        for outcome in report.outcomes
        if outcome.row.scatter is not None or outcome.row.predicted
    ]
    heads = ("what", "experiment", "limbless", "numerical error", "band", "verdict")
    lines.append(_table((*heads, *(("fitted", "its interval") if case.fitted else ())), table))
    assumed = [(path, f"{a.between[0]:g} to {a.between[1]:g}", a.reason) for path, a in case.assumed.items()]
    if assumed:
        lines += ["", _table(("assumed", "range", "why"), assumed)]
    if any(row.effects for row in case.rows):
        lines += [
            "",
            _table(("one at a time", *case.assumed), [_effects(case, row) for row in case.rows if row.effects]),
        ]
    short = {outcome.row.missing: outcome.row.statement for outcome in report.outcomes if outcome.row.missing}
    lines += ["", *(f"- **{statement}**: {text}" for text, statement in short.items())] if short else []
    if report.figure is not None:
        lines += ["", f"![{case.title}](images/validation/{report.figure.name})", "", f"*{case.caption.strip()}*"]
    return "\n".join(lines)


def write(reports: Sequence[Report], root: Path) -> Path:
    """docs/experiments.md below `root`."""
    return write_text(root / "docs" / "experiments.md", wrapped(markdown(reports)))
