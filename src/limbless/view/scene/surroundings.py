"""What stands around the robot: meshes of the plain solids that environments are drawn with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import together
from limbless.environments.solids import (
    WAVE_CELLS,
    DrawnBall,
    DrawnBar,
    DrawnBox,
    DrawnRelief,
    DrawnSheet,
    DrawnTube,
)
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.skin import Faces, ball, disk

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUND, OBSTACLE, WATER = "#D9D4C7", "#8C7B6B", "#6DB1DC"
_SIDES = 25  # points around a pipe
_MOST_MARKS = 6  # along one side of a grid
_THICK = 0.15  # of a terrain below its lowest point, in body lengths
_MARGIN = 0.8  # ground around all that the body sweeps, in body lengths


@dataclass(frozen=True)
class Solid:
    """A thing that does not move: a mesh in the world (m), its colour, and how much it hides."""

    name: str
    vertices: Array
    faces: Faces
    colour: str
    opacity: float = 1.0
    lines: Array | None = None  # (n, 2, 3) lines drawn on it, m
    flat: bool = False  # a solid with edges, which throws a shadow; not a smooth sheet
    look: str = "obstacle"  # or ground, or water
    upright: bool = False  # seen well enough from above
    moves: bool = False  # with time


@dataclass(frozen=True)
class Extent:
    """How much there is to fill: corners of what the body sweeps, with a margin; its lowest
    point; the body's length, m.
    """

    low: Array
    high: Array
    floor: float
    size: float


def extent_of(frames: Sequence[Frames]) -> Extent:
    """The space that these robots need together."""
    corners = [one.bounds() for one in frames]
    size = max(one.size for one in frames)
    low, high = np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)
    lowest = min(float((one.position[..., 2] - one.radius.max(axis=-1)).min()) for one in frames)
    return Extent(low - _MARGIN * size, high + _MARGIN * size, lowest, size)


def surroundings(environment: Sequence[Any], extent: Extent) -> list[Solid]:
    """Everything to be drawn of an environment."""
    found: list[Solid] = []
    for number, item in enumerate(together(environment)):
        found += [replace(solid_of(one, extent), name=f"{one.name} {number}") for one in item.drawn()]
    return found


def solid_of(one: Any, extent: Extent) -> Solid:
    """The mesh of one of an environment's solids."""
    return _MESHES[type(one)](one, extent)


def grid_over(extent: Extent, cells: int) -> tuple[Array, Array]:
    """x and y of the points of a grid over the extent."""
    x, y = (np.linspace(extent.low[axis], extent.high[axis], cells + 1) for axis in range(2))
    X, Y = np.meshgrid(x, y, indexing="ij")
    return X, Y


def _sheet(sheet: DrawnSheet, extent: Extent) -> Solid:
    """The surface over the extent, with a grid of lines that shows how far things are."""
    height = sheet.height or (lambda x, y: np.full(np.shape(x), extent.floor))
    X, Y = grid_over(extent, sheet.cells)
    points = np.stack([X, Y, height(X, Y)], axis=-1).reshape(-1, 3)
    faces, lines = grid_faces(*X.shape), _lines(height, extent)
    colour, opacity = (GROUND, 1.0) if sheet.look == "ground" else (WATER, 0.45)
    return Solid(sheet.name, points, faces, colour, opacity, lines, look=sheet.look, moves=sheet.moves)


def _lines(height: Callable[[Array, Array], Array], extent: Extent) -> Array:
    """Lines (n, 2, 3) over the extent at round distances along x and y, m, a little above the surface."""
    pitch = round_step(max(extent.high[0] - extent.low[0], extent.high[1] - extent.low[1]) / 16.0)
    lines = []
    for axis in range(2):
        for place in pitch * np.arange(np.ceil(extent.low[axis] / pitch), np.floor(extent.high[axis] / pitch) + 1):
            ends = np.array([[extent.low[0], extent.low[1]], [extent.high[0], extent.high[1]]])
            ends[:, axis] = place
            lines.append(np.concatenate([ends, height(ends[:, 0], ends[:, 1])[:, None]], axis=1))
    return np.array(lines).reshape(-1, 2, 3) + np.array([0.0, 0.0, 1e-3 * extent.size])


def scale_marks(lines: Array) -> list[tuple[str, Array]]:
    """What stands at the ends of some of a grid's lines: where in the world each is, in metres."""
    found: list[tuple[str, Array]] = []
    for axis in range(2):
        across = lines[np.isclose(lines[:, 0, axis], lines[:, 1, axis])]
        every = max(1, -(-len(across) // _MOST_MARKS))
        pitch = abs(across[1, 0, axis] - across[0, 0, axis]) if len(across) > 1 else 1.0
        number = np.rint(across[:, 0, axis] / pitch).astype(int)
        found += [
            (f"{'xy'[axis]} {count * pitch:.4g} m", line[0])
            for count, line in zip(number, across, strict=True)
            if count % every == 0
        ]
    return found


def reference_lines(extent: Extent) -> Array:
    """A grid below everything, where no ground is drawn: without it nobody sees a swimmer move."""
    return _lines(lambda x, y: np.full(np.shape(x), extent.floor - 0.1 * extent.size), extent)


def round_step(step: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(max(step, 1e-9)))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit * power - step)))


def grid_faces(rows: int, columns: int) -> Faces:
    """Triangles of a grid of points, seen from above."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    one, two = (
        np.stack([corner, corner + columns, corner + 1], 1),
        np.stack([corner + 1, corner + columns, corner + columns + 1], 1),
    )
    return np.concatenate([one, two]).astype(np.uint32)


def _relief(relief: DrawnRelief, extent: Extent) -> Solid:
    heights = relief.heights
    X, Y = np.meshgrid(relief.x, relief.y, indexing="ij")
    top = np.stack([X, Y, heights], -1).reshape(-1, 3)
    edge = _edge(*heights.shape)
    below = top[edge]
    below[:, 2] = heights.min() - _THICK * extent.size
    vertices = np.concatenate([top, below, top[edge]])  # the walls have edges of their own
    faces = np.concatenate([grid_faces(*heights.shape), _walls(len(top), len(edge))])
    return Solid(relief.name, vertices, faces, GROUND, look="ground")


def _edge(rows: int, columns: int) -> NDArray[np.int64]:
    """Numbers of the points around a grid, to the left seen from above."""
    number = np.arange(rows * columns).reshape(rows, columns)
    return np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])


def _walls(below: int, count: int) -> Faces:
    """Triangles between a closed row of points below and the same row above, which follows it."""
    here = np.arange(count)
    after = (here + 1) % count
    above = below + count
    return np.concatenate(
        [
            np.stack([below + here, below + after, above + here], 1),
            np.stack([below + after, above + after, above + here], 1),
        ]
    ).astype(np.uint32)


def _bar(bar: DrawnBar, extent: Extent) -> Solid:
    points, faces = disk()
    body = (points * [np.linalg.norm(bar.span), bar.radius, bar.radius]) @ axes_along(bar.span).T + 0.5 * bar.span
    return Solid(bar.name, body + bar.foot, faces, OBSTACLE, flat=True, upright=True)


def axes_along(span: Array) -> Array:
    """A rotation whose first axis is along a vector."""
    first = span / max(float(np.linalg.norm(span)), 1e-12)
    helper = np.eye(3)[int(np.argmin(np.abs(first)))]
    second = np.cross(first, helper)
    second /= np.linalg.norm(second)
    return np.stack([first, second, np.cross(first, second)], axis=1)


CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
BOX_FACES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ],
    dtype=np.uint32,
)


def _box(box: DrawnBox, extent: Extent) -> Solid:
    return Solid(box.name, (CORNERS * box.sizes) @ box.axes.T + box.centre, BOX_FACES, OBSTACLE, flat=True)


def _ball(drawn: DrawnBall, extent: Extent) -> Solid:
    points, faces = ball()
    return Solid(drawn.name, drawn.centre + drawn.radius * points, faces, OBSTACLE)


def _tube(tube: DrawnTube, extent: Extent) -> Solid:
    """Rings of the wall; one sees through it."""
    angle, rings = np.linspace(0.0, 2.0 * np.pi, _SIDES), []
    for middle, way in zip(tube.middles, tube.ways, strict=True):
        axes = axes_along(way)
        across = np.outer(np.cos(angle), axes[:, 1]) + np.outer(np.sin(angle), axes[:, 2])
        rings.append(middle + tube.radius * across)
    return Solid(tube.name, np.concatenate(rings), grid_faces(len(rings), _SIDES), OBSTACLE, 0.25)


_MESHES: dict[type, Callable[[Any, Extent], Solid]] = {
    DrawnSheet: _sheet,
    DrawnRelief: _relief,
    DrawnBar: _bar,
    DrawnBox: _box,
    DrawnBall: _ball,
    DrawnTube: _tube,
}


def wave_grid(extent: Extent) -> tuple[Array, Faces]:
    """Places (n, 3) of a sheet over the extent, fine enough for waves, and its faces."""
    X, Y = grid_over(extent, WAVE_CELLS)
    return np.stack([X, Y, 0.0 * X], axis=-1).reshape(-1, 3), grid_faces(*X.shape)
