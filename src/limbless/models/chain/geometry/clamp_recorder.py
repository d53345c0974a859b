"""What the geometric model records beyond what every model of a chain does: clamps and wheels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.mechanics.chain.tables import ChainRecords as ChainRecords
from limbless.mechanics.geometry.tables import GeometricRecords
from limbless.models.base import Records, Variable
from limbless.models.recording import body_recorder
from limbless.models.recording.body_recorder import SCHEMA, Recorded, mean_powers, mean_schema
from limbless.models.variables import choose

__all__ = [
    "CLAMP_SCHEMA",
    "CONTACT_SCHEMA",
    "clamp_variables",
    "elsewhere",
    "kept_arrays",
    "mean_powers",
    "schema_of",
    "wheel_variables",
]

Array = NDArray[np.float64]

CLAMP_SCHEMA = choose("clamp_wrench", "clamp_impulse", "clamp_energy")
CONTACT_SCHEMA = choose(
    "contact_force",
    "contact_position",
    "contact_state",
    "contact_held",
    "contact_residual",
    contact_force="mean over the step that begins (of a wheel: its dry friction)",
)


def schema_of(clamps: bool, wheels: bool) -> dict[str, Variable]:
    """What is recorded of a chain, with clamps and set-valued wheels or without."""
    return {
        **(mean_schema(SCHEMA) if wheels else SCHEMA),
        **(CLAMP_SCHEMA if clamps else {}),
        **(CONTACT_SCHEMA if wheels else {}),
    }


def kept_arrays(kept: GeometricRecords) -> dict[str, Array]:
    """The records of a problem by name, as the model returns them."""
    wheels = {f"contact_{name}": array for name, array in kept.wheels._asdict().items()}
    return {**body_recorder.kept_arrays(ChainRecords(*kept[:5])), **wheels}


def wheel_variables(records: Records) -> dict[str, Array]:
    """What the wheels did."""
    return {
        "contact_force": records["contact_force"],
        "contact_position": records["contact_place"],
        "contact_state": records["contact_state"],
        "contact_held": records["contact_held"],
        "contact_residual": records["contact_residual"],
    }


def clamp_variables(records: Records, found: Recorded, planar: bool) -> dict[str, Array]:
    """The clamp's wrench on the clamped link, and what remains for the base to hold.

    `records` have the row of the clamped body in `clamped` (-1: none). A planar base keeps what stands out of its
    plane.
    """
    rows = records["clamped"].astype(int)
    closed = rows >= 0
    place = found.origin[np.arange(len(rows)), np.maximum(rows, 0)]
    force, moment = found.hold[:, :3], found.hold[:, 3:]
    if planar:
        normal = quaternion_to_matrix(found.x[:, 3:7])[:, :, 2]
        force = force - np.sum(force * normal, axis=1, keepdims=True) * normal
    carried = moment - np.cross(place - found.origin[:, 0], force)
    if planar:
        carried = np.sum(carried * normal, axis=1, keepdims=True) * normal
    wrench = closed[:, None] * np.concatenate([force, carried], axis=1)
    return {"clamp_wrench": wrench, "clamp_impulse": records["clamp_impulse"], "clamp_energy": records["clamp_energy"]}


def elsewhere(records: Records, found: Recorded, wrench: Array) -> Array:
    """The wrench that still holds the base, about its origin, when a clamp holds another link."""
    rows = records["clamped"].astype(int)
    away = rows > 0
    arm = found.origin[np.arange(len(rows)), np.maximum(rows, 0)] - found.origin[:, 0]
    at_base = np.concatenate([wrench[:, :3], wrench[:, 3:] + np.cross(arm, wrench[:, :3])], axis=1)
    return found.hold - away[:, None] * at_base
