"""Figures of a closed loop: what its controller does over time, and how the wave runs along the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.view.figures import style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    from limbless.simulation.result import Result


@figure(
    "activity",
    "what every oscillator or neuron of the controller gives over time, and the positions of the joints",
    needs=("activity", "joint_position"),
)
def activity(result: Result) -> Drawing:
    data = result.dataset
    time = data["time"].values
    sheet, panes = style.panels([40.0, 40.0])
    table: Table = {"time (s)": time}
    shown = (("activity", "neuron", "activity", "1"), ("joint_position", "joint", "joint position", "rad or m"))
    for axes, (variable, dim, words, unit) in zip(panes, shown, strict=True):
        values, labels = data[variable].values, data[dim].values
        largest = float(np.abs(values).max(initial=1e-300))
        mesh = axes.pcolormesh(
            time, np.arange(values.shape[1]), values.T, shading="nearest", cmap="RdBu_r", vmin=-largest, vmax=largest
        )
        style.colour_bar(axes, mesh)
        axes.invert_yaxis()
        axes.set_title(f"{words} ({unit}), the first {dim} above")
        axes.set_ylabel(dim)
        axes.set_xlabel("time (s)")
        table |= {f"{words} of {label} ({unit})": values[:, k] for k, label in enumerate(labels)}
    return sheet, table
