"""`drag`: a force proportional to speed, different along and across the body."""

from __future__ import annotations

from typing import ClassVar, Literal

from limbless.core import Field, InputError, Listed, Quantity, Vector3, quantity
from limbless.environments.base import CURRENT, MOST_POINTS, Environment, Pack
from limbless.environments.law_packing import in_windows, segment_rows
from limbless.mechanics.forces import MorisonLaw
from limbless.robots.base import Robot


class Drag(Environment):
    """Linear anisotropic drag per unit length: f = -(c1 U1, c2 U2, c3 U3), m1 = -c4 w1, U
    relative to a uniform current.
    """

    kind: Literal["drag"] = "drag"
    is_fluid: ClassVar[bool] = True
    along: Quantity[float] = quantity(1.0, "N s/m2", "coefficient along the body", ge=0)
    lateral: Quantity[float] = quantity(2.0, "N s/m2", "coefficient across the body, sideways", ge=0)
    vertical: Quantity[float] = quantity(2.0, "N s/m2", "coefficient across the body, vertically", ge=0)
    roll: Quantity[float] = quantity(0.0, "N s", "moment coefficient about the body's axis", ge=0)
    current: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m/s", "velocity of the medium, world axes")
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment (2 are exact)")

    def refined(self) -> Drag:
        return self  # linear in the velocity, which is linear along a segment: exact

    def varies(self, level: bool) -> str | None:
        return CURRENT if any(self.current) else None

    def pack(self, robot: Robot) -> Pack:
        pieces = robot.segments()
        if not pieces:
            raise InputError("drag acts on segments of body, and this robot has none: give its links a `body`")
        law = segment_rows(
            MorisonLaw(),
            pieces,
            self.points,
            linear=(self.along, self.lateral, self.vertical),
            linear_roll=self.roll,
            current=self.current,
        )
        return Pack(in_windows(self, law))
