"""The way of the head: a line on the ground below it, which fades into the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.palette import Theme, rgb

if TYPE_CHECKING:
    from limbless.view.scene.world import World

PIECES = 180
_SHARE = 0.5  # of the run that is kept
_ABOVE = 2.4e-3  # the ground, in body lengths


def trail_at(frames: Frames, world: World, frame: int) -> Array:
    """Pieces (180, 2, 3) of the way so far, m: on the ground, so that no body covers it. They end at the same frames
    while it grows, and so they stay where they are.
    """
    stride = max(1, -(-int(_SHARE * frames.count) // PIECES))
    marks = np.append(stride * (frame // stride + np.arange(1 - PIECES, 1)), frame).clip(0)
    path = frames.head[marks].copy()
    path[:, 2] = world.height(path[:, 0], path[:, 1]) + _ABOVE * frames.size
    return np.stack([path[:-1], path[1:]], axis=1)


def colour(theme: Theme) -> str:
    """Of its newest piece."""
    return "#FFFFFF" if theme.deep else theme.slips


def fading(theme: Theme) -> Any:
    """Colours (180, 2, 3) of both ends of the pieces."""
    new, old = np.array(rgb(colour(theme))), np.array(rgb(theme.faded))
    fade = (old + (new - old) * np.linspace(0.0, 1.0, PIECES + 1)[:, None] ** 1.2).astype(np.uint8)
    return np.stack([fade[:-1], fade[1:]], axis=1)
