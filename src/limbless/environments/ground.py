"""`ground`: a plane, level or sloping, with friction."""
from __future__ import annotations

import math
from typing import Literal

from limbless.description import Angle, quantity
from limbless.environments.surfaces import ContactEnvironment
from limbless.mechanics import contact_gap as gaps


class Ground(ContactEnvironment):
    """A plane with Coulomb friction, different along and across the body; it may slope."""

    kind: Literal["ground"] = "ground"
    slope: Angle = quantity(0.0, "rad", "angle by which it rises along `uphill`", gt=-math.pi / 2, lt=math.pi / 2)
    uphill: Angle = quantity(0.0, "rad", "direction in which it rises, from world x towards y")
    height: float = quantity(0.0, "m", "height of the plane at the world's origin")

    def shapes(self) -> list[tuple[int, list[float]]]:
        sine, cosine = math.sin(self.slope), math.cos(self.slope)
        normal = [-sine * math.cos(self.uphill), -sine * math.sin(self.uphill), cosine]
        return [(int(gaps.PLANE), [*normal, self.height * cosine])]
