"""The climbing inchworm of Boyer, Ali and Porez (2012), section VII."""

from __future__ import annotations

from typing import Literal

from limbless.core import Field, Quantity, quantity
from limbless.robots import Preset, Rod


class BoyerInchworm(Preset):
    """A homogeneous round body that bends in one plane. The paper gives no sizes: these are ours."""

    kind: Literal["rod"] = "rod"
    preset: Literal["boyer-inchworm"] = "boyer-inchworm"
    name: str = Field("boyer-inchworm", description="name of the robot")
    length: Quantity[float] = quantity(0.3, "m", "length", gt=0)
    radius: Quantity[float] = quantity(0.01, "m", "radius of the section", gt=0)
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density", gt=0)

    def build(self) -> Rod:
        """The rod."""
        return Rod(
            name=self.name,
            base="planar",
            strains="planar",
            length=self.length,
            half_width=self.radius,
            density=self.density,
        )
