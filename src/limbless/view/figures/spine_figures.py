"""Figures of a spine at rest: its postures along a path, tip, tensions and work, hysteresis by friction, the workspace.

Axes are those of the clamped disk: x along the unbent body, y lateral, z dorsal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.core import InputError
from limbless.mechanics.algebra import rotate
from limbless.simulation.analysis import statics_work
from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from limbless.simulation.result import Result

POSTURES = 7
PATH = ("tip_in_base", "tension", "tendon_length")


def points(data: xr.Dataset) -> np.ndarray:
    """Places along a path: its times where it has them."""
    if "point" not in data.dims:
        raise InputError("this figure shows a path (task path or inverse); this result is a grid")
    return np.asarray(data["time"].values if "time" in data.coords else np.arange(data.sizes["point"], dtype=float))


def in_base(data: xr.Dataset) -> np.ndarray:
    """Centres of the disks along the axes of the clamped one (.., section, 3), m."""
    base = data["orientation"].values[..., :1, :] * np.array([1.0, -1.0, -1.0, -1.0])
    return rotate(base, data["position"].values - data["position"].values[..., :1, :])


def draw_spine(
    axes: Axes, disks: np.ndarray, plane: tuple[int, int], radius: float, colour: str, strength: float
) -> np.ndarray:
    """The backbone as a line with its disks across it; the ends of the disks (points, 2), mm."""
    flat = 1e3 * disks[:, plane]
    axes.plot(flat[:, 0], flat[:, 1], color=colour, alpha=strength, linewidth=1.0)
    along = np.gradient(flat, axis=0)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    across *= 1e3 * radius / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    for centre, half in zip(flat, across, strict=True):
        axes.plot(*np.stack([centre - half, centre + half]).T, color=colour, alpha=strength, linewidth=0.8)
    return np.concatenate([flat - across, flat + across])


def equal(axes: Axes, drawn: list[np.ndarray], x: str, y: str) -> None:
    """The same scale both ways with all that is drawn (points, 2), mm, in view."""
    body_outline.equal_scale(axes, drawn)
    axes.set(xlabel=f"{x} (mm)", ylabel=f"{y} (mm)")


@figure(
    "spine-postures",
    "the spine at several points of its path, from above and from the side",
    needs=("position", "orientation", "radius"),
)
def postures(result: Result) -> Drawing:
    data = result.dataset
    time, disks, radius = points(data), in_base(data), float(data["radius"].values.max())
    shown = np.unique(np.linspace(0, len(time) - 1, POSTURES).round().astype(int))
    sheet, panels = style.panels([48.0, 48.0])
    table: Table = {}
    for axes, plane, name in zip(panels, ((0, 1), (0, 2)), ("y to the left", "z up"), strict=True):
        tip = 1e3 * disks[:, -1][:, plane]
        drawn = [
            tip,
            *(
                draw_spine(axes, disks[point], plane, radius, style.BLUE, float(strength))
                for point, strength in zip(shown, np.linspace(0.2, 1.0, len(shown)), strict=True)
            ),
        ]
        axes.plot(tip[:, 0], tip[:, 1], color=style.RED, linewidth=0.8)
        equal(axes, drawn, "x along the body", name)
    for point in shown:
        table |= {
            f"disk {axis} at {time[point]:.4g} s (m)": disks[point, :, number] for number, axis in enumerate("xyz")
        }
    panels[0].set_title("tip in red; the later the posture, the darker")
    return sheet, table


@figure(
    "spine-path",
    "tendon tensions, tip and work along a path",
    needs=("equivalent_force", *PATH),
)
def path(result: Result) -> Drawing:
    time = points(result.dataset)
    sheet, (forces, moved, work) = style.panels([28.0, 28.0, 28.0], share_time=False)
    table: Table = {"time (s)": time}
    draw_forces(forces, result.dataset, time, table)
    draw_tip(moved, result.dataset, time, table)
    draw_work(work, result.dataset, time, table)
    return sheet, table


def draw_forces(axes: Axes, data: xr.Dataset, time: np.ndarray, table: Table) -> None:
    pulls = dict(zip(map(str, data["tendon"].values), data["tension"].values.T, strict=True))
    style.curves(axes, time, pulls, table, "tension of {} (N)")
    axes.set(xlabel="time (s)", ylabel="tension (N)")
    style.legend_above(axes)


def draw_tip(axes: Axes, data: xr.Dataset, time: np.ndarray, table: Table) -> None:
    tip = data["tip_in_base"].values
    straight = np.array([float(data["vertebra_length"].sum()), 0.0, 0.0])
    for number, (axis, colour) in enumerate(zip("xyz", style.COLOURS, strict=False)):
        label = f"x, less {1e3 * straight[0]:.0f} mm" if number == 0 else axis
        axes.plot(time, 1e3 * (tip - straight)[:, number], color=colour, label=label)
        table[f"tip {axis} (m)"] = tip[:, number]
        if "target" in data:
            table[f"target {axis} (m)"] = data["target"].values[:, number]
    axes.set(xlabel="time (s)", ylabel="tip (mm)")
    style.legend_above(axes)


def draw_work(axes: Axes, data: xr.Dataset, time: np.ndarray, table: Table) -> None:
    steps = {
        "equivalent work (57)": statics_work.equivalent_steps(data),
        "actuator work": statics_work.actuator_steps(data),
    }
    total = {label: np.concatenate([[0.0], np.cumsum(each)]) for label, each in steps.items()}
    style.curves(axes, time, total, table, "{} (J)", 1e3)
    axes.set(xlabel="time (s)", ylabel="work (mJ)")
    style.legend_above(axes)


def without_friction(result: Result) -> xr.Dataset:
    """The same path of tensions without friction."""
    if result.scenario is None:
        raise InputError("this figure solves its scenario again without friction; this result has none")
    from limbless.simulation.simulate import run

    return run(result.scenario, {"model.friction": None, "figures": []}).dataset


@figure(
    "spine-hysteresis",
    "tip against tension while a tendon is pulled, released, pulled again; what friction changes of it",
    needs=("slip_state", *PATH),
)
def hysteresis(result: Result) -> Drawing:
    data = result.dataset
    time = points(data)
    pulled = int(np.argmax(data["tension"].values.max(axis=0)))
    tension, slip = data["tension"].values[:, pulled], data["slip_state"].values[:, pulled]
    tip, length = data["tip_in_base"].values[:, 1], data["tendon_length"].values[:, pulled]
    plain = without_friction(result)
    moved, longer = tip - plain["tip_in_base"].values[:, 1], length - plain["tendon_length"].values[:, pulled]
    sheet, (where, apart, long, state) = style.panels([26.0, 30.0, 30.0, 20.0])
    where.plot(tension, 1e3 * tip, ".-", color=style.BLUE, markersize=2.0)
    where.set(xlabel="tension (N)", ylabel="tip y (mm)")
    for axes, change, quantity in ((apart, moved, "tip y"), (long, longer, "tendon length")):
        for colour, way, chosen in ((style.RED, "pulled", slip > 0.0), (style.GREEN, "released", slip < 0.0)):
            axes.plot(tension, np.where(chosen, 1e6 * change, np.nan), ".", color=colour, markersize=3.0, label=way)
        axes.plot(tension, 1e6 * change, color=style.GREY, linewidth=0.5, zorder=1)
        axes.set(xlabel="tension (N)", ylabel="difference (µm)", title=f"{quantity}, less that without friction")
    style.legend_above(apart)
    state.plot(time, slip, color=style.RED)
    state.set(xlabel="time (s)", ylabel="slip state (1)", ylim=(-1.1, 1.1))
    return sheet, {
        "time (s)": time,
        "tension (N)": tension,
        "slip state (1)": slip,
        "tip y (m)": tip,
        "tip y less that without friction (m)": moved,
        "tendon length (m)": length,
        "tendon length less that without friction (m)": longer,
    }


@figure(
    "spine-workspace",
    "where the tip goes for all tensions, without and with mechanical stops",
    needs=("tip_in_base", "tension_lateral", "tension_vertical"),
)
def workspace(result: Result) -> Drawing:
    data = result.dataset
    limits = [str(name) for name in data["limits"].values]
    sheet, panels = style.panels([44.0] * 2 * len(limits), top=12.0)
    table: Table = {}
    for number, name in enumerate(limits):
        tip = 1e3 * data["tip_in_base"].values[number]
        views = (((1, 2), "seen along the body"), ((1, 0), "seen from above"))
        for axes, ((right, up), words) in zip(panels[2 * number :], views, strict=False):
            across = axes.plot(tip[..., right], tip[..., up], color=style.BLUE, linewidth=0.5)
            along = axes.plot(tip[..., right].T, tip[..., up].T, color=style.RED, linewidth=0.5)
            equal(axes, [tip[..., [right, up]].reshape(-1, 2)], f"{'xyz'[right]}", f"{'xyz'[up]}")
            axes.set_title(f"{name}, {words}")
            if axes is panels[0]:
                axes.figure.legend(
                    handles=[across[0], along[0]],
                    loc="upper right",
                    ncols=2,
                    labels=["lateral tension changes", "vertical tension changes"],
                )
        table |= {f"{name}, tip {axis} (m)": tip[..., column].ravel() * 1e-3 for column, axis in enumerate("xyz")}
    first, second = np.meshgrid(data["tension_lateral"].values, data["tension_vertical"].values, indexing="ij")
    return sheet, {"lateral tension (N)": first.ravel(), "vertical tension (N)": second.ravel(), **table}
