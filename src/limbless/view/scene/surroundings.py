"""How far what is around a robot is drawn, and the shapes of terrain, pipes and waves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbless.environments.solids import WAVE_CELLS, DrawnRelief, DrawnTube
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.shapes import Shape, axes_along, band_faces, painted

Faces = NDArray[np.uint32]
_SIDES = 25  # points around a pipe
_OPEN = np.array([3.0, 1.0, 3.0, 9.0])  # fine waves beyond the extent, and coarse ones beyond these, in body lengths
_MARGIN = 0.8  # ground around all that the body sweeps, in body lengths


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


def round_step(step: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(max(step, 1e-300)))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit * power - step)))


def grid_faces(rows: int, columns: int) -> Faces:
    """Triangles of a grid of points, seen from above."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    one, two = (
        np.stack([corner, corner + columns, corner + 1], 1),
        np.stack([corner + 1, corner + columns, corner + columns + 1], 1),
    )
    return np.concatenate([one, two]).astype(np.uint32)


def relief_shape(relief: DrawnRelief, thick: float) -> Shape:
    """The top, and walls around it down to `thick` (m) below its lowest point."""
    heights = relief.heights
    X, Y = np.meshgrid(relief.x, relief.y, indexing="ij")
    top = np.stack([X, Y, heights], -1).reshape(-1, 3)
    edge = _edge(*heights.shape)
    below = top[edge]
    below[:, 2] = heights.min() - thick
    vertices = np.concatenate([top, below, top[edge]])  # the walls have edges of their own
    faces = np.concatenate([grid_faces(*heights.shape), len(top) + band_faces(len(edge)).astype(np.uint32)])
    return painted(vertices, faces, "#FFFFFF")


def _edge(rows: int, columns: int) -> NDArray[np.int64]:
    """Numbers of the points around a grid, to the left seen from above."""
    number = np.arange(rows * columns).reshape(rows, columns)
    return np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])


def tube_shape(tube: DrawnTube, colour: str) -> Shape:
    """Rings of the wall, not farther apart than it is wide: a picture leaves out what is behind the eye."""
    long = float(np.linalg.norm(np.diff(tube.middles, axis=0), axis=1).sum())
    count = len(tube.middles)
    at = np.linspace(0.0, count - 1.0, max(count, int(0.5 * long / tube.radius)))
    middles, ways = (
        np.stack([np.interp(at, np.arange(count), np.asarray(values)[:, axis]) for axis in range(3)], axis=1)
        for values in (tube.middles, tube.ways)
    )
    angle, axes = np.linspace(0.0, 2.0 * np.pi, _SIDES)[:, None], axes_along(ways)
    across = np.cos(angle) * axes[:, None, :, 1] + np.sin(angle) * axes[:, None, :, 2]
    rings = middles[:, None] + tube.radius * across
    return painted(rings.reshape(-1, 3), grid_faces(len(rings), _SIDES), colour)


def wave_grid(extent: Extent) -> tuple[Array, Faces]:
    """Places (n, 3) of a sheet over the extent, fine enough for waves, and coarse from there to where fog hides it,
    and its faces.
    """
    near, far = _OPEN[0] * extent.size, _OPEN[1:] * extent.size
    x, y = (
        np.concatenate([low - far[::-1], np.linspace(low, high, WAVE_CELLS + 1), high + far])
        for low, high in np.stack([extent.low - near, extent.high + near], axis=1)[:2]
    )
    X, Y = np.meshgrid(x, y, indexing="ij")
    return np.stack([X, Y, 0.0 * X], axis=-1).reshape(-1, 3), grid_faces(*X.shape)
