"""Figures of every run of a rod: the body and its track, efforts and internal wrench along it, what a root carries."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from limbless.simulation.analysis import speed
from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure
from limbless.view.figures.general import draw_power, last_periods

if TYPE_CHECKING:
    from limbless.simulation.result import Result

_SNAPSHOTS = 5
_LABELS = ("stretch (N)", "lateral shear (N)", "vertical shear (N)", "twist (N m)", "pitch (N m)", "yaw (N m)")
_SILENT = 1e-6


@figure(
    "rod-body",
    "where the rod went, how fast, and with what power",
    every_run=True,
    needs=("head_position", "com_velocity", "effort", *body_outline.BODY),
)
def rod_body(result: Result) -> Drawing:
    data = result.dataset
    plane, time = body_outline.widest_plane(data), data["time"].values
    records = np.unique(np.linspace(0, len(time) - 1, _SNAPSHOTS).round().astype(int))
    track, snaps = data["head_position"].values[:, plane], body_outline.snapshots(data, plane, records)
    sheet, (where, fast, power) = style.panels([body_outline.panel_height([track, *snaps.values()]), 24.0, 24.0])
    table: Table = {
        "time (s)": time,
        "speed of the centre of mass (m/s)": speed.recorded_speed(data),
    }
    body_outline.draw_track(where, data, plane, track, snaps, table)
    where.set_title("track of the head, and the body at equal intervals")
    fast.plot(time, table["speed of the centre of mass (m/s)"], color=style.SKY)
    fast.set(xlabel="time (s)", ylabel="speed (m/s)", xlim=(time[0], time[-1]))
    style.from_zero(fast)
    draw_power(power, result, table)
    return sheet, table


def _waves(result: Result, variable: str, words: str) -> Drawing:
    """The loud components of a wrench over time and along the body, at the end of the run."""
    wrench, X = result.dataset[variable].values, result.dataset["abscissa"].values
    peak = np.abs(wrench).max(axis=(0, 1))
    loud = [c for c in range(6) if peak[c] > _SILENT * max(float(peak.max()), 1e-300)] or [5]
    sheet, panels = style.panels([30.0] * len(loud))
    table: Table = {"X (m)": X}
    time, shown = result.dataset["time"].values, last_periods(result)
    for axes, c in zip(panels, loud, strict=True):
        title = f"{words} in {_LABELS[c]}"
        style.draw_wave(axes, time[shown], X, wrench[shown, :, c], xlabel="time (s)", ylabel="X (m)", title=title)
        table[f"peak {words} in {_LABELS[c]}"] = np.abs(wrench[..., c]).max(axis=0)
    return sheet, table


figure(
    "rod-efforts",
    "efforts of the actuated strains over time and along the body, at the end of the run",
    every_run=True,
    needs=("effort", "abscissa"),
)(partial(_waves, variable="effort", words="effort"))
figure(
    "rod-internal-wrench",
    "internal forces and moments over time and along the body, at the end of the run",
    every_run=True,
    needs=("effort", "internal_wrench", "abscissa"),
)(partial(_waves, variable="internal_wrench", words="internal wrench"))


@figure("rod-root-wrench", "force and couple that the root of an arm carries", needs=("contact_wrench",))
def root_wrench(result: Result) -> Drawing:
    time, wrench = result.dataset["time"].values, result.dataset["contact_wrench"].values
    sheet, panels = style.panels([30.0, 30.0], share_time=True)
    table: Table = {"time (s)": time}
    for axes, start, unit, name in zip(panels, (0, 3), ("N", "N m"), ("force", "couple"), strict=True):
        parts = {axis: wrench[:, start + c] for c, axis in enumerate("xyz")}
        style.curves(axes, time, parts, table, f"{name} {{}} ({unit})")
        axes.set_ylabel(f"{name} ({unit})")
    style.legend_above(panels[0])
    panels[1].set(xlabel="time (s)", xlim=(time[0], time[-1]))
    return sheet, table
