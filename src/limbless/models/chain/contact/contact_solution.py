"""What one step of a chain in contact did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.contact import ContactRow, contact_means
from limbless.models.base import State

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contacts:
    """What one step did at every contact that the scene can have; zero where nothing was near."""

    state: State
    gap: Array  # (contacts,) m, at the middle of the step
    normal: Array  # (contacts, 3) from the surface to the body, world
    tangent: Array  # (contacts, 3) along the body, world
    force: Array  # (contacts, 3) N, mean over the step, world
    velocity: Array  # (contacts, 3) m/s at the end of the step: normal, along, across
    residual: float  # m/s, worst violation of the contact laws


def contact_forces(table: Array, duration: float) -> tuple[Array, Array]:
    """Mean forces (contacts, 3), N, world, and states (contacts,) of the step of `duration`
    seconds that left the table.
    """
    force, state = np.zeros((len(table), 3)), np.zeros(len(table))
    contact_means(table, duration, force, state)
    return force, state


def contacts_of(table: Array, state: State, duration: float, residual: float) -> Contacts:
    """From the table `ContactRow` that a step of `duration` seconds has left, and the state that it led to."""
    contact = ContactRow.of(table)
    velocity = np.concatenate([contact.approach[:, None], contact.slip], axis=1)
    return Contacts(
        state,
        contact.gap.copy(),
        contact.normal.copy(),
        contact.tangent.copy(),
        contact_forces(table, duration)[0],
        velocity,
        residual,
    )
