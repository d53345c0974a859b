"""What the geometric model records beyond what every model of a chain does: clamps and wheels."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.rotations import quaternion_to_matrix
from limbless.models.base import Block
from limbless.models.chain_recording import Recorded
from limbless.models.variables import choose

Array = NDArray[np.float64]

CLAMP_SCHEMA = choose("clamp_wrench", "clamp_impulse", "clamp_energy")
CONTACT_SCHEMA = choose("contact_force", "contact_position", "contact_state", "contact_held", "contact_residual",
                        contact_force="mean over the step that begins (of a wheel: its dry friction)")


def clamp_variables(block: Block, records: Recorded, planar: bool) -> Block:
    """The clamp's wrench on the clamped link, and what remains for the base to hold.

    `block` has the row of the clamped body in `clamped` (-1: none). A planar base keeps what stands out of its plane.
    """
    rows = block["clamped"].astype(int)
    closed = rows >= 0
    place = records.origin[np.arange(len(rows)), np.maximum(rows, 0)]
    force, moment = records.hold[:, :3], records.hold[:, 3:]
    if planar:
        normal = quaternion_to_matrix(records.x[:, 3:7])[:, :, 2]
        force = force - np.sum(force * normal, axis=1, keepdims=True) * normal
    carried = moment - np.cross(place - records.origin[:, 0], force)
    if planar:
        carried = np.sum(carried * normal, axis=1, keepdims=True) * normal
    wrench = closed[:, None] * np.concatenate([force, carried], axis=1)
    return {"clamp_wrench": wrench, "clamp_impulse": block["clamp_impulse"], "clamp_energy": block["clamp_energy"]}


def elsewhere(block: Block, records: Recorded, wrench: Array) -> Array:
    """The wrench that still holds the base, about its origin, when a clamp holds another link."""
    rows = block["clamped"].astype(int)
    away = rows > 0
    arm = records.origin[np.arange(len(rows)), np.maximum(rows, 0)] - records.origin[:, 0]
    at_base = np.concatenate([wrench[:, :3], wrench[:, 3:] + np.cross(arm, wrench[:, :3])], axis=1)
    return records.hold - away[:, None] * at_base
