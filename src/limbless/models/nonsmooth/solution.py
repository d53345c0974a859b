"""What one step of a chain in contact did."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.contact.tables import Contact
from limbless.models.base import State

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contacts:
    """What one step did at every contact that the scene can have; zero where nothing was near."""

    state: State
    gap: Array          # (contacts,) m, at the middle of the step
    normal: Array       # (contacts, 3) from the surface to the body, world
    tangent: Array      # (contacts, 3) along the body, world
    force: Array        # (contacts, 3) N, mean over the step, world
    velocity: Array     # (contacts, 3) m/s at the end of the step: normal, along, across
    residual: float     # m/s, worst violation of the contact laws


def contacts_of(table: Array, state: State, duration: float, residual: float) -> Contacts:
    """From the table `Contact` that a step of `duration` seconds has left, and the state that it led to."""
    contact = Contact.of(table)
    n, t, friction = contact.normal.copy(), contact.tangent.copy(), contact.friction
    along = np.where(contact.shear[:, 0] <= 0.0, friction[:, 0], friction[:, 1]) * contact.shear[:, 0]
    across = friction[:, 2] * contact.shear[:, 1]
    push = np.where(contact.given > 0.0, 0.0, contact.load)[:, None]
    impulse = push * n + along[:, None] * t + across[:, None] * np.cross(n, t)
    velocity = np.concatenate([contact.approach[:, None], contact.slip], axis=1)
    return Contacts(state, contact.gap.copy(), n, t, impulse / duration, velocity, residual)
