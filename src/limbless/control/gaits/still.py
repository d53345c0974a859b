"""`still`: nothing is driven."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.core import Field

Nothing = Literal["effort", "joint", "torque", "tension", "tendon-length", "winch-torque"]


class Still(Gait):
    """No actuator drives: a passive body moves under its weight and the forces on it.

    With a `controller` the joints get only its torques or targets.
    """

    kind: Literal["still"] = "still"
    drives: Nothing = Field(  # type: ignore[misc]
        "effort",
        description="what is 0: efforts of muscles, joint positions, joint torques, tensions, torques of winches, or "
        "the way that lengths of tendons are from those of the straight robot",
    )

    def sample(self, times: Array, stations: Array) -> Drive:
        """No efforts (T, S, 6), positions or torques (T, S)."""
        shape = (len(times), len(stations), 6)[: 3 if self.drives == "effort" else 2]
        return Drive(*(np.zeros(shape) for _ in range(3)))

    def sample_lengths(self, times: Array, straight: Array) -> Drive:
        still = np.zeros((len(times), len(straight)))
        return Drive(still + straight, still, still)
