"""Modified Denavit-Hartenberg parameters in the notation of Khalil and Kleinfinger."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.core import Angle, Description, Quantity, quantity
from limbless.robots.rotation_matrices import about_x, about_z

Array = NDArray[np.float64]


class ModifiedDH(Description):
    """Where frame j stands in frame j - 1: Rx(alpha) Tx(d) Rz(theta) Tz(r), equations (1)-(2) of Khalil, Gallot and
    Boyer.

    theta = `offset` + q for a revolute joint; for a prismatic one q is added to `r`. The axis of the joint is z of
    frame j.
    """

    alpha: Quantity[Angle] = quantity(
        0.0, "rad", "angle from z of the previous frame to z of this one, about x of the previous frame"
    )
    d: Quantity[float] = quantity(
        0.0, "m", "distance from z of the previous frame to z of this one, along x of the previous frame"
    )
    r: Quantity[float] = quantity(0.0, "m", "distance along z of this frame")
    offset: Quantity[Angle] = quantity(0.0, "rad", "angle theta at joint position zero")

    def rotation(self) -> Array:
        """(3, 3): components in frame j -> components in frame j - 1, at joint position zero."""
        return about_x(self.alpha) @ about_z(self.offset)

    def translation(self) -> Array:
        """(3,): origin of frame j in frame j - 1 at joint position zero, (d, -r sin alpha, r cos alpha)."""
        return about_x(self.alpha) @ np.array([self.d, 0.0, self.r])
