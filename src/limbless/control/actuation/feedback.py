"""`pd` and `servo`: the gait as the reference of a feedback."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from limbless.control.actuation.base import Actuation
from limbless.core import Angle, Field, Listed, Quantity, quantity

RATE = 30.0
"""rad/s: of feedback whose gains come from the robot's inertia; gaits of a second or so are far slower."""


class ProportionalDerivative(Actuation):
    """Torque = stiffness (reference - position) + damping (reference rate - rate), within `saturation` if one is given.

    Gains that are not stated come from the robot: with e = reference - position, every actuator gives
    J ë + 2J (2ω ė + ω² e), where J is what its joint has to turn (the straight robot with its added mass, the other
    joints locked) and ω the `rate`. Together with that J, ë + 2ω ė + ω² e = 0: critical damping. Lighter motions of the
    body, joint against joint, are damped more, and are stable in steps of up to half of 1/ω, because the actuator
    answers to the acceleration as a rotor would. Where one of the two gains is stated, the other makes the damping
    critical. `feedforward` adds the torques that the gait's accelerations take at the present state (inverse dynamics),
    so that feedback is left with what disturbs. All that the actuators give stays within `saturation`.
    """

    kind: Literal["pd"] = "pd"
    stiffness: Listed[float | tuple[float, ...] | None] = quantity(
        None, "N m/rad", "position gain: one, one each, or a pattern that repeats; from the robot's inertia if absent"
    )
    damping: Listed[float | tuple[float, ...] | None] = quantity(
        None, "N m s/rad", "rate gain: one for all joints, one each, or a pattern that repeats; critical if absent"
    )
    rate: Quantity[float | None] = quantity(
        None, "rad/s", f"rate ω of gains that come from the inertia; {RATE:g} if absent", gt=0
    )
    saturation: Listed[float | tuple[float | None, ...] | None] = quantity(
        None,
        "N m",
        "largest torque the actuators give: one, one each (null: no limit), or a pattern that repeats; none if absent",
    )
    feedforward: bool = Field(False, description="whether torques of inverse dynamics are added (newton-euler)")
    motion_joints: Listed[tuple[int, ...]] = Field(
        (), description="numbers of the joints (from 0) that are motion-given"
    )

    @property
    def bandwidth(self) -> float:
        """ω of gains that come from the inertia, rad/s."""
        return RATE if self.rate is None else self.rate

    @model_validator(mode="after")
    def _acts(self) -> ProportionalDerivative:
        if self.rate is not None and not (self.stiffness is None and self.damping is None):
            raise ValueError(
                "rate: it makes gains of the robot's inertia, and here a gain is stated; leave out `rate`, or both "
                "gains"
            )
        if self.saturation is not None and not np.min(self.limits, initial=np.inf) > 0.0:
            raise ValueError(f"saturation: must be positive; got {self.saturation}")
        return self

    @property
    def limits(self) -> NDArray[np.float64]:
        """`saturation` as numbers, one or several; infinite where there is none, N m."""
        stated = self.saturation if isinstance(self.saturation, tuple) else (self.saturation,)
        return np.array([np.inf if limit is None else limit for limit in stated])


class Servo(ProportionalDerivative):
    """A `pd` actuator with what real servos add: play in the gears, and a reference renewed a few times a second."""

    kind: Literal["servo"] = "servo"  # type: ignore[assignment]
    backlash: Quantity[Angle] = quantity(
        0.0, "rad", "play: an error within half of it either way makes no torque", ge=0
    )
    refresh: Quantity[float | None] = quantity(
        None, "1/s", "how often the reference is renewed, held in between; continuously if absent", gt=0
    )
