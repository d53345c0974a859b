"""`sweeping-anchorage`: the body holds on where it is thickest, and these places run along it
(paper 000, (27)-(30), (42)).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.control.gaits.base import Gait
from limbless.core import Field, InputError
from limbless.environments.base import Array
from limbless.environments.constraint import Constraint, Places


class SweepingAnchorage(Constraint):
    """Anchors that travel along a rod at the crests of a wave of stretch.

    `material`: the section that touches the ground is at rest (no slip), and the next moment another section touches.
    `spatial`, as in the paper: the place of contact is at rest in space and the body moves through it, so that the
    ground may do work.
    """

    kind: Literal["sweeping-anchorage"] = "sweeping-anchorage"
    holds: Literal["material", "spatial"] = Field(
        "material", description="what stands still: the touching section, or the place of contact"
    )

    @property
    def slides(self) -> bool:  # type: ignore[override]
        """The body flows through a place that stands still in space."""
        return self.holds == "spatial"

    @property
    def needs_slope(self) -> bool:  # type: ignore[override]
        return self.holds == "spatial"

    def count(self, gait: Gait, length: float) -> int:
        wavelength = getattr(gait, "wavelength", None)
        return super().count(gait, length) if wavelength is None else int(length / wavelength) + 2

    def places(self, gait: Gait, times: Array, length: float) -> Places:
        if not hasattr(gait, "crests"):
            raise InputError(
                "a sweeping anchorage needs a gait with crests that run along the body, such as 'peristalsis'; "
                f"{gait.kind!r} has none"
            )
        return Places(*gait.crests(times, length))

    def demands(self, times: Array, places: Places, strain: Array, slope: Array, rate: Array) -> tuple[Array, Array]:
        speed, acceleration = places.speed[..., None], places.acceleration[..., None]
        if self.holds == "material":
            return np.zeros_like(strain), -rate * speed
        return -strain * speed, -strain * acceleration - slope * speed**2 - 2.0 * rate * speed
