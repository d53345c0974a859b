"""What the equations of a rod give at one instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RodSolution:
    """Motion and wrenches of one instant.

    Attributes
    ----------
    base_twist_rate : (6,) rate of the components of the head's twist (m/s2, rad/s2): not the classical acceleration.
    internal_wrench : (nodes, 6) what the part beyond each node does to the part before it, section axes (N, N m).
    tail_wrench : (6,) what is left beyond the tail, about the head: 0 (N, N m).
    base_reaction : (6,) wrench that holds or drives the head, head axes (N, N m); zero for a free rod.
    inertia : (6, 6) M_o (19), about the head.
    poses : (nodes, 12) rotation (row by row) and position of each node in the head frame.
    actuator_power : what the drive of the strains gives, -∫ Λᵀ ξ̇ dX (W).
    base_twist : (6,) twist of the head, its own axes (m/s, rad/s): as given, or what the contacts make of it.
    contact_wrench : (6,) resultant of all contacts about the head, its axes (N, N m).
    support_wrench : (contacts, 6) force and couple of each contact on the body, axes of the touched section (N, N m); 0
        where it does not act.
    """

    base_twist_rate: Array
    internal_wrench: Array
    tail_wrench: Array
    base_reaction: Array
    inertia: Array
    poses: Array
    actuator_power: float
    base_twist: Array
    contact_wrench: Array
    support_wrench: Array
