"""What the Newton-Euler model records: what every model of a chain does, and where it stands in a flat state."""

from __future__ import annotations

from limbless.mechanics.chain.tables import INTEGRALS
from limbless.models.recording.body_recorder import SCHEMA

__all__ = ["SCHEMA", "state_columns"]


def state_columns(split: int, size: int) -> list[tuple[str, str, slice]]:
    """Where named variables stand in a flat state of this size whose speeds begin at `split`: name, dimension (or
    none), columns.
    """
    sums = size - INTEGRALS
    return [
        ("base_position", "axis", slice(0, 3)),
        ("base_orientation", "quaternion", slice(3, 7)),
        ("base_twist", "screw", slice(split, split + 6)),
        ("actuator_work", "", slice(sums, sums + 1)),
    ]
