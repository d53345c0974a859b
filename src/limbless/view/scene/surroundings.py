"""What stands around the robot: ground, terrain, obstacles, the surface of the water. One function per kind of
environment.

To draw another kind, write a function `(environment, extent) -> list of Solid` and put it in `DRAWN`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core.functions.callables import NamedFunction
from limbless.environments.base import together
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.skin import Faces, disk

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUND, OBSTACLE, WATER = "#D9D4C7", "#8C7B6B", "#6DB1DC"
WAVES, WAVE_CELLS = "water waves", 48
_SIDES, _BENDS = 25, 9  # points around a pipe, and along an elbow
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


@dataclass(frozen=True)
class Extent:
    """How much there is to fill: corners of what the body sweeps, with a margin; its lowest point; the body's length,
    m.
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
        make = DRAWN.get(item.kind)
        found += [] if make is None else [_numbered(solid, number) for solid in make(item, extent)]
    return found


def _numbered(solid: Solid, number: int) -> Solid:
    return replace(solid, name=f"{solid.name} {number}")


def _sheet(
    name: str, height: Callable[[Array, Array], Array], extent: Extent, colour: str, opacity: float, cells: int = 12
) -> Solid:
    """A surface z = height(x, y) over the extent, with a grid of lines that shows how far things are."""
    x, y = np.linspace(extent.low[0], extent.high[0], cells + 1), np.linspace(extent.low[1], extent.high[1], cells + 1)
    X, Y = np.meshgrid(x, y, indexing="ij")
    points = np.stack([X, Y, height(X, Y)], axis=-1)
    return Solid(name, points.reshape(-1, 3), grid_faces(cells + 1, cells + 1), colour, opacity, _lines(height, extent))


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


def _ground(item: Any, extent: Extent) -> list[Solid]:
    along_x, along_y = np.tan(np.array(getattr(item, "slope", (0.0, 0.0)), dtype=float))
    height = float(getattr(item, "height", 0.0))
    return [_sheet("ground", lambda x, y: height + along_x * x + along_y * y, extent, GROUND, 1.0)]


def _wheels(item: Any, extent: Extent) -> list[Solid]:
    """Wheels stand on a level plane, which touches the lowest point of the body."""
    return [_sheet("ground", lambda x, y: np.full(np.shape(x), extent.floor), extent, GROUND, 1.0)]


def _terrain(item: Any, extent: Extent) -> list[Solid]:
    if isinstance(item.function, NamedFunction):  # a saved run: its heights would have to be computed, and
        # nobody allowed that
        return []
    heights = np.asarray(item._grid, dtype=float)
    x, y = (item.corner[axis] + item.spacing[axis] * np.arange(heights.shape[axis]) for axis in range(2))
    X, Y = np.meshgrid(x, y, indexing="ij")
    top = np.stack([X, Y, heights], -1).reshape(-1, 3)
    edge = _edge(*heights.shape)
    below = top[edge]
    below[:, 2] = heights.min() - _THICK * extent.size
    vertices = np.concatenate([top, below, top[edge]])  # the walls have edges of their own
    return [
        Solid("terrain", vertices, np.concatenate([grid_faces(*heights.shape), _walls(len(top), len(edge))]), GROUND)
    ]


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


def _pegs(item: Any, extent: Extent) -> list[Solid]:
    span = np.array(item.span, dtype=float)
    points, faces = disk()
    axes = _axes_along(span)
    body = (points * [np.linalg.norm(span), item.radius, item.radius]) @ axes.T + 0.5 * span
    return [
        Solid(f"peg {number}", body + np.array(foot), faces, OBSTACLE, flat=True)
        for number, foot in enumerate(item.feet)
    ]


def _axes_along(span: Array) -> Array:
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


def _boxes(item: Any, extent: Extent) -> list[Solid]:
    R = item.rotation()
    sizes = list(item.sizes) * (len(item.centres) if len(item.sizes) == 1 else 1)
    return [
        Solid(f"box {number}", (CORNERS * np.array(size)) @ R.T + np.array(center), BOX_FACES, OBSTACLE, flat=True)
        for number, (center, size) in enumerate(zip(item.centres, sizes, strict=False))
    ]


def _pipe(item: Any, extent: Extent) -> list[Solid]:
    """Rings of the wall, along straight pieces and arcs; one sees through it."""
    straight, arcs = item.pieces()
    tubes = [(np.array([begin, end]), np.tile(end - begin, (2, 1))) for begin, end in straight]
    for arc in arcs:
        turn = np.linspace(0.0, arc.angle, _BENDS)[:, None]
        side = np.cross(arc.normal, arc.start)
        out = np.cos(turn) * arc.start + np.sin(turn) * side
        tubes.append((arc.centre + item.bend * out, np.cross(arc.normal, out)))
    return [_tube(f"pipe {number}", middles, ways, item.radius) for number, (middles, ways) in enumerate(tubes)]


def _tube(name: str, middles: Array, ways: Array, radius: float) -> Solid:
    """A round wall around points of an axis, which goes along `ways` there."""
    angle, rings = np.linspace(0.0, 2.0 * np.pi, _SIDES), []
    for middle, way in zip(middles, ways, strict=True):
        axes = _axes_along(way)
        rings.append(middle + radius * (np.outer(np.cos(angle), axes[:, 1]) + np.outer(np.sin(angle), axes[:, 2])))
    return Solid(name, np.concatenate(rings), grid_faces(len(rings), _SIDES), OBSTACLE, 0.25)


def _surface(item: Any, extent: Extent) -> list[Solid]:
    if item.surface is None:
        return []
    return [_sheet("water surface", lambda x, y: np.full(np.shape(x), float(item.surface)), extent, WATER, 0.45)]


def _water(item: Any, extent: Extent) -> list[Solid]:
    """A level surface; waves as they are at time 0 (the studio moves them)."""
    if item.surface is None or not is_wavy(item):
        return _surface(item, extent)
    return [
        _sheet(
            WAVES,
            lambda x, y: waves_at(item, 0.0, np.stack([x, y, 0.0 * x], axis=-1)),
            extent,
            WATER,
            0.45,
            cells=WAVE_CELLS,
        )
    ]


def is_wavy(item: Any) -> bool:
    """Whether an environment is water with waves on it."""
    return item.kind == "water" and item.surface is not None and any(flow.kind == "waves" for flow in item.moving)


def waves_at(item: Any, time: float, places: Array) -> Array:
    """Height of the surface of a water over places (.., 3), m."""
    return np.asarray(item.height_at(np.full(places.shape[:-1], time), places)[0])


def wave_grid(extent: Extent) -> tuple[Array, Faces]:
    """Places (n, 3) of a sheet over the extent, fine enough for waves, and its faces."""
    x, y = (np.linspace(extent.low[axis], extent.high[axis], WAVE_CELLS + 1) for axis in range(2))
    X, Y = np.meshgrid(x, y, indexing="ij")
    return np.stack([X, Y, 0.0 * X], axis=-1).reshape(-1, 3), grid_faces(WAVE_CELLS + 1, WAVE_CELLS + 1)


DRAWN: dict[str, Callable[[Any, Extent], list[Solid]]] = {
    "ground": _ground,
    "terrain": _terrain,
    "pegs": _pegs,
    "boxes": _boxes,
    "wheels": _wheels,
    "buoyancy": _surface,
    "water": _water,
    "pipe": _pipe,
}
"""Kind of environment -> how it is drawn; other kinds fill space and are not drawn."""
