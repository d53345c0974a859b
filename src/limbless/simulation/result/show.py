"""How a result is shown: figures, studio, report, replay, and what is printed of it. `view` is
imported when something is drawn.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from limbless.core import InputError, below, html_table
from limbless.simulation.analysis import speed, statics_work
from limbless.simulation.analysis.balances import PROVES

if TYPE_CHECKING:
    from limbless.simulation.result.result import Result
    from limbless.view.replay import Replay

_log = logging.getLogger("limbless")


def look_at(result: Result, browser: bool) -> Replay | None:
    """A replay below the cell of a notebook; elsewhere the studio, until its page is closed."""
    from limbless.view import replay

    if replay.in_notebook():
        return replay.Replay(result)
    from limbless.view.studio.studio import Studio, serve

    serve(Studio(result), browser, None if browser else lambda url: _log.warning("the studio is at %s", url))
    return None


def draw_into(folder: Path, result: Result, form: str = "png") -> list[Path]:
    """All figures of a run, with their numbers; one that it cannot fill is left out, with a line in the log."""
    from limbless.view.figures import names_for, save

    written = []
    for name in names_for(result):
        try:
            written += save(result, name, below(folder, "figures"), form)
        except InputError as error:
            _log.warning("figure %s is not drawn: %s", name, error)
    return written


def replay_into(folder: Path, result: Result, beside: Mapping[str, Result] | None = None) -> list[Path]:
    """A run that cannot be drawn has no replay, with a line in the log; it is kept all the same. `beside`: of several
    runs together, by name."""
    from limbless.view.replay import write_replay

    try:
        return [write_replay(result, folder, beside)]
    except InputError as error:
        _log.warning("no replay is written: %s", error)
        return []


def can_replay() -> bool:
    """Whether the extra `view` is installed."""
    return importlib.util.find_spec("viser") is not None


def facts_of(result: Result) -> list[tuple[str, str]]:
    """What `print(result)` says, line by line."""
    head = speed.change(result.dataset, "head_position")
    summary = result.summary()
    lines = [("NOT PROVEN", doubt) for doubt in result.doubts]
    lines += [("scenario", result.name or "none (made in Python)"), ("status", result.outcome)]
    timed = summary["duration"] is not None
    lines += [("duration", f"{summary['duration']:g} s")] if timed else statics_work.lines(summary["statics"])
    if head is not None:
        lines.append(("head displacement", f"({', '.join(f'{round(part, 4) + 0.0:g}' for part in head)}) m"))
    if summary["mean_speed"] is not None:
        last = "" if summary["period_speed"] is None else f", {summary['period_speed']:.4g} m/s in the last period"
        lines.append(("speed", f"{summary['mean_speed']:.4g} m/s on average{last}"))
    proof = result.balances()
    if proof:
        worst = max(proof, key=lambda balance: balance.relative / balance.threshold)
        verdict = f"{worst.verdict} (at most {worst.threshold:g})"
        lines.append(("worst balance", f"{worst.name}: {worst.relative:.1e} of its scale, {verdict}"))
    if proof and result.proven:
        lines.append(("proven", PROVES))
    return lines + [("note", note) for note in result.notes]


def html_of(result: Result) -> str:
    """A result as a notebook shows it."""
    shown = [(label, value) for label, value in facts_of(result) if label != "NOT PROVEN"]
    inside = f"<details><summary>dataset</summary>{result.dataset._repr_html_()}</details>"
    return f"{red_line(result.warning)}{html_table(shown)}{inside}"


def red_line(warning: str) -> str:
    """The warning of a run that is not proven as a line of HTML, red on any page; nothing without one."""
    look = (
        "color:#a32100;background:#fdeee7;border-left:6px solid #D55E00;padding:6px 10px;margin:4px 0;font-weight:600"
    )
    return f"<div class='not-proven' role='alert' style='{look}'>{escape(warning)}</div>" if warning else ""
