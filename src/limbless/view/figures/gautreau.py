"""The figures of Gautreau, Bonnet and Laribi (2024), paper 004, that show a computed result: 4, 6, 12, 15, 16, 18 and
19.

Axes are those of the clamped disk, named as in the rest of the library: x along the unbent body, y lateral, z dorsal
(x, y, z here are z, -x, -y of the paper).
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

_POSTURES = 7
_PATH = ("tip_in_base", "tension", "tendon_length")


def _points(data: xr.Dataset) -> np.ndarray:
    """Places along a path: its times where it has them."""
    if "point" not in data.dims:
        raise InputError("this figure shows a path (task path or inverse); this result is a grid")
    return np.asarray(data["time"].values if "time" in data.coords else np.arange(data.sizes["point"], dtype=float))


def _in_base(data: xr.Dataset) -> np.ndarray:
    """Centres of the disks along the axes of the clamped one (.., section, 3), m."""
    base = data["orientation"].values[..., :1, :] * np.array([1.0, -1.0, -1.0, -1.0])
    return rotate(base, data["position"].values - data["position"].values[..., :1, :])


def _draw_spine(
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


def _equal(axes: Axes, drawn: list[np.ndarray], x: str, y: str) -> None:
    """The same scale both ways with all that is drawn (points, 2), mm, in view."""
    body_outline.equal_scale(axes, drawn)
    axes.set(xlabel=f"{x} (mm)", ylabel=f"{y} (mm)")


@figure(
    "gautreau-postures",
    "the spine at several points of its path, from above and from the side",
    needs=("position", "orientation", "radius"),
)
def postures(result: Result) -> Drawing:
    data = result.dataset
    time, disks, radius = _points(data), _in_base(data), float(data["radius"].values.max())
    shown = np.unique(np.linspace(0, len(time) - 1, _POSTURES).round().astype(int))
    sheet, panels = style.panels([48.0, 48.0])
    table: Table = {}
    for axes, plane, name in zip(panels, ((0, 1), (0, 2)), ("y to the left", "z up"), strict=True):
        tip = 1e3 * disks[:, -1][:, plane]
        strengths = np.linspace(0.2, 1.0, len(shown))
        drawn = [
            tip,
            *(
                _draw_spine(axes, disks[point], plane, radius, style.BLUE, float(strength))
                for point, strength in zip(shown, strengths, strict=True)
            ),
        ]
        axes.plot(tip[:, 0], tip[:, 1], color=style.RED, linewidth=0.8)
        _equal(axes, drawn, "x along the body", name)
    for point in shown:
        table |= {
            f"disk {axis} at {time[point]:.4g} s (m)": disks[point, :, number] for number, axis in enumerate("xyz")
        }
    panels[0].set_title("tip in red; the later the posture, the darker")
    return sheet, table


@figure(
    "gautreau-fig04-friction",
    "Fig. 4: the pulled spine, its bends with and without friction, and the friction coefficients",
    needs=("friction_coefficient", "bend", "position", "orientation", "radius"),
)
def friction(result: Result) -> Drawing:
    data = result.dataset
    _points(data)
    point = int(np.argmax(data["tension"].values.sum(axis=1)))
    without = _without_friction(result)["bend"].values[point, :, 0]
    sheet, (shape, bends, coefficients) = style.panels([34.0, 30.0, 30.0])
    disks = _draw_spine(shape, _in_base(data)[point], (0, 1), float(data["radius"].values.max()), style.BLUE, 1.0)
    _equal(shape, [disks], "x along the body", "y to the left")
    numbers = np.arange(1, data.sizes["vertebra"] + 1)
    lateral = np.degrees(data["bend"].values[point, :, 0])
    bends.plot(numbers, lateral, "o-", color=style.BLUE, markersize=2.5, label="with friction")
    bends.plot(numbers, np.degrees(without), "x--", color=style.RED, markersize=3.0, label="without")
    bends.set(xlabel="vertebra", ylabel="lateral bend (deg)", xlim=(0.5, len(numbers) + 0.5))
    apart = np.abs(lateral - np.degrees(without)).max()
    bends.annotate(f"difference at most {apart:.1g} deg", (0.03, 0.06), xycoords="axes fraction")
    style.legend_above(bends)
    mu = data["friction_coefficient"].values[point]
    pulled = int(np.argmax(data["tension"].values[point]))
    coefficients.bar(numbers[:-1], mu[:-1, pulled], width=0.6, color=style.SKY)
    coefficients.set(xlabel="disk", ylabel="friction coefficient (1)", xlim=(0.5, len(numbers) + 0.5))
    style.note_above(coefficients, f"tendon {data['tendon'].values[pulled]!s}")
    return sheet, {
        "vertebra, counted from 1": numbers.astype(float),
        "lateral bend with friction (deg)": lateral,
        "lateral bend without friction (deg)": np.degrees(without),
        "friction coefficient at the outer disk (1)": mu[:, pulled],
    }


def _without_friction(result: Result) -> xr.Dataset:
    """The same path of tensions without friction."""
    if result.scenario is None:
        raise InputError("this figure solves its scenario again without friction; this result has none")
    from limbless.simulation.simulate import run

    return run(result.scenario, {"model.friction": None, "figures": []}).dataset


@figure(
    "gautreau-hysteresis",
    "tip against tension while a tendon is pulled, released, pulled again; what friction changes of it",
    needs=("slip_state", *_PATH),
)
def hysteresis(result: Result) -> Drawing:
    data = result.dataset
    time = _points(data)
    pulled = int(np.argmax(data["tension"].values.max(axis=0)))
    tension, slip = data["tension"].values[:, pulled], data["slip_state"].values[:, pulled]
    tip, length = data["tip_in_base"].values[:, 1], data["tendon_length"].values[:, pulled]
    plain = _without_friction(result)
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
    "gautreau-fig06-workspace",
    "Fig. 6: where the tip goes for all tensions, without and with mechanical stops",
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
            _equal(axes, [tip[..., [right, up]].reshape(-1, 2)], f"{'xyz'[right]}", f"{'xyz'[up]}")
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


@figure(
    "gautreau-fig12-planar-positions",
    "Fig. 12: the planar path of the tip, with the spine at several points",
    needs=("position", *_PATH),
)
def planar_positions(result: Result) -> Drawing:
    data = result.dataset
    time, disks = _points(data), _in_base(data)
    tip = 1e3 * data["tip_in_base"].values
    sheet, (whole, close) = style.panels([50.0, 34.0])
    shown = _across(tip[:, 1])
    radius = float(data["radius"].values.max())
    drawn = [_draw_spine(whole, disks[point], (1, 0), radius, style.BLUE, 0.35) for point in shown]
    whole.plot(tip[:, 1], tip[:, 0], color=style.RED)
    _equal(whole, [*drawn, tip[:, [1, 0]]], "y to the left", "x along the body")
    whole.set_title("spine at both extrema and between; tip in red")
    close.plot(tip[:, 1], tip[:, 0], ".-", color=style.RED, markersize=2.0, label="tip")
    close.margins(0.04)
    close.set(xlabel="y (mm)", ylabel="x (mm)", title="the tip alone")
    table: Table = {"time (s)": time, **{f"tip {axis} (m)": 1e-3 * tip[:, number] for number, axis in enumerate("xyz")}}
    for point in shown:
        table |= {f"disk {axis} at {time[point]:.4g} s (m)": disks[point, :, k] for k, axis in enumerate("xy")}
    return sheet, table


def _across(values: np.ndarray) -> list[int]:
    """Points at which a path is nearest to equal intervals between its extrema, both included, each once."""
    wanted = np.linspace(values.min(), values.max(), _POSTURES)
    return list(dict.fromkeys(int(np.abs(values - one).argmin()) for one in wanted))


@figure(
    "gautreau-fig15-planar-trajectory",
    "Fig. 15: tendon forces, displacements and work along a planar trajectory",
    needs=("equivalent_force", *_PATH),
)
def planar_trajectory(result: Result) -> Drawing:
    time = _points(result.dataset)
    sheet, (forces, moved, work) = style.panels([28.0, 28.0, 28.0], share_time=False)
    table: Table = {"time (s)": time}
    _draw_forces(forces, result.dataset, time, table)
    _draw_tip(moved, result.dataset, time, table)
    _draw_work(work, result.dataset, time, table)
    return sheet, table


def _draw_forces(axes: Axes, data: xr.Dataset, time: np.ndarray, table: Table) -> None:
    pulls = dict(zip(map(str, data["tendon"].values), data["tension"].values.T, strict=True))
    style.curves(axes, time, pulls, table, "tension of {} (N)")
    axes.set(xlabel="time (s)", ylabel="tension (N)")
    style.legend_above(axes)


def _draw_tip(axes: Axes, data: xr.Dataset, time: np.ndarray, table: Table) -> None:
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


def _draw_work(axes: Axes, data: xr.Dataset, time: np.ndarray, table: Table) -> None:
    steps = {
        "equivalent work (57)": statics_work.equivalent_steps(data),
        "actuator work": statics_work.actuator_steps(data),
    }
    total = {label: np.concatenate([[0.0], np.cumsum(each)]) for label, each in steps.items()}
    style.curves(axes, time, total, table, "{} (J)", 1e3)
    axes.set(xlabel="time (s)", ylabel="work (mJ)")
    style.legend_above(axes)


@figure(
    "gautreau-fig16-vertical-positions",
    "Fig. 16: tip positions along a trajectory in space, hanging",
    needs=("target_error", *_PATH),
)
@figure(
    "gautreau-fig19-horizontal-positions",
    "Fig. 19: tip positions along a trajectory in space, horizontal",
    needs=("target_error", *_PATH),
)
def positions(result: Result) -> Drawing:
    """Tip and target over the points, tensions, and the path seen along the body."""
    data = result.dataset
    time = _points(data)
    sheet, (moved, forces, seen) = style.panels([28.0, 28.0, 40.0])
    table: Table = {"time (s)": time}
    _draw_tip(moved, data, time, table)
    _draw_forces(forces, data, time, table)
    tip, target = 1e3 * data["tip_in_base"].values, 1e3 * data["target"].values
    seen.plot(target[:, 1], target[:, 2], color=style.SKY, linewidth=2.2, label="asked for")
    seen.plot(tip[:, 1], tip[:, 2], color=style.RED, linewidth=0.8, label="reached")
    _equal(seen, [tip[:, 1:], target[:, 1:]], "y to the left", "z up")
    style.legend_above(seen)
    return sheet, table


@figure(
    "gautreau-fig18-vertical-work",
    "Fig. 18: work along a trajectory in space",
    needs=("equivalent_force", "potential_energy", *_PATH),
)
def vertical_work(result: Result) -> Drawing:
    data = result.dataset
    time = _points(data)
    sheet, (work, steps) = style.panels([36.0, 30.0], top=9.0)
    table: Table = {"time (s)": time}
    _draw_work(work, data, time, table)
    stored = data["potential_energy"].values
    work.plot(time, 1e3 * (stored - stored[0]), color=style.BLACK, linestyle=(0, (2, 2)), label="energy stored")
    style.legend_above(work, 3)
    table["energy stored (J)"] = stored - stored[0]
    for label, values, colour in (
        ("equivalent (57)", statics_work.equivalent_steps(data), style.BLUE),
        ("actuators", statics_work.actuator_steps(data), style.RED),
    ):
        steps.plot(time[1:], 1e6 * values, color=colour, label=label)
    steps.set(xlabel="time (s)", ylabel="work of a step (µJ)")
    style.legend_above(steps)
    return sheet, table
