"""What a contact environment gives to a model: surfaces with friction, as tables (`mechanics.contact.tables`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import field_validator

from limbless.core import Description, Field, InputError, Listed, Quantity, checked, quantity
from limbless.environments.base import Array, Environment
from limbless.mechanics.contact import ContactSurface, PatchRow as PatchTable, contact_law
from limbless.mechanics.contact.shapes.primitives import SHAPE, SURFACE_COLUMNS
from limbless.robots.base import SkinFriction


class Surfaces(NamedTuple):
    """Rows of surfaces, rows of patches (their first number counts surfaces from 0) and the heights of fields."""

    rows: Array
    patches: Array
    heights: Array


def along_x(forward: float, backward: float | None, head: str) -> tuple[float, float]:
    """Friction of sliding along the body's x (towards the tip) and against it (towards the base), from that of sliding
    head first (forward) and tail first (backward; as forward if None): the one place that knows which is which.
    """
    tail_first = forward if backward is None else backward
    return (forward, tail_first) if head == "tip" else (tail_first, forward)


USUAL = 0.2
"""Friction both ways of a robot without a skin, on what states none."""
Cone = Literal["ellipse", "box", "weighted"]
"""How friction along and across a body act together, in every kind of friction: by an ellipse (the force of largest
power), apart, or each coefficient by its component of the direction of slip (Hu 2009; Alben 2013).
"""
CONES: dict[str, int] = contact_law.CONES._asdict()


class Patch(Description):
    """A rectangle of ground, seen from above, with its own coefficients; later patches lie on top."""

    x: Listed[tuple[float, float]] = quantity(..., "m", "from and until, world x")
    y: Listed[tuple[float, float]] = quantity(..., "m", "from and until, world y")
    forward: Quantity[float] = quantity(..., "1", "friction along the body while it slides head first", ge=0)
    lateral: Quantity[float] = quantity(..., "1", "friction across the body", ge=0)
    backward: Quantity[float | None] = quantity(
        None, "1", "friction along the body while it slides tail first; as `forward` if absent", ge=0
    )
    rolling: Quantity[float] = quantity(0.01, "1", "rolling friction", ge=0)

    @checked
    def _in_order(self) -> None:
        for name, (start, end) in (("x", self.x), ("y", self.y)):
            if not end > start:
                raise ValueError(f"{name}: [{start}, {end}] ends before it starts")

    def coefficients(self, head: str) -> list[float]:
        """For slip along the body's x, against it, across it, and rolling."""
        return [*along_x(self.forward, self.backward, head), self.lateral, self.rolling]


def surface_row(code: int, numbers: Sequence[float], friction: Sequence[float], restitution: float) -> Array:
    """(1, columns) a surface with its shape: always there, elliptic friction, the same on all sides and at rest."""
    row = np.zeros((1, SURFACE_COLUMNS))
    surface = ContactSurface.of(row)
    surface.code[:], surface.bounce[:], surface.friction[:] = code, restitution, friction
    surface.since[:], surface.until[:], surface.cone[:] = -np.inf, np.inf, CONES["ellipse"]
    surface.flank[:], surface.breakaway[:], surface.stribeck[:] = 1.0, 1.0, 1.0
    row[0, SHAPE : SHAPE + len(numbers)] = numbers
    return row


class ContactEnvironment(Environment):
    """Something hard: it pushes, never pulls, and rubs with Coulomb friction."""

    role: ClassVar[str] = "contact"
    forward: Quantity[float | None] = quantity(
        None,
        "1",
        "friction along the body while it slides head first; if absent that of the robot's skin, or 0.2",
        ge=0,
    )
    lateral: Quantity[float | None] = quantity(
        None, "1", "friction across the body; if absent that of the robot's skin, or 0.2", ge=0
    )
    backward: Quantity[float | None] = quantity(
        None,
        "1",
        "friction along the body while it slides tail first; if absent that "
        "of the robot's skin where `forward` is, else as `forward`",
        ge=0,
    )
    rolling: Quantity[float] = quantity(0.01, "1", "rolling friction: moment over load and radius", ge=0)
    cone: Cone = Field(
        "ellipse",
        description="friction along and across the body together: by an ellipse (largest "
        "power), a box (apart), or weighted by the direction of slip (Hu 2009)",
    )
    flank: Quantity[float] = quantity(1.0, "1", "friction on the flank of a link over that on its belly", ge=0)
    link_factors: Listed[tuple[float, ...] | None] = quantity(
        None, "1", "friction of each link as a multiple of these coefficients, the base first; 1 if absent"
    )
    breakaway: Quantity[float] = quantity(1.0, "1", "friction at rest over friction while sliding (Stribeck)", ge=1)
    stribeck_speed: Quantity[float] = quantity(
        0.01, "m/s", "speed of slip at which friction has fallen from that at rest by 63 %", gt=0
    )
    restitution: Quantity[float] = quantity(0.0, "1", "speed after over speed before an impact", ge=0, le=1)
    patches: Listed[tuple[Patch, ...]] = Field((), description="rectangles, seen from above, with other coefficients")

    def shapes(self) -> list[tuple[int, list[float]]]:
        """Code and numbers of every surface."""
        raise NotImplementedError

    @field_validator("link_factors")
    @classmethod
    def _not_negative(cls, value: tuple[float, ...] | None) -> tuple[float, ...] | None:
        if value is not None and min(value, default=0.0) < 0:
            raise ValueError(f"{value} has a negative factor; friction is a multiple of the coefficients, 0 or more")
        return value

    def factors(self, links: int) -> Array:
        """Friction of each of so many links, as a multiple."""
        if self.link_factors is not None and len(self.link_factors) != links:
            raise InputError(
                f"{self.kind}.link_factors: give one number for each of the {links} links, the base "
                f"first; got {len(self.link_factors)}"
            )
        return np.ones(links) if self.link_factors is None else np.array(self.link_factors)

    def against(self, skin: SkinFriction | None) -> SkinFriction:
        """Friction with a robot of such a skin: what is stated here, else the skin's, else `USUAL` both ways."""
        other = skin or SkinFriction(forward=USUAL, lateral=USUAL)
        backward = other.backward if self.backward is None and self.forward is None else self.backward
        return SkinFriction(
            forward=other.forward if self.forward is None else self.forward,
            backward=backward,
            lateral=other.lateral if self.lateral is None else self.lateral,
        )

    def heights(self) -> Array:
        """The numbers of a height field."""
        return np.zeros(0)

    def varies(self, level: bool) -> str | None:
        return "obstacles stand in one place"

    def refuse_thick(self, radius: float) -> None:
        """Refuse a robot whose thickest sphere has this radius, m, where it does not fit."""

    def surfaces(self, head: str, skin: SkinFriction | None = None, first: int = 0) -> Surfaces:
        """All surfaces, once per time window in which they act, for a robot whose head is at its `base` or its `tip`;
        `first` is the number of its first height among those of all fields.
        """
        rubs = self.against(skin)
        rows: list[Array] = []
        patches: list[list[float]] = []
        friction = [*along_x(rubs.forward, rubs.backward, head), rubs.lateral, self.rolling]
        for start, end in self.windows():
            for code, numbers in self.shapes():
                row = surface_row(code, numbers, friction, self.restitution)
                surface = ContactSurface.of(row)
                surface.since[:], surface.until[:] = start, end
                surface.cone[:], surface.flank[:] = CONES[self.cone], self.flank
                surface.breakaway[:], surface.stribeck[:] = self.breakaway, self.stribeck_speed
                patches += [[len(rows), *patch.x, *patch.y, *patch.coefficients(head)] for patch in self.patches]
                rows.append(row)
        return Surfaces(
            np.array(rows).reshape(-1, SURFACE_COLUMNS), np.array(patches).reshape(-1, PatchTable.width), self.heights()
        )
