"""The folder of a fit: the fitted scenario, its numbers, residuals, pictures, and a page."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import Array, __version__, as_word, below, write_table, write_text
from limbless.interop.identification.identified import Identified, short
from limbless.interop.identification.measured_run import RunData
from limbless.scenarios.scenario import Scenario
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario
from limbless.view.figures import style

SHOWN = 4  # joints of a log that are drawn over a run
PERIODS = 3.0  # of the gait that are drawn, the last ones
_STYLE = """body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:960px;margin:2em auto;padding:0 1em}
h1{font-size:1.6em;margin-bottom:.1em}h2{font-size:1.15em;margin-top:2em;border-bottom:1px solid #ddd}
table{border-collapse:collapse;font-size:14px}td,th{padding:3px 14px 3px 0;text-align:left}
th{color:#666;font-weight:500}
pre{background:#f6f6f6;padding:.8em 1em;overflow-x:auto;font-size:13px;white-space:pre-wrap}
.figures{display:flex;flex-wrap:wrap;gap:1em}.figures figure{margin:0}.figures img{width:440px;max-width:100%}
.fail{padding:.6em 1em;border-left:6px solid #D55E00;background:#fdeee7}@media print{figure{break-inside:avoid}}"""


def write_fit(
    found: Identified, source: Any, folder: str | Path, changes: Mapping[str, Any] | None = None, form: str = "png"
) -> list[Path]:
    """`fitted.yaml`, which runs; `fit.json` with everything; `residuals/RUN.csv`; pictures (as PNG, which the page
    shows, and as `form`); `report.html`.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    fitted = Scenario.load(Scenario.load(source, changes), found.more["fitted"])
    numbers = {**found.numbers(), "lines": found.lines(), "limbless": __version__}
    residuals = numbers.pop("residuals")
    header = "".join(f"# {line}\n" for line in found.lines())
    paths = [
        write_text(place / "fitted.yaml", header + fitted.to_yaml()),
        write_text(place / "fit.json", json.dumps(numbers, indent=2, default=float) + "\n"),
    ]
    for number, each in enumerate(residuals):
        columns = {
            f"{word} {k}": column
            for word, values in each.items()
            if word != "run"
            for k, column in enumerate(np.asarray(values).T)
        }
        paths.append(write_table(below(place, "residuals", f"{number}-{as_word(each['run'])}.csv"), columns))
    pictures = [_drawn(found, residuals, place / "fit.png", form)]
    for number, run in enumerate(found.runs):
        results = {"before": run_scenario(run.scenario), "fitted": run_scenario(run.changed(found.more["fitted"]))}
        pictures.append(draw_over(run, results, below(place, "figures", f"{number}-{as_word(run.name)}.png"), form))
    told = f"<h1>{escape(fitted.name)}</h1><pre>{escape(chr(10).join(found.lines()))}</pre>{shown(pictures)}"
    again = "<p>The fitted run again: <code>limbless run fitted.yaml</code>.</p>"
    return [*paths, *pictures, write_text(place / "report.html", page(f"{fitted.name} - limbless fit", told + again))]


def page(title: str, body: str) -> str:
    """A page of HTML that needs nothing else."""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<meta name='viewport' content='width=device-width'><title>{escape(title)}</title>"
        f"<style>{_STYLE}</style></head><body>{body}<p>Written by limbless {__version__}.</p></body></html>"
    )


def shown(pictures: Sequence[Path]) -> str:
    """Pictures within such a page."""
    each = (
        f"<figure><img alt='{escape(path.stem)}' src='data:image/png;base64,"
        f"{base64.b64encode(path.read_bytes()).decode()}'></figure>"
        for path in pictures
    )
    return f"<div class='figures'>{''.join(each)}</div>"


def draw_over(run: RunData, results: Mapping[str, Result], path: Path, form: str = "") -> Path:
    """What was measured (dots) over runs (lines): some joints in the last periods, and the way of the marker."""
    seen = {name: run.over(result) for name, result in results.items()}
    words = list(next(iter(seen.values())))
    looks = [{"linestyle": "--", "linewidth": 0.8}, {"linestyle": "-", "linewidth": 1.0}][-len(seen) :]
    with style.styled():
        sheet, panels = style.panels([40.0] * len(words))
        for axes, word in zip(panels, words, strict=True):
            for (name, each), look in zip(seen.items(), looks, strict=True):
                when, measured, mine = each[word]
                if word == "joints":
                    late = when >= when[-1] - PERIODS * (run.cycle or np.inf)
                    _draw_joints(axes, name, when[late], measured[late], mine[late], look)
                else:
                    _draw_way(axes, name, measured, mine, look)
            style.legend_above(axes)
        path.parent.mkdir(parents=True, exist_ok=True)
        return style.save_figure(sheet, path, form)


def _draw_joints(axes: Any, name: str, when: Array, measured: Array, mine: Array, look: Mapping[str, Any]) -> None:
    chosen = np.unique(np.linspace(0, measured.shape[1] - 1, SHOWN).round().astype(int))
    for colour, k in zip(style.COLOURS, chosen, strict=False):
        axes.plot(when, mine[:, k], color=colour, label=None if k else name, **look)
        axes.plot(when, measured[:, k], ".", color=colour, markersize=2.5)
    axes.set(xlabel="time (s)", ylabel="joint angle (rad)")


def _draw_way(axes: Any, name: str, measured: Array, mine: Array, look: Mapping[str, Any]) -> None:
    x, y = np.sort(np.argsort(-np.ptp(measured, axis=0), kind="stable")[:2])  # the plane in which it went farthest
    axes.plot(mine[:, x], mine[:, y], color="black", label=name, **look)
    axes.plot(measured[:, x], measured[:, y], ".", color="0.5", markersize=2.5)
    axes.set(xlabel=f"{'xyz'[x]} (m)", ylabel=f"{'xyz'[y]} (m)", aspect="equal", adjustable="datalim")


def _drawn(found: Identified, residuals: Sequence[Mapping[str, Any]], path: Path, form: str) -> Path:
    """Residuals of every run over their sigma, and each parameter with its interval over its value."""
    with style.styled():
        sheet, (above, below_it) = style.panels([40.0, 8.0 * len(found.paths)])
        for number, each in enumerate(residuals):
            for word, values in each.items():
                if word != "run":
                    sizes = np.asarray(values) / found.more["sigmas"][number][word]
                    spread = np.linspace(-0.3, 0.3, sizes.size)
                    above.plot(number + spread, sizes.ravel(), ".", color="black", markersize=2)
        above.axhspan(-2.0, 2.0, color="0.9")
        above.set_xticks(range(len(residuals)), [each["run"] for each in residuals])
        above.set(ylabel="residual / sigma", xlim=(-0.5, len(residuals) - 0.5))
        for place, (name, value) in enumerate(zip(found.paths, found.values, strict=True)):
            ends = found.bounds(name)
            if ends is not None:
                below_it.plot([end / value for end in ends], [-place] * 2, color="black", linewidth=1.0)
            below_it.plot(
                [1.0], [-place], "o", color="black", markersize=4, markerfacecolor="black" if ends else "white"
            )
            below_it.annotate(short(name), (0.0, 0.25 - place), xycoords=("axes fraction", "data"))
        below_it.set(yticks=[], ylim=(0.4 - len(found.paths), 0.8))
        below_it.set_xlabel("95 % interval over the value (hollow: not determined)")
        return style.save_figure(sheet, path, form)
