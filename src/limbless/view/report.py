"""The report of a run: one page with everything, that needs no network and prints well."""

from __future__ import annotations

import base64
import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limbless.core import PAPERS, InputError, __version__, name_of, write_text
from limbless.simulation.result import red_line
from limbless.view.figures import style
from limbless.view.plot_lines import choices, plot_of
from limbless.view.replay import replay
from limbless.view.scene.frames import Frames, frames_of
from limbless.view.studio.reproduce import changes_of, command_line, python_lines
from limbless.view.studio.server import require
from limbless.view.terminal import summary_rows

if TYPE_CHECKING:
    from limbless.simulation.analysis.balances import Balance
    from limbless.simulation.result import Result

FILE_NAME = "report.html"
MOST_PLOTS = 8
MOST_POINTS = 1500  # of a line in a plot
_MOMENT = 0.6  # share of the run that has passed in the picture for paper

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:960px;margin:2em auto;padding:0 1em}
h1{font-size:1.6em;margin-bottom:.1em}
h2{font-size:1.15em;margin-top:2em;border-bottom:1px solid #ddd;padding-bottom:.2em}
table{border-collapse:collapse;font-size:14px}
td,th{padding:3px 14px 3px 0;text-align:left;vertical-align:top}th{color:#666;font-weight:500}
.note{margin:.3em 0;color:#444}.title{color:#666;margin-top:0}
.verdict{padding:.6em 1em;border-left:6px solid;margin:1em 0;font-size:1.05em}
.pass{background:#e9f5f0;border-color:#009E73}.fail{background:#fdeee7;border-color:#D55E00}
.none{background:#f2f2f2;border-color:#777}
td.fail{background:none;color:#b03a00;font-weight:600}td.pass{background:none;color:#00694d}
pre{background:#f6f6f6;padding:.8em 1em;overflow-x:auto;font-size:13px;white-space:pre-wrap}
iframe{width:100%;height:480px;border:1px solid #ddd}figure{margin:1em 0}figure img{max-width:420px}
@page{margin:15mm}
@media print{iframe,.only-screen,.modebar{display:none!important}
body{max-width:none;margin:0;font-size:11px}h2{break-after:avoid}
.plot,figure,table,pre{break-inside:avoid}.still{display:block!important}}.still{display:none;max-width:100%}
"""


def report(result: Result) -> str:
    """The page as text."""
    require("plotly")
    frames = frames_of(result)
    name = result.name or "result"
    scenario = result.scenario
    parts = [
        red_line(result.warning),
        f"<h1>{escape(name)}</h1><p class='title'>{escape(getattr(scenario, 'title', '') or '')}</p>",
        verdict(result),
        "".join(f"<p class='note'>Note: {escape(note)}</p>" for note in result.notes),
        f"<h2>What was run</h2>{_table(_facts(result))}",
        f"<h2>The motion</h2><div "
        f"class='only-screen'>{_framed(replay(result))}</div>{_posture(frames)}{_still(result)}",
        f"<h2>Numbers</h2>{_table(summary_rows(result.summary()))}",
        f"<h2>Proof</h2>{_proof(result.balances())}",
        f"<h2>Plots</h2>{_plots(frames)}",
        f"<h2>Cite</h2>{_citation(result)}",
        f"<h2>Run it again</h2>{_again(result)}",
        "<details class='only-screen'><summary>Scenario</summary>"
        f"<pre>{escape(scenario.to_yaml() if scenario else '')}</pre></details>",
        f"<p class='title'>Written by limbless {__version__}.</p>",
    ]
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<meta name='viewport' content='width=device-width'><title>{escape(name)} - limbless report</title>"
        f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>"
    )


def write_report(result: Result, folder: str | Path) -> Path:
    """Write the page into a folder."""
    return write_text(Path(folder) / FILE_NAME, report(result))


def verdict(result: Result) -> str:
    """One plain sentence, green or red."""
    balances = result.balances()
    if result.status != "completed":
        return (
            f"<p class='verdict fail' id='verdict'>The run did not come to its end ({escape(result.status)}): "
            "look at it with care.</p>"
        )
    if not result.proven:
        return (
            f"<p class='verdict fail' id='verdict'>Do not trust these numbers: {escape('; '.join(result.doubts))}. "
            "A shorter step usually mends that.</p>"
        )
    if not balances:
        return "<p class='verdict none' id='verdict'>This run recorded nothing that could prove it.</p>"
    worst = max(balances, key=lambda balance: balance.relative / balance.threshold)
    return (
        f"<p class='verdict pass' id='verdict'>All {len(balances)} balances hold: the equations were solved well. "
        f"The worst, {escape(worst.name)}, is off by {worst.relative:.1e} of its scale.</p>"
    )


def _facts(result: Result) -> list[tuple[str, str]]:
    scenario = result.scenario
    rows = [("status", result.outcome), ("model", str(result.dataset.attrs.get("model", "not known")))]
    if scenario is not None:
        rows += [
            ("robot", str(getattr(scenario.robot, "preset", None) or scenario.robot.kind)),
            ("gait", scenario.gait.kind),
            ("environment", ", ".join(item.kind for item in scenario.environment) or "free space"),
            ("actuation", scenario.actuation.kind),
            ("duration, step", f"{scenario.duration:g} s, {scenario.step:g} s")
            if scenario.task is None
            else ("task", scenario.task),
        ]
        if changed := changes_of(scenario):
            rows.append(("changed", ", ".join(f"{path} = {value}" for path, value in changed.items())))
    if result.mass is not None:
        rows.append(("mass", f"{result.mass:.4g} kg"))
    return rows


def _table(rows: list[tuple[str, str]]) -> str:
    cells = (f"<tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>" for label, value in rows)
    return f"<table>{''.join(cells)}</table>"


def _proof(balances: list[Balance]) -> str:
    if not balances:
        return "<p>Nothing recorded that could be compared.</p>"
    rows = "".join(
        f"<tr><th>{escape(one.name)}</th><td>{escape(one.compares)}</td><td>{one.value:.2e} {escape(one.units)}</td>"
        f"<td>{one.relative:.1e}</td><td>{one.threshold:g}</td><td class='{one.verdict}'>{one.verdict}</td></tr>"
        for one in balances
    )
    return (
        "<table><tr><th>balance</th><th>compares</th><th>mismatch</th><th>of its scale</th><th>at "
        f"most</th><th>verdict</th></tr>{rows}</table>"
    )


def _framed(page: str) -> str:
    return f"<iframe title='replay' srcdoc=\"{escape(page, quote=True)}\"></iframe>"


def _posture(frames: Frames) -> str:
    """The robot in its surroundings at one moment, for paper."""
    from io import BytesIO

    from PIL import Image

    from limbless.view.movie import Painter

    file = BytesIO()
    drawn = Painter(frames, (960, 420)).picture(int(_MOMENT * (frames.count - 1)))
    Image.fromarray(drawn).quantize(64).save(file, "PNG", optimize=True)
    return (
        f"<img class='still' src='data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}' alt='the robot'>"
    )


def _still(result: Result) -> str:
    """A picture for paper, in place of the replay: the overview if the run has one."""
    from limbless.view import figures

    names = sorted(figures.names_for(result), key=lambda name: name != "overview")
    if not names:
        return ""
    try:
        picture: Any = figures.draw(result, names[0])[0]
    except InputError:
        return ""
    code = base64.b64encode(picture._repr_png_()).decode()
    return f"<figure><img src='data:image/png;base64,{code}' alt='{escape(names[0])}'></figure>"


def _plots(frames: Frames) -> str:
    """Interactive plots; one copy of plotly in the page serves them all."""
    import plotly.graph_objects as go
    from plotly.offline import get_plotlyjs

    every = max(1, -(-frames.count // MOST_POINTS))
    pieces = [f"<script>{get_plotlyjs()}</script>"]
    for number, name in enumerate(choices(frames)[:MOST_PLOTS]):
        plot = plot_of(frames, name)
        figure = go.Figure()
        for (label, values), colour in zip(plot.lines.items(), style.COLOURS, strict=False):
            figure.add_scatter(
                x=frames.abscissa[::every].tolist(),
                y=values[::every].tolist(),
                mode="lines",
                name=escape(label, quote=False),
                line={"color": colour, "width": 1.6},
            )
        more = f" ({plot.shown} of {plot.shown + plot.left_out} lines)" if plot.left_out else ""
        figure.update_layout(
            height=280,
            margin={"l": 70, "r": 10, "t": 36, "b": 45},
            template="simple_white",
            showlegend=len(plot.lines) > 1,
            title={"text": escape(plot.title + more, quote=False), "font": {"size": 14}, "x": 0.0, "xref": "paper"},
        )
        figure.update_xaxes(title=escape(frames.moment, quote=False), showgrid=True, gridcolor="#eee")
        unit = escape(plot.unit, quote=False) if plot.unit != "1" else ""
        figure.update_yaxes(title=unit, showgrid=True, gridcolor="#eee", exponentformat="power")
        # nothing in it ends or begins an element
        drawn = json.dumps(figure.to_plotly_json(), default=str).replace("<", "\\u003c")
        pieces.append(
            f"<div class='plot' id='plot{number}'></div><script>{{const "
            f"f={drawn};Plotly.newPlot('plot{number}',f.data,f.layout,{{responsive:true,displaylogo:false}})}}</script>"
        )
    return "".join(pieces)


def _citation(result: Result) -> str:
    key = getattr(result.scenario, "paper", None)
    if key is None or key not in PAPERS:
        return "<p>This scenario reproduces no paper.</p>"
    return f"<p>{escape(PAPERS[key].text())}</p><pre>{escape(PAPERS[key].bibtex())}</pre>"


def _again(result: Result) -> str:
    scenario = result.scenario
    if scenario is None:
        return "<p>This run was made of Python objects that no scenario can express.</p>"
    if scenario.driven_by is not None:
        named = escape(name_of(scenario.driven_by.function))
        return (
            f"<p>This run was driven by the Python controller {named}, which its scenario names or holds.</p>"
            "<pre>limbless run scenario.yaml --allow-code</pre>"
        )
    changes = changes_of(scenario)
    if changes is None:
        return f"<pre>limbless run scenario.yaml</pre><pre>{escape(python_lines(scenario, {}))}</pre>"
    shell, python = command_line(scenario.name, changes), python_lines(scenario.name, changes)
    return f"<pre>{escape(shell)}</pre><pre>{escape(python)}</pre>"
