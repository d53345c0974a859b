"""Rotation matrices of a description: about an axis, and without the rounding that a long chain would add up.

Modified Denavit-Hartenberg parameters in the notation of Khalil and Kleinfinger.
"""

from __future__ import annotations

import math

import numpy as np

from limbless.core import Angle, Array, Description, Quantity, quantity


def about_x(angle: float) -> Array:
    """Rotation matrix about x."""
    c, s = math.cos(angle), math.sin(angle)
    return snap(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]))


def about_y(angle: float) -> Array:
    """Rotation matrix about y."""
    c, s = math.cos(angle), math.sin(angle)
    return snap(np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))


def about_z(angle: float) -> Array:
    """Rotation matrix about z."""
    c, s = math.cos(angle), math.sin(angle)
    return snap(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def snap(matrix: Array) -> Array:
    """Entries that rounding alone keeps from 0 or ±1 set to it: cos(pi/2) is not zero, and a long chain
    would add such errors up.
    """
    whole = np.rint(matrix)
    return np.where(np.abs(matrix - whole) < 1e-15, whole, matrix) + 0.0


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
