"""A chain as the robot that it is: a module for every section, a joint between neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.view.scene.frames import Array, Frames

COLOUR = "#3B4A54"
_SHARE = 0.86  # of its section that a module fills: between two of them the joint is seen
_JOINT = 0.8  # radius of a joint over that of the thinner neighbour


def has_modules(frames: Frames) -> bool:
    """Whether the body is a chain of sections that have a length."""
    robot: Any = getattr(frames.result.scenario, "robot", None)
    several = frames.position.shape[1] > 1 and bool((frames.length > 0.0).all())
    return several and getattr(robot, "kind", None) == "chain"


def module_sizes(frames: Frames, frame: int) -> Array:
    """Length and half axes of every module (sections, 3), m: scales of a plate of radius and thickness 1."""
    return np.concatenate([_SHARE * frames.length[frame][:, None], frames.radius[frame]], axis=1)


def joint_places(frames: Frames, frame: int) -> Array:
    """Where neighbours meet (sections - 1, 3), m, world."""
    half = 0.5 * frames.length[frame][:, None] * frames.rotation[frame][:, :, 0]
    centre = frames.position[frame]
    return np.asarray(0.5 * (centre[:-1] + half[:-1] + centre[1:] - half[1:]))


def joint_sizes(frames: Frames, frame: int) -> Array:
    """Radius of every joint (sections - 1,), m."""
    thin = frames.radius[frame].min(axis=1)
    return np.asarray(_JOINT * np.minimum(thin[:-1], thin[1:]))
