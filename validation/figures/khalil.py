"""The figures of Khalil, Gallot and Boyer (2007), paper 001, that show a computed result: 5 and 6 (planar), 7 to 11
(loop).

Joints are numbered as in the paper, from 1; three of them make a spherical joint (yaw, pitch, roll).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from limbless.core import InputError
from limbless.simulation.analysis.speed import base_velocity_world
from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure
from limbless.view.figures.general import last_periods

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from limbless.simulation.result import Result

_CONFIGURATIONS = 10


@figure(
    "khalil-fig05-head-trajectory",
    "Fig. 5: track of the head in the horizontal plane, at true scale and with y enlarged",
    scenarios=("eel-planar",),
    needs=("head_position", *body_outline.BODY),
)
def head_trajectory(result: Result) -> Drawing:
    data, plane = result.dataset, (0, 1)
    track = data["head_position"].values[:, plane]
    shape = body_outline.outline(data, -1, plane)
    sheet, (true, enlarged) = style.panels([body_outline.panel_height([track, shape]), 34.0])
    body_outline.draw_body(true, shape, style.BLUE)
    for axes in (true, enlarged):
        axes.plot(track[:, 0], track[:, 1], color=style.RED, linewidth=0.7)
    body_outline.true_scale(true, [track, shape], plane)
    true.set_title(f"true scale, with the body at {data['time'].values[-1]:g} s")
    enlarged.set_title("the same track, y enlarged")
    enlarged.set(xlabel="x (m)", ylabel="y (m)", xlim=true.get_xlim())
    return sheet, {
        "time (s)": data["time"].values,
        "head x (m)": track[:, 0],
        "head y (m)": track[:, 1],
        f"outline at {data['time'].values[-1]:g} s, x (m)": shape[:, 0],
        f"outline at {data['time'].values[-1]:g} s, y (m)": shape[:, 1],
    }


@figure(
    "khalil-fig06-forward-speed",
    "Fig. 6: velocity of the head in the world: along x (it swims towards -x), and speed",
    scenarios=("eel-planar",),
    needs=("base_twist", "base_orientation"),
)
def forward_speed(result: Result) -> Drawing:
    time, velocity = result.dataset["time"].values, base_velocity_world(result.dataset)
    size = np.linalg.norm(velocity, axis=1)
    rows = {"velocity of the head along x (m/s)": velocity[:, 0], "speed of the head (m/s)": size}
    sheet, table = style.series(time, rows, ("velocity along x (m/s)", "speed (m/s)"))
    sheet.axes[0].set_title("head, world frame")
    style.from_zero(sheet.axes[1])
    return sheet, table


def _joints(result: Result, variable: str, joints: tuple[int, ...], quantity: str, unit: str) -> Drawing:
    """Three joints over the whole run (with the limits of their torques, dashed), and closer over the last periods."""
    data = result.dataset
    if data.sizes["joint"] < max(joints):
        raise InputError(
            f"this figure shows joint {max(joints)} (counted from 1); the robot has {data.sizes['joint']} joints"
        )
    time = data["time"].values
    shown = last_periods(result)
    sheet, (whole, close) = style.panels([32.0, 32.0])
    table: Table = {"time (s)": time}
    for joint, colour in zip(joints, style.COLOURS, strict=False):
        values = data[variable].values[:, joint - 1]
        whole.plot(time, values, color=colour, linewidth=0.7, label=f"joint {joint}")
        close.plot(time[shown], values[shown], color=colour)
        table[f"{quantity} of joint {joint} ({unit})"] = values
    if variable == "joint_torque" and "joint_limit" in data:
        bounds = data["joint_limit"].values[[joint - 1 for joint in joints]]
        for bound in np.unique(bounds[np.isfinite(bounds)]):
            for sign, label in ((1.0, "limit"), (-1.0, None)):
                whole.axhline(sign * bound, color=style.BLACK, linestyle=(0, (4, 2)), linewidth=0.7, label=label)
        table |= {
            f"limit of joint {joint} ({unit})": np.array([bound]) for joint, bound in zip(joints, bounds, strict=True)
        }
    for axes in (whole, close):
        axes.set(xlabel="time (s)", ylabel=f"{quantity} ({unit})")
    style.legend_above(whole)
    return sheet, table


figure(
    "khalil-fig07-joint-trajectories",
    "Fig. 7: positions of joints 1, 25 and 34 (yaw)",
    scenarios=("eel-loop",),
    needs=("joint_position",),
)(partial(_joints, variable="joint_position", joints=(1, 25, 34), quantity="position", unit="rad"))
for _number, (_turn, _shown) in enumerate({"yaw": (1, 25, 34), "pitch": (2, 26, 35), "roll": (3, 27, 36)}.items()):
    figure(
        f"khalil-fig{8 + _number:02}-{_turn}-torques",
        f"Fig. {8 + _number}: torques of joints {_shown[0]}, {_shown[1]} and {_shown[2]} ({_turn}), with their limits",
        scenarios=("eel-loop",),
        needs=("joint_torque",),
    )(partial(_joints, variable="joint_torque", joints=_shown, quantity="torque", unit="N m"))


@figure(
    "khalil-fig11-loop",
    "Fig. 11: track of the head in the vertical plane, with ten configurations of the body",
    scenarios=("eel-loop",),
    needs=("head_position", *body_outline.BODY),
)
def loop(result: Result) -> Drawing:
    data, plane = result.dataset, (0, 2)
    time = data["time"].values
    track = data["head_position"].values[:, plane]
    moments = time[0] + (time[-1] - time[0]) * np.arange(1, _CONFIGURATIONS + 1) / _CONFIGURATIONS
    records = [int(np.abs(time - moment).argmin()) for moment in moments]
    shapes = [body_outline.outline(data, record, plane) for record in records]
    sheet, (axes,) = style.panels([body_outline.panel_height([track, *shapes])])
    table: Table = {"time (s)": time, "head x (m)": track[:, 0], "head z (m)": track[:, 1]}
    for shape, record in zip(shapes, records, strict=True):
        body_outline.draw_body(axes, shape, style.BLUE, 0.3)
        axes.plot(*track[record], "o", color=style.RED, markersize=2.2, zorder=4)
        table |= {f"outline at {time[record]:g} s, {name} (m)": shape[:, column] for column, name in enumerate("xz")}
    axes.plot(track[:, 0], track[:, 1], color=style.RED, linewidth=0.8, zorder=3)
    _label_heads(axes, track, records, time)
    body_outline.true_scale(axes, [track, *shapes], plane)
    axes.set_title(f"track of the head; the body every {moments[0] - time[0]:.3g} s")
    return sheet, table


def _label_heads(axes: Axes, track: np.ndarray, records: list[int], time: np.ndarray) -> None:
    """The time beside each head, across the track on its outer side."""
    centre = track.mean(axis=0)
    around = max(1, len(track) // 40)  # far enough that the sway of the head does not turn the tangent
    for record in records:
        tangent = track[min(record + around, len(track) - 1)] - track[max(record - around, 0)]
        across = np.array([-tangent[1], tangent[0]]) / max(float(np.linalg.norm(tangent)), 1e-12)
        side = 1.0 if across @ (track[record] - centre) >= 0.0 else -1.0
        right, up = side * 10.0 * across
        axes.annotate(
            f"{time[record]:g} s",
            track[record],
            xytext=(right, up),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=6.0,
            zorder=5,
        )
