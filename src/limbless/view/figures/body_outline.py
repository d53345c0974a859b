"""The body on paper: the plane in which most is to be seen, and the outline of the robot in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from limbless.core import Array
from limbless.mechanics.algebra import rotate
from limbless.view.figures import style

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

Plane = tuple[int, int]
"""The two world axes (0, 1, 2 for x, y, z) that run right and up on the paper."""

BODY = ("position", "orientation", "section_length", "radius")
"""The variables that an outline needs."""

# fractions of a rounded end at which its outline has points
_CAP = np.array([0.0, 0.02, 0.08, 0.18, 0.32, 0.5, 0.75, 1.0])


def widest_plane(dataset: xr.Dataset) -> Plane:
    """The coordinate plane that leaves out the axis along which the robot moved and reached least."""
    name = "position" if dataset.sizes.get("section") and "position" in dataset else "head_position"
    hidden = int(2 - np.argmin(np.ptp(dataset[name].values.reshape(-1, 3), axis=0)[::-1]))  # a tie hides z
    right, up = (axis for axis in range(3) if axis != hidden)
    return right, up


def outline(dataset: xr.Dataset, record: int, plane: Plane) -> Array:
    """Closed outline of the body at one record (points, 2), m, with rounded ends.

    Each section is a straight elliptic cylinder; its half width on paper is the support of the ellipse across the drawn
    midline: sqrt((lateral e2.u)^2 + (vertical e3.u)^2) with u the normal of the midline in the plane.
    """
    position, orientation, length, radius = (_at(dataset, name, record) for name in BODY)
    axes = [rotate(orientation, np.broadcast_to(unit, position.shape)) for unit in np.eye(3)]
    half = 0.5 * length[:, None] * axes[0]
    ends = np.stack([position - half, position + half], axis=1)  # (section, 2, 3)
    flat = np.concatenate([ends[:1, 0], 0.5 * (ends[:-1, 1] + ends[1:, 0]), ends[-1:, 1]])[:, plane]
    normal = _normals(flat)
    nodes = np.concatenate([[0], np.repeat(np.arange(1, len(position)), 2), [len(position)]]).reshape(-1, 2)
    across = np.zeros((len(flat), 3))
    across[:, plane] = normal
    width = np.zeros(len(flat))
    for section, pair in enumerate(nodes):
        for node in pair:
            reach = np.hypot(*(radius[section, side] * axes[side + 1][section] @ across[node] for side in range(2)))
            width[node] = max(width[node], float(reach))
    middle, breadth = _rounded(flat, width)
    side = _normals(middle) * breadth[:, None]
    return np.concatenate([middle + side, (middle - side)[::-1]])


def _at(dataset: xr.Dataset, name: str, record: int) -> Array:
    variable = dataset[name]
    return np.asarray(variable.isel(time=record).values if "time" in variable.dims else variable.values)


def _normals(line: Array) -> Array:
    """Unit normals of a polyline (points, 2); a line seen end-on gets the normal (0, 1)."""
    tangent = np.gradient(line, axis=0)
    size = np.linalg.norm(tangent, axis=1)
    tangent = np.where(size[:, None] > 1e-12, tangent / np.maximum(size, 1e-12)[:, None], [1.0, 0.0])
    return np.stack([-tangent[:, 1], tangent[:, 0]], axis=1)


def _rounded(line: Array, width: Array) -> tuple[Array, Array]:
    """A midline and its half widths with elliptic ends, each as long as it is wide but at most the end section."""
    caps = []
    for tip, inner in ((0, 1), (-1, -2)):
        share = min(1.0, width[tip] / max(np.linalg.norm(line[inner] - line[tip]), 1e-12))
        points = line[tip] + (line[inner] - line[tip]) * (share * _CAP)[:, None]
        profile = width[tip] * np.sqrt(1.0 - (1.0 - _CAP) ** 2)
        if share == 1.0:
            points, profile = points[:-1], profile[:-1]  # the cap ends at the next node, which is there already
        caps.append((points, profile))
    (first, wide), (last, narrow) = caps
    middle = np.concatenate([first, line[1:-1], last[::-1]])
    return middle, np.concatenate([wide, width[1:-1], narrow[::-1]])


def draw_body(axes: Axes, points: Array, colour: str, strength: float = 0.35) -> None:
    """A filled outline with a thin edge."""
    axes.fill(points[:, 0], points[:, 1], facecolor=colour, alpha=strength, edgecolor="none", zorder=2)
    axes.plot(*np.concatenate([points, points[:1]]).T, color=colour, linewidth=0.45, zorder=2.1)


def snapshots(dataset: xr.Dataset, plane: Plane, records: Iterable[int]) -> dict[int, Array]:
    """Outlines of the body by their records."""
    return {int(record): outline(dataset, int(record), plane) for record in records}


def draw_track(
    axes: Axes, dataset: xr.Dataset, plane: Plane, track: Array, shown: dict[int, Array], table: dict[str, Array]
) -> None:
    """The body at some records, darker with time, and the track of its head, at true scale; outlines join the table."""
    time = dataset["time"].values
    for place, (record, shape) in enumerate(shown.items()):
        draw_body(axes, shape, style.BLUE, 0.12 + 0.5 * place / max(1, len(shown) - 1))
        table |= {f"outline at {time[record]:g} s, {'xyz'[axis]} (m)": shape[:, c] for c, axis in enumerate(plane)}
    axes.plot(*track.T, color=style.RED, linewidth=0.7, zorder=3)
    true_scale(axes, [track, *shown.values()], plane)


def true_scale(axes: Axes, drawn: list[Array], plane: Plane) -> None:
    """The same scale on both axes, all that is drawn in view with some space, and labels with the
    names of the plane's axes.
    """
    equal_scale(axes, drawn)
    axes.set_xlabel(f"{'xyz'[plane[0]]} (m)")
    axes.set_ylabel(f"{'xyz'[plane[1]]} (m)")


def equal_scale(axes: Axes, drawn: list[Array]) -> None:
    """The same scale on both axes, and all points (.., 2) that are drawn in view with some space."""
    low, high = bounds(drawn)
    centre, paper = 0.5 * (low + high), np.array(axes.get_window_extent().size)
    half = 0.5 * paper * np.max((high - low) / paper)  # the tighter direction sets the scale of both
    axes.set(xlim=(centre[0] - half[0], centre[0] + half[0]), ylim=(centre[1] - half[1], centre[1] + half[1]))
    axes.set_aspect("equal", adjustable="box")


def bounds(drawn: list[Array]) -> tuple[Array, Array]:
    """Lower and upper corner of all points (.., 2), with a margin of 4 % of the larger extent."""
    points = np.concatenate(drawn)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * max(float((high - low).max()), 1e-6)
    return low - margin, high + margin


def panel_height(drawn: list[Array]) -> float:
    """Height (mm) of the panel on which these points have the same scale both ways."""
    low, high = bounds(drawn)
    return style.height_for(high[0] - low[0], high[1] - low[1])
