"""Pictures of a run without a browser: the shapes, colours, light, shadows and ground of the studio."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from limbless.core import InputError
from limbless.view.scene import arrows, tendon_lines, textures
from limbless.view.scene.arrows import HEAD, SHAFT
from limbless.view.scene.body_shapes import Placed
from limbless.view.scene.cameras import FIELD
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.legend import scale_words
from limbless.view.scene.moving_parts import MovingParts
from limbless.view.scene.palette import GHOST, GHOSTLY, SUN, SURFACE, as_bytes, as_light, light, rgb, theme_of
from limbless.view.scene.raster import LIT, PLAIN, TILED, Air, Buffer, Eye, Ground, Mesh, Sun, Water, fill, paint
from limbless.view.scene.shapes import Shape, axes_along, cone, painted, tube
from limbless.view.scene.trail import fading, trail_at
from limbless.view.scene.world import DRAWN, RIPPLES, World, metres

Picture = NDArray[np.uint8]

_SHADOW = 1024  # px of the sun's picture
_HALVES = 5  # pictures of the ground, each half as fine as the one before
_THIN = {"tendons": 0.0011, "trail": 0.0035, "edges": 0.0012}  # radii, in body lengths
_NEAREST = 0.05  # before the eye is anything drawn, in units of the picture
_BOTTOM, _TOP, _TINTS = -0.6, 0.1, 512  # heights around the water, in body lengths, for which tints are kept


class Film:
    """Draws frames of a run.

    Parameters
    ----------
    size : width and height, px.
    show : kinds of arrows: `contacts`, `fluid`, `clamp`, `base`, `flow`.
    fine : samples along each side of a pixel; 1 is a draft, drawn half as large and enlarged.
    lighting : `day` or `dark`.
    ghost : another run, pale and see-through beside this one.
    """

    def __init__(
        self,
        frames: Frames,
        size: tuple[int, int],
        show: tuple[str, ...] = (),
        fine: int = 2,
        lighting: str = "day",
        ghost: Frames | None = None,
    ) -> None:
        self.frames, self.size, self.fine, self.ghost = frames, size, fine, ghost
        self.theme = theme_of(frames, lighting)
        known = {family.key: family for family in arrows.families(frames)}
        for key in show:
            if key not in known:
                raise InputError(f"this run has no forces {key!r} to show; it has: {', '.join(known) or 'none'}")
        self.arrows = [arrows.in_theme(known[key], self.theme) for key in show]
        self.tendons, self.parts = tendon_lines.lines_of(frames, self.theme.dark), MovingParts(frames, self.theme)
        self.world = World([frames] if ghost is None else [frames, ghost], self.theme)
        self.k = self.world.k
        self._beside = None if ghost is None else MovingParts(ghost, self.theme)
        self._tube, self._cone = tube(), cone()
        self._still = self._without_motion()
        self._ground, self._water, self._air = self._make_ground(), self._make_water(), self._make_air()
        wide, tall = (side // (2 if fine == 1 else 1) for side in size)
        rows, columns = tall * fine, wide * fine
        self._buffer, self._veil = _buffer(rows, columns), _buffer(rows, columns)
        self._shade, self._out = _buffer(_SHADOW, _SHADOW), np.empty((tall, wide, 3), np.float32)

    # What does not move

    def _without_motion(self) -> list[Mesh]:
        world = self.world
        parts = [self._mesh(shape.scaled(self.k), LIT) for shape in world.still.values()]
        parts += [self._mesh(shape.scaled(self.k), TILED) for shape in world.reliefs]
        ink = light(self.theme.sides)
        return parts + [self._lines(lines, np.tile(ink, (len(lines), 1)), _THIN["edges"]) for lines in world.edges]

    def _make_ground(self) -> Ground:
        world, theme, k = self.world, self.theme, self.k
        picture = as_light(np.clip(textures.sand() if world.grain else textures.ground(theme), 0.0, 1.0))
        tiles = [picture[::-1].astype(np.float32)]
        while len(tiles) < _HALVES:
            half = tiles[-1]
            tiles.append(half.reshape(len(half) // 2, 2, -1, 2, 3).mean(axis=(1, 3)).astype(np.float32))
        at, along, across = world.level
        z = (world.surface or 0.0) + world.size * np.linspace(_BOTTOM, _TOP, _TINTS)
        tints = world.tint(z) if world.sandy else np.ones((1, 3))
        ruler, corner, size = np.zeros((1, 1, 4), np.float32), np.full(2, 1e9), np.ones(2)
        if (laid := world.ruler()) is not None:
            corners, count = laid
            drawn = textures.ruler(theme, world.tile, count)
            ruler = np.concatenate([as_light(drawn[..., :3]), drawn[..., 3:]], axis=-1).astype(np.float32)
            corner, size = k * corners[0, :2], k * (corners[2, :2] - corners[0, :2])
        step = k * world.size * (_TOP - _BOTTOM) / _TINTS
        return Ground(
            np.array([k * at, along, across]),
            tuple(tiles),
            k * world.period,
            tints,
            k * z[0],
            step,
            ruler,
            corner,
            size,
        )

    def _make_water(self) -> Water:
        world = self.world
        level = -1e6 if world.surface is None else self.k * world.surface
        shore = world.slope if world.sandy else 0.0
        return Water(level, light(SURFACE), textures.slopes(), RIPPLES * DRAWN, np.zeros(2), shore, DRAWN)

    def _make_air(self) -> Air:
        theme = self.theme
        return Air(light(theme.horizon), light(theme.zenith), light(theme.nadir), self.world.fog, light(theme.faded))

    # Meshes

    def _mesh(self, shape: Shape, kind: float, placed: Placed | None = None, colours: Array | None = None) -> Mesh:
        """A shape in the picture's units, or instances of one; `colours`: light (n, 3) of the instances."""
        points, across = shape.vertices, shape.normals
        n, v = 1 if placed is None else len(placed.position), len(points)
        faces = (shape.faces.astype(np.int32)[None] + v * np.arange(n, dtype=np.int32)[:, None, None]).reshape(-1, 3)
        if placed is not None:
            points = (points[None] * placed.scale[:, None]) @ placed.axes.transpose(0, 2, 1) + placed.position[:, None]
            points, across = self.k * points.reshape(-1, 3), (across @ placed.axes.transpose(0, 2, 1)).reshape(-1, 3)
        tint = np.empty((n, v, 4))
        tint[..., :3] = shape.colours if colours is None else colours[:, None]
        tint[..., 3] = kind
        return Mesh(points, across, tint.reshape(-1, 4), faces)

    def _lines(self, ends: Array, colours: Array, thin: float, flat: float = 1.0) -> Mesh:
        """Thin tubes from end to end (n, 2, 3), m, not lit."""
        span = ends[:, 1] - ends[:, 0]
        long = np.linalg.norm(span, axis=1)
        radius = np.full(len(long), thin * self.frames.size)
        scale = np.stack([long, radius, flat * radius], axis=1)
        return self._mesh(self._tube, PLAIN, Placed(ends.mean(axis=1), axes_along(span), scale), colours)

    def _moving(self, frame: int) -> list[Mesh]:
        parts = [self._mesh(self.parts.shapes[key], LIT, placed) for key, placed in self.parts.at(frame).items()]
        if self.tendons is not None:
            ends, colours = self.tendons.at(frame)
            parts.append(self._lines(ends, as_light(colours[:, 0] / 255.0), _THIN["tendons"]))
        for family in self.arrows:
            parts += self._arrows(*family.at(frame))
        trail, fade = trail_at(self.frames, self.world, frame), fading(self.theme)
        return [*parts, self._lines(trail, as_light(fade.mean(axis=1) / 255.0), _THIN["trail"], flat=0.15)]

    def _arrows(self, ends: Array, colours: Any) -> list[Mesh]:
        """Shafts and heads; those shorter than a head and a fifth are left out."""
        thin = SHAFT * self.frames.size
        span = ends[:, 1] - ends[:, 0]
        long = np.linalg.norm(span, axis=1)
        seen = long > 1.2 * HEAD[1] * thin
        if not seen.any():
            return []
        span, ends, tint = span[seen], ends[seen], as_light(colours[seen] / 255.0)
        foot = ends[:, 1] - span / long[seen, None] * HEAD[1] * thin
        scale = np.tile(thin * np.array([HEAD[1], HEAD[0], HEAD[0]]), (len(foot), 1))
        shaft = self._lines(np.stack([ends[:, 0], foot], axis=1), tint, SHAFT)
        return [shaft, self._mesh(self._cone, PLAIN, Placed(foot, axes_along(span), scale), tint)]

    def _clear(self, frame: int) -> Mesh:
        """What one sees through."""
        parts = [self._mesh(shape.scaled(self.k), opacity) for shape, opacity in self.world.clear]
        if self.world.wavy:
            parts.append(self._mesh(painted(self.k * self.world.waves_at(frame), self.world.wave_faces, SURFACE), 0.5))
        if self.ghost is not None and self._beside is not None:
            for key, placed in self._beside.at(self.ghost.at(float(self.frames.times[frame]))).items():
                pale = np.tile(light(GHOST), (len(placed.position), 1))
                parts.append(self._mesh(self._beside.shapes[key], GHOSTLY, placed, pale))
        return _joined(parts)

    # The picture

    def picture(self, frame: int, position: Array, look_at: Array) -> Picture:
        """A frame (height, width, 3) from a place, looking at another, both m."""
        eye = _eye(self.k * position, self.k * look_at)
        mesh, clear = _before(eye, _joined([*self._still, *self._moving(frame)])), _before(eye, self._clear(frame))
        for buffer, solid in ((self._buffer, mesh), (self._veil, clear)):
            _fill(buffer, *project(eye, solid.points, buffer.near.shape), solid.faces)
        sun = self._light(mesh)
        water = self._water._replace(drift=self.k * self.world.drift(frame)[:2])
        paint(self._out, self._buffer, mesh, self._veil, clear, eye, sun, self._ground, water, self._air)
        drawn: Picture = as_bytes(self._out)
        return drawn if drawn.shape[1::-1] == self.size else np.asarray(Image.fromarray(drawn).resize(self.size))

    def _light(self, mesh: Mesh) -> Sun:
        """What the sun meets first."""
        way = SUN / np.linalg.norm(SUN)
        x = np.cross([0.0, 0.0, 1.0], way)
        x /= np.linalg.norm(x)
        y = np.cross(way, x)
        flat = np.stack([mesh.points @ x, mesh.points @ y], axis=1)
        body = flat[sum(len(part.points) for part in self._still) :]  # what is far from it throws no shadow on it
        reach = np.ptp(body, axis=0).max() + DRAWN
        low = 0.5 * (body.min(axis=0) + body.max(axis=0) - reach)
        _fill(self._shade, (flat - low) / reach * _SHADOW, 1000.0 - mesh.points @ way, mesh.faces)
        return Sun(way, x, y, low, float(reach), self._shade.near)

    def annotated(self, picture: Picture, moment: str, position: Array, look_at: Array) -> Picture:
        """The same with its name, its moment, how long small tiles and arrows are, and the heights of steps."""
        from PIL import ImageDraw, ImageFont

        image = Image.fromarray(picture)
        draw = ImageDraw.Draw(image, "RGBA")
        tall, theme = self.size[1], self.theme
        font: Any = ImageFont.load_default(max(tall / 32.0, 9.0))
        ink, paper, edge = rgb(theme.text), (*rgb(theme.paper), 190), 0.03 * tall
        said = [
            ((edge, tall - edge), self.frames.result.name or "", "ls"),
            ((self.size[0] - edge, tall - edge), moment, "rs"),
            ((self.size[0] / 2, tall - edge), "" if self.world.grain else f"tile {metres(self.world.tile)}", "ms"),
            *(
                ((edge, edge + (1.0 + 1.6 * row) * font.size), f"{family.label}: {scale_words(family)}", "ls")
                for row, family in enumerate(self.arrows)
            ),
        ]
        eye = _eye(self.k * position, self.k * look_at)
        for text, place in self.world.heights:
            at, depth = project(eye, self.k * place[None], (tall, self.size[0]))
            if depth[0] > 0.0 and (at[0] > 0.0).all() and (at[0] < self.size).all():
                said.append(((float(at[0, 0]), float(at[0, 1])), text, "ms"))
        for spot, text, anchor in said:
            if text:
                left, _, right, _ = draw.textbbox(spot, text, font=font, anchor=anchor)
                inside = min(max(left, 8.0), self.size[0] - 8.0 - (right - left))  # beside an edge it would be cut off
                spot = (spot[0] + inside - left, spot[1])
                box = draw.textbbox(spot, text, font=font, anchor=anchor)
                draw.rounded_rectangle((box[0] - 5, box[1] - 3, box[2] + 5, box[3] + 3), 4, fill=paper)
                draw.text(spot, text, font=font, fill=ink, anchor=anchor)
        return np.asarray(image)


def project(eye: Eye, points: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Places in a picture of this height and width (n, 2), px, and depths (n,)."""
    relative = points - eye.place
    depth = relative @ eye.ahead
    per = 0.5 * shape[0] / eye.half / np.maximum(depth, 1e-3)
    x, y = 0.5 * shape[1] + (relative @ eye.right) * per, 0.5 * shape[0] - (relative @ eye.up) * per
    return np.stack([x, y], axis=1), depth


def _before(eye: Eye, mesh: Mesh) -> Mesh:
    """The mesh with triangles that reach behind the eye cut off before it; its vertices stay, new ones follow them."""
    depth = (mesh.points - eye.place) @ eye.ahead - _NEAREST
    cut = np.flatnonzero((depth[mesh.faces] < 0.0).any(axis=1) & (depth[mesh.faces] > 0.0).any(axis=1))
    fields: list[list[Any]] = [[], [], []]
    faces: list[list[int]] = []
    for face in mesh.faces[cut]:
        first = len(mesh.points) + len(fields[0])
        for one, two in zip(face, np.roll(face, -1), strict=True):
            crossed = depth[one] * depth[two] < 0.0
            shares = ([0.0] if depth[one] >= 0.0 else []) + (
                [depth[one] / (depth[one] - depth[two])] if crossed else []
            )
            for share, (field, values) in itertools.product(shares, zip(fields, mesh[:3], strict=True)):
                field.append(values[one] + share * (values[two] - values[one]))
        faces += [[first, k, k + 1] for k in range(first + 1, len(mesh.points) + len(fields[0]) - 1)]
    if not faces:
        return mesh
    points, normals, colours = (np.concatenate(pair) for pair in zip(mesh[:3], fields, strict=True))
    return Mesh(points, normals, colours, np.concatenate([mesh.faces, np.array(faces, np.int32)]))


def _eye(position: Array, look_at: Array) -> Eye:
    ahead = (look_at - position) / np.linalg.norm(look_at - position)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return Eye(position, ahead, right, np.cross(right, ahead), float(np.tan(0.5 * FIELD)))


def _buffer(rows: int, columns: int) -> Buffer:
    near, one, two = (np.zeros((rows, columns), np.float32) for _ in range(3))
    return Buffer(near, np.full((rows, columns), -1, np.int32), one, two)


def _fill(buffer: Buffer, xy: Array, depth: Array, faces: Any) -> None:
    """These triangles alone."""
    buffer.near[:] = 0.0
    buffer.owner[:] = -1
    fill(xy, depth, faces, buffer)


def _joined(parts: list[Mesh]) -> Mesh:
    if not parts:
        return Mesh(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3), np.int32))
    offsets = np.cumsum([0] + [len(part.points) for part in parts[:-1]])
    faces = np.concatenate([part.faces + int(at) for part, at in zip(parts, offsets, strict=True)]).astype(np.int32)
    points, across, colours = (np.concatenate([part[field] for part in parts]) for field in range(3))
    return Mesh(points, across, colours, faces)
