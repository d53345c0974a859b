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
from validation.runner import cases
from validation.runner.cases import Case
from validation.runner.run_cases import NOT_MET, NOT_RUN, Report, RowOutcome

_SCORECARD = "## Scorecard"
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


def markdown(reports: Sequence[Report], extra: str = "", before: str = "") -> str:
    """The whole page: fresh sections of the cases that ran, and those of the others as they stood `before`; `extra`
    follows the cases (the scorecard). Experiments have a page of their own.
    """
    fresh = {report.case.name: _section(report) for report in reports if report.case.kind != "experiment"}
    known = sections(before)
    parts: dict[str, list[tuple[Case, str]]] = {}
    for case in map(cases.load, cases.names()) if before else [report.case for report in reports]:
        text = fresh.get(case.name) or known.get(case.title, "")
        if text and case.kind != "experiment":
            parts.setdefault(case.kind, []).append((case, text))
    shown = [pair for kind in _SECTIONS for pair in parts.get(kind, ())]
    page = [_head(shown)]
    for kind, (title, text) in _SECTIONS.items():
        if kind in parts:
            page += [f"## {title}\n\n{text}", *(section for _, section in parts[kind])]
    extra = extra or before[before.find(_SCORECARD) :] if _SCORECARD in before else extra
    return "\n\n".join([*page, extra.rstrip()] if extra else page) + "\n"


def sections(page: str) -> dict[str, str]:
    """Title of a case -> its section, as a page that was written has them."""
    found = [part.partition("\n## ")[0].rstrip() for part in page.split("\n### ")[1:]]
    return {part.partition("\n")[0]: f"### {part}" for part in found}


def _lines(section: str) -> list[list[str]]:
    """Statement, measured, wanted, verdict and reason of every row of a section."""
    lines = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in section.splitlines() if line.startswith("| ")]
    return [line for line in lines[1:] if len(line) == len(HEADS) + 1]


def _count(sections: Iterable[str]) -> Counter[str]:
    return Counter(line[3].strip("*") for section in sections for line in _lines(section))


def _head(shown: Sequence[tuple[Case, str]]) -> str:
    found = _count(section for _, section in shown)
    lines = [
        "# Validation",
        "",
        "This page shows how limbless compares with papers, closed forms and other engines. Each row is a statement: "
        "what was measured, what it is compared with, and a tolerance with its reason. Rows that fall short are shown. "
        "`limbless validate --write` runs every case of the folder `validation/` and writes the page; do not edit it.",
        "",
        "*The reference* is the corrected form of a paper's model that this project worked from; the model's "
        "[page](index.md) repeats it. Next steps: [experiments](experiments.md) compare runs with robots and animals, "
        "and [limits](limits.md) lists what the equations leave out.",
        "",
        f"**{len(shown)} cases, {found.total()} rows: {told(found)}.**",
        "",
        _table(
            ("case", "source", "models", "rows"),
            [
                (f"[{case.title}](#{_anchor(case)})", case.source, ", ".join(case.models), told(_count([section])))
                for case, section in shown
            ],
        ),
    ]
    short = [
        (f"[{case.name}](#{_anchor(case)})", *line[:3], line[4] or "not known: to be found")
        for case, section in shown
        for line in _lines(section)
        if line[3].strip("*") == NOT_MET
    ]
    if short:
        heads = ("case", "statement", "measured", "wanted", "why")
        lines += ["", "## What falls short", "", _table(heads, short)]
    return "\n".join(lines)


def _anchor(case: Case) -> str:
    """The heading of its section, as links name it."""
    return re.sub(r"[^\w -]", "", case.title.lower()).replace(" ", "-")


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
            outcome.row.shortfall or (report.problem if outcome.verdict == NOT_MET else "") or outcome.row.reason,
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
    return re.sub(r"(?<!\\)\|", r"\\|", text).replace("\n", " ").strip()


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    body = ["| " + " | ".join(map(_cell, line)) + " |" for line in lines]
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *body])


def verdicts(page: str) -> dict[str, dict[str, str]]:
    """Title of a case -> statement -> verdict, as a page that was written has them."""
    return {
        title: {line[0]: line[3].strip("*") for line in _lines(section)} for title, section in sections(page).items()
    }


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
    """docs/validation.md below `root`: the sections of these cases, and the others as they stand there."""
    path = root / "docs" / "validation.md"
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    return write_text(path, wrapped(markdown(reports, extra, before)))
