"""What the geometric model records beyond what every model of a chain does: clamps and wheels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.mechanics.chain import BaseRecord, BodyRecord, ChainRecords
from limbless.mechanics.geometry.tables import GeometricRecords
from limbless.models.base import Records, Variable
from limbless.models.chain.chain_recorder import SCHEMA
from limbless.models.recording import body_recorder
from limbless.models.recording.body_recorder import mean_schema
from limbless.models.variables import choose

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
    wheels = {} if kept.wheels is None else {f"contact_{name}": a for name, a in kept.wheels._asdict().items()}
    return {**body_recorder.kept_arrays(ChainRecords(*kept[:5])), **wheels}


def wheel_variables(records: Records) -> dict[str, Array]:
    """What the wheels did."""
    own = {name: records[name] for name in CONTACT_SCHEMA if name != "contact_position"}
    return {**own, "contact_position": records["contact_place"]}


def clamp_variables(records: Records, planar: bool) -> tuple[dict[str, Array], Array]:
    """The clamp's wrench on the clamped link, and `BaseRecord` with what remains for the base to hold.

    `records` have the row of the clamped body in `clamped` (-1: none). A planar base keeps what stands out of its
    plane.
    """
    rows, base, origin = records["clamped"].astype(int), records["base"].copy(), BodyRecord.of(records["bodies"]).origin
    hold = BaseRecord.of(base).held
    arm = origin[np.arange(len(rows)), np.maximum(rows, 0)] - origin[:, 0]
    force, moment = hold[:, :3], hold[:, 3:]
    if planar:
        normal = quaternion_to_matrix(records["x"][:, 3:7])[:, :, 2]
        force = force - np.sum(force * normal, axis=1, keepdims=True) * normal
    carried = moment - np.cross(arm, force)
    if planar:
        carried = np.sum(carried * normal, axis=1, keepdims=True) * normal
    wrench = (rows >= 0)[:, None] * np.concatenate([force, carried], axis=1)
    at_base = np.concatenate([wrench[:, :3], wrench[:, 3:] + np.cross(arm, wrench[:, :3])], axis=1)
    hold -= (rows > 0)[:, None] * at_base
    impacts = {name: records[name] for name in ("clamp_impulse", "clamp_energy")}
    return {"clamp_wrench": wrench, **impacts}, base
