"""Which link touches, sticks and slips, when; with what force; and how well the contact laws were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.mechanics.algebra import rotate
from limbless.view.figures import style
from limbless.view.figures.figure_registry import Drawing, figure

if TYPE_CHECKING:
    from limbless.simulation.result import Result


def mean_force(result: Result) -> np.ndarray:
    """Resultant of all contacts (time, 3), N, world: its mean since the record before, impacts included; first that of
    the next.

    Mass times the change of the velocity of the centre of mass is the sum of all impulses, of every step. What acts
    beside the contacts is smooth, and is known at the records: all outer forces of the step that ended there less its
    contacts'.
    """
    data, time = result.dataset, result.dataset["time"].values
    force = data["fluid_force"].values
    outer = rotate(data["orientation"].values.reshape(-1, 4), force.reshape(-1, 3)).reshape(force.shape).sum(axis=1)
    others = outer - data["contact_force"].values.sum(axis=1)
    others[0] = others[1]  # no step has ended at the first record
    total = result.mass * np.diff(data["com_velocity"].values, axis=0) / np.diff(time)[:, None]
    mean = total - 0.5 * (others[1:] + others[:-1])
    return np.concatenate([mean[:1], mean])


@figure(
    "contacts",
    "which link is lifted, sticks or slips, when; the mean force of all contacts; the residual of their laws",
    every_run=True,
    needs=(
        "contact_state",
        "contact_force",
        "contact_link",
        "contact_residual",
        "fluid_force",
        "com_velocity",
        "orientation",
    ),
)
def contacts(result: Result) -> Drawing:
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.patches import Patch

    data = result.dataset
    time, state, link = data["time"].values, data["contact_state"].values, data["contact_link"].values
    part = "section" if "elastic_energy" in data else "link"
    links = int(data.sizes.get("section", 0)) or int(link.max(initial=0)) + 1
    worst = np.zeros((len(time), links))
    for number in range(links):
        own = state[:, link == number]
        if own.shape[1]:
            # a link that sticks anywhere is held there
            worst[:, number] = np.where((own == 1).any(axis=1), 1.0, own.max(axis=1))
    load = mean_force(result)
    sheet, (diagram, total, residual) = style.panels(
        [max(20.0, 2.4 * links), 24.0, 20.0], share_time=True, top=9.0, gap=7.0
    )
    colours = ["#FFFFFF", style.BLUE, style.ORANGE]
    edges = np.concatenate([[time[0]], 0.5 * (time[1:] + time[:-1]), [time[-1]]])
    three: Any = {"cmap": ListedColormap(colours), "norm": BoundaryNorm([-0.5, 0.5, 1.5, 2.5], 3)}
    diagram.pcolormesh(edges, np.arange(links + 1) + 0.5, worst.T, rasterized=True, **three)
    diagram.set(ylabel=f"{part}, counted from 1", title="at each record")
    diagram.grid(False)
    diagram.locator_params(axis="y", integer=True)
    diagram.legend(
        handles=[
            Patch(facecolor=colour, edgecolor=style.GREY, label=word)
            for colour, word in zip(colours, ("lifted", "sticks", "slips"), strict=True)
        ],
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=3,
    )
    total.plot(time, load[:, 2], color=style.BLACK, linewidth=0.7, label="upwards")
    total.plot(time, np.linalg.norm(load[:, :2], axis=1), color=style.BLUE, linewidth=0.7, label="level")
    total.set(ylabel="mean force (N)", title="of all contacts")
    style.legend_above(total)
    residual.semilogy(time, np.maximum(data["contact_residual"].values, 1e-16), color=style.RED, linewidth=0.6)
    residual.set(xlabel="time (s)", ylabel="residual (m/s)", xlim=(time[0], time[-1]))
    table = {"time (s)": time, "residual of the contact laws (m/s)": data["contact_residual"].values}
    table |= {
        f"mean force of all contacts since the record before, {axis} (N)": load[:, number]
        for number, axis in enumerate("xyz")
    }
    table |= {f"{part} {number + 1}: 0 lifted, 1 sticks, 2 slips": worst[:, number] for number in range(links)}
    return sheet, table


@figure(
    "clamp",
    "the clamp: its reaction, and the energy that closing it takes",
    every_run=True,
    needs=("clamp_wrench", "clamp_energy", "kinetic_energy"),
)
def clamp(result: Result) -> Drawing:
    data = result.dataset
    time, wrench = data["time"].values, data["clamp_wrench"].values
    sheet, (force, moment, energy) = style.panels([24.0, 24.0, 24.0], share_time=True, gap=7.0)
    for k, colour in enumerate((style.BLUE, style.RED)):
        force.plot(time, wrench[:, k], color=colour, label=f"along {'xy'[k]}")
    moment.plot(time, wrench[:, 5], color=style.BLUE)
    energy.plot(time, 1e3 * data["kinetic_energy"].values, color=style.BLUE, label="kinetic energy")
    energy.plot(time, 1e3 * data["clamp_energy"].values, color=style.RED, label="lost at the clamp")
    force.set(ylabel="force (N)")
    moment.set(ylabel="moment (N m)")
    energy.set(xlabel="time (s)", ylabel="energy (mJ)", xlim=(time[0], time[-1]))
    style.legend_above(force)
    style.legend_above(energy)
    return sheet, {
        "time (s)": time,
        "clamp force x (N)": wrench[:, 0],
        "clamp force y (N)": wrench[:, 1],
        "clamp moment (N m)": wrench[:, 5],
        "kinetic energy (J)": data["kinetic_energy"].values,
        "energy lost at the clamp (J)": data["clamp_energy"].values,
    }
