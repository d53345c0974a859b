"""A movie of a run, drawn without a display: mp4 with the extra `movie`, gif always."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, replacing
from limbless.view.scene.cameras import VIEWS, camera_for, followed, seen_from
from limbless.view.scene.film import Film, Picture
from limbless.view.scene.frames import Frames, frames_of
from limbless.view.studio.server import require

if TYPE_CHECKING:
    from collections.abc import Callable

    from limbless.simulation.result import Result

RATE = {".mp4": 25.0, ".gif": 12.5}  # frames per second
SIZE = {".mp4": (960, 540), ".gif": (640, 360)}
SMALLEST, LARGEST = 64, 3840  # px of a side
MOST_FRAMES = 1500
FINEST = 4  # samples along each side of a pixel
_HOW = "pip install 'limbless[movie]'; a .gif needs nothing more"


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
    """`side`, or `30,20` or `30,20,1.5` -> azimuth and elevation of the camera seen from the robot, degrees, and how
    much farther away than usual it stands.
    """
    if text in VIEWS:
        azimuth, elevation, far = (*VIEWS[text], 1.0)
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
    return azimuth, float(np.clip(elevation, -steepest, steepest)), far


def write_movie(
    result: Result,
    path: str | Path,
    show: tuple[str, ...] = (),
    speed: float = 1.0,
    progress: Callable[[float], None] | None = None,
    *,
    size: str | None = None,
    camera: str | None = None,
    fine: int = 2,
) -> Path:
    """Write a movie; the name ends in `.mp4` or `.gif`.

    Parameters
    ----------
    show : kinds of arrows to draw: `contacts`, `fluid`, `clamp`, `base`.
    speed : simulated seconds per second of the movie.
    size : `1280x720`, width and height in px; 960x540 for `.mp4` and 640x360 for `.gif` if absent.
    camera : `side`, `front`, `back`, `top`, or azimuth,elevation[,distance] as `30,20,1.5` (degrees, share of the usual
        distance); where the studio begins if absent.
    fine : samples along each side of a pixel: 1 for a draft, which is drawn half as large, 2, up to 4 for smooth edges.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in RATE:
        raise InputError(f"a movie ends in .mp4 or .gif; got {path.name!r}")
    if not speed > 0.0:
        raise InputError(f"the speed of a movie must be greater than 0; got {speed:g}")
    if not 1 <= fine <= FINEST:
        raise InputError(f"a movie is drawn with 1 (a draft) to {FINEST} samples along a side of a pixel; got {fine}")
    if kind == ".mp4":
        require("imageio_ffmpeg", _HOW)
    shape = SIZE[kind] if size is None else size_of(size)
    painter = Painter(frames_of(result), shape, show, None if camera is None else stand_of(camera), fine)
    pictures = _pictures(painter, RATE[kind], speed, progress)
    with replacing(path) as temporary:
        if kind == ".mp4":
            _write_mp4(temporary, pictures, RATE[kind], shape, "veryfast" if fine == 1 else "medium")
        else:
            _write_gif(temporary, pictures, RATE[kind])
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


def _write_mp4(path: Path, pictures: Iterator[Picture], rate: float, size: tuple[int, int], preset: str) -> None:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(path),
        size,
        fps=rate,
        codec="libx264",
        quality=7,
        macro_block_size=2,
        ffmpeg_log_level="quiet",
        output_params=["-preset", preset],
    )
    writer.send(None)
    try:
        for picture in pictures:
            writer.send(np.ascontiguousarray(picture))
    finally:
        writer.close()
    if b"moov" not in path.read_bytes():  # it comes last: ffmpeg ran out of room, and says nothing
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _write_gif(path: Path, pictures: Iterator[Picture], rate: float) -> None:
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
    """Draws frames as pictures, from a camera that goes with the robot.

    Parameters
    ----------
    size : width and height, px. show : kinds of arrows. fine : samples along each side of a pixel.
    stand : azimuth and elevation of the camera, degrees, and how much farther away than usual it stands.
    """

    def __init__(
        self,
        frames: Frames,
        size: tuple[int, int],
        show: tuple[str, ...] = (),
        stand: tuple[float, float, float] | None = None,
        fine: int = 2,
    ) -> None:
        self.frames, self.film, self.way = frames, Film(frames, size, show, fine), followed(frames)
        self.position, self.look_at = camera_for(frames, follow=True, aspect=size[0] / size[1])
        if stand is not None:
            self.position = seen_from(self.position, self.look_at, *stand)

    def picture(self, frame: int) -> Picture:
        """One frame as an image (height, width, 3)."""
        moved = self.way[frame] - self.way[0]
        at = self.position + moved, self.look_at + moved
        return self.film.annotated(self.film.picture(frame, *at), _moment(self.frames, frame), *at)


def _moment(frames: Frames, frame: int) -> str:
    return f"{frames.times[frame]:.2f} s" if frames.timed else f"{frames.axis} {frame + 1} of {frames.count}"
