"""The track of a robot among what is around it: ground that slopes, terrain, pegs and boxes,
from above and from the side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure
from limbless.view.scene.frames import Frames, frames_of
from limbless.view.scene.moving_parts import OBJECT, objects_of
from limbless.view.scene.palette import theme_of
from limbless.view.scene.world import World

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from limbless.simulation.result import Result

_ABOVE = (0, 1)
_SNAPSHOTS = 4
_LEVEL = 1e-4  # m: ground whose height changes by less is level
_FINE = 160  # places along a side at which heights are asked for
_RINGS = "\nlines of equal height of the ground, m"
_LEAST = 20.0  # mm: height of a panel


@figure(
    "surroundings",
    "the robot at four times on its ground, among pegs, boxes and objects, from above; where it is "
    "not level from the side",
    needs=("com_position", *body_outline.BODY),
)
def surroundings(result: Result) -> Drawing:
    data, time = result.dataset, result.dataset["time"].values
    frames = frames_of(result)
    world = World([frames], theme_of(frames))
    obstacles = [*world.still.values(), *(shape for shape, _ in world.clear)]
    track = data["com_position"].values
    below = _ground(world, track[:, 0], track[:, 1])
    uneven = bool(world.reliefs) or world.slope > _LEVEL or not world.upright
    planes = [_ABOVE, (_side(data), 2)][: 2 if uneven else 1]
    records = np.unique(np.linspace(0, len(time) - 1, _SNAPSHOTS).round().astype(int))
    drawn = [[body_outline.outline(data, record, plane) for record in records] for plane in planes]
    around = [[_hull(shape.vertices[:, plane]) for shape in obstacles] for plane in planes]
    pushed = [_pushed(frames, records, plane) for plane in planes]
    whole = [
        [*shapes, *hulls, *(hull for _, hull in moved)]
        for shapes, hulls, moved in zip(drawn, around, pushed, strict=True)
    ]
    sheet, panels = style.panels([max(_LEAST, body_outline.panel_height(one)) for one in whole], top=11.0)
    table: Table = {"time (s)": time, **{f"{'xyz'[k]} of the centre of mass (m)": track[:, k] for k in range(3)}}
    for axes, plane, shapes, hulls, moved, seen in zip(panels, planes, drawn, around, pushed, whole, strict=True):
        for hull in hulls:
            axes.fill(hull[:, 0], hull[:, 1], facecolor="#DDDDDD", edgecolor=style.GREY, linewidth=0.5, zorder=1)
        for opacity, hull in moved:
            axes.fill(
                hull[:, 0],
                hull[:, 1],
                facecolor=OBJECT,
                edgecolor=style.BLACK,
                linewidth=0.4,
                alpha=opacity,
                zorder=1.5,
            )
        for place, (shape, record) in enumerate(zip(shapes, records, strict=True)):
            body_outline.draw_body(axes, shape, style.BLUE, 0.15 + 0.6 * place / max(1, len(shapes) - 1))
            table |= {f"outline at {time[record]:.4g} s, {'xyz'[k]} (m)": shape[:, c] for c, k in enumerate(plane)}
        axes.plot(track[:, plane[0]], track[:, plane[1]], color=style.RED, linewidth=0.8, zorder=3)
        body_outline.true_scale(axes, seen, plane)
    if np.isfinite(below).all():
        table["height of the ground below it (m)"] = below
    lines = _draw_heights(panels[0], world)
    shown = "the body and objects" if pushed[0] else "the body"
    every = (time[-1] - time[0]) / max(1, len(records) - 1)
    panels[0].set_title(f"centre of mass (red); {shown} every {every:.3g} s{_RINGS if lines else ''}")
    if uneven:
        across = track[:, planes[1][0]]
        panels[1].plot(across, below, color=style.BLACK, linewidth=0.8, zorder=3, label="ground below the centre")
        panels[1].set_title("from the side")
        style.legend_above(panels[1])
    return sheet, table


def _pushed(frames: Frames, records: np.ndarray, plane: tuple[int, int]) -> list[tuple[float, np.ndarray]]:
    """Outlines of all free objects at these records, the later the darker: opacity and (points, 2), m."""
    return [
        (0.15 + 0.6 * place / max(1, len(records) - 1), _hull(item.at(int(record))[:, plane]))
        for place, record in enumerate(records)
        for item in objects_of(frames)
    ]


def _side(data: xr.Dataset) -> int:
    """The level axis of the side view: that along which the robot went, or along which it lies if it went nowhere."""
    went, lies = (np.ptp(data[name].values.reshape(-1, 3)[:, :2], axis=0) for name in ("com_position", "position"))
    far = went.max() > 0.2 * float(np.asarray(data["section_length"].values).sum())
    return int((went if far else lies).argmax())


def _hull(points: np.ndarray) -> np.ndarray:
    """Outline of a convex thing on paper (points, 2), m."""
    from scipy.spatial import ConvexHull

    return np.asarray(points[ConvexHull(points).vertices])


def _ground(world: World, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of the highest ground at places, m; NaN where there is none."""
    height = world.height(x, y, tops=False)
    return np.where(height > world.level[0] + 1e-9, height, np.nan) if world.reference else np.asarray(height)


def _draw_heights(axes: Axes, world: World) -> bool:
    """Lines of equal height on ground that is not level, within what is shown; whether there are any."""
    limits = axes.get_xlim(), axes.get_ylim()
    X, Y = np.meshgrid(*(np.linspace(*ends, _FINE) for ends in limits))
    z = _ground(world, X, Y)
    if not np.isfinite(z).any() or np.ptp(z[np.isfinite(z)]) < _LEVEL:
        return False
    rings = axes.contour(X, Y, z, levels=7, colors=style.GREY, linewidths=0.6, zorder=0.5)
    for label in axes.clabel(rings, fontsize=5.5, fmt="%g", zorder=6):
        label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8})
    axes.set(xlim=limits[0], ylim=limits[1])
    return True
