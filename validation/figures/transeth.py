"""The figures of Transeth, Leine, Glocker and Pettersen (2008), paper 002: 6, 7 and 10 (tracks), 8 and 9 (postures), 11
(over time).

Links are numbered as in the paper, from 1. Its experiments are only in its pictures and are not drawn here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.core import InputError
from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from limbless.simulation.result import Result

_MIDDLE = 5  # link 6
_PLANE = (0, 1)
_VIEW = {(0, 1): "from above,", (0, 2): "from the side,"}
_SHELF = 0.2  # m between postures seen from the side
_TRACK = ("position", *body_outline.BODY)


def _link_six(result: Result) -> np.ndarray:
    """x and y of the centre of link 6 (time, 2), m."""
    data = result.dataset
    if data.sizes["section"] <= _MIDDLE:
        raise InputError(f"this figure shows link 6; the robot has {data.sizes['section']} links")
    return data["position"].values[:, _MIDDLE, :2]


@figure(
    "transeth-fig06-track",
    "Fig. 6: track of link 6 in lateral undulation with orthotropic friction",
    scenarios=("snake-undulate-orthotropic",),
    needs=_TRACK,
)
@figure(
    "transeth-fig07-track",
    "Fig. 7: track of link 6 in lateral undulation with isotropic friction",
    scenarios=("snake-undulate-isotropic",),
    needs=_TRACK,
)
@figure("transeth-fig10-track", "Fig. 10: track of link 6 in sidewinding", scenarios=("snake-sidewind",), needs=_TRACK)
def track_of_link_six(result: Result) -> Drawing:
    """The track at true scale, from a circle to a triangle, with the body at the end."""
    track, time = _link_six(result), result.dataset["time"].values
    shape = body_outline.outline(result.dataset, -1, _PLANE)
    sheet, (axes,) = style.panels([body_outline.panel_height([track, shape])])
    body_outline.draw_body(axes, shape, style.BLUE, 0.25)
    axes.plot(track[:, 0], track[:, 1], color=style.RED, linewidth=0.8, zorder=3)
    axes.plot(*track[0], "o", color=style.BLACK, markersize=3.0, zorder=4)
    axes.plot(*track[-1], "^", color=style.BLACK, markersize=3.5, zorder=4)
    body_outline.true_scale(axes, [track, shape], _PLANE)
    axes.set_title(f"centre of link 6, {time[0]:g} to {time[-1]:g} s")
    return sheet, {"time (s)": time, "x of link 6 (m)": track[:, 0], "y of link 6 (m)": track[:, 1]}


@figure(
    "transeth-fig08-soft-start",
    "Fig. 8: postures while the waves set in one joint after the other",
    scenarios=("snake-sidewind",),
    needs=body_outline.BODY,
)
def soft_start(result: Result) -> Drawing:
    time = result.dataset["time"].values
    records = _records(result, np.linspace(0.0, min(3.0, time[-1]), 5))
    shapes = _outlines(result, records, _PLANE, 0.35)
    sheet, (axes,) = style.panels([body_outline.panel_height(shapes)], top=11.0)
    table: Table = {}
    _postures(axes, result, records, _PLANE, 0.35, table)
    axes.set_title("seen from above; the time stands on link 1\neach 0.35 m above the one before")
    return sheet, table


@figure(
    "transeth-fig09-snapshots",
    "Fig. 9: the robot at four times (0, 5, 10 and 15 s in the paper), from above and from the side",
    scenarios=("snake-sidewind",),
    needs=body_outline.BODY,
)
def snapshots(result: Result) -> Drawing:
    time = result.dataset["time"].values
    records, side = _records(result, np.linspace(time[0], time[-1], 4)), (0, 2)
    drawn = _outlines(result, records, _PLANE), _outlines(result, records, side, _SHELF)
    sheet, (above, beside) = style.panels([body_outline.panel_height(shapes) for shapes in drawn])
    table: Table = {}
    _postures(above, result, records, _PLANE, 0.0, table)
    _postures(beside, result, records, side, _SHELF, table)
    for place in range(len(records)):
        beside.axhline(place * _SHELF, color=style.BLACK, linewidth=0.6, zorder=1)
    above.set_title("seen from above; the time stands on link 1")
    beside.set_title(f"from the side, each {_SHELF:g} m above the one before")
    return sheet, table


def _records(result: Result, moments: np.ndarray) -> list[int]:
    """Records nearest to given times, each once."""
    time = result.dataset["time"].values
    return list(dict.fromkeys(int(np.abs(time - moment).argmin()) for moment in moments))


def _outlines(result: Result, records: list[int], plane: body_outline.Plane, apart: float = 0.0) -> list[np.ndarray]:
    """Outlines at some records, each moved up by `apart` (m) from the one before."""
    return [
        body_outline.outline(result.dataset, record, plane) + np.array([0.0, place * apart])
        for place, record in enumerate(records)
    ]


def _postures(
    axes: Axes, result: Result, records: list[int], plane: body_outline.Plane, apart: float, table: Table
) -> None:
    """Outlines at some records, later ones darker, with their times."""
    data, time, shapes = result.dataset, result.dataset["time"].values, _outlines(result, records, plane, apart)
    for place, (shape, record) in enumerate(zip(shapes, records, strict=True)):
        body_outline.draw_body(axes, shape, style.BLUE, 0.15 + 0.6 * place / max(1, len(shapes) - 1))
        first = data["position"].values[record, 0, plane] + np.array([0.0, place * apart])
        axes.annotate(f"{time[record]:.3g} s", first, fontsize=6.0, ha="center", va="center", zorder=5)
        table |= {
            f"outline at {time[record]:.4g} s, {_VIEW[plane]} {'xyz'[axis]} (m)": shape[:, c] - c * place * apart
            for c, axis in enumerate(plane)
        }
    body_outline.true_scale(axes, shapes, plane)


@figure(
    "transeth-fig11-position",
    "Fig. 11: x and y of link 6 over time in sidewinding",
    scenarios=("snake-sidewind",),
    needs=("position",),
)
def position(result: Result) -> Drawing:
    x, y = _link_six(result).T
    return style.series(result.dataset["time"].values, {"x of link 6 (m)": x, "y of link 6 (m)": y})
