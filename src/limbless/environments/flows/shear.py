"""`shear`: a velocity that changes evenly from place to place."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.core import Field, Listed, Quantity, Vector3, checked, quantity
from limbless.environments.flows.base import Array, Flow, filled
from limbless.mechanics.compiled import Rows
from limbless.mechanics.forces import FLOW_KINDS

_AXES = {"x": 0, "y": 1, "z": 2}
Axis = Literal["x", "y", "z"]


class ShearFlow(Flow):
    """A velocity that changes linearly in space.

    The velocity is velocity + gradient (x - origin). `rate`, `along` and `across` are short for a gradient with one
    entry: the velocity along one axis grows by `rate` for each metre along another.
    """

    kind: Literal["shear"] = "shear"
    velocity: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m/s", "velocity at the origin, world axes")
    origin: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m", "place where that is the velocity")
    gradient: Listed[tuple[Vector3, Vector3, Vector3] | None] = quantity(
        None, "1/s", "three rows: change of each component of the velocity along x, y and z"
    )
    rate: Quantity[float | None] = quantity(
        None, "1/s", "change of the velocity `along` one axis per metre `across`, in place of a gradient"
    )
    along: Axis = Field("x", description="axis along which the water flows")
    across: Axis = Field("y", description="axis along which that changes")

    @checked
    def _one_of_both(self) -> None:
        if (self.gradient is None) == (self.rate is None):
            raise ValueError("gradient: give it or `rate` (with `along` and `across`), one of them")

    @property
    def matrix(self) -> Array:
        """(3, 3) du_i/dx_j, 1/s."""
        if self.gradient is not None:
            return np.array(self.gradient)
        found = np.zeros((3, 3))
        found[_AXES[self.along], _AXES[self.across]] = self.rate
        return found

    def rows(self, level: float) -> Rows:
        return filled(1, FLOW_KINDS.linear, velocity=self.velocity, gradient=self.matrix.ravel(), origin=self.origin)

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        return np.asarray(np.array(self.velocity) + (place - np.array(self.origin)) @ self.matrix.T)
