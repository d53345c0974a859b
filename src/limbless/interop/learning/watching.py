"""Observations by name, flat, with a name for every entry."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.errors import InputError, nearest
from limbless.interop.learning.world import Seen, World

Array = NDArray[np.float64]
AXES, TURNS, QUATERNION = ("x", "y", "z"), ("rx", "ry", "rz"), ("w", "x", "y", "z")


def _stacked(*parts: Any) -> Array:
    return np.stack([np.asarray(part, dtype=np.float64) for part in parts], axis=-1)


def _heading(seen: Seen) -> Array:
    return _stacked(*seen.heading)


def _phase(seen: Seen) -> Array:
    angle = 2.0 * np.pi * np.asarray(seen.time) / float(seen.world.cycle or 1.0)
    return _stacked(np.sin(angle), np.cos(angle))


def _target(seen: Seen) -> Array:
    """How far ahead of the head's direction the target is, and how far to its left."""
    sine, cosine = seen.heading
    x, y = (seen.world.target[number] - seen.position[..., number] for number in range(2))   # type: ignore[index]
    return _stacked(x * cosine + y * sine, y * cosine - x * sine)


def _time(seen: Seen) -> Array:
    return _stacked(np.asarray(seen.time))


class Watch:
    """Some observations, one after another."""

    def __init__(self, names: Sequence[str], world: World) -> None:
        joints = world.chain.joint_names
        known: dict[str, tuple[Callable[[Seen], Array], Sequence[str]]] = {
            "time": (_time, ("s",)),
            "base_position": (lambda seen: seen.position, AXES),
            "base_orientation": (lambda seen: seen.orientation, QUATERNION),
            "base_twist": (lambda seen: seen.twist, (*AXES, *TURNS)),
            "joint_position": (lambda seen: seen.joint_position, joints),
            "joint_velocity": (lambda seen: seen.joint_velocity, joints),
            "heading": (_heading, ("sine", "cosine")),
            "phase": (_phase, ("sine", "cosine")),
            "target": (_target, ("ahead", "left")),
        }
        unknown = [name for name in names if name not in known]
        if unknown:
            raise InputError(f"observe: there is no {unknown[0]!r}; {nearest(unknown[0], known)}")
        if not names:
            raise InputError(f"observe: name at least one of {', '.join(known)}")
        if "target" in names and world.target is None:
            raise InputError("observe: 'target' needs target=(x, y), a place in the world (m)")
        if "phase" in names and not world.cycle:
            raise InputError(f"observe: 'phase' needs a gait with a period; {world.gait.kind!r} has none")
        self.readers = [known[name][0] for name in names]
        self.layout = [f"{name} {entry}" for name in names for entry in known[name][1]]

    def __call__(self, seen: Seen) -> Array:
        if len(self.readers) == 1:
            return np.array(self.readers[0](seen))
        return np.concatenate([reader(seen) for reader in self.readers], axis=-1)
