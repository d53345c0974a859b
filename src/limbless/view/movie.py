"""A movie of a run, drawn without a display: mp4 with the extra `movie`, gif always."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, replacing
from limbless.view.figures import style
from limbless.view.scene import arrows, surroundings, tendon_lines
from limbless.view.scene.cameras import camera_for, followed
from limbless.view.scene.frames import Array, Frames, frames_of
from limbless.view.scene.module_shapes import COLOUR as JOINT
from limbless.view.scene.module_shapes import has_modules, joint_places, joint_sizes, module_sizes
from limbless.view.scene.object_meshes import OBJECT, objects_of
from limbless.view.scene.scene import BODY
from limbless.view.scene.skin import Skin, ball, disk
from limbless.view.studio.server import require

if TYPE_CHECKING:
    from collections.abc import Callable

    from limbless.simulation.result import Result

Picture = NDArray[np.uint8]

RATE = {".mp4": 25.0, ".gif": 12.5}  # frames per second
SIZE = {".mp4": (960, 540), ".gif": (640, 360)}
SMALLEST, LARGEST = 64, 3840  # px of a side
VIEWS = {"side": (-90.0, 8.0, 1.0), "front": (0.0, 15.0, 1.0), "back": (180.0, 15.0, 1.0), "top": (-90.0, 90.0, 1.0)}
"""Name -> azimuth and elevation in degrees, and share of the usual distance."""
MOST_FRAMES = 1500
_VIEW = 0.72  # half of the height of the picture over the distance: a field of view of 72 degrees
_LIGHT = np.array([0.3, -0.5, 0.81])
_SHADE = "#B9B3A4"  # ground in the shadow of the body
_HOW = "pip install 'limbless[movie]'; a .gif needs nothing more"


@dataclass(frozen=True)
class Camera:
    """A pinhole: where it stands, what it looks at (m), and the picture's width over its height."""

    position: Array
    look_at: Array
    aspect: float

    def project(self, points: Array) -> tuple[Array, Array]:
        """Places in the picture (.., 2), from -1 to 1 upwards and as far sideways as it is
        wide, and depths (..,), m.
        """
        ahead = (self.look_at - self.position) / np.linalg.norm(self.look_at - self.position)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, ahead)
        relative = points - self.position
        depth = relative @ ahead
        return np.stack([relative @ right, relative @ up], axis=-1) / (_VIEW * np.maximum(depth, 1e-6))[
            ..., None
        ], depth


def size_of(text: str) -> tuple[int, int]:
    """`1280x720` -> width and height of a picture, px."""
    width, _, height = text.lower().partition("x")
    sizes = [int(part) if part.strip().isdigit() else 0 for part in (width, height)]
    if not all(SMALLEST <= size <= LARGEST and size % 2 == 0 for size in sizes):
        raise InputError(
            f"the size of a movie is width x height, two even numbers from {SMALLEST} to {LARGEST} "
            f"such as 1280x720; got {text!r}"
        )
    return sizes[0], sizes[1]


def stand_of(text: str) -> tuple[float, float, float]:
    """`side`, or `30,20` or `30,20,1.5` -> azimuth and elevation of the camera seen from the robot, rad, and how much
    farther away than usual it stands.
    """
    if text in VIEWS:
        azimuth, elevation, far = VIEWS[text]
    else:
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if not 2 <= len(numbers) <= 3 or not np.isfinite(numbers).all():
            raise InputError(
                f"the camera of a movie is {', '.join(VIEWS)}, or azimuth,elevation in degrees with a "
                f"share of the usual distance after them, such as 30,20,1.5; got {text!r}"
            )
        azimuth, elevation, far = (*numbers, 1.0)[:3]
    if abs(elevation) > 90.0 or not far > 0.0:
        raise InputError(
            f"the camera of a movie has an elevation from -90 to 90 degrees and a distance greater than 0; got {text!r}"
        )
    steepest = 89.9  # straight from above there would be no upright
    return np.radians(azimuth), np.radians(float(np.clip(elevation, -steepest, steepest))), far


def write_movie(
    result: Result,
    path: str | Path,
    show: tuple[str, ...] = (),
    speed: float = 1.0,
    progress: Callable[[float], None] | None = None,
    *,
    size: str | None = None,
    camera: str | None = None,
) -> Path:
    """Write a movie; the name ends in `.mp4` or `.gif`.

    Parameters
    ----------
    show : kinds of arrows to draw: `contacts`, `fluid`, `clamp`, `base`.
    speed : simulated seconds per second of the movie.
    size : `1280x720`, width and height in px; 960x540 for `.mp4` and 640x360 for `.gif` if absent.
    camera : `side`, `front`, `back`, `top`, or azimuth,elevation[,distance] as `30,20,1.5` (degrees, share of the usual
        distance); where the studio begins if absent.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in RATE:
        raise InputError(f"a movie ends in .mp4 or .gif; got {path.name!r}")
    if not speed > 0.0:
        raise InputError(f"the speed of a movie must be greater than 0; got {speed:g}")
    if kind == ".mp4":
        require("imageio_ffmpeg", _HOW)
    shape = SIZE[kind] if size is None else size_of(size)
    frames = frames_of(result)
    painter = Painter(frames, shape, show, None if camera is None else stand_of(camera))
    pictures = _pictures(painter, RATE[kind], speed, progress)
    with replacing(path) as temporary:
        (_write_mp4 if kind == ".mp4" else _write_gif)(temporary, pictures, RATE[kind], shape)
    return path


def _pictures(
    painter: Painter, rate: float, speed: float, progress: Callable[[float], None] | None
) -> Iterator[Picture]:
    frames = painter.frames
    lasts = float(frames.times[-1] - frames.times[0]) / speed
    count = int(np.clip(round(lasts * rate) + 1, 2, MOST_FRAMES))
    for number, time in enumerate(np.linspace(frames.times[0], frames.times[-1], count)):
        yield painter.picture(frames.at(float(time)))
        if progress is not None:
            progress((number + 1) / count)


def _write_mp4(path: Path, pictures: Iterator[Picture], rate: float, size: tuple[int, int]) -> None:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(path), size, fps=rate, codec="libx264", quality=7, macro_block_size=2, ffmpeg_log_level="quiet"
    )
    writer.send(None)
    try:
        for picture in pictures:
            writer.send(np.ascontiguousarray(picture))
    finally:
        writer.close()
    if b"moov" not in path.read_bytes():  # it comes last: ffmpeg ran out of room, and says nothing
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _write_gif(path: Path, pictures: Iterator[Picture], rate: float, size: tuple[int, int]) -> None:
    from PIL import Image

    drawn = [Image.fromarray(picture) for picture in pictures]
    colours = _common_colours(drawn)
    drawn = [picture.quantize(palette=colours, dither=Image.Dither.NONE) for picture in drawn]
    drawn[0].save(path, save_all=True, append_images=drawn[1:], duration=round(1000.0 / rate), loop=0)


def _common_colours(pictures: list[Any], most: int = 6) -> Any:
    """One palette for the whole movie, so that nothing changes its colour on the way; rare colours,
    such as the path's, are kept.
    """
    from PIL import Image

    some = pictures[::-1][:: -(-len(pictures) // most)]
    width, height = some[0].size
    together = Image.new("RGB", (width, height * len(some)))
    for row, picture in enumerate(some):
        together.paste(picture, (0, row * height))
    return together.quantize(128, method=Image.Quantize.MAXCOVERAGE)


class Painter:
    """Draws frames as pictures: triangles from far to near, lit from above."""

    def __init__(
        self,
        frames: Frames,
        size: tuple[int, int],
        show: tuple[str, ...] = (),
        stand: tuple[float, float, float] | None = None,
    ) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.frames, self.skin, self.size = frames, Skin(frames, 12), size
        known = {family.key: family for family in arrows.families(frames)}
        for key in show:
            if key not in known:
                raise InputError(f"this run has no forces {key!r} to show; it has: {', '.join(known) or 'none'}")
        self.arrows = [known[key] for key in show]
        self.tendons, self.objects = tendon_lines.lines_of(frames), objects_of(frames)
        self.shade = _level_ground(frames)
        extent = surroundings.extent_of([frames])
        self.solids = surroundings.surroundings(frames.result.environment, extent)
        lines = [solid.lines for solid in self.solids if solid.lines is not None]
        self.grid = lines or [surroundings.reference_lines(extent)]
        self.way = followed(frames)
        self.position, self.look_at = camera_for(frames, follow=True)
        if stand is not None:
            azimuth, elevation, far = stand
            direction = np.array(
                [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
            )
            self.position = self.look_at + far * np.linalg.norm(self.position - self.look_at) * direction
        self.figure = Figure(figsize=(size[0] / 100, size[1] / 100), dpi=100)
        self.canvas = FigureCanvasAgg(self.figure)

    def picture(self, frame: int) -> Picture:
        """One frame as an image (height, width, 3)."""
        moved = self.way[frame] - self.way[0]
        camera = Camera(self.position + moved, self.look_at + moved, self.size[0] / self.size[1])
        self.figure.clear()
        axes = self.figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(-camera.aspect, camera.aspect), ylim=(-1, 1))
        axes.axis("off")
        self._paint(axes, camera, frame)
        axes.text(
            0.985,
            0.03,
            _moment(self.frames, frame),
            transform=axes.transAxes,
            ha="right",
            fontsize=11,
            color=style.BLACK,
        )
        axes.text(
            0.015,
            0.03,
            style.literal(self.frames.result.name or ""),
            transform=axes.transAxes,
            fontsize=11,
            color=style.GREY,
        )
        self.canvas.draw()
        return np.asarray(self.canvas.buffer_rgba())[..., :3].copy()

    def _paint(self, axes: Any, camera: Camera, frame: int) -> None:
        for solid in self.solids:
            _triangles(
                axes, camera, solid.vertices[solid.faces], solid.colour, opacity=solid.opacity, double=True, layer=1
            )
        for lines in self.grid:
            _lines(axes, camera, _cut(lines, 24), "#ABABAB", 0.7, 2)
        path = self.frames.head
        _lines(axes, camera, np.stack([path[:-1], path[1:]], axis=1)[:frame], style.RED, 1.3, 3)
        corners, colours = self._body(frame)
        if self.shade is not None:
            _triangles(axes, camera, _shadow(corners, self.shade), _SHADE, double=True, layer=3)
        for item in self.objects:
            _triangles(axes, camera, item.at(frame)[item.faces], OBJECT)
        _triangles(axes, camera, corners, colours)
        if self.skin.disks:
            points, faces = disk(20)
            for c, R, (a, b) in zip(
                self.frames.position[frame], self.frames.rotation[frame], self.frames.radius[frame], strict=True
            ):
                _triangles(axes, camera, ((points * [0.15 * a, a, b]) @ R.T + c)[faces], BODY, 0.7)
        if self.tendons is not None:
            ends, colours = self.tendons.at(frame)
            _lines(axes, camera, ends, colours[:, 0] / 255.0, 1.6, 5)
        for family in self.arrows:
            ends, colours = family.at(frame)
            _lines(axes, camera, ends, colours / 255.0, 2.0, 6)
            place, depth = camera.project(ends[:, 1])
            drawn = (depth > 0.0) & (ends[:, 1] != ends[:, 0]).any(axis=1)
            axes.scatter(*place[drawn].T, s=9, color=(colours / 255.0)[drawn], zorder=6)

    def _body(self, frame: int) -> tuple[Array, Any]:
        """Triangles (n, 3, 3) of the body and their colours: modules and joints of a chain, else the skin."""
        if not has_modules(self.frames):
            return self.skin.vertices(frame)[self.skin.faces], BODY
        points, faces = disk(16)
        f, sizes = self.frames, module_sizes(self.frames, frame)
        modules = np.einsum("sij,spj->spi", f.rotation[frame], points * sizes[:, None]) + f.position[frame][:, None]
        points, round_faces = ball(6, 10)
        joints = points[None] * joint_sizes(f, frame)[:, None, None] + joint_places(f, frame)[:, None]
        parts = [modules[:, faces].reshape(-1, 3, 3), joints[:, round_faces].reshape(-1, 3, 3)]
        tints = [
            np.tile(np.array(arrows.rgb(colour)), (len(part), 1))
            for colour, part in zip((BODY, JOINT), parts, strict=True)
        ]
        return np.concatenate(parts), np.concatenate(tints)


def _level_ground(frames: Frames) -> float | None:
    """Height of level ground, on which a shadow falls; None where there is none."""
    level = [item.level_height for item in frames.result.environment if item.level_height is not None]
    return level[0] if level else None


def _shadow(corners: Array, height: float) -> Array:
    """Where light along `_LIGHT` throws triangles on level ground."""
    above = np.maximum(corners[..., 2:] - height, 0.0)
    fallen = corners - above / _LIGHT[2] * _LIGHT
    fallen[..., 2] = height
    return np.asarray(fallen)


def _moment(frames: Frames, frame: int) -> str:
    return f"{frames.times[frame]:.2f} s" if frames.timed else f"{frames.axis} {frame + 1} of {frames.count}"


def _triangles(
    axes: Any, camera: Camera, corners: Array, colour: Any, opacity: float = 1.0, double: bool = False, layer: int = 4
) -> None:
    """Triangles (n, 3, 3) from far to near, in one colour or (n, 3) each in its own; those that look away are left out
    unless the surface has two sides.
    """
    from matplotlib.collections import PolyCollection

    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    place, depth = camera.project(corners)
    seen = (depth.min(axis=1) > 0.0) & (
        double | (np.einsum("fi,fi->f", normal, corners.mean(axis=1) - camera.position) < 0.0)
    )
    order = np.argsort(-depth.mean(axis=1)[seen])
    light = np.abs(normal @ _LIGHT) if double else 0.5 + 0.5 * (normal @ _LIGHT)
    own = np.array(arrows.rgb(colour)) if isinstance(colour, str) else colour[seen][order]
    tint = own / 255.0 * (0.5 + 0.5 * light[seen][order, None])
    tint = np.concatenate([np.clip(tint, 0.0, 1.0), np.full((len(tint), 1), opacity)], axis=1)
    edges = tint if opacity == 1.0 else "none"
    axes.add_collection(
        PolyCollection(place[seen][order], facecolors=tint, edgecolors=edges, linewidths=0.4, zorder=layer)
    )


def _lines(axes: Any, camera: Camera, ends: Array, colour: Any, width: float, layer: int) -> None:
    from matplotlib.collections import LineCollection

    if not len(ends):
        return
    place, depth = camera.project(ends)
    ahead = depth.min(axis=1) > 0.0
    chosen = colour if isinstance(colour, str) else np.asarray(colour)[ahead]
    axes.add_collection(LineCollection(place[ahead], colors=chosen, linewidths=width, capstyle="round", zorder=layer))


def _cut(lines: Array, pieces: int) -> Array:
    """Long lines in pieces, so that those that pass the camera are drawn as far as they are before it."""
    share = np.linspace(0.0, 1.0, pieces + 1)
    points = lines[:, None, 0] + share[:, None] * (lines[:, None, 1] - lines[:, None, 0])
    return np.asarray(np.stack([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 2, 3))
