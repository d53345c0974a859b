"""`gravity`: a uniform field on every mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from limbless.core import InputError, Listed, Vector3, quantity
from limbless.environments import Environment, Pack, field_rows, in_windows
from limbless.robots.base import Robot

STANDARD: Vector3 = (0.0, 0.0, -9.81)
"""m/s2, world axes, z up."""


class Gravity(Environment):
    """Weight: the wrench (m g, moment x g) on every body, g a free vector in the world."""

    kind: Literal["gravity"] = "gravity"
    also: ClassVar[tuple[str, ...]] = ("load",)
    acceleration: Listed[Vector3] = quantity(STANDARD, "m/s2", "gravity in world axes (z up)")

    @property
    def pull(self) -> Vector3:
        return self.acceleration

    def varies(self, level: bool) -> str | None:
        return None if level else "gravity has a direction in the world, and a free base may pitch"

    def pack(self, robot: Robot) -> Pack:
        bodies = robot.bodies()
        return Pack(in_windows(self, field_rows(bodies, bodies.mass, bodies.moment, np.array(self.acceleration))))


def field_among(environment: Sequence[Environment], given: Vector3 | None, name: str) -> Vector3 | None:
    """The gravity of `gravity` among the environments, for the field `name` of another one where it is `given` or not;
    two that differ are a mistake.
    """
    fields = {item.pull for item in environment if item.pull is not None}
    if not fields or fields == {given}:
        return given
    if given is not None or len(fields) > 1:
        others = " and ".join(str(list(field)) for field in sorted(fields))
        shown, cure = ("none", "state which") if given is None else (list(given), "leave it out")
        raise InputError(
            f"{name}: {shown} is given and gravity has {others} m/s2; weight and lift come from one field: {cure}"
        )
    return fields.pop()
