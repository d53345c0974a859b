"""The figures of Gautreau, Bonnet and Laribi (2024), paper 004, that show a computed result: 4, 12, 16, 18 and 19.
Figures 6 and 15 are the general ones `spine-workspace` and `spine-path`.

Axes are those of the clamped disk, named as in the rest of the library: x along the unbent body, y lateral, z dorsal
(x, y, z here are z, -x, -y of the paper).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.simulation.analysis import statics_work
from limbless.view.figures import spine_figures, style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    from limbless.simulation.result import Result


@figure(
    "gautreau-fig04-friction",
    "Fig. 4: the pulled spine, its bends with and without friction, and the friction coefficients",
    scenarios=("neck-friction",),
    needs=("friction_coefficient", "bend", "position", "orientation", "radius"),
)
def friction(result: Result) -> Drawing:
    data = result.dataset
    spine_figures.points(data)
    point = int(np.argmax(data["tension"].values.sum(axis=1)))
    without = spine_figures.without_friction(result)["bend"].values[point, :, 0]
    sheet, (shape, bends, coefficients) = style.panels([34.0, 30.0, 30.0])
    disks = spine_figures.draw_spine(
        shape, spine_figures.in_base(data)[point], (0, 1), float(data["radius"].values.max()), style.BLUE, 1.0
    )
    spine_figures.equal(shape, [disks], "x along the body", "y to the left")
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


@figure(
    "gautreau-fig12-planar-positions",
    "Fig. 12: the planar path of the tip, with the spine at several points",
    scenarios=("neck-planar-water", "neck-planar"),
    needs=("position", *spine_figures.PATH),
)
def planar_positions(result: Result) -> Drawing:
    data = result.dataset
    time, disks = spine_figures.points(data), spine_figures.in_base(data)
    tip = 1e3 * data["tip_in_base"].values
    sheet, (whole, close) = style.panels([50.0, 34.0])
    shown = _across(tip[:, 1])
    radius = float(data["radius"].values.max())
    drawn = [spine_figures.draw_spine(whole, disks[point], (1, 0), radius, style.BLUE, 0.35) for point in shown]
    whole.plot(tip[:, 1], tip[:, 0], color=style.RED)
    spine_figures.equal(whole, [*drawn, tip[:, [1, 0]]], "y to the left", "x along the body")
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
    wanted = np.linspace(values.min(), values.max(), spine_figures.POSTURES)
    return list(dict.fromkeys(int(np.abs(values - one).argmin()) for one in wanted))


@figure(
    "gautreau-fig16-vertical-positions",
    "Fig. 16: tip positions along a trajectory in space, hanging",
    scenarios=("neck-vertical-air", "neck-vertical-water"),
    needs=("target_error", *spine_figures.PATH),
)
@figure(
    "gautreau-fig19-horizontal-positions",
    "Fig. 19: tip positions along a trajectory in space, horizontal",
    scenarios=("neck-horizontal-water",),
    needs=("target_error", *spine_figures.PATH),
)
def positions(result: Result) -> Drawing:
    """Tip and target over the points, tensions, and the path seen along the body."""
    data = result.dataset
    time = spine_figures.points(data)
    sheet, (moved, forces, seen) = style.panels([28.0, 28.0, 40.0])
    table: Table = {"time (s)": time}
    spine_figures.draw_tip(moved, data, time, table)
    spine_figures.draw_forces(forces, data, time, table)
    tip, target = 1e3 * data["tip_in_base"].values, 1e3 * data["target"].values
    seen.plot(target[:, 1], target[:, 2], color=style.SKY, linewidth=2.2, label="asked for")
    seen.plot(tip[:, 1], tip[:, 2], color=style.RED, linewidth=0.8, label="reached")
    spine_figures.equal(seen, [tip[:, 1:], target[:, 1:]], "y to the left", "z up")
    style.legend_above(seen)
    return sheet, table


@figure(
    "gautreau-fig18-vertical-work",
    "Fig. 18: work along a trajectory in space",
    scenarios=("neck-vertical-air", "neck-vertical-water"),
    needs=("equivalent_force", "potential_energy", *spine_figures.PATH),
)
def vertical_work(result: Result) -> Drawing:
    data = result.dataset
    time = spine_figures.points(data)
    sheet, (work, steps) = style.panels([36.0, 30.0], top=9.0)
    table: Table = {"time (s)": time}
    spine_figures.draw_work(work, data, time, table)
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
