"""Runs on top of each other: where they went, how fast, with which power and which torques."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError
from limbless.view.figures import finite
from limbless.view.figures.style import COLOURS, literal, save_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
            look = {"color": COLOURS[number % len(COLOURS)], "linestyle": stroke, "label": literal(name)}
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
