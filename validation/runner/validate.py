"""What `limbless validate` does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from limbless.core.errors import InputError
from limbless.view import terminal
from validation.runner import cases, experiments_page, results_page, run_cases, scorecard


def validate(names: Sequence[str], quick: bool, out: Console, write: bool = False) -> bool:
    """Run cases (all, the quick ones, or those named), print the table and, if that is asked for, write their parts of
    the page anew (of experiments: where all of them ran). Whether all is well.
    """
    home = cases.home()
    chosen = [cases.load(name, home) for name in (names or cases.names(home))]
    if quick:
        chosen = [case for case in chosen if case.quick]
    whole, extra = not names and not quick, ""
    reports = []
    for report in run_cases.run(chosen, home.parent / "docs" / "images" / "validation" if write else None):
        out.print(
            Text(
                f"{report.case.name}: {results_page.told(results_page.counts([report]))} ({report.seconds:.1f} s)"
                + (f"; {report.problem}" if report.problem else "")
            )
        )
        reports.append(report)
    out.print(terminal.table(results_page.rows(reports), ("case", *results_page.HEADS)))
    out.print(Text(f"{len(reports)} cases, {results_page.told(results_page.counts(reports))}", style="bold"))
    changed = [] if write else results_page.differences(reports, home.parent)
    for line in changed:
        out.print(Text(f"{line}; `limbless validate --write` makes the page again", style="bold red"))
    good = not changed and not any(outcome.fails for report in reports for outcome in report.outcomes)
    if whole:
        score = scorecard.run(home)
        out.print(Text(score.told(), style="bold"))
        extra = score.markdown()
        good = good and score.good
    if write:
        lived = {name for name in cases.names(home) if cases.load(name, home).kind == "experiment"}
        if lived <= {report.case.name for report in reports}:
            out.print(Text(f"Written: {experiments_page.write(reports, home.parent)}"))
        out.print(Text(f"Written: {results_page.write(reports, home.parent, extra)}"))
    return good


def mutants(out: Console) -> bool:
    """Every misprint put back, one at a time, as the tests do; whether a named test notices each."""
    root = cases.home().parent
    if not (root / "tests" / "mutants").is_dir():
        raise InputError(f"{root} has no folder tests/mutants; run this in a clone of the repository")
    killed, alive = 0, []
    for name, verdict, *killer in _verdicts(root):
        out.print(terminal.table([(name, verdict, *killer)]))
        if name != "unchanged":
            killed += verdict == "killed"
            alive += [] if verdict == "killed" else [name]
    out.print(
        Text(
            f"{killed} of {killed + len(alive)} misprints are noticed by their tests"
            + (f"; not: {', '.join(alive)}" if alive else ""),
            style="bold",
        )
    )
    return not alive and killed > 0


def _verdicts(root: Path) -> Iterator[list[str]]:
    """Lines of `python tests/mutants`: name, verdict and the test that decided."""
    process = subprocess.Popen(
        [sys.executable, str(root / "tests" / "mutants")],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with process:
        for line in process.stdout or ():
            if "\t" in line:
                yield line.rstrip("\n").split("\t")
