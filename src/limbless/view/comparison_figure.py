"""Runs on top of each other: where they went, how fast, with which power and which torques."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError
from limbless.view.figures import finite
from limbless.view.figures.style import COLOURS, colour_of, legend_above, literal, save_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limbless.search.studies.ladder import Ladder
    from limbless.simulation.result import Result

_STYLES = ("-", "--", "-.", ":")


def draw_together(results: Sequence[Result], names: Sequence[str]) -> Figure:
    """Track from above, speed, power and largest torque of every run, in one colour and stroke each."""
    from matplotlib.figure import Figure

    if not all("time" in result.dataset.dims for result in results):
        raise InputError("runs of statics have no time and no track; their numbers are compared in the table")
    with styled():
        figure = Figure(figsize=(7.0, 4.6), layout="constrained")
        axes = figure.subplots(2, 2)
        for number, (result, name) in enumerate(zip(results, names, strict=True)):
            stroke = _STYLES[number // len(COLOURS) % len(_STYLES)]
            look = {"color": colour_of(number), "linestyle": stroke, "label": literal(name)}
            _draw_one(axes, finite(result).dataset, look)
        for panel, (across, up) in zip(axes.flat, _AXES, strict=True):
            panel.set(xlabel=across, ylabel=up)
        axes[0, 0].set_aspect("equal", adjustable="datalim")
        axes[0, 0].legend()
    return figure


_AXES = (
    ("x (m)", "y (m)"),
    ("t (s)", "speed (m/s)"),
    ("t (s)", "actuator power (W)"),
    ("t (s)", "largest torque (N m)"),
)


def _draw_one(axes: Any, data: Any, look: dict[str, Any]) -> None:
    time = data["time"].values
    if "com_position" in data:
        x, y, _ = data["com_position"].values.T
        axes[0, 0].plot(x, y, **look)
        if len(time) > 1:
            velocity = np.gradient(data["com_position"].values, time, axis=0)
            axes[0, 1].plot(time, np.linalg.norm(velocity, axis=1), **look)
    if "actuator_power" in data:
        axes[1, 0].plot(time, data["actuator_power"].values, **look)
    for name in ("joint_torque", "effort"):  # of joints, or along a rod: its couples
        if name in data and data[name].size:
            given = np.abs(data[name].values if name == "joint_torque" else data[name].values[..., 3:])
            axes[1, 1].plot(time, given.reshape(len(time), -1).max(axis=1), **look)


def save_together(results: Sequence[Result], names: Sequence[str], path: Path) -> Path:
    """The same as a picture."""
    return save_figure(draw_together(results, names), path, dpi=200)


def save_table(rows: Sequence[Sequence[str]], heads: Sequence[str], path: Path) -> Path:
    """A table of comparisons as a picture, as `compare.tex` or `ladder.tex` is for LaTeX."""
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(1.0, 1.0))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        cells = [[literal(text) for text in row] for row in (heads, *rows)]
        table = axes.table(cells, loc="center", cellLoc="left", edges="horizontal")
        table.auto_set_font_size(False)
        table.auto_set_column_width(list(range(len(heads))))
        return save_figure(figure, path, dpi=200, bbox_inches="tight", pad_inches=0.05)


def draw_ladder(ladder: Ladder) -> Figure:
    """Of every number a bar for each rung, relative to the first: numerical error in a light shade, what the model
    makes beyond that in a dark one; and the midlines of all rungs at four instants."""
    from matplotlib.figure import Figure

    names, results = [rung.label for rung in ladder.ran], ladder.results
    lines = [
        line for line in ladder.numbers() if line.values[0] and line.label != "mass" and line.errors[0] is not None
    ]
    with styled():
        figure = Figure(figsize=(7.0, 5.2), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=(3, 2))
        upper, lower = parts
        panel = upper.subplots()
        width = 0.8 / max(len(results) - 1, 1)
        for number in range(1, len(results)):
            at = np.arange(len(lines)) + (number - 1) * width
            apart = [line.difference(number) for line in lines]
            size = np.array([abs(line.values[0] or 1.0) for line in lines])
            whole = 100.0 * np.array([0.0 if one is None else abs(one[0]) for one in apart]) / size
            error = 100.0 * np.array([0.0 if one is None or one[1] is None else one[1] for one in apart]) / size
            colour = colour_of(number)
            panel.bar(at, np.minimum(whole, error), width, color=colour, alpha=0.35)
            panel.bar(at, np.maximum(whole - error, 0.0), width, np.minimum(whole, error), color=colour)
            panel.plot([], [], "s", color=colour, label=literal(f"{names[number]} (light: error)"))
        panel.set_xticks(
            np.arange(len(lines)) + 0.4 - 0.5 * width, [line.label for line in lines], rotation=30, ha="right"
        )
        panel.plot([], [], "s", color=colour_of(0), label=literal(names[0]))
        panel.set(ylabel=literal(f"differs from {names[0]} by (%)"), yscale="symlog")
        panel.margins(x=0.02, y=0.1)
        legend_above(panel)
        for number, (axes, share) in enumerate(zip(lower.subplots(1, 4), (0.25, 0.5, 0.75, 1.0), strict=True)):
            for place, result in enumerate(results):
                data = finite(result).dataset
                record = round(share * (data.sizes["time"] - 1))
                x, y, _ = data["position"].values[record].T
                width = 0.6 + 1.8 * (1.0 - place / len(results))  # thin on thick: all are seen where they agree
                axes.plot(x, y, color=colour_of(place), linewidth=width)
            axes.set(xlabel="x (m)", title=f"t = {data['time'].values[record]:.3g} s")
            axes.set_aspect("equal", adjustable="datalim")
            if number == 0:
                axes.set_ylabel("y (m)")
    return figure


def save_ladder(ladder: Ladder, path: Path) -> Path:
    """The same as a picture."""
    return save_figure(draw_ladder(ladder), path, dpi=200)
