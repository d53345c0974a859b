"""Supports that move through space: their velocity along the axes of the sections that they touch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.environments import Constraint, Support
from limbless.mechanics.rod.tables import RodShape


def velocity_of(item: Constraint) -> tuple[float, float, float]:
    """Velocity of a contact through space, world axes; 0 for all but supports."""
    return item.velocity if isinstance(item, Support) else (0.0, 0.0, 0.0)


def wall_velocity(walls: Sequence[Support]) -> Array:
    """(3,): velocity of the tube that guides a whole body: one for all that do so."""
    found = {item.velocity for item in walls}
    if len(found) > 1:
        raise InputError(
            f"support: the whole body is guided at different velocities, {sorted(found)}; give all "
            "supports `along: body` one"
        )
    return np.array(found.pop() if found else (0.0, 0.0, 0.0))


def along_sections(base: Array | None, shape: Array, velocity: Array, free: NDArray[np.bool_], times: Array) -> Array:
    """World velocities (P, 3) along the axes of sections (E, P, 3), as twists (E, P, 6) without rotation.

    base : (E, 3, 3) orientation of the head; None where nothing moves. shape : Shape (E, P) of the sections.
    """
    twist = np.zeros((*shape.shape[:2], 6))
    if base is None or not velocity.any():
        return twist
    axes = base[:, None] @ RodShape.of(shape).rotation.reshape(*shape.shape[:2], 3, 3)
    twist[..., :3] = (velocity[..., None, :] @ axes)[..., 0, :]
    lost = np.abs(np.where(free[:3], 0.0, twist[..., :3])).max(axis=(1, 2)) > 1e-9 * np.abs(velocity).max()
    if lost.any():
        fastest = tuple(map(float, velocity[np.abs(velocity).max(axis=1).argmax()]))
        raise InputError(
            f"support: velocity {fastest} leaves the plane or line in which the base can move, at t = "
            f"{times[int(np.argmax(lost))]:g} s; give one within it, or set robot.base to 'free'"
        )
    return twist


def turning(rate: Array, twist: Array) -> Array:
    """Rate (E, P, 6) of a fixed velocity along axes that turn at `rate` (E, P, 3), their own axes: -ω x v."""
    change = np.zeros_like(twist)
    if twist.any():
        change[..., :3] = -np.cross(rate, twist[..., :3])
    return change
