"""`inchworm`: the body humps up and stretches out again (paper 000, (46)-(47))."""
from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.description import Angle, quantity
from limbless.gaits.base import Array, Drive, Gait


class Inchworm(Gait):
    """Heading θ = α sin²(π t / T) sin(2π (X - l) / l): a hump that grows in the first half of a step and decays in the second.

    Both ends keep their heading, and all is at rest at each half step: the moments at which the feet are exchanged. The paper's ω is
    π / T, and T, the `period` here, is one step.
    """

    kind: Literal["inchworm"] = "inchworm"
    amplitude: Angle = quantity(1.8, "rad", "largest heading α")
    period: float = quantity(2.0, "s", "duration T of one step", gt=0)
    length: float = quantity(0.3, "m", "length l of the body that humps", gt=0)

    drives: ClassVar[str] = "strain"

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6): yaw curvature θ'."""
        w, k = 2.0 * np.pi / self.period, 2.0 * np.pi / self.length
        hump = self.amplitude * k * np.cos(k * (stations - self.length))
        phase = w * times[:, None]
        swell = (0.5 * (1.0 - np.cos(phase)), 0.5 * w * np.sin(phase), 0.5 * w * w * np.cos(phase))
        parts = [np.zeros((*np.broadcast_shapes(phase.shape, stations.shape), 6)) for _ in range(3)]
        for part, f in zip(parts, swell, strict=True):
            part[..., 5] = f * hump
        parts[0][..., 0] = 1.0
        return Drive(*parts)

    @property
    def cycle(self) -> float:
        return self.period
