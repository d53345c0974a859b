"""Figures of soft bodies in motion: envelope of the midline, tensions, where the energy went, and in which phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.core import InputError
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
        table |= {f"midline at {time[record]:.4g} s, {'xyz'[k]} (m)": line[record, :, c] for c, k in enumerate(plane)}
    axes.plot(*track.T, color=style.RED, linewidth=0.7)
    table |= {f"tip {'xyz'[axis]} (m)": track[:, c] for c, axis in enumerate(plane)}
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
    rows = (
        ("tension (N)", data["tension"].values),
        ("change of length (mm)", 1e3 * (data["tendon_length"].values - data["tendon_length"].values[:1])),
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
    kinds += [("tendons", tendons)] * ("tendon_energy" in data)
    flows = [
        ("actuators", data["actuator_work"].values),
        ("environment", data["environment_work"].values),
        ("dampers and friction" if "friction_power" in data else "dampers", damped),
    ]
    for axes, lines, column in ((stored, kinds, "{} energy (J)"), (works, flows, "work of {} (J)")):
        for name, values in lines:
            axes.plot(time, 1e3 * values, label=name)
            table[column.format(name)] = values
        style.legend_above(axes)
    stored.set_ylabel("energy (mJ)")
    works.set(xlabel="time (s)", ylabel="work since start (mJ)", xlim=(time[0], time[-1]))
    return sheet, table


@figure(
    "soft-phases",
    "work of all pulleys since the start, and in each phase of the gait",
    needs=("pulley_work", "positive_work"),
)
def phases(result: Result) -> Drawing:
    data, rows = result.dataset, result.summary().get("phases")
    if not rows:
        raise InputError(
            "figure 'soft-phases' needs a gait of several phases, such as wave-and-reach; this gait has one"
        )
    time, names = data["time"].values, [row["phase"] for row in rows]
    sheet, (along, bars) = style.panels([30.0, 24.0])
    table: Table = {"time (s)": time}
    works = {"net": data["pulley_work"].values.sum(axis=1), "positive": data["positive_work"].values.sum(axis=1)}
    style.curves(along, time, works, table, "{} work of all pulleys (J)")
    for row in rows:
        along.axvline(row["start"], color=style.GREY, linewidth=0.5)
        along.annotate(row["phase"], (row["start"], 1.0), (2.0, -6.0), ("data", "axes fraction"), "offset points")
    along.margins(y=0.18)
    along.set(xlabel="time (s)", ylabel="work since start (J)", xlim=(time[0], time[-1]))
    for number, (label, field) in enumerate((("net", "work"), ("positive", "positive_work"))):
        values = np.array([row[field] for row in rows])
        drawn = bars.bar(np.arange(len(rows)) + 0.4 * number, values, 0.38, color=style.COLOURS[number], label=label)
        bars.bar_label(drawn, fmt="%.3g", fontsize=6.0, padding=1.0)
        table[f"{label} work in {', '.join(names)} (J)"] = values
    bars.set_xticks(np.arange(len(rows)) + 0.2, [f"{row['phase']}, {row['start']:g} to {row['end']:g}" for row in rows])
    bars.set(xlabel="phase (s)", ylabel="work (J)", xlim=(-0.4, len(rows) - 0.2))
    bars.margins(y=0.15)
    bars.grid(False, axis="x")
    style.legend_above(bars)
    return sheet, table
