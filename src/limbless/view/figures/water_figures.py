"""What the water does: the wake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.view.figures import style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    from limbless.simulation.result import Result


@figure(
    "wake",
    "force of the wake on the tail, and where the work of the actuators goes: wake, drag, motion",
    every_run=True,
    needs=("wake_force", "wake_power", "law_work", "actuator_work", "kinetic_energy"),
)
def wake(result: Result) -> Drawing:
    data, time = result.dataset, result.dataset["time"].values
    sheet, (force, work) = style.panels([28.0, 36.0], top=12.0, gap=22.0)
    table: Table = {"time (s)": time}
    pushes = {f"force {axis}": data["wake_force"].sel(axis=axis).values for axis in "xyz"}
    style.curves(force, time, pushes, table, "{} (N)")
    laws = {str(name): data["law_work"].sel(law=name).values for name in data["law"].values}
    spent = {
        "wake": -laws.pop("wake"),
        "rest of the water": -np.sum(list(laws.values()), axis=0),
        "kinetic energy": data["kinetic_energy"].values,
    }
    given = data["actuator_work"].values
    style.curves(work, time, {"actuators": given - given[0]}, table, "{} (J)", color=style.BLACK)
    style.curves(work, time, {name: values - values[0] for name, values in spent.items()}, table, "{} (J)")
    force.set(xlabel="time (s)", ylabel="force of the wake (N)", xlim=(time[0], time[-1]))
    work.set(xlabel="time (s)", ylabel="energy (J)", xlim=(time[0], time[-1]))
    style.legend_above(force, 3)
    style.legend_above(work, 2)
    return sheet, table


@figure(
    "immersion", "how much of each section is under water, over time", every_run=True, needs=("immersion", "position")
)
def immersion(result: Result) -> Drawing:
    data, time = result.dataset, result.dataset["time"].values
    share = data["immersion"].values
    sheet, (along, whole) = style.panels([40.0, 22.0], top=16.0)
    image = along.imshow(
        share.T,
        aspect="auto",
        origin="lower",
        vmin=0.0,
        vmax=1.0,
        cmap="Blues",
        extent=(time[0], time[-1], 0.5, share.shape[1] + 0.5),
        interpolation="nearest",
    )
    inset = along.inset_axes((0.72, 1.12, 0.28, 0.06))
    sheet.colorbar(image, cax=inset, orientation="horizontal", ticks=(0.0, 1.0)).set_label("share under water (1)")
    inset.xaxis.set_label_position("top")
    along.set(xlabel="time (s)", ylabel="section (number)")
    length = data["section_length"].values
    mean = share @ length / length.sum()
    whole.plot(time, mean, color=style.COLOURS[0])
    whole.set(xlabel="time (s)", ylabel="share of body (1)", xlim=(time[0], time[-1]), ylim=(-0.02, 1.02))
    table: Table = {"time (s)": time, "share of the body (1)": mean}
    table |= {f"share of section {k + 1} (1)": share[:, k] for k in range(share.shape[1])}
    return sheet, table


@figure(
    "water",
    "velocity of the water where the body is, along the body and over time",
    every_run=True,
    needs=("water_velocity", "position"),
)
def water(result: Result) -> Drawing:
    data, time = result.dataset, result.dataset["time"].values
    u = data["water_velocity"].values
    sheet, axes = style.panels([24.0, 24.0, 24.0], top=12.0)
    table: Table = {"time (s)": time}
    for number, (panel, axis) in enumerate(zip(axes, "xyz", strict=True)):
        both = {"at the base": u[:, 0, number], "at the tip": u[:, -1, number]}
        style.curves(panel, time, both, table, f"water {axis} {{}} (m/s)")
        panel.set(xlabel="time (s)", ylabel=f"water {axis} (m/s)", xlim=(time[0], time[-1]))
    style.legend_above(axes[0], 2)
    return sheet, table
