"""`drag`: a force proportional to speed, different along and across the body."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from limbless.core import Field, InputError, Listed, Quantity, Vector3, quantity
from limbless.environments import CURRENT, MOST_POINTS, Environment, Pack, in_windows, segment_rows, segments_of
from limbless.mechanics.forces import MorisonLaw
from limbless.robots.base import Robot


class Drag(Environment):
    """Linear anisotropic drag per unit length, relative to a uniform current.

    The force is f = -(c1 U1, c2 U2, c3 U3) and the roll moment m1 = -c4 w1, where U is the velocity relative to the
    current.
    """

    kind: Literal["drag"] = "drag"
    is_fluid: ClassVar[bool] = True
    along: Quantity[float] = quantity(1.0, "N s/m2", "coefficient along the body", ge=0)
    lateral: Quantity[float] = quantity(2.0, "N s/m2", "coefficient across the body, sideways", ge=0)
    vertical: Quantity[float] = quantity(2.0, "N s/m2", "coefficient across the body, vertically", ge=0)
    roll: Quantity[float] = quantity(0.0, "N s", "moment coefficient about the body's axis", ge=0)
    current: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m/s", "velocity of the medium, world axes")
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment (2 are exact)")

    @classmethod
    def slow_water(cls, radius: float, wavelength: float, viscosity: float = 1e-3, law: str = "lighthill") -> Drag:
        """Water so slow or so viscous that inertia is nothing: coefficients of a slender body that waves.

        Per length 2πμ/k along and 4πμ/(K + 1/2) across: `lighthill` (1976, SIAM Review 18) has k = K = ln(0.18 λ/a),
        `gray-hancock` (1955, J. Exp. Biol. 32, as in Rodenborn et al. 2013, PNAS 110) k = K - 1/2 with K = ln(2 λ/a).

        Parameters
        ----------
        radius : a of the body, m.
        wavelength : λ along the body, m.
        viscosity : dynamic, μ in Pa s; of water at 20 degrees if absent.
        """
        sizes = {"lighthill": 0.18, "gray-hancock": 2.0}
        if law not in sizes:
            raise InputError(f"slow_water: law {law!r} is none of {', '.join(sizes)}")
        K = math.log(sizes[law] * wavelength / radius) if min(radius, wavelength) > 0.0 else 0.0
        k = K if law == "lighthill" else K - 0.5
        if not k > 0.5:
            raise InputError(
                f"slow_water: a body of radius {radius:g} m is not slender beside waves of {wavelength:g} m; the law "
                f"{law!r} needs waves of {math.exp(K - k + 0.5) / sizes[law]:.2g} radii or more"
            )
        across = 4.0 * math.pi * viscosity / (K + 0.5)
        return cls(along=2.0 * math.pi * viscosity / k, lateral=across, vertical=across)

    def refined(self) -> Drag:
        return self  # linear in the velocity, which is linear along a segment: exact

    def varies(self, level: bool) -> str | None:
        return CURRENT if any(self.current) else None

    def pack(self, robot: Robot) -> Pack:
        pieces = segments_of(robot, "drag acts")
        law = segment_rows(
            MorisonLaw(),
            pieces,
            self.points,
            linear=(self.along, self.lateral, self.vertical),
            linear_roll=self.roll,
            current=self.current,
        )
        return Pack(in_windows(self, law))
