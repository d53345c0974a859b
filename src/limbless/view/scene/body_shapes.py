"""A robot as instances of a few shapes: modules and joints of a chain, disks of a spine, slices of a smooth body, and a
head that looks where the run's head is. A frame is a place, a turn and a scale of each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.palette import Theme
from limbless.view.scene.shapes import Shape, bellows, core, head, module, slice_of, tail, upright, vertebra, wheel_pair

_OVERLAP = 2.2  # length of a slice over the distance between two
_SLICES = (60, 160)


class Placed(NamedTuple):
    """Where instances of a shape are: places (n, 3), m, axes in columns (n, 3, 3), scales along them (n, 3)."""

    position: Array
    axes: Array
    scale: Array

    @property
    def turn(self) -> Array:
        """Quaternions (n, 4)."""
        return np.asarray(matrix_to_quaternion(self.axes))


def is_chain(frames: Frames) -> bool:
    """Whether the body is a chain of sections that have a length."""
    robot: Any = getattr(frames.result.scenario, "robot", None)
    several = frames.position.shape[1] > 1 and bool((frames.length > 0.0).all())
    return several and getattr(robot, "kind", None) == "chain"


def has_disks(frames: Frames) -> bool:
    """Whether the body is a row of disks: a spine, or sections without length."""
    robot: Any = getattr(frames.result.scenario, "robot", None)
    several = frames.position.shape[1] > 1
    return several and (not frames.length.any() or getattr(robot, "kind", None) == "tendon-spine")


def joint_places(position: Array, half: Array) -> Array:
    """Where neighbours meet (sections - 1, 3), m: from half lengths towards the first section (sections, 3)."""
    return np.asarray(0.5 * (position[:-1] - half[:-1] + position[1:] + half[1:]))


class Body:
    """Shapes of a robot and where they are in a frame. Sections are counted from the head here.

    Parameters
    ----------
    smooth : a skin instead of the modules of a chain.
    """

    def __init__(self, frames: Frames, theme: Theme, smooth: bool = False) -> None:
        self.frames = frames
        f = frames
        far = np.linalg.norm(f.position[0][[0, -1]] - f.head[0], axis=1)
        self.order = slice(None) if far[0] <= far[1] else slice(None, None, -1)
        out = f.head[0] - self._of(f.position)[0]
        if np.linalg.norm(out) < 1e-6 * f.size and f.position.shape[1] > 1:
            out = self._of(f.position)[0] - self._of(f.position)[1]
        self.forward = np.sign(float(out @ self._of(f.rotation)[0, :, 0])) or 1.0
        y, z = np.median(f.radius[0], axis=0)
        long = float(np.median(f.length[0]))
        self.slices = int(np.clip(np.ceil(f.size / (0.16 * min(y, z))), *_SLICES))
        self.shapes: dict[str, Shape]
        if has_disks(f):
            self.kind, self.size = "disks", np.array([1.0, y, z])
            pitch = float(np.median(np.linalg.norm(np.diff(f.position[0], axis=0), axis=1)))
            self.shapes = {
                "disks": vertebra(0.30 * pitch, y, z, theme),
                "head": head(1.9 * z, y, z, theme),
                "joints": core(pitch, y, z, theme),
            }
        elif is_chain(f) and not smooth and long >= z:  # shorter links stand for a body that bends all along
            self.kind, self.size = "modules", np.array([long, y, z])
            self.shapes = {
                "modules": module(long, y, z, theme),
                "head": head(float(self._of(f.length)[0]), y, z, theme),
                "joints": bellows(0.30 * long, y, z, theme),
            }
            self._on_wheels = _wheeled(f)[self.order]
            if self._on_wheels.any():
                self.shapes["wheels"] = wheel_pair(y, z, theme)
        else:
            whole = max(float(f.length[0].sum()), 2.0 * z)
            self.kind, self.size = "slices", np.array([whole, y, z])
            self.shapes = {
                "slices": slice_of(_OVERLAP * whole / self.slices, y, z, theme),
                "head": head(2.4 * z, y, z, theme),
                "tail": tail(y, z, theme.shell),
            }

    def _of(self, values: Array, frame: int = 0) -> Array:
        """Values of a frame by sections from the head."""
        return np.asarray(values[frame][self.order])

    def at(self, frame: int) -> dict[str, Placed]:
        """Every shape's instances in a frame."""
        f = self.frames
        place, axes = self._of(f.position, frame), self._of(f.rotation, frame)
        axes = axes * np.array([self.forward, self.forward, 1.0])  # x towards the head: half a turn about z
        length, radius = self._of(f.length, frame), self._of(f.radius, frame)
        if self.kind == "slices":
            return self._smooth(place, axes, np.where(length > 0.0, length, 2.0 * radius[:, 1]), radius)
        scale = np.concatenate([length[:, None], radius], axis=1) / self.size
        if self.kind == "disks":
            scale[:, 0] = 1.0
            middle = 0.5 * (place[1:] + place[:-1])
            apart = place[:-1] - place[1:]
            along = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-12)
            return {
                "disks": Placed(place[1:], axes[1:], scale[1:]),
                "head": Placed(place[:1], axes[:1], scale[:1]),
                "joints": Placed(middle, upright(along, axes[1:, :, 2]), np.ones((len(middle), 3))),
            }
        joints = joint_places(place, 0.5 * length[:, None] * axes[:, :, 0])
        first = scale[:1] * [self.size[0] / float(self._of(f.length)[0]), 1.0, 1.0]  # it is as long as its own section
        found = {
            "modules": Placed(place[1:], axes[1:], scale[1:]),
            "head": Placed(place[:1], axes[:1], first),
            "joints": Placed(joints, axes[:-1], np.minimum(scale[:-1], scale[1:])),
        }
        if "wheels" in self.shapes:
            on = self._on_wheels
            found["wheels"] = Placed(place[on], axes[on], scale[on][:, [2, 1, 2]])
        return found

    def _smooth(self, place: Array, axes: Array, length: Array, radius: Array) -> dict[str, Placed]:
        """Slices along cubic pieces between the ends of sections, turned with the sections and along the line."""
        ahead = axes[:, :, 0]
        half = 0.5 * length[:, None] * ahead
        knots = np.concatenate([(place[0] + half[0])[None], joint_places(place, half), (place[-1] - half[-1])[None]])
        ways = np.concatenate([-ahead[:1], -0.5 * (ahead[:-1] + ahead[1:]), -ahead[-1:]])
        long = np.maximum(np.linalg.norm(np.diff(knots, axis=0), axis=1), 1e-9)
        at = np.concatenate([[0.0], np.cumsum(long)])
        s = np.linspace(0.0, at[-1], self.slices)
        piece = np.clip(np.searchsorted(at, s, side="right") - 1, 0, len(long) - 1)
        t, step = ((s - at[piece]) / long[piece])[:, None], long[piece][:, None]
        a, b, da, db = knots[piece], knots[piece + 1], ways[piece] * step, ways[piece + 1] * step
        where = (2 * t**3 - 3 * t**2 + 1) * a + (t**3 - 2 * t**2 + t) * da
        where += (3 * t**2 - 2 * t**3) * b + (t**3 - t**2) * db
        along = (6 * t**2 - 6 * t) * (a - b) + (3 * t**2 - 4 * t + 1) * da + (3 * t**2 - 2 * t) * db
        along = -along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
        middle = at[:-1] + 0.5 * long
        up, size = (
            np.stack([np.interp(s, middle, values[:, axis]) for axis in range(values.shape[1])], 1)
            for values in (axes[:, :, 2], radius)
        )
        turned = upright(along, up)
        scale = np.column_stack([np.full(self.slices, at[-1] / self.size[0]), size / self.size[1:]])
        ends = np.concatenate([scale[:, 2:], scale[:, 1:]], 1)  # as long as they are high
        nose = where[:1] + along[:1] * 0.95 * self.size[2] * ends[:1, :1]
        back = turned[-1:] * np.array([-1.0, -1.0, 1.0])
        return {
            "slices": Placed(where, turned, scale),
            "head": Placed(nose, turned[:1], ends[:1]),
            "tail": Placed(where[-1:], back, ends[-1:]),
        }

    def along(self, values: Array) -> Array:
        """Values of the sections (sections,) for the instances that carry a colour: all but the head."""
        values = values[self.order]
        if self.kind != "slices":
            return np.asarray(values[1:])
        return np.interp(np.linspace(0, len(values) - 1, self.slices), np.arange(len(values)), values)


def _wheeled(frames: Frames) -> Any:
    """Which sections (sections,) have wheels."""
    found = np.zeros(frames.position.shape[1], dtype=bool)
    wheels: list[Any] = [item for item in frames.result.environment if item.kind == "wheels"]
    for item in wheels:
        modules = range(len(found)) if item.modules is None else item.modules
        found[[number for number in modules if number < len(found)]] = True
    return found
