"""`ground`: a plane, level or sloping, with friction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import field_validator

from limbless.core import Angle, Listed, Quantity, quantity
from limbless.environments import ContactEnvironment, DrawnSheet
from limbless.mechanics.contact.shapes.primitives import PlaneSurface


class Ground(ContactEnvironment):
    """A plane with Coulomb friction, different along and across the body; it may slope."""

    kind: Literal["ground"] = "ground"
    is_ground: ClassVar[bool] = True
    slope: Listed[tuple[Angle, Angle]] = quantity(
        (0.0, 0.0), "rad", "angles by which it rises along world x and along world y"
    )
    height: Quantity[float] = quantity(0.0, "m", "height of the plane at the world's origin")

    @field_validator("slope")
    @classmethod
    def _not_a_wall(cls, value: tuple[float, float]) -> tuple[float, float]:
        if max(map(abs, value)) >= math.radians(85.0):
            raise ValueError(f"{value} is steeper than 85 deg; stand boxes where a wall is meant")
        return value

    def plane(self) -> list[float]:
        """Normal and offset: normal . x = offset."""
        x, y = (math.tan(angle) for angle in self.slope)
        size = math.hypot(x, y, 1.0)
        return [-x / size, -y / size, 1.0 / size, self.height / size]

    def shapes(self) -> list[tuple[int, list[float]]]:
        return [(PlaneSurface.code, self.plane())]

    def varies(self, level: bool) -> str | None:
        return None

    def drawn(self) -> Sequence[DrawnSheet]:
        along_x, along_y = (math.tan(angle) for angle in self.slope)
        return [DrawnSheet("ground", lambda x, y: self.height + along_x * x + along_y * y)]
