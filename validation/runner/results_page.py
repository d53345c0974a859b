"""How cases came out: rows for the terminal and the page docs/validation.md."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import limbless as ll
from limbless.core.files import wrapped, write_text
from validation.runner.run_cases import NOT_MET, NOT_RUN, Report, RowOutcome

HEADS = ("statement", "measured", "wanted", "verdict")
_SECTIONS = {
    "paper": (
        "The five papers",
        "Published examples against numbers of other code made for this project, and against what the text says.",
    ),
    "closed form": ("Closed forms", "Results from outside the five papers."),
    "ladder": ("The ladder", "The same body and gait through two models: their difference shrinks as it should."),
    "engine": ("Other engines", "Held against Pinocchio, MuJoCo and PyElastica where both can say the same thing."),
}


def number(value: float | None, unit: str = "", tolerance: float | None = None) -> str:
    """Four digits, or as many as show the tolerance."""
    digits = 4 if not value or not tolerance else min(12, max(4, math.ceil(math.log10(abs(value) / tolerance)) + 1))
    return "" if value is None else f"{value:.{digits}g} {unit}".rstrip()


def _measured(outcome: RowOutcome) -> str:
    return number(outcome.measured, outcome.row.unit, outcome.row.tolerance)


def wanted(outcome: RowOutcome) -> str:
    """The reference and the tolerance, or the bounds."""
    row = outcome.row
    if row.between is not None:
        low, high = row.between
        if low is None:
            return f"at most {number(high, row.unit)}"
        return f"at least {number(low, row.unit)}" if high is None else f"{low:.4g} to {number(high, row.unit)}"
    return (
        f"{number(row.reference, tolerance=row.tolerance)} ± {number(row.tolerance, row.unit)}"
        if row.reference is not None
        else ""
    )


def rows(reports: Iterable[Report]) -> list[tuple[str, ...]]:
    """Of the table that the command prints."""
    return [
        (report.case.name, outcome.row.statement, _measured(outcome), wanted(outcome), outcome.verdict)
        for report in reports
        for outcome in report.outcomes
    ]


def counts(reports: Iterable[Report]) -> Counter[str]:
    """Rows per verdict."""
    return Counter(outcome.verdict for report in reports for outcome in report.outcomes)


def told(found: Counter[str]) -> str:
    """`231 met, 2 not met`."""
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items(), key=lambda item: -item[1]))


def markdown(reports: Sequence[Report], extra: str = "") -> str:
    """The whole page; `extra` follows the cases (the scorecard). Experiments have a page of their own."""
    reports = [report for report in reports if report.case.kind != "experiment"]
    parts = [_head(reports)]
    for kind, (title, text) in _SECTIONS.items():
        chosen = [report for report in reports if report.case.kind == kind]
        if chosen:
            parts += [f"## {title}\n\n{text}", *(_section(report) for report in chosen)]
    return "\n\n".join([*parts, extra] if extra else parts) + "\n"


def _head(reports: Sequence[Report]) -> str:
    lines = [
        "# Validation",
        "",
        "Written by `limbless validate --write`, which runs every case of the folder `validation/`; do not edit. "
        "Each row is a statement with what",
        "was measured, what it is held against, and a tolerance whose reason stands beside it. What falls short is "
        "shown as such.",
        "Robots and animals are on [a page of their own](experiments.md).",
        "*The spec* is the corrected form of a paper's model that this project worked from; the model's "
        "[page](index.md) repeats it.",
        "",
        f"**{len(reports)} cases, {sum(counts(reports).values())} rows: {told(counts(reports))}.**",
        "",
        _table(
            ("case", "source", "models", "rows"),
            [
                (
                    f"[{report.case.title}](#{_anchor(report)})",
                    report.case.source,
                    ", ".join(report.case.models),
                    told(counts([report])),
                )
                for report in reports
            ],
        ),
    ]
    short = [(report, outcome) for report in reports for outcome in report.outcomes if outcome.verdict == NOT_MET]
    if short:
        lines += [
            "",
            "## What falls short",
            "",
            _table(
                ("case", "statement", "measured", "wanted", "why"),
                [
                    (
                        f"[{report.case.name}](#{_anchor(report)})",
                        outcome.row.statement,
                        _measured(outcome),
                        wanted(outcome),
                        outcome.row.shortfall or report.problem or "not known: to be found",
                    )
                    for report, outcome in short
                ],
            ),
        ]
    return "\n".join(lines)


def _anchor(report: Report) -> str:
    """The heading of its section, as links name it."""
    return re.sub(r"[^\w -]", "", report.case.title.lower()).replace(" ", "-")


def _section(report: Report) -> str:
    case = report.case
    lines = [f"### {case.title}", "", f"*{case.source}; {', '.join(case.models)}; `limbless validate {case.name}`*", ""]
    lines += [case.remarks.strip(), ""] if case.remarks else []
    lines += [f"**{NOT_RUN if case.missing else NOT_MET}: {report.problem}**", ""] if report.problem else []
    table = [
        (
            stated(outcome),
            _measured(outcome),
            wanted(outcome),
            _verdict(outcome),
            outcome.row.shortfall or outcome.row.reason,
        )
        for outcome in report.outcomes
    ]
    lines.append(_table((*HEADS, "why"), table))
    if report.figure is not None:
        lines += ["", f"![{case.title}](images/validation/{report.figure.name})", "", f"*{case.caption.strip()}*"]
    return "\n".join([*lines, *_error_bars(report)])


def _verdict(outcome: RowOutcome) -> str:
    return f"**{outcome.verdict}**" if outcome.verdict == NOT_MET else outcome.verdict


def _error_bars(report: Report) -> list[str]:
    """Numbers of the scenario's summary with their numerical errors: the run repeated at half the
    step and half the quadrature.
    """
    if report.case.scenario is None:
        return []
    bars = ll.error_bars(report.case.scenario)
    summary = bars.result.summary()
    rows = [
        row
        for name, error in bars.total.items()
        for row in _with_errors(name.replace("_", " "), summary.get(name), error)
    ]
    return (
        [
            "",
            f"Numbers of `limbless run {report.case.scenario} --error`, with their estimated numerical errors:",
            "",
            _table(("number", "value", "numerical error"), rows),
        ]
        if rows
        else []
    )


def _with_errors(name: str, value: Any, error: Any) -> list[tuple[str, str, str]]:
    """A number, or each number of a mapping or list, with its error."""
    if isinstance(value, Mapping):
        return [
            row
            for key, item in value.items()
            for row in _with_errors(f"{name}, {key}".replace("_", " "), item, (error or {}).get(key))
        ]
    if isinstance(value, list | tuple):
        pairs = zip("xyz", value, error or [None] * len(value), strict=False)
        return [row for axis, item, part in pairs for row in _with_errors(f"{name}, {axis}", item, part)]
    if not isinstance(value, float):
        return []
    return [(name, number(value, tolerance=error), "not known" if error is None else f"{error:.1e}")]


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\\\)\|", r"\\|", text).replace("\n", " ").strip()


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    body = ["| " + " | ".join(map(_cell, line)) + " |" for line in lines]
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *body])


def verdicts(page: str) -> dict[str, dict[str, str]]:
    """Title of a case -> statement -> verdict, as a page that was written has them."""
    found: dict[str, dict[str, str]] = {}
    for section in page.split("\n### ")[1:]:
        title, _, text = section.partition("\n")
        lines = [re.split(r"(?<!\\\\) \| ", line.strip("| ")) for line in text.splitlines() if line.startswith("| ")]
        found[title] = {line[0]: line[3].strip("*") for line in lines[1:] if len(line) == len(HEADS) + 1}
    return found


def stated(outcome: RowOutcome) -> str:
    """The statement of a row and its source, as the page has them."""
    row = outcome.row
    return _cell(row.statement + (f" ({row.source})" if row.source else ""))


def differences(reports: Sequence[Report], root: Path) -> list[str]:
    """Verdicts that are not those of the page that is there, in sentences; what was not run says nothing."""
    page = root / "docs" / "validation.md"
    known = verdicts(page.read_text(encoding="utf-8")) if page.is_file() else None
    return [
        f"{report.case.name}: {stated(outcome)}: {outcome.verdict} here, {before} on docs/validation.md"
        for report in (reports if known is not None else ())
        if report.case.kind != "experiment"  # whose verdicts are of another kind, on another page
        for outcome in report.outcomes
        if (before := (known or {}).get(report.case.title, {}).get(stated(outcome), "not"))
        not in (outcome.verdict, NOT_RUN)
        and outcome.verdict != NOT_RUN
    ]


def write(reports: Sequence[Report], root: Path, extra: str = "") -> Path:
    """docs/validation.md below `root`."""
    return write_text(root / "docs" / "validation.md", wrapped(markdown(reports, extra)))
