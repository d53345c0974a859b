"""What questions about one state of a soft body return."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SoftSolution:
    """Accelerations of one instant.

    Attributes
    ----------
    base_acceleration : (6,) rate of the components of the base's twist, base axes.
    strain_acceleration : (freedoms,) of every freedom.
    effort : (freedoms,) what the actuators give along every freedom: tendons and muscles, or what a given motion takes.
    base_reaction : (6,) wrench that holds the base, about its origin, world axes.
    origin : (cells + 1, 3) where every cell ends, the base first, world, m.
    rotation : (cells + 1, 3, 3) the axes there in columns, world.
    """

    base_acceleration: Array
    strain_acceleration: Array
    effort: Array
    base_reaction: Array
    origin: Array
    rotation: Array


@dataclass(frozen=True)
class Modes:
    """Small motions about a state: x(t) = Re(mode exp(λ t)).

    Attributes
    ----------
    frequency : (modes,) circular frequency |λ|, rad/s, from the lowest; rigid motions have 0.
    damping_ratio : (modes,) -Re λ / |λ|; 0 for an undamped mode, 1 for one that creeps.
    shape : (modes, coordinates) complex: base translation (3) and rotation (3) where it can move, base axes, then all
        free freedoms.
    eigenvalue : (modes,) λ.
    """

    frequency: Array
    damping_ratio: Array
    shape: NDArray[np.complex128]
    eigenvalue: NDArray[np.complex128]
