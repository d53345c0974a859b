"""`anchorage`: one section held, at rest or in a given motion (paper 000, (27)-(30) with a fixed abscissa)."""
from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.description import quantity
from limbless.environments.base import Array
from limbless.environments.contact import Contact, Places
from limbless.errors import InputError
from limbless.gaits.base import Gait

Twist = tuple[float, float, float, float, float, float]


class Anchorage(Contact):
    """A clamp at one section: an inchworm's foot, or the wall or vehicle that carries a manipulator (abscissa 0).

    The section moves with the twist `twist` + `sway` (2π/T) cos(2π t/T), in its own axes: T is `period`. By default it stands still.
    """

    kind: Literal["anchorage"] = "anchorage"
    abscissa: float = quantity(0.0, "m", "abscissa X of the section that is held", ge=0)
    twist: Twist = quantity((0.0,) * 6, "m/s, rad/s", "constant twist of the held section, in its own axes")
    sway: Twist = quantity((0.0,) * 6, "m, rad", "amplitude of a swaying motion, along each axis of the held section")
    period: float = quantity(1.0, "s", "period T of the sway", gt=0)

    def places(self, gait: Gait, times: Array, length: float) -> Places:
        if self.abscissa > length * (1.0 + 1e-12):
            begins = min((start for start, _ in self.active or ()), default=0.0)
            raise InputError(f"anchorage: abscissa {self.abscissa:g} m, where it takes hold at t = {begins:g} s, lies outside the body, "
                             f"which is {length:g} m long")
        still = np.zeros((len(times), 1))
        return Places(np.full((len(times), 1), min(self.abscissa, length)), still, still)

    def demands(self, times: Array, places: Places, strain: Array, slope: Array, rate: Array) -> tuple[Array, Array]:
        w, sway = 2.0 * np.pi / self.period, np.array(self.sway)
        phase = w * times[:, None, None]
        return np.array(self.twist) + sway * w * np.cos(phase), -sway * w * w * np.sin(phase)
