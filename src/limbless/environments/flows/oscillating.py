"""`oscillating`: a stream that swings to and fro, the same everywhere."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.core import Angle, Listed, Quantity, Vector3, quantity
from limbless.environments.flows.base import Array, Flow, filled
from limbless.mechanics.compiled import Rows
from limbless.mechanics.forces import FLOW_KINDS


class OscillatingFlow(Flow):
    """A uniform stream whose velocity oscillates.

    The velocity is mean + amplitude sin(2π t / period + phase).
    """

    kind: Literal["oscillating"] = "oscillating"
    mean: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m/s", "mean velocity, world axes")
    amplitude: Listed[Vector3] = quantity((0.1, 0.0, 0.0), "m/s", "amplitude of the velocity, world axes")
    period: Quantity[float] = quantity(2.0, "s", "period", gt=0)
    phase: Quantity[Angle] = quantity(0.0, "rad", "phase at time 0")

    def rows(self, level: float) -> Rows:
        return filled(
            1,
            FLOW_KINDS.linear,
            velocity=self.mean,
            swing=self.amplitude,
            rate=2.0 * np.pi / self.period,
            phase=self.phase,
        )

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        swing = np.sin(2.0 * np.pi * np.asarray(time) / self.period + self.phase)[..., None] * np.array(self.amplitude)
        return np.broadcast_to(np.array(self.mean) + swing, np.shape(place)).copy()
