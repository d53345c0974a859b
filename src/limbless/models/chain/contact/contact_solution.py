"""What one step of a chain in contact did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.contact import ContactRow, state_of
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


def impulses_of(table: Array) -> Array:
    """(contacts, 3) N s, world: what each contact of the table `ContactRow` gave."""
    contact = ContactRow.of(table)
    n, t, friction = contact.normal, contact.tangent, contact.friction
    along = np.where(contact.shear[:, 0] <= 0.0, friction[:, 0], friction[:, 1]) * contact.shear[:, 0]
    across = friction[:, 2] * contact.shear[:, 1]
    push = np.where(contact.given > 0.0, 0.0, contact.load)[:, None]
    return np.asarray(push * n + along[:, None] * t + across[:, None] * np.cross(n, t))


def contact_forces(table: Array, duration: float) -> tuple[Array, Array]:
    """Mean forces (contacts, 3), N, world, and states (contacts,) of the step of `duration`
    seconds that left the table.
    """
    states = [float(state_of(ContactRow(table, i))) for i in range(len(table))]
    return impulses_of(table) / duration, np.array(states)


def contacts_of(table: Array, state: State, duration: float, residual: float) -> Contacts:
    """From the table `ContactRow` that a step of `duration` seconds has left, and the state that it led to."""
    contact = ContactRow.of(table)
    velocity = np.concatenate([contact.approach[:, None], contact.slip], axis=1)
    return Contacts(
        state,
        contact.gap.copy(),
        contact.normal.copy(),
        contact.tangent.copy(),
        impulses_of(table) / duration,
        velocity,
        residual,
    )
