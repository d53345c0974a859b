"""`still`: nothing is driven."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.core import Field


class Still(Gait):
    """No muscle pulls: a passive body moves under its weight and what else acts on it. A robot with a `controller` is
    told nothing else: its joints get no torque, or are asked to stay straight."""

    kind: Literal["still"] = "still"
    drives: Literal["effort", "joint", "torque"] = Field(  # type: ignore[misc]
        "effort", description="what is 0: efforts of muscles, joint positions or joint torques"
    )

    def sample(self, times: Array, stations: Array) -> Drive:
        """No efforts (T, S, 6), positions or torques (T, S)."""
        shape = (len(times), len(stations), 6)[: 3 if self.drives == "effort" else 2]
        return Drive(*(np.zeros(shape) for _ in range(3)))
