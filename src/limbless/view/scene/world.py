"""What stands around a robot in studio, replay and movies: ground or a floor for reference, obstacles, water, a ruler.

All of it in metres; who draws it scales it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.environments.base import together
from limbless.environments.solids import DrawnBall, DrawnBar, DrawnBox, DrawnRelief, DrawnSheet
from limbless.view.scene import surroundings
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.palette import DROWNED, SAND, WET, Theme, light
from limbless.view.scene.shapes import Shape, bevelled_box, peg, sphere
from limbless.view.scene.textures import TILES

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE = 12.0  # reach of the ground around the way, in body lengths
_BEVEL = 0.004  # in body lengths
_BELOW = 0.1  # depth of a floor for reference below the lowest point, in body lengths
_ABSORBED = 14.0  # how soon depth takes the colour of the ground, per body length
_SOAKED = 0.012, 0.004  # how high above the water sand is wet, and how gradually it dries, in body lengths


class World:
    """Surroundings of runs that are shown together; those of the first are drawn."""

    def __init__(self, frames: Sequence[Frames], theme: Theme, extent: surroundings.Extent | None = None) -> None:
        self.theme, self.frames = theme, frames[0]
        self.extent = extent or surroundings.extent_of(frames)
        self.size = frames[0].size
        self.tile = surroundings.round_step(self.size / TILES)  # m, a small one
        self.plane: tuple[float, float, float] | None = None  # height at the origin, m, and slopes along x and y
        self.surface: float | None = None  # of still water, m
        self.still: dict[str, Shape] = {}  # obstacles
        self.edges: list[Array] = []  # lines (n, 2, 3) along those of boxes
        self.heights: list[tuple[str, Array]] = []  # of steps, in words, and where they are told
        self.reliefs: list[surroundings.Solid] = []
        self.clear: list[surroundings.Solid] = []  # one sees through them
        self._tops: list[DrawnBox] = []
        self._grids: list[DrawnRelief] = []
        for number, item in enumerate(together(frames[0].result.environment)):
            for one in item.drawn():
                self._take(one, f"{one.name} {number}")
        self.reference = self.plane is None
        if self.plane is None:
            depth = min(self.extent.floor, *(float(one.heights.min()) for one in self._grids), np.inf)
            self.plane = (depth - (1.6 if theme.deep else 1.0) * _BELOW * self.size, 0.0, 0.0)
        self.sandy = self.surface is not None and not self.reference

    def _take(self, one: Any, name: str) -> None:
        theme = self.theme
        if isinstance(one, DrawnSheet):
            height = one.height or (lambda x, y: np.full(np.shape(x), self.extent.floor))
            at, beside, ahead = height(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
            if one.look == "ground":
                self.plane = self.plane or (float(at), float(beside - at), float(ahead - at))
            elif not one.moves:
                self.surface = float(at)
        elif isinstance(one, DrawnBar):
            shape = peg(float(np.linalg.norm(one.span)), one.radius, theme)
            self.still[name] = shape.moved(one.foot, surroundings.axes_along(one.span))
        elif isinstance(one, DrawnBox):
            sizes = np.asarray(one.sizes, float)
            box = bevelled_box(sizes, theme.obstacle, theme.sides, _BEVEL * self.size)
            self.still[name] = box.moved(one.centre, one.axes)
            self._note_box(one, sizes)
        elif isinstance(one, DrawnBall):
            self.still[name] = sphere(one.centre, one.radius, theme.obstacle, fine=18)
        else:
            solid = surroundings.solid_of(one, self.extent)
            (self.reliefs if isinstance(one, DrawnRelief) else self.clear).append(solid)
            self._grids += [one] if isinstance(one, DrawnRelief) else []

    def _note_box(self, box: DrawnBox, sizes: Array) -> None:
        """Lines along its edges above; the height of a level one is told beside the run's way."""
        x, y, z = 0.5005 * sizes
        top = np.array([[-x, -y, z], [x, -y, z], [x, y, z], [-x, y, z]])
        lines = np.array([(top[i], top[(i + 1) % 4]) for i in range(4)] + [(one, one * [1, 1, -1]) for one in top])
        self.edges.append(lines @ np.asarray(box.axes).T + box.centre)
        if not np.allclose(box.axes, np.eye(3)):
            return
        self._tops.append(box)
        way, centre = self.frames.position[..., 0].max(), np.asarray(box.centre)
        beside = float(np.clip(way, centre[0] - 0.45 * sizes[0], centre[0] + 0.45 * sizes[0]))
        height = centre[2] + 0.5 * sizes[2]
        place = np.array([beside, centre[1] - 0.5 * sizes[1], height])
        self.heights.append((f"step +{metres(height)}", place))

    def height(self, x: Any, y: Any, tops: bool = True) -> Any:
        """Height of the ground under places, m; with the tops of level boxes."""
        if self.plane is None:
            raise LookupError("the ground is not known yet")
        level = self.plane[0] + self.plane[1] * x + self.plane[2] * y
        for box in self._tops if tops else ():
            (a, b, c), sizes = np.asarray(box.centre), np.asarray(box.sizes)
            inside = (np.abs(x - a) <= 0.5 * sizes[0]) & (np.abs(y - b) <= 0.5 * sizes[1])
            level = np.where(inside, np.maximum(level, c + 0.5 * sizes[2]), level)
        for grid in self._grids:
            row, column = (
                np.clip(np.rint((at - axis[0]) / (axis[1] - axis[0])).astype(int), 0, len(axis) - 1)
                for at, axis in ((x, grid.x), (y, grid.y))
            )
            inside = (x >= grid.x[0]) & (x <= grid.x[-1]) & (y >= grid.y[0]) & (y <= grid.y[-1])
            level = np.where(inside, np.maximum(level, grid.heights[row, column]), level)
        return level

    def tint(self, z: Any) -> Any:
        """What water leaves of the colour of sand at heights, m: wet at the edge, then blue with depth."""
        above = (np.asarray(z) - (self.surface or 0.0)) / self.size
        wet = 1.0 / (1.0 + np.exp(np.clip((above - _SOAKED[0]) / _SOAKED[1], -50.0, 50.0)))[..., None]
        dry = 1.0 + wet * (light(WET) / light(SAND) - 1.0)
        drowned = 0.85 * light(DROWNED) / light(SAND)
        return drowned + (dry - drowned) * np.exp(-_ABSORBED * np.clip(-above, 0.0, None))[..., None]

    def ruler(self) -> tuple[Array, int] | None:
        """Corners (4, 3) on the ground beside where the run begins, m, and how many small tiles it is long."""
        if self.surface is not None or self.reliefs:
            return None
        count = TILES if self.tile * TILES <= 1.3 * self.size else TILES // 2
        long = count * self.tile
        wide, places = long * 96.0 / 1024.0, self.frames.position
        x = self.tile * np.round((places[0, :, 0].mean() - 0.5 * long) / self.tile)
        y = self.tile * np.floor((places[..., 1].min() - 0.16 * self.size) / self.tile)
        corners = np.array([[x, y - wide], [x + long, y - wide], [x + long, y], [x, y]])
        z = self.height(corners[:, 0], corners[:, 1], tops=False) + 8e-4 * self.size
        return np.concatenate([corners, z[:, None]], axis=1), count

    def notes(self) -> list[str]:
        """What the legend says of it."""
        tiles = f"small tiles {metres(self.tile)}, large {metres(0.5 * TILES * self.tile)}"
        told = [f"body {metres(self.size)} long"]
        if self.reference:
            told += [f"floor for reference, not in the model; {tiles}"]
        elif self.sandy:
            told += ["water, still; foam and ripples are decoration"]
        else:
            told += [tiles]
        return told


def metres(length: float) -> str:
    """A length in words: below a metre in centimetres."""
    return f"{100.0 * length:.3g} cm" if abs(length) < 1.0 else f"{length:.3g} m"
