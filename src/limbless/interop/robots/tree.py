"""A description of a robot as a tree of parts, all of it placed in the file's own frame with every joint at zero.

In one frame nothing has to be turned when parts are welded together, when a chain is walked from its other end, or when
a joint is taken off: masses, places and axes are simply there.

Passive wheels: a round part that turns freely about its own axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import Array, InputError
from limbless.robots.links import symmetric_matrix

SMALLEST = 1e-5
"""m: of a shape; smaller ones stand for something that is not here."""
MOVING = ("revolute", "prismatic", "universal", "spherical")
"""Kinds of connection that a chain has; the others are `fixed`, `floating`, `planar`, or are refused by name."""


@dataclass(frozen=True, eq=False)
class FileShape:
    """A shape of a part. Cylinders and capsules stand along their own z; a capsule's half height includes its caps."""

    kind: str  # sphere, capsule, cylinder, box, ellipsoid, mesh
    half: Array | None  # (3,) half extents along its own axes, m; None: a mesh that is not here
    pose: Array  # (4, 4) of its centre and axes, file frame
    collides: bool = True  # else it is only seen
    mesh: Path | None = None
    mesh_name: str = ""
    scale: Array = field(default_factory=lambda: np.ones(3))
    mesh_pose: Array | None = None  # (4, 4) of the mesh's own frame, file frame
    friction: float | None = None
    paired: bool = False  # with the floor: its friction goes before that of other shapes

    def extent(self, direction: Array) -> tuple[float, float]:
        """From where to where it reaches along a direction, m."""
        if self.half is None:
            raise ValueError("a mesh that is not here has no extent")
        d, (x, y, z) = self.pose[:3, :3].T @ direction, self.half
        if self.kind in ("sphere", "ellipsoid"):
            reach = float(np.linalg.norm(self.half * d))
        elif self.kind == "capsule":
            reach = x + (z - x) * abs(d[2])
        elif self.kind == "cylinder":
            reach = float(np.hypot(x * d[0], y * d[1])) + z * abs(d[2])
        else:
            reach = float(np.abs(d) @ self.half)
        centre = float(self.pose[:3, 3] @ direction)
        return centre - reach, centre + reach


@dataclass(eq=False)
class FilePart:
    """A rigid part."""

    name: str
    origin: Array  # (3,) of its own frame, file frame, m
    mass: float = 0.0  # kg
    # first moment about the file's origin, kg m
    moment: Array = field(default_factory=lambda: np.zeros(3))
    # about the file's origin, file axes, kg m2
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    shapes: list[FileShape] = field(default_factory=list)
    also: list[str] = field(default_factory=list)  # names of parts that were merged into it
    # shapes of wheels that were merged into it
    wheels: list[FileShape] = field(default_factory=list)
    boxed: bool = False  # whether its mass is that of a box around a mesh

    def add_mass(self, mass: float, centre: Array, central: Array) -> None:
        """Add a body with its centre of mass and the inertia about it, along the file's axes."""
        self.mass += mass
        self.moment = self.moment + mass * centre
        self.inertia = self.inertia + central + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))

    def add_inertia(self, what: str, mass: float, six: Sequence[float], place: Array) -> None:
        """Add what a file states of a body whose centre and axes are at a pose (4, 4) of the file's frame."""
        if mass < 0:
            raise InputError(f"{what}: mass is {mass:g}; it must be zero or positive")
        self.add_mass(mass, place[:3, 3], place[:3, :3] @ symmetric_matrix(six) @ place[:3, :3].T)

    def merge(self, other: FilePart) -> None:
        """Take in another part, as it stands at joint zero; this one's name stays."""
        self.mass += other.mass
        self.moment, self.inertia = self.moment + other.moment, self.inertia + other.inertia
        self.shapes, self.also = [*self.shapes, *other.shapes], [*self.also, other.name, *other.also]
        self.boxed = self.boxed or other.boxed

    @property
    def centre(self) -> Array:
        """Centre of mass; the origin of a part without mass."""
        return self.moment / self.mass if self.mass else self.origin

    def central_inertia(self) -> Array:
        c = self.centre
        return self.inertia - self.mass * (c @ c * np.eye(3) - np.outer(c, c))


@dataclass(eq=False)
class Connection:
    """A joint between two parts; numbers of its dynamics that a file does not have are 0 or None."""

    name: str
    kind: str
    parent: str
    child: str
    anchor: Array  # (3,) a point of its axis, file frame, m
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))  # file frame
    second_axis: Array | None = None  # of a universal joint
    lower: float | None = None  # rad or m
    upper: float | None = None
    effort: float | None = None  # N m or N
    velocity: float | None = None  # rad/s or m/s
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    mimic: str | None = None
    actuated: bool = False
    # numbers about `second_axis`, by field
    second: dict[str, float | None] = field(default_factory=dict)

    def turned(self) -> Connection:
        """The same joint seen from its child: same angle, axis negated."""
        changed: dict[str, Any] = {"axis": -self.axis}
        if self.second_axis is not None:
            first = {word: getattr(self, word) for word in self.second}
            changed = {"axis": -self.second_axis, "second_axis": -self.axis, **self.second, "second": first}
        return Connection(**{**self.__dict__, **changed, "parent": self.child, "child": self.parent})


@dataclass
class Tree:
    """All that a file says of a robot."""

    name: str
    parts: dict[str, FilePart]
    connections: list[Connection]
    # the part that stands for the world, where the file fixes the robot to it
    grounded: str | None = None
    # what couples parts, and which
    couplings: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    drives: dict[str, dict[str, Any]] = field(default_factory=dict)  # joint -> its actuator
    fluid: dict[str, Any] | None = None  # density, viscosity, wind
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def connections_of(self, part: str) -> list[Connection]:
        return [joint for joint in self.connections if part in (joint.parent, joint.child)]


_NEAR = 0.05
"""Of a wheel's radius, and sine of an angle: how far off its hinge a wheel's shape may be."""


def is_wheel(part: FilePart, hinge: Connection) -> bool:
    """Whether a part is a cylinder, sphere or ellipsoid round a hinge that nothing limits or drives."""
    if hinge.kind != "revolute" or hinge.actuated or hinge.lower is not None or hinge.upper is not None:
        return False
    known = [shape for shape in part.shapes if shape.half is None or shape.half.max() > SMALLEST]
    shapes = [shape for shape in known if shape.collides] or known
    return bool(shapes) and all(_round(shape, hinge) for shape in shapes)


def _round(shape: FileShape, hinge: Connection) -> bool:
    if shape.half is None or shape.kind not in ("sphere", "cylinder", "ellipsoid"):
        return False
    off = float(np.linalg.norm(np.cross(shape.pose[:3, 3] - hinge.anchor, hinge.axis)))
    axis = shape.pose[:3, :3].T @ hinge.axis
    across = int(np.argmax(np.abs(axis)))
    radii = np.delete(shape.half, across)
    if off > _NEAR * radii.max() or abs(radii[0] - radii[1]) > _NEAR * radii.max():
        return False
    aligned = np.linalg.norm(np.delete(axis, across)) < _NEAR
    return shape.kind == "sphere" or bool(aligned and (shape.kind == "ellipsoid" or across == 2))
