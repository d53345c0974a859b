"""`regularised-friction`: dry friction on level ground, made smooth near rest; an approximation, labelled so."""
from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from limbless.description import quantity
from limbless.environments.base import MOST_POINTS, Environment, Pack
from limbless.environments.packing import in_windows, segment_rows
from limbless.environments.surfaces import along_x
from limbless.errors import InputError
from limbless.mechanics.forces.friction import FrictionLaw
from limbless.robots.base import Robot


class RegularisedFriction(Environment):
    """Anisotropic Coulomb friction of a body that lies on level ground with its weight: per length, N μ² V / sqrt(|μ
    V|² + v²).

    μ differs for sliding head first (forward), tail first (backward) and sideways. N is the weight per length. Below
    the speed v it is viscous: the body creeps where true dry friction would hold it. The true law, with sticking, is
    the one of the non-smooth model.
    """

    kind: Literal["regularised-friction"] = "regularised-friction"
    forward: float = quantity(0.1, "1", "friction coefficient of sliding head first", ge=0)
    backward: float = quantity(0.15, "1", "friction coefficient of sliding tail first", ge=0)
    lateral: float = quantity(0.3, "1", "friction coefficient of sliding sideways", ge=0)
    gravity: float = quantity(9.81, "m/s2", "gravity that presses the body to the ground", gt=0)
    speed: float = quantity(0.001, "m/s", "speed v below which friction is viscous", gt=0)
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment")

    def pack(self, robot: Robot) -> Pack:
        bodies, pieces = robot.bodies(), robot.segments()
        to_tip, to_base = along_x(self.forward, self.backward, robot.head)
        weight = np.array([self.gravity * bodies.mass[piece.body] / piece.length if piece.length > 0.0 else 0.0
                           for piece in pieces])
        if not pieces:
            raise InputError("friction acts on segments of body, and this robot has none: give its links a `body`")
        law = segment_rows(FrictionLaw(), pieces, self.points, forward=weight * to_base, backward=weight * to_tip,
                           across=weight * self.lateral, fading=self.speed, joined=True)
        return Pack(in_windows(self, law))
