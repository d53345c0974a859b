"""`drag`: a force proportional to speed, different along and across the body."""
from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from limbless.description import Vector3, quantity
from limbless.environments.base import MOST_POINTS, Environment, Pack
from limbless.environments.packing import in_windows, segment_row
from limbless.errors import InputError
from limbless.mechanics.forces import rows as laws
from limbless.robots.base import Robot


class Drag(Environment):
    """Linear anisotropic drag per unit length: f = -(c1 U1, c2 U2, c3 U3), m1 = -c4 w1, U relative to a uniform current."""

    kind: Literal["drag"] = "drag"
    along: float = quantity(1.0, "N s/m2", "coefficient along the body", ge=0)
    lateral: float = quantity(2.0, "N s/m2", "coefficient across the body, sideways", ge=0)
    vertical: float = quantity(2.0, "N s/m2", "coefficient across the body, vertically", ge=0)
    roll: float = quantity(0.0, "N s", "moment coefficient about the body's axis", ge=0)
    current: Vector3 = quantity((0.0, 0.0, 0.0), "m/s", "velocity of the medium, world axes")
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment (2 are exact)")

    def refined(self) -> Drag:
        return self                                      # linear in the velocity, which is linear along a segment: exact

    def coefficients(self) -> np.ndarray:
        """The columns that `mechanics.forces.rows.get_fluid` reads."""
        row = np.zeros(laws.HAS_ADDED - laws.COEFFICIENTS + 1)
        row[laws.LINEAR - laws.COEFFICIENTS:][:4] = self.along, self.lateral, self.vertical, self.roll
        row[laws.CURRENT - laws.COEFFICIENTS:][:3] = self.current
        return row

    def pack(self, robot: Robot) -> Pack:
        rows = [segment_row(int(laws.FLUID), piece, self.points, self.coefficients()) for piece in robot.segments()]
        if not rows:
            raise InputError("drag acts on segments of body, and this robot has none: give its links a `body`")
        return Pack(in_windows(self, rows))
