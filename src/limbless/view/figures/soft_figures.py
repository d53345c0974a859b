"""Figures of soft bodies in motion: envelope of the midline, tensions, where the energy went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure
from limbless.view.figures.general import last_periods

if TYPE_CHECKING:
    from limbless.simulation.result import Result

_LINES = 24  # midlines drawn


@figure(
    "soft-midline",
    "midlines of the body at equal intervals, over the last periods or the whole run, and the track of its tip",
    needs=("position", "tip_position", "elastic_energy"),
)
def midline(result: Result) -> Drawing:
    data = result.dataset
    plane, time = list(body_outline.widest_plane(data)), data["time"].values
    shown = np.arange(len(time))[last_periods(result)]
    records = np.unique(shown[np.linspace(0, len(shown) - 1, _LINES).round().astype(int)])
    line = np.concatenate(
        [data["base_position"].values[:, None], data["position"].values, data["tip_position"].values[:, None]], axis=1
    )[..., plane]
    track = line[shown, -1]
    sheet, (axes,) = style.panels([body_outline.panel_height([line[records].reshape(-1, 2)])])
    table: Table = {"time (s)": time[shown]}
    for place, record in enumerate(records):
        axes.plot(*line[record].T, color=style.BLUE, linewidth=0.6, alpha=0.2 + 0.7 * place / max(1, len(records) - 1))
        for c, axis in enumerate(plane):
            table[f"midline at {time[record]:.4g} s, {'xyz'[axis]} (m)"] = line[record, :, c]
    axes.plot(*track.T, color=style.RED, linewidth=0.7)
    for c, axis in enumerate(plane):
        table[f"tip {'xyz'[axis]} (m)"] = track[:, c]
    body_outline.true_scale(axes, [line[records].reshape(-1, 2), track], (plane[0], plane[1]))
    axes.set_title("midlines from light (early) to dark (late); track of the tip")
    return sheet, table


@figure(
    "soft-tensions",
    "tensions and lengths of the tendons, and power of their pulleys",
    needs=("tension", "tendon_rate", "pulley_power"),
)
def tensions(result: Result) -> Drawing:
    data = result.dataset
    time, names = data["time"].values, [str(name) for name in data["tendon"].values]
    sheet, panels = style.panels([26.0, 26.0, 26.0], share_time=True)
    table: Table = {"time (s)": time}
    paid = data["tendon_length"].values - data["tendon_length"].values[:1]
    rows = (
        ("tension (N)", data["tension"].values),
        ("change of length (mm)", 1e3 * paid),
        ("pulley power (mW)", 1e3 * data["pulley_power"].values),
    )
    for axes, (label, values) in zip(panels, rows, strict=True):
        style.curves(axes, time, dict(zip(names, values.T, strict=True)), table, f"{{}}, {label}", linewidth=0.8)
        axes.set_ylabel(label)
    if len(names) <= 6:
        style.legend_above(panels[0])
    panels[-1].set(xlabel="time (s)", xlim=(time[0], time[-1]))
    return sheet, table


@figure(
    "soft-energy",
    "kinetic, elastic, tendon and weight energy, and the works of actuators, environment and dampers",
    every_run=True,
    needs=("elastic_energy", "damping_power", "actuator_work"),
)
def energy(result: Result) -> Drawing:
    data = result.dataset
    time, elastic = data["time"].values, data["elastic_energy"].values
    kinetic, weight = data["kinetic_energy"].values, data["potential_energy"].values - elastic
    tendons = data["tendon_energy"].values if "tendon_energy" in data else np.zeros(len(time))
    damped = data["passive_work"].values + elastic - elastic[:1] + tendons - tendons[:1]
    sheet, (stored, works) = style.panels([32.0, 32.0], share_time=True, gap=9.0)
    table: Table = {"time (s)": time}
    kinds = [("kinetic", kinetic), ("elastic", elastic), ("weight and lift", weight - weight[:1])]
    for name, values in kinds + [("tendons", tendons)] * ("tendon_energy" in data):
        stored.plot(time, 1e3 * values, label=name)
        table[f"{name} energy (J)"] = values
    flows = (
        ("actuators", data["actuator_work"].values),
        ("environment", data["environment_work"].values),
        ("dampers and friction" if "friction_power" in data else "dampers", damped),
    )
    for name, values in flows:
        works.plot(time, 1e3 * values, label=name)
        table[f"work of {name} (J)"] = values
    stored.set_ylabel("energy (mJ)")
    works.set(xlabel="time (s)", ylabel="work since start (mJ)", xlim=(time[0], time[-1]))
    style.legend_above(stored)
    style.legend_above(works)
    return sheet, table
