"""`support`: things beside the body that it slides along (paper 000, cross-section follower supports (31)-(33))."""
from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from limbless.description import Vector3, quantity
from limbless.environments.base import Array
from limbless.environments.contact import Contact, Places
from limbless.errors import InputError
from limbless.gaits.base import Gait


class Support(Contact):
    """Supports that keep a section from moving sideways and from rolling, and let it slide through along its axis.

    Fixed in space (`travel`), or moving through it with a given `velocity`, a support wanders along the body as this slides by, leaves
    at one end, and the next one enters at the other end when the last has gone in by `spacing`. With travel false it stays at its
    section, as a wheel does. `along: body` says that the whole body is guided, as if in a tube, while the forces are shared by the
    supports; `points`, that only the supports guide it.
    """

    kind: Literal["support"] = "support"
    guided: ClassVar[tuple[int, ...]] = (1, 2, 3)
    travels: ClassVar[bool] = True
    slides: ClassVar[bool] = True
    abscissae: tuple[float, ...] = quantity((0.1, 0.3, 0.5, 0.7, 0.9), "m", "abscissae of the supports at the start")
    spacing: float | None = quantity(None, "m",
                                     "distance at which the next support follows the last one that entered; none enters if absent", gt=0)
    travel: bool = Field(True, description="supports are fixed in space and wander along the body; else each stays at its section")
    along: Literal["body", "points"] = Field("body", description="what guides the motion: the whole body, or the supports alone")
    pushes: Literal["both", "left", "right", "inner", "outer"] = Field(
        "both", description="sides to which supports can push: both, +y, -y, or with each on the inner (concave) or outer side of the bend")
    velocity: Vector3 = quantity((0.0, 0.0, 0.0), "m/s", "velocity of the supports through space, world axes")
    couple_length: float | None = quantity(None, "m", "length that makes couples comparable with forces; the section's radius if absent",
                                           gt=0)

    @model_validator(mode="after")
    def _some(self) -> Support:
        if not self.abscissae or min(self.abscissae) < 0:
            raise ValueError(f"abscissae: give at least one support, none of them negative; got {self.abscissae}")
        if self.spacing is not None and not self.travel:
            raise ValueError("spacing: supports that stay at their section (travel: false) are followed by none")
        if self.spacing is not None and isinstance(self.weight, tuple):
            raise ValueError("weight: supports that are followed by others (spacing) share one weight; give one number, or no spacing")
        return self

    def sides(self, curvature: Array) -> Array:
        """Direction in which each support pushes, +1 or -1 along y, or 0 for both, where the body has a yaw curvature (T, P)."""
        bend = np.where(curvature >= 0.0, 1.0, -1.0)                     # the inner side of a bend to the left is at +y
        fixed = {"both": 0.0, "left": 1.0, "right": -1.0}
        return {"inner": -bend, "outer": bend}[self.pushes] if self.pushes in ("inner", "outer") else np.full(curvature.shape,
                                                                                                              fixed[self.pushes])

    def places(self, gait: Gait, times: Array, length: float) -> Places:
        """At the start; where they travel to is found with the motion."""
        if max(self.abscissae) > length:
            raise InputError(f"support: abscissae[{int(np.argmax(self.abscissae))}] = {max(self.abscissae):g} m lies outside the body, "
                             f"which is {length:g} m long")
        still = np.zeros((len(times), len(self.abscissae)))
        return Places(still + np.array(self.abscissae), still, still)
