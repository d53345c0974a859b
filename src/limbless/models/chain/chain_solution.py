"""What the dynamics of one instant give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChainSolution:
    """Accelerations and efforts of one instant.

    Attributes
    ----------
    base_acceleration : (6,) classical acceleration of the base origin and angular acceleration, base axes (m/s2,
        rad/s2).
    joint_acceleration : (freedoms,) rad/s2 or m/s2; a spherical joint has three, along axes fixed to the child that are
        parallel to the base's when all joints are at zero.
    joint_torque : (freedoms,) what the actuators give, N m or N; positive when it drives (power = torque times
        velocity).
    base_reaction : (6,) wrench that holds a planar or fixed base, about its origin, base axes (N, N m); zero for a free
        one.
    """

    base_acceleration: Array
    joint_acceleration: Array
    joint_torque: Array
    base_reaction: Array
