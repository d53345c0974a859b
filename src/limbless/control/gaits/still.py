"""`still`: nothing is driven."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait


class Still(Gait):
    """No muscle pulls: a passive body moves under its weight and what else acts on it."""

    kind: Literal["still"] = "still"
    drives: ClassVar[str] = "effort"

    def sample(self, times: Array, stations: Array) -> Drive:
        """No efforts (T, S, 6)."""
        return Drive(*(np.zeros((len(times), len(stations), 6)) for _ in range(3)))
