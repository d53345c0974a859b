"""Water that flows, has a surface, or drags by Reynolds' number, packed for `mechanics.forces.open_water`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.environments.base import Array
from limbless.environments.flows.base import joined
from limbless.environments.flows.waves import WavesFlow
from limbless.environments.law_packing import in_windows, lifted_fills, segment_rows
from limbless.mechanics.forces import (
    Flows,
    OpenWakeLaw,
    OpenWaterLaw,
    PackedLaws,
    ReynoldsDrag,
    StreamBuffer,
    TaylorDrag,
    WaterSurface,
)
from limbless.robots.base import Robot, Segment

if TYPE_CHECKING:
    from limbless.environments.water import Water


def flows_of(water: Water) -> Flows | None:
    """All that moves this water, its current among it."""
    if not water.moving:
        return None
    asked = any(flow.slot is not None for flow in water.moving)
    return Flows(joined(water.moving, water.surface or 0.0), StreamBuffer.zeros(1) if asked else None)


def surface_of(water: Water) -> WaterSurface | None:
    """Its surface, if it has one."""
    if water.surface is None:
        return None
    waves = [flow for flow in water.moving if isinstance(flow, WavesFlow)]
    return WaterSurface(float(water.surface), float(sum(flow.amplitude for flow in waves)) if waves else None)


def body_length(robot: Any, pieces: list[Segment]) -> float:
    """Length of the whole body, m: of Reynolds' number along it."""
    rod = getattr(robot, "rod", None)
    return float(rod.length) if rod is not None else sum(piece.length for piece in pieces)


def pack_open(
    water: Water, robot: Robot, pieces: list[Segment], drag: Array, mass: Array, wakes: tuple[PackedLaws, ...]
) -> tuple[PackedLaws, ...]:
    """The laws of open water, from the coefficients of all pieces."""
    half = np.array([(piece.half_width, piece.half_height) for piece in pieces])
    gravity = np.zeros(3) if water.gravity is None else np.array(water.gravity)
    fills = lifted_fills(robot) if water.lifts else robot.fills()
    begins = [piece.body not in [other.body for other in pieces[:i]] for i, piece in enumerate(pieces)]
    skin, slow, how = _drag_by_reynolds(water, drag, half)
    kind = OpenWaterLaw(flows_of(water), surface_of(water), how)
    law = segment_rows(
        kind,
        pieces,
        water.points,
        quadratic=skin[:, :3],
        quadratic_roll=skin[:, 3],
        added=mass[:, :3],
        added_roll=mass[:, 3],
        half_width=half[:, 0],
        half_height=half[:, 1],
        gravity=gravity,
        displaced=water.density * np.pi * half.prod(axis=1) * fills,
        viscosity=water.viscosity / body_length(robot, pieces),
        slow_width=slow[:, 0],
        slow_height=slow[:, 1],
        begins=begins,
    )
    left = OpenWakeLaw(kind.flows, kind.surface)
    return (*in_windows(water, law), *(wake._replace(kind=left) for wake in wakes))


def _drag_by_reynolds(water: Water, drag: Array, half: Array) -> tuple[Array, Array, ReynoldsDrag | TaylorDrag | None]:
    """(N, 4) coefficients, (N, 2) what a slow flow across adds along e2 and e3, and the law."""
    round_about = np.array([perimeter(a, b) for a, b in half])
    across, skin = 2.0 * half[:, ::-1], drag.copy()
    if water.drag_law == "taylor":
        skin[:, 0] = 2.7 * water.density * np.sqrt(water.viscosity * round_about / np.pi)
        return skin, 2.0 * water.density * np.sqrt(water.viscosity * across), TaylorDrag()
    if water.drag_law != "constant":
        skin[:, 0] = 0.5 * water.density * water.skin_factor * round_about
    slow = 10.0 * (water.viscosity / across) ** (2.0 / 3.0)
    return skin, slow, None if water.drag_law == "constant" else ReynoldsDrag(water.drag_law == "mixed")


def perimeter(a: float, b: float) -> float:
    """Of an ellipse, m (Ramanujan)."""
    return float(np.pi * (3.0 * (a + b) - np.sqrt((3.0 * a + b) * (a + 3.0 * b))))
