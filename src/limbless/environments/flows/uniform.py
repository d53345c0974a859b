"""`uniform`: the same velocity everywhere and at all times."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.core import Listed, Vector3, quantity
from limbless.environments.flows.base import Array, Flow, filled
from limbless.mechanics.compiled import Rows
from limbless.mechanics.forces import FLOW_KINDS


class UniformFlow(Flow):
    """A steady stream: the same velocity everywhere."""

    kind: Literal["uniform"] = "uniform"
    velocity: Listed[Vector3] = quantity((0.1, 0.0, 0.0), "m/s", "velocity, world axes")

    def rows(self, level: float) -> Rows:
        return filled(1, FLOW_KINDS.linear, velocity=self.velocity)

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        return np.broadcast_to(np.array(self.velocity), np.shape(place)).copy()
