"""The track of a robot among the obstacles of its scenario, seen from above."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.mechanics.rotations import rotate
from limbless.view.figures import body, style
from limbless.view.figures.registry import Drawing, Table, figure

if TYPE_CHECKING:
    from limbless.result import Result

_PLANE = (0, 1)
_SNAPSHOTS = 4


@figure("surroundings", "the robot at four times among pegs and boxes, seen from above", needs=("com_position", *body.BODY))
def surroundings(result: Result) -> Drawing:
    data, time = result.dataset, result.dataset["time"].values
    outlines = [outline for item in getattr(result.scenario, "environment", ()) for outline in _outlines(item)]
    records = np.unique(np.linspace(0, len(time) - 1, _SNAPSHOTS).round().astype(int))
    shapes = [body.outline(data, record, _PLANE) for record in records]
    track = data["com_position"].values[:, :2]
    sheet, (axes,) = style.panels([body.panel_height([*shapes, *outlines])])
    table: Table = {"time (s)": time, "x of the centre of mass (m)": track[:, 0], "y of the centre of mass (m)": track[:, 1]}
    for outline in outlines:
        axes.fill(outline[:, 0], outline[:, 1], facecolor="#DDDDDD", edgecolor=style.GREY, linewidth=0.5, zorder=1)
    for place, (shape, record) in enumerate(zip(shapes, records, strict=True)):
        body.draw_body(axes, shape, style.BLUE, 0.15 + 0.6 * place / max(1, len(shapes) - 1))
        table |= {f"outline at {time[record]:.4g} s, {name} (m)": shape[:, column] for column, name in enumerate("xy")}
    axes.plot(track[:, 0], track[:, 1], color=style.RED, linewidth=0.8, zorder=3)
    body.true_scale(axes, [*shapes, *outlines], _PLANE)
    axes.set_title(f"track of the centre of mass; the body every {(time[-1] - time[0]) / max(1, len(records) - 1):.3g} s")
    return sheet, table


def _outlines(item: Any) -> list[np.ndarray]:
    """What pegs and boxes look like from above (points, 2), m."""
    if item.kind == "boxes":
        sizes = item.sizes * len(item.centres) if len(item.sizes) == 1 else item.sizes
        corners = 0.5 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
        turn = [np.cos(item.yaw / 2), 0.0, 0.0, np.sin(item.yaw / 2)]
        return [(np.array(center) + rotate(turn, corners * size))[:, :2] for center, size in zip(item.centres, sizes, strict=True)]
    if item.kind != "pegs":
        return []
    span = np.array(item.span[:2])
    angle = np.arctan2(span[1], span[0]) + np.linspace(0.5 * np.pi, 2.5 * np.pi, 41)
    circle = item.radius * np.column_stack([np.cos(angle), np.sin(angle)])
    far = (np.arange(41) > 20)[:, None] * span
    return [np.array(foot[:2]) + circle + far for foot in item.feet]
