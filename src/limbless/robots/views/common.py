"""What all views share: their number, what is lost, what tendons of all robots have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from limbless.core import InputError
from limbless.robots import Array, Robot, Rod, TendonSpine

FEWEST, MOST = 8, 60
"""Links or vertebrae that a body is seen as, where nothing is said: one per diameter, between these."""
ROTATIONS = {"planar-reissner": "planar", "extensible-kirchhoff": "kirchhoff", "reissner": "kirchhoff"}
"""What is left of the strains of a rod where nothing stretches or shears."""
SAME = 1e-12
_CABLE = ("name", "stiffness", "damping", "winch", "friction", "slip_speed")
Seen = TypeVar("Seen", bound=Robot)


def holding(*told: tuple[Any, str]) -> list[str]:
    """What is lost: the sentences whose case holds."""
    return [sentence for holds, sentence in told if holds]


def view(made: Seen, source: Robot, lost: Iterable[str]) -> Seen:
    made._source, made._lost = source, tuple(dict.fromkeys((*source.lost, *lost)))
    return made


def count_of(given: int | None, rod: Rod, what: str) -> int:
    if given is not None:
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 2:
            raise InputError(f"{what}: a body is seen as at least 2 {what}; got {given}")
        return int(given)
    middle = (np.arange(32) + 0.5) * rod.length / 32
    return int(np.clip(round(rod.length / (2.0 * rod.half_axes(middle).mean())), FEWEST, MOST))


def refuse_law(robot: Rod | TendonSpine) -> None:
    if robot.material is not None:
        raise InputError(
            "robot.material: joints have no material law, and a law has no counterpart in another kind of robot; leave "
            "it out, and give a stiffness"
        )


def cable_fields(tendon: Any) -> dict[str, Any]:
    """What tendons of all robots have."""
    return {name: getattr(tendon, name) for name in _CABLE}


def base_of_chain(robot: Robot) -> str:
    if robot.base in ("line", "pinned"):
        raise InputError(f"robot.base: a chain has no base {robot.base!r}; choose free, planar or fixed")
    return robot.base


def at_distance(mass: float, x: float) -> Array:
    """What a mass adds to the inertia of a link at this distance along it."""
    return mass * x**2 * np.array([0.0, 1.0, 1.0])
