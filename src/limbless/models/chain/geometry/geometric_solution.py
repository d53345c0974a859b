"""What the geometric equations give: poses, one instant, a free motion, the impact of a clamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Poses(NamedTuple):
    """Module frames: x along the body, origin at the module's centre."""

    rotation: Array  # (modules, 3, 3) module to world
    position: Array  # (modules, 3) m


@dataclass(frozen=True)
class GeometricSolution:
    """One instant of M ẍ + Γ(ẋ, ẋ) = Y.

    Attributes
    ----------
    acceleration : (N,) of every degree of freedom, base first.
    force : (N,) what the actuators give along the joints; along the base, what holds it (zero where it is free).
    reaction : (6,) force and moment that hold the robot from outside, about the base origin, world axes (N, N m).
    clamp_reaction : (6,) the part of it that holds the module `clamp`, likewise; what holds the base is the rest.
    """

    acceleration: Array
    force: Array
    reaction: Array
    clamp_reaction: Array


class Geodesic(NamedTuple):
    """A free motion at the asked times."""

    time: Array  # (T,) s
    x: Array  # (T, coordinates) base, then joints
    speeds: Array  # (T, N)


@dataclass(frozen=True)
class Impact:
    """A clamp that closes on a moving module.

    Attributes
    ----------
    speeds : (N,) after it.
    impulse : (6,) of the clamp, about the base origin, world axes (N s, N m s).
    joint_impulse : (joints,) of the motors that keep the motion-given joints as they are (N m s).
    energy : kinetic energy that is lost, J.
    motor_work : work of the motors' impulses, J.
    """

    speeds: Array
    impulse: Array
    joint_impulse: Array
    energy: float
    motor_work: float
