"""`muscles`: pairs of muscles across the joints, which a controller activates."""

from __future__ import annotations

from typing import ClassVar, Literal

from limbless.control.actuation.base import Actuation
from limbless.core import Field, Listed, quantity

Each = float | tuple[float, ...]


class Muscles(Actuation):
    """torque = α (L^p - R^p) + β (L + R + γ) (q0 - q) - (δ + ε (L + R)) q': a muscle on either side of each joint. A
    controller gives their activations L (left, bends to +) and R (Ekeberg 1993; power 2: Boyle, Berri and Cohen 2012).

    Active muscles are stiffer and, by ε, damp more. Numbers are one for all joints, or one each.
    """

    kind: Literal["muscles"] = "muscles"
    takes_torques: ClassVar[bool] = True
    alpha: Listed[Each] = quantity(1.0, "N m", "α: torque of a full activation of one side")
    beta: Listed[Each] = quantity(1.0, "N m/rad", "β: stiffness by activation of both")
    gamma: Listed[Each] = quantity(1.0, "1", "γ: tonic part of the stiffness")
    delta: Listed[Each] = quantity(0.1, "N m s/rad", "δ: damping at rest")
    epsilon: Listed[Each] = quantity(0.0, "N m s/rad", "ε: damping by activation of both")
    rest: Listed[Each] = quantity(0.0, "rad", "q0: where springs are at rest")
    power: Literal[1, 2] = Field(1, description="p: torque by activation, or by its square")
