"""`objects` and `self-contact`: things that can be pushed, and links that touch each other."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from limbless.core import Angle, Description, Field, Listed, Quantity, Vector3, checked, quantity
from limbless.environments.base import Array, Environment
from limbless.environments.obstacles import turned
from limbless.mechanics.contact.shapes.primitives import box_corners

Round = tuple[Array, Array, float]
"""Both ends of the axis of a capsule (the same of a sphere), in the frame of its body, and its radius, m."""


class FreeObject(Description):
    """A free rigid body: a sphere, a capsule or a box.

    A capsule has round ends, and its axis is its own x.
    """

    name: str | None = Field(None, description="what it is called; its shape and number if absent")
    shape: Literal["sphere", "capsule", "box"] = Field(..., description="sphere, capsule or box")
    position: Listed[Vector3] = quantity(..., "m", "where its centre starts, world")
    radius: Quantity[float | None] = quantity(None, "m", "radius of a sphere or capsule", gt=0)
    length: Quantity[float | None] = quantity(
        None, "m", "length of a capsule between the centres of its round ends", gt=0
    )
    sizes: Listed[Vector3 | None] = quantity(None, "m", "length, width and height of a box")
    density: Quantity[float] = quantity(500.0, "kg/m3", "density, the same all through", gt=0)
    yaw: Quantity[Angle] = quantity(0.0, "rad", "how it starts: angle from world x to its own x, about the vertical")
    pitch: Quantity[Angle] = quantity(0.0, "rad", "then its tilt about its own y; positive: the end of its x goes down")
    roll: Quantity[Angle] = quantity(0.0, "rad", "then about its own x")
    velocity: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m/s", "velocity of its centre at the start, world")
    spin: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "rad/s", "its rotation rate at the start, along its own axes")
    friction: Quantity[float] = quantity(
        0.3, "1", "friction on whatever it touches; of two objects the smaller counts", ge=0
    )
    rolling: Quantity[float] = quantity(
        0.0, "1", "rolling friction of a sphere or capsule: moment over load and radius", ge=0
    )
    restitution: Quantity[float] = quantity(
        0.0, "1", "speed after over speed before an impact; of two objects the smaller", ge=0, le=1
    )
    drag: Listed[Vector3 | None] = quantity(
        None, "1", "in water: drag coefficients on the areas it shows along its own axes; those of its shape if absent"
    )
    added_mass: Listed[Vector3 | None] = quantity(
        None,
        "1",
        "in water: added mass along its own axes over that of the water it displaces; that of its shape if absent",
    )

    @checked
    def _sizes_of_its_shape(self) -> None:
        needs = {"sphere": ("radius",), "capsule": ("radius", "length"), "box": ("sizes",)}[self.shape]
        for field in ("radius", "length", "sizes"):
            if (getattr(self, field) is None) == (field in needs):
                raise ValueError(
                    f"a {self.shape} is given by {' and '.join(needs)}; "
                    + (f"{field} is missing" if field in needs else f"leave {field} out")
                )
        if self.sizes is not None and min(self.sizes) <= 0.0:
            raise ValueError(f"sizes must be positive; got {list(self.sizes)}")
        for field in ("drag", "added_mass"):
            if min(getattr(self, field) or (0.0,)) < 0.0:
                raise ValueError(f"{field}: it must not be negative; got {list(getattr(self, field))}")
        if self.shape == "box" and self.rolling > 0.0:
            raise ValueError(f"rolling: a box does not roll; leave it out (got {self.rolling:g})")

    @property
    def half(self) -> Array:
        """(3,) half of the sizes of the box that holds it, along its own axes, m."""
        if self.sizes is not None:
            return 0.5 * np.array(self.sizes)
        r, L = self.radius or 0.0, self.length or 0.0
        return np.array([0.5 * L + r, r, r])

    def rotation(self) -> Array:
        """(3, 3) its axes at the start, in columns, world."""
        return turned(self.yaw, self.pitch, self.roll)

    def mass_and_inertia(self) -> tuple[float, Array]:
        """kg, and (3,) kg m2 about its own axes through its centre."""
        if self.sizes is not None:
            x, y, z = (side * side for side in self.sizes)
            mass = self.density * float(np.prod(self.sizes))
            return mass, mass / 12.0 * np.array([y + z, x + z, x + y])
        r, L = self.radius or 0.0, self.length or 0.0
        ball, rod = self.density * 4.0 / 3.0 * math.pi * r**3, self.density * math.pi * r * r * L
        across = rod * (3.0 * r * r + L * L) / 12.0 + ball * (0.4 * r * r + 0.25 * L * L + 0.375 * L * r)
        return ball + rod, np.array([0.5 * rod * r * r + 0.4 * ball * r * r, across, across])

    def round(self) -> Round | None:
        """Its axis and radius; None of a box."""
        if self.radius is None:
            return None
        end = np.array([0.5 * (self.length or 0.0), 0.0, 0.0])
        return -end, end, self.radius

    def corners(self) -> Array:
        """(8, 3) of a box, along its own axes, m."""
        return np.array(box_corners([*np.zeros(3), *np.eye(3).ravel(), *self.half]))

    def edges(self) -> list[tuple[Array, Array]]:
        """The twelve edges of a box."""
        corners = self.corners()
        return [
            (corners[a], corners[b])
            for a in range(8)
            for b in range(a + 1, 8)
            if np.count_nonzero(corners[a] != corners[b]) == 1
        ]


class _Always(Environment):
    """Hard, and there all the time."""

    role: ClassVar[str] = "contact"

    @checked
    def _has_no_windows(self) -> None:
        if self.active is not None:
            raise ValueError("active: it is there all the time; leave `active` out")


class Objects(_Always):
    """Free rigid bodies that touch the robot, the ground and each other."""

    kind: Literal["objects"] = "objects"
    bodies: Listed[tuple[FreeObject, ...]] = Field(..., min_length=1, description="the objects")

    @checked
    def _told_apart(self) -> None:
        names = self.names()
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(
                f"bodies: {twice.count(twice[0])} objects are called {twice[0]!r}; give each a name of its own"
            )

    def varies(self, level: bool) -> str | None:
        return "free objects lie in one place until they are met"

    def free_bodies(self) -> list[tuple[str, FreeObject]]:
        return list(zip(self.names(), self.bodies, strict=True))

    def names(self) -> list[str]:
        """What each is called."""
        return [body.name or f"{body.shape} {number + 1}" for number, body in enumerate(self.bodies)]


class SelfContact(_Always):
    """Contact between links that are not neighbours, by the capsules between their spheres."""

    kind: Literal["self-contact"] = "self-contact"
    friction: Quantity[float] = quantity(0.2, "1", "friction between links", ge=0)
    rolling: Quantity[float] = quantity(0.0, "1", "rolling friction between links: moment over load and radius", ge=0)
    restitution: Quantity[float] = quantity(0.0, "1", "speed after over speed before an impact", ge=0, le=1)
    apart: int = Field(
        2, ge=2, description="links whose numbers differ by this much or more touch; 2: all but neighbours"
    )
