"""What stands around a robot, ready to be drawn: ground, obstacles, water, a ruler; and what a legend says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.environments import DrawnBall, DrawnBar, DrawnBox, DrawnRelief, DrawnSheet, DrawnTube, together
from limbless.view.scene import surroundings
from limbless.view.scene.cameras import FAR, FIELD, camera_for
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.palette import DROWNED, SAND, SAND_BED, SURFACE, WET, Theme, light
from limbless.view.scene.shapes import Shape, axes_along, bevelled_box, painted, peg, sphere
from limbless.view.scene.textures import TILES

DRAWN = 5.0
"""Length of every body in a picture's units: shadows and lines have one size for a small arm and a long eel."""
RIPPLES = 0.35  # period of ripples on water, in body lengths
_BEVEL = 0.004  # of an edge, in body lengths
_BELOW = 0.1  # depth of a floor for reference below the lowest point, in body lengths
_THICK = 0.15  # of a terrain below its lowest point, in body lengths
_FAR = 12.0  # the ground is seen, in body lengths
_ABSORBED = 14.0  # how fast water takes the colour of sand, per body length of depth
_SOAKED = 0.012, 0.004  # how high above the water sand is wet, and how gradually it dries, in body lengths
_NEAR = 1.6  # distance of the usual camera, in body lengths
_WALL = 0.25  # opacity of a pipe
_VEIL = 0.5  # opacity of sand over a body
_BURIED = 0.05  # share of the body, over the run, from which on one sees through the sand
_ROWS = np.array([-2.0 * _FAR, *np.linspace(-1.0, 1.0, 81), 1.5, 3.0, 6.0, 2.0 * _FAR])
"""Distances from a shore, in body lengths, close to each other where colours change."""


class World:
    """Surroundings of runs that are shown together; those of the first are drawn."""

    def __init__(self, frames: Sequence[Frames], theme: Theme, extent: surroundings.Extent | None = None) -> None:
        self.theme, self.frames = theme, frames[0]
        self.extent = extent or surroundings.extent_of(frames)
        self.size = frames[0].size
        self.k = DRAWN / self.size  # units of the picture per metre
        self.tile = surroundings.round_step(self.size / TILES)  # m, a small one
        self.surface: float | None = None  # of still water, m
        self.still: dict[str, Shape] = {}  # obstacles
        self.edges: list[Array] = []  # lines (n, 2, 3) along those of boxes
        self.heights: list[tuple[str, Array]] = []  # of steps, in words, and where they are told
        self.reliefs: list[Shape] = []
        self.clear: list[tuple[Shape, float]] = []  # one sees through them, with their opacity
        self.upright = True  # whether all obstacles are bars
        self._tops: list[DrawnBox] = []
        self._brinks: list[Array] = []  # where the heights of steps are told
        self._grids: list[DrawnRelief] = []
        self._planes: list[tuple[float, float, float]] = []
        items = together(frames[0].result.environment)
        for number, item in enumerate(items):
            for one in item.drawn():
                self._take(one, f"{one.name} {number}")
        sand: Any = next((item for item in items if item.kind == SAND_BED), None)
        bed = None if sand is None or sand.depth is not None else float(sand.surface or 0.0)
        tops = self.frames.position[..., 2] + self.frames.radius[..., 1]
        self.veiled = bed is not None and bool((tops < bed).mean() > _BURIED)  # sand would hide the body
        if bed is not None and not self.veiled:
            self._planes.append((bed, 0.0, 0.0))
        self.reference = not self._planes
        lowest = min([self.extent.floor, *(float(one.heights.min()) for one in self._grids)])
        floor = lowest - (1.6 if theme.deep else 1.0) * _BELOW * self.size
        # height of the ground, or of a floor for reference, at the origin, m, and its slopes along x and y
        self.level = (*self._planes, (floor, 0.0, 0.0))[0]
        self.slope = float(np.hypot(*self.level[1:]))
        self.sandy = self.surface is not None and not self.reference
        self.grain = self.sandy or sand is not None  # sand in place of tiles
        self.shore = self.sandy and self.slope > 1e-3  # ground rises out of still water
        for place in self._brinks:  # the floor for reference is no ground to rise from
            rise = place[2] - (0.0 if self.reference else float(self.height(place[0], place[1], tops=False)))
            self.heights.append((f"step +{metres(rise)}", place))
        if bed is not None and self.veiled:
            places, faces = self._over()
            self.clear.append((painted(np.column_stack([places, np.full(len(places), bed)]), faces, SAND), _VEIL))
        self.period = self.tile * TILES * (0.5 if self.grain else 1.0)  # of the ground's texture, m
        waters: list[Any] = [item for item in items if item.moving]
        self.stream = np.asarray(sum((item.stream for item in waters), np.zeros(3)))  # of all water, m/s
        self._waves: Any = next((item for item in items if item.is_wavy and self.frames.axis == "time"), None)
        self.wavy = self._waves is not None
        self.fog = self.fog_from(*camera_for(self.frames, follow=True))
        self._sheet, self.wave_faces = surroundings.wave_grid(self.extent)

    def fog_from(self, position: Array, look_at: Array) -> Array:
        """Where fog begins and where it hides everything, drawn: a camera far away sees through it."""
        away = float(np.linalg.norm(position - look_at)) / (_NEAR * self.size)
        return DRAWN * max(away, 1.0) * np.array(self.theme.fog)

    def put_camera(self, camera: Any, position: Array, look_at: Array) -> None:
        """A page's camera to a place from where it looks at another, both m."""
        camera.position, camera.look_at = self.k * position, self.k * look_at
        camera.far, camera.fov = FAR * DRAWN, FIELD

    def _take(self, one: Any, name: str) -> None:
        theme = self.theme
        self.upright = self.upright and not isinstance(one, DrawnBox | DrawnBall | DrawnTube)
        match one:
            case DrawnSheet():
                height = one.height or (lambda x, y: np.full(np.shape(x), self.extent.floor))
                at, beside, ahead = height(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
                if one.look == "ground":
                    self._planes.append((float(at), float(beside - at), float(ahead - at)))
                elif not one.moves:
                    self.surface = float(at)
            case DrawnBar():
                shape = peg(float(np.linalg.norm(one.span)), one.radius, theme)
                self.still[name] = shape.moved(one.foot, axes_along(np.asarray(one.span, float)[None])[0])
            case DrawnRelief():
                self.reliefs.append(surroundings.relief_shape(one, _THICK * self.size))
                self._grids.append(one)
            case DrawnBox():
                box = bevelled_box(one.sizes, theme.obstacle, theme.sides, _BEVEL * self.size)
                self.still[name] = box.moved(one.centre, one.axes)
                self._note_box(one, np.asarray(one.sizes, float))
            case DrawnBall():
                self.still[name] = sphere(one.centre, one.radius, theme.obstacle, fine=18)
            case DrawnTube():
                self.clear.append((surroundings.tube_shape(one, theme.obstacle), _WALL))

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
        beside = np.clip(way, centre[0] - 0.45 * sizes[0], centre[0] + 0.45 * sizes[0])
        self._brinks.append(np.array([beside, centre[1] - 0.5 * sizes[1], centre[2] + 0.5 * sizes[2]]))

    # Heights

    def height(self, x: Any, y: Any, tops: bool = True) -> Any:
        """Height of the ground under places, m; with the tops of level boxes."""
        at, along, across = self.level
        level = at + along * x + across * y
        for box in self._tops if tops else ():
            (a, b, c), sizes = np.asarray(box.centre), np.asarray(box.sizes)
            inside = (np.abs(x - a) <= 0.5 * sizes[0]) & (np.abs(y - b) <= 0.5 * sizes[1])
            level = np.where(inside, np.maximum(level, c + 0.5 * sizes[2]), level)
        for grid in self._grids:
            inside = (x >= grid.x[0]) & (x <= grid.x[-1]) & (y >= grid.y[0]) & (y <= grid.y[-1])
            level = np.where(inside, np.maximum(level, _on_triangles(grid, x, y)), level)
        return level

    def waves_at(self, frame: int) -> Array:
        """The surface of water with waves in a frame: vertices (n, 3), m."""
        x, y, _ = self._sheet.T
        return np.column_stack([x, y, self._waves.waves_at(float(self.frames.times[frame]), x, y)])

    def drift(self, frame: int) -> Array:
        """How far a uniform flow has carried the water since the first frame (3,), m."""
        return np.asarray((self.frames.times[frame] - self.frames.times[0]) * self.stream)

    # Sheets for a page

    def _over(self, along: Array | None = None, columns: int = 3) -> tuple[Array, Any]:
        """Places (n, 2) over all that is seen, m, in rows across the slope of the ground, and their faces; rows at
        distances `along` the slope from the shore, or three.
        """
        low, high = (corner[:2] for corner in (self.extent.low, self.extent.high))
        middle, reach = 0.5 * (low + high), _FAR * self.size + 0.5 * float((high - low).max())
        downhill = -np.array(self.level[1:]) / self.slope if self.shore else np.array([1.0, 0.0])
        across = np.array([-downhill[1], downhill[0]])
        start = float(middle @ downhill)
        if self.shore:
            start = (self.level[0] - (self.surface or 0.0)) / self.slope
        steps = np.linspace(-1.0, 1.0, 3) * reach if along is None else along
        side = middle @ across + np.linspace(-reach, reach, columns)
        places = (start + steps)[:, None, None] * downhill + side[:, None] * across
        return places.reshape(-1, 2), surroundings.grid_faces(len(steps), columns)

    def ground_sheet(self) -> tuple[Array, Any, Array, Array | None]:
        """Vertices, m, faces, places in the texture, and colours (light) where water takes some of it."""
        places, faces = self._over(self.size * _ROWS if self.shore else None)
        z = self.level[0] + places @ self.level[1:]
        return np.column_stack([places, z]), faces, places / self.period, self.tint(z) if self.sandy else None

    def water_sheet(self) -> tuple[Array, Any, Array]:
        """Vertices of the still surface, m, faces, and colours with opacity: the farther from the shore the less one
        sees through it.
        """
        places, faces = self._over(self.size * _ROWS if self.shore else None)
        level = self.surface or 0.0
        off = (level - self.level[0] - places @ self.level[1:]) / self.size / max(self.slope, 1e-3)
        alpha = 0.14 + 0.46 * (1.0 - np.exp(-2.0 * np.clip(off, 0.0, None)))
        colour = np.column_stack([np.tile(light(SURFACE), (len(places), 1)), alpha])
        return np.column_stack([places, np.full(len(places), level)]), faces, colour

    def foam(self) -> tuple[Array, Any, Array]:
        """A strip along a shore: vertices, m, faces, colours with opacity."""
        places, faces = self._over(self.size * np.array([0.0, 0.012, 0.03]), columns=1200)
        s = np.linspace(0.0, 24.0 * DRAWN, 1200)
        wobble = np.sin(2.1 * s) + 0.6 * np.sin(5.3 * s + 1.0) + 0.4 * np.sin(11.7 * s)
        downhill = -np.array(self.level[1:]) / self.slope
        places += 0.012 * self.size * np.tile(wobble, 3)[:, None] * downhill
        z = np.full(len(places), (self.surface or 0.0) + 4e-4 * self.size)
        colour = np.column_stack([np.ones((3600, 3)), np.repeat([0.0, 0.75, 0.0], 1200)])
        return np.column_stack([places, z]), faces, colour

    def tint(self, z: Any) -> Any:
        """What water leaves of the colour of sand at heights, m: wet at the edge, then blue with depth."""
        above = (np.asarray(z) - (self.surface or 0.0)) / self.size
        wet = 1.0 / (1.0 + np.exp(np.clip((above - _SOAKED[0]) / _SOAKED[1], -50.0, 50.0)))[..., None]
        dry = 1.0 + wet * (light(WET) / light(SAND) - 1.0)
        drowned = 0.85 * light(DROWNED) / light(SAND)
        return drowned + (dry - drowned) * np.exp(-_ABSORBED * np.clip(-above, 0.0, None))[..., None]

    def dust(self) -> Array:
        """Places (n, 3) of dust in deep water, m, which shows how a swimmer moves."""
        return np.random.default_rng(0).uniform(self.extent.low, self.extent.high, (260, 3))

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
        return np.column_stack(
            [corners, self.height(corners[:, 0], corners[:, 1], tops=False) + 8e-4 * self.size]
        ), count

    def notes(self) -> list[str]:
        """What the legend says of it."""
        tiles = f"small tiles {metres(self.tile)}, large {metres(0.5 * TILES * self.tile)}"
        told = [f"body {metres(self.size)} long"]
        if self.reference:
            told += ["sand, drawn to be seen through"] if self.veiled else []
            told += [f"floor for reference, not in the model{'' if self.grain else f'; {tiles}'}"]
        elif self.grain and not self.sandy:
            told += ["sand; its grain is decoration"]
        elif self.sandy:
            moves = f"flows at {np.linalg.norm(self.stream):.2g} m/s" if self.stream.any() else "still"
            told += [f"water, {moves}; foam and ripples are decoration"]
        else:
            told += [tiles]
        return told


def _on_triangles(grid: DrawnRelief, x: Any, y: Any) -> Any:
    """Heights of a relief at places inside it, m, on the triangles with which it is drawn."""
    cells = [(at - axis[0]) / (axis[1] - axis[0]) for at, axis in ((x, grid.x), (y, grid.y))]
    i, j = (np.clip(cell.astype(int), 0, n - 2) for cell, n in zip(cells, grid.heights.shape, strict=True))
    u, v, h = cells[0] - i, cells[1] - j, grid.heights
    low = h[i, j] + u * (h[i + 1, j] - h[i, j]) + v * (h[i, j + 1] - h[i, j])
    far = h[i + 1, j + 1]
    return np.where(u + v <= 1.0, low, far + (1.0 - u) * (h[i, j + 1] - far) + (1.0 - v) * (h[i + 1, j] - far))


def metres(length: float) -> str:
    """A length in words: in metres, below one in centimetres, below one of these in millimetres."""
    per, unit = next((one for one in ((1.0, "m"), (1e2, "cm")) if abs(length) * one[0] >= 1.0), (1e3, "mm"))
    return f"{per * length:.3g} {unit}"
