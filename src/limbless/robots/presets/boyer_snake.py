"""The snake of Boyer, Ali and Porez (2012), section VIII."""

from __future__ import annotations

from typing import Any, Literal

from limbless.core import Field, Quantity, quantity
from limbless.robots import Preset, Rod


class BoyerSnake(Preset):
    """A homogeneous round snake in the plane, in space, or in the plane with sections that can
    shear. The sizes are ours.
    """

    kind: Literal["rod"] = "rod"
    preset: Literal["boyer-snake"] = "boyer-snake"
    name: str = Field("boyer-snake", description="name of the robot")
    body: Literal["planar", "spatial", "shearing"] = Field(
        "planar", description="how it bends: in the plane, in space, in the plane with shear"
    )
    length: Quantity[float] = quantity(1.0, "m", "length", gt=0)
    radius: Quantity[float] = quantity(0.03, "m", "radius of the section", gt=0)
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density", gt=0)

    def build(self) -> Rod:
        """The rod."""
        strains: Any = {"planar": "planar", "spatial": "universal", "shearing": "reissner"}[self.body]
        return Rod(
            name=self.name,
            base="free" if self.body == "spatial" else "planar",
            strains=strains,
            length=self.length,
            half_width=self.radius,
            density=self.density,
        )
