"""`gravity`: a uniform field on every mass."""
from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.description import Vector3, quantity
from limbless.environments.base import Environment, Pack
from limbless.environments.packing import field_rows, in_windows
from limbless.robots.base import Robot

STANDARD: Vector3 = (0.0, 0.0, -9.81)
"""m/s2, world axes, z up."""


class Gravity(Environment):
    """Weight: the wrench (m g, moment x g) on every body, g a free vector in the world."""

    kind: Literal["gravity"] = "gravity"
    also: ClassVar[tuple[str, ...]] = ("load",)
    acceleration: Vector3 = quantity(STANDARD, "m/s2", "gravity in world axes (z up)")

    def pack(self, robot: Robot) -> Pack:
        bodies = robot.bodies()
        return Pack(in_windows(self, field_rows(bodies, bodies.mass, bodies.moment, np.array(self.acceleration))))
