"""What the water does: the wake."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.view.figures import style
from limbless.view.figures.registry import Drawing, Table, figure

if TYPE_CHECKING:
    from limbless.result import Result


@figure("wake", "force of the wake on the tail, and where the work of the actuators goes: wake, other water, motion",
        every_run=True, needs=("wake_force", "wake_power", "law_work", "actuator_work", "kinetic_energy"))
def wake(result: Result) -> Drawing:
    data, time = result.dataset, result.dataset["time"].values
    sheet, (force, work) = style.panels([28.0, 36.0], top=12.0)
    table: Table = {"time (s)": time}
    for axis, colour in zip("xyz", style.COLOURS, strict=False):
        values = data["wake_force"].sel(axis=axis).values
        force.plot(time, values, color=colour, label=f"force {axis}")
        table[f"force {axis} (N)"] = values
    laws = {str(name): data["law_work"].sel(law=name).values for name in data["law"].values}
    spent = {"actuators": data["actuator_work"].values, "wake": -laws.pop("wake"),
             "other water and surroundings": -np.sum(list(laws.values()), axis=0),
             "kinetic energy": data["kinetic_energy"].values}
    for (label, values), colour in zip(spent.items(), (style.BLACK, *style.COLOURS), strict=False):
        work.plot(time, values - values[0], color=colour, label=label)
        table[f"{label} (J)"] = values - values[0]
    force.set(xlabel="time (s)", ylabel="force of the wake (N)", xlim=(time[0], time[-1]))
    work.set(xlabel="time (s)", ylabel="energy (J)", xlim=(time[0], time[-1]))
    style.legend_above(force, 3)
    style.legend_above(work, 2)
    return sheet, table
