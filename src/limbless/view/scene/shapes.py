"""Shapes of robots and obstacles: meshes with a colour at every vertex, made of rings about x."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.view.scene.frames import Array
from limbless.view.scene.glb import normals
from limbless.view.scene.palette import Theme, light

_SHARE = 0.84  # of its section that a module fills: between two of them the joint is seen
BELLY, STRIPE = (212.0, 328.0), (84.0, 96.0)
"""Degrees around x, 90 is above."""


@dataclass(frozen=True)
class Shape:
    """A mesh with light (V, 3) at its vertices; shapes are added up."""

    vertices: Array
    faces: NDArray[Any]
    colours: Array

    def __add__(self, other: Shape) -> Shape:
        return Shape(
            np.concatenate([self.vertices, other.vertices]),
            np.concatenate([self.faces, other.faces + len(self.vertices)]),
            np.concatenate([self.colours, other.colours]),
        )

    def moved(self, by: Any, axes: Any = None) -> Shape:
        """Turned by axes in columns, then moved."""
        turned_by = self.vertices if axes is None else self.vertices @ np.asarray(axes).T
        return replace(self, vertices=turned_by + np.asarray(by))

    @cached_property
    def normals(self) -> Array:
        """Unit normals (V, 3) of its vertices."""
        return normals(self.vertices, self.faces)

    def scaled(self, by: float) -> Shape:
        return replace(self, vertices=by * self.vertices)


def painted(vertices: Any, faces: Any, colour: str) -> Shape:
    """A mesh in one colour."""
    return Shape(np.asarray(vertices, float), np.asarray(faces), np.tile(light(colour), (len(vertices), 1)))


def turned(
    x: Any,
    y: Any,
    z: Any,
    colour: str,
    *,
    up: Any = 0.0,
    around: int = 28,
    between: tuple[float, float] = (0.0, 360.0),
    ends: bool = True,
) -> Shape:
    """A surface around x: rings at `x` with half axes `y` and `z`, the middle of each `up` high; all of it, or the
    piece between two angles (degrees). A whole one has flat ends.
    """
    x, y, z, up = np.broadcast_arrays(*(np.asarray(one, float) for one in (x, y, z, up)))
    whole = between[1] - between[0] >= 360.0
    angle = np.radians(np.linspace(*between, around, endpoint=not whole))
    rings = np.stack(
        [
            np.repeat(x[:, None], around, 1),
            y[:, None] * np.cos(angle),
            up[:, None] + z[:, None] * np.sin(angle),
        ],
        axis=-1,
    )
    row = band_faces(around, whole)
    faces = (row[None] + around * np.arange(len(x) - 1)[:, None, None]).reshape(-1, 3)
    shape = painted(rings.reshape(-1, 3), faces, colour)
    fan = np.stack([np.zeros(around - 2, int), np.arange(1, around - 1), np.arange(2, around)], 1)
    for ring, corners in ((rings[0], fan[:, ::-1]), (rings[-1], fan)) if whole and ends else ():
        shape += painted(ring, corners, colour)
    return shape


def band_faces(count: int, closed: bool = True) -> NDArray[Any]:
    """Triangles between a row of so many points and the row that follows it."""
    here = np.arange(count if closed else count - 1)
    after = (here + 1) % count
    return np.concatenate([[here, after, here + count], [after, after + count, here + count]], axis=1).T


def axes_along(span: Array) -> Array:
    """Axes in columns (n, 3, 3), the first along each span (n, 3), the third upwards as far as it can be."""
    first = span / np.maximum(np.linalg.norm(span, axis=1, keepdims=True), 1e-12)
    return upright(first, np.where(np.abs(first[:, 2:]) > 0.99, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]))


def upright(along: Array, up: Array) -> Array:
    """Axes in columns (n, 3, 3): the first along a direction, the third as near to `up` as can be."""
    left = np.cross(up, along)
    left /= np.maximum(np.linalg.norm(left, axis=1, keepdims=True), 1e-12)
    return np.stack([along, left, np.cross(along, left)], axis=-1)


def sphere(centre: Any, radius: float, colour: str, fine: int = 12) -> Shape:
    polar = np.linspace(0.0, np.pi, fine)
    wide = np.maximum(np.sin(polar), 1e-4)
    return turned(-np.cos(polar), wide, wide, colour, around=2 * fine, ends=False).scaled(radius).moved(centre)


def module(length: float, y: float, z: float, theme: Theme) -> Shape:
    """A piece of a robot about its middle: bevelled shell, belly, a stripe along the back that shows how it rolls, and
    a ring towards the head's end (x > 0).
    """
    half, bevel = 0.5 * _SHARE * length, min(0.16 * min(y, z), 0.2 * length)
    x, less = _bevelled(half, bevel)
    inner = half - 1.3 * bevel
    band = [inner - 0.10 * length, inner - 0.055 * length]
    return (
        turned(x, y - less, z - less, theme.shell)
        + turned([-inner, inner], 1.006 * y, 1.006 * z, theme.belly, between=BELLY, around=14)
        + turned([-inner, inner], 1.007 * y, 1.007 * z, theme.stripe, between=STRIPE, around=4)
        + turned(band, 1.008 * y, 1.008 * z, theme.joint, ends=False)
    )


def _bevelled(half: float, bevel: float) -> tuple[Array, Array]:
    """Places of rings along a round piece with slanted edges, and how much narrower each is."""
    along = -half + bevel * np.array([0.0, 0.12, 0.5, 1.0])
    narrow = bevel * np.array([1.0, 0.6, 0.15, 0.0])
    return np.concatenate([along, -along[::-1]]), np.concatenate([narrow, narrow[::-1]])


def bellows(length: float, y: float, z: float, theme: Theme) -> Shape:
    """A dark joint with folds."""
    fold = 0.80 + 0.06 * np.cos(np.arange(13) * np.pi)
    x = np.linspace(-0.5 * length, 0.5 * length, 13)
    return turned(x, fold * y, fold * z, theme.joint, around=22, ends=False)


def wheel_pair(y: float, z: float, theme: Theme) -> Shape:
    """A wheel at each side of a module, down to its underside; how large they are is decoration."""
    x, less = _bevelled(0.14 * y, 0.06 * y)
    tyre, hub = 0.6 * z - less, 0.3 * z
    wheel = turned(x, tyre, tyre, theme.joint) + turned([-0.15 * y, 0.15 * y], hub, hub, theme.belly)
    across = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return wheel.moved([0.0, 1.05 * y, -0.4 * z], across) + wheel.moved([0.0, -1.05 * y, -0.4 * z], across)


def head(length: float, y: float, z: float, theme: Theme) -> Shape:
    """A tapered module that looks along x, with eyes."""
    back, nose, bevel = -0.5 * _SHARE * length, 0.5 * length, min(0.16 * min(y, z), 0.2 * length)
    s = np.linspace(0.0, 1.0, 16)
    taper = np.maximum((1.0 - s**2.6) ** 0.55, 1e-3)
    x = np.concatenate([back + bevel * np.array([0.0, 0.12, 0.5]), back + bevel + (nose - back - bevel) * s])
    wide = np.concatenate([1.0 - bevel / y * np.array([1.0, 0.6, 0.15]), taper])
    flat = wide * np.concatenate([np.ones(3), 1.0 - 0.22 * s**1.5])
    up = np.concatenate([np.zeros(3), -0.10 * s**2]) * z
    shape = turned(x, wide * y, flat * z, theme.shell, up=up)
    for colour, more, between, last in ((theme.belly, 1.006, BELLY, -1), (theme.stripe, 1.007, STRIPE, -3)):
        part = slice(4, last)
        shape += turned(
            x[part], more * wide[part] * y, more * flat[part] * z, colour, up=up[part], between=between, around=14
        )
    at = int(np.argmin(np.abs(x - (back + 0.62 * (nose - back)))))
    size = min(y, z)
    for side in (1.0, -1.0):
        place = np.array([x[at], side * 0.80 * wide[at] * y, up[at] + 0.52 * flat[at] * z])
        shape += sphere(place, 0.26 * size, "#F7F9FA")
        shape += sphere(place + np.array([0.10, side * 0.10, 0.04]) * size, 0.19 * size, "#0A0D10")
    return shape


def tail(y: float, z: float, colour: str) -> Shape:
    """A rounded end along x."""
    s = np.linspace(0.0, 1.0, 9)
    narrow = np.sqrt(1.0 - 0.999 * s**2)
    return turned(1.1 * z * s, narrow * y, narrow * z, colour, ends=False)


def slice_of(length: float, y: float, z: float, theme: Theme) -> Shape:
    """A short piece of a smooth body; neighbours overlap."""
    x, bulge = np.linspace(-0.5, 0.5, 5) * length, np.array([0.996, 0.999, 1.0, 0.999, 0.996])
    back = turned(x, bulge * y, bulge * z, theme.shell, ends=False)
    return back + turned(x, 1.006 * bulge * y, 1.006 * bulge * z, theme.belly, between=BELLY, around=14)


def vertebra(thick: float, y: float, z: float, theme: Theme) -> Shape:
    """A bevelled disk about x, dark in its middle."""
    x, less = _bevelled(0.5 * thick, 0.28 * thick)
    plate = turned(x, y - less, z - less * z / y, theme.shell, around=32)
    return plate + turned([-0.52 * thick, 0.52 * thick], 0.34 * y, 0.34 * z, theme.joint, around=16)


def core(length: float, y: float, z: float, theme: Theme) -> Shape:
    """What joins two vertebrae."""
    return turned(np.linspace(-0.55, 0.55, 5) * length, 0.24 * y, 0.24 * z, theme.joint, around=14, ends=False)


def tube(around: int = 8) -> Shape:
    """A thin tube along x of length and radius 1, about its middle: to be scaled, placed and coloured."""
    return turned([-0.5, 0.5], 1.0, 1.0, "#FFFFFF", around=around, ends=False)


def cone(around: int = 16) -> Shape:
    """The head of an arrow along x, of length and radius 1, from its foot."""
    return turned([0.0, 0.0, 1.0], [1e-3, 1.0, 1e-3], [1e-3, 1.0, 1e-3], "#FFFFFF", around=around, ends=False)


def capsule(length: float, radius: float, colour: str) -> Shape:
    """A round bar along x about its middle, with round ends."""
    one = sphere((0.0, 0.0, 0.0), radius, colour, fine=16)
    return replace(one, vertices=one.vertices + np.sign(one.vertices[:, :1]) * [[0.5 * length, 0.0, 0.0]])


def peg(length: float, radius: float, theme: Theme) -> Shape:
    """A bar along x from its foot, bevelled at its top, with a dark ring."""
    bevel = min(0.14 * radius, 0.3 * length)
    x = np.array([0.0, 0.02 * length, length - bevel, length - 0.5 * bevel, length - 0.12 * bevel, length])
    r = radius - np.array([0.0, 0.0, 0.0, 0.15, 0.6, 1.0]) * bevel
    ring = [0.74 * length, 0.84 * length]
    return turned(x, r, r, theme.obstacle, around=36) + turned(
        ring, 1.006 * radius, 1.006 * radius, theme.sides, around=36, ends=False
    )


def bevelled_box(size: Any, colour: str, sides: str, bevel: float) -> Shape:
    """A box about its middle with slanted edges."""
    half = 0.5 * np.asarray(size, float)
    cut = min(bevel, 0.4 * half.min())
    pieces: list[Shape] = []
    quad = np.array([[0, 1, 2], [0, 2, 3]])
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        for sign in (1.0, -1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = sign * half[axis]
            corners[:, one] = (half[one] - cut) * np.array([-1, 1, 1, -1])
            corners[:, two] = (half[two] - cut) * np.array([-1, -1, 1, 1])
            pieces.append(painted(corners[:: int(sign)], quad, colour if axis == 2 else sides))
        for a, b in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):  # slants along `axis`
            corners = np.zeros((4, 3))
            corners[:, axis] = (half[axis] - cut) * np.array([-1, 1, 1, -1])
            corners[:, one] = a * (half[one] - np.array([0, 0, cut, cut]))
            corners[:, two] = b * (half[two] - np.array([cut, cut, 0, 0]))
            pieces.append(painted(corners[:: int(a * b)], quad, sides))
    for signs in np.array(np.meshgrid(*[[1.0, -1.0]] * 3)).reshape(3, -1).T:
        corner = (half - cut * (1.0 - np.eye(3))) * signs
        pieces.append(painted(corner, [[0, 1, 2] if signs.prod() > 0 else [0, 2, 1]], sides))
    return sum(pieces[1:], pieces[0])
