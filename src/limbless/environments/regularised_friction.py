"""`regularised-friction`: dry friction on level ground, made smooth near rest; an approximation, labelled so."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.core import Field, InputError, Listed, Quantity, quantity
from limbless.environments import Cone, along_x, in_windows, segment_rows
from limbless.environments.base import MOST_POINTS, Array, Environment, Pack, segments_of
from limbless.mechanics.forces import SmoothFrictionLaw
from limbless.robots import Robot, Rod


class RegularisedFriction(Environment):
    """Anisotropic Coulomb friction on level ground that becomes viscous near rest.

    The force per length is N μ² V / sqrt(|μ V|² + v²), with the weight N per length. This is the ellipse; `cone`
    chooses how the two directions combine. The coefficient μ differs for sliding head first (forward), tail first
    (backward) and sideways. Below the speed v the friction is viscous, so the body creeps where true dry friction would
    hold it. The non-smooth model has the true law, with sticking.
    """

    kind: Literal["regularised-friction"] = "regularised-friction"
    forward: Quantity[float] = quantity(0.1, "1", "friction coefficient of sliding head first", ge=0)
    backward: Quantity[float] = quantity(0.15, "1", "friction coefficient of sliding tail first", ge=0)
    lateral: Quantity[float] = quantity(0.3, "1", "friction coefficient of sliding sideways", ge=0)
    gravity: Quantity[float] = quantity(9.81, "m/s2", "gravity that presses the body to the ground", gt=0)
    cone: Cone = Field(
        "ellipse",
        description="friction along and across the body together: by an ellipse (largest "
        "power), a box (apart), or weighted by the direction of slip (Hu 2009)",
    )
    link_factors: Listed[tuple[float, ...] | None] = quantity(
        None, "1", "friction of each link as a multiple of these coefficients, the base first; 1 if absent"
    )
    speed: Quantity[float] = quantity(0.001, "m/s", "speed v below which friction is viscous", gt=0)
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment")

    def pack(self, robot: Robot) -> Pack:
        bodies, pieces = robot.bodies(), segments_of(robot, "friction acts")
        to_tip, to_base = along_x(self.forward, self.backward, robot.head)
        weight = np.array(
            [self.gravity * bodies.mass[piece.body] / piece.length if piece.length > 0.0 else 0.0 for piece in pieces]
        )
        if self.link_factors is not None:
            weight = weight * self._factors(robot, len(pieces))
        law = segment_rows(
            SmoothFrictionLaw(),
            pieces,
            self.points,
            forward=weight * to_base,
            backward=weight * to_tip,
            across=weight * self.lateral,
            fading=self.speed,
            joined=self.cone == "ellipse",
            weighted=self.cone == "weighted",
        )
        return Pack(in_windows(self, law))

    def _factors(self, robot: Robot, pieces: int) -> Array:
        """Friction of each piece of body as a multiple."""
        factors = np.array(self.link_factors)
        if isinstance(robot, Rod):
            raise InputError("regularised-friction.link_factors: a rod has no links; leave it out, or give a chain")
        if len(factors) != pieces or (factors < 0).any():
            raise InputError(
                f"regularised-friction.link_factors: give one number, 0 or more, for each of the {pieces} "
                f"pieces of body, the base first; got {len(factors)}"
            )
        return factors
