"""The burrowing worm of Boyer, Ali and Porez (2012), section VI."""

from __future__ import annotations

from typing import Literal

from limbless.core import Field, Quantity, quantity
from limbless.robots import Preset, Rod


class BoyerWorm(Preset):
    """A homogeneous round worm on a line, that stretches and shortens. The paper gives no sizes: these are ours."""

    kind: Literal["rod"] = "rod"
    preset: Literal["boyer-worm"] = "boyer-worm"
    name: str = Field("boyer-worm", description="name of the robot")
    length: Quantity[float] = quantity(0.3, "m", "length when not stretched", gt=0)
    radius: Quantity[float] = quantity(0.005, "m", "radius of the section", gt=0)
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density", gt=0)

    def build(self) -> Rod:
        """The rod."""
        return Rod(
            name=self.name,
            base="line",
            strains="extensible-kirchhoff",
            length=self.length,
            half_width=self.radius,
            density=self.density,
        )
