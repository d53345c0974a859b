"""`water`: the Morison model of paper 001, drag and added mass on slices of the body."""
from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from limbless.description import Vector3, quantity
from limbless.environments.base import MOST_POINTS, Environment, Pack
from limbless.environments.packing import added_inertia, in_windows, segment_rows
from limbless.errors import InputError
from limbless.mechanics.forces.fluid import FluidLaw
from limbless.robots.base import Robot


class Water(Environment):
    """Quadratic drag and added mass per unit length on elliptic sections of half axes a (lateral) and b (vertical),
    (45)-(53).

    Drag: ρ/2 C1 π(a + b)/2 along, ρ/2 C2 2b sideways, ρ/2 C3 2a vertically, ρ/2 C4 (b² - a²)² in roll. Added mass: ρπ
    b² C5 sideways, ρπ a² C6 vertically, ρπ C7 (b² - a²)²/8 in roll. The paper prints half of the ellipse's perimeter in
    C1: `perimeter: full` doubles it. `added_mass: paper` takes the classical acceleration as printed, which does not
    conserve momentum; `consistent` carries the fluid's momentum with the body, and does.
    """

    kind: Literal["water"] = "water"
    model: Literal["morison"] = Field("morison", description="the fluid model")
    density: float = quantity(1000.0, "kg/m3", "density ρ of the fluid", gt=0)
    drag: tuple[float, float, float, float] = quantity((0.01, 1.0, 1.0, 1.0), "1",
                                                       "C1 to C4: along, sideways, vertical, roll")
    inertia: tuple[float, float, float] = quantity((1.0, 1.0, 1.0), "1",
                                                   "C5 to C7: added mass sideways, vertical, in roll")
    added_mass: Literal["paper", "consistent", "none"] = Field("paper", description="how the accelerated fluid enters")
    perimeter: Literal["half", "full"] = Field("half", description="perimeter in the axial drag: half as printed, or "
                                                                   "full")
    current: Vector3 = quantity((0.0, 0.0, 0.0), "m/s", "velocity of the water, world axes")
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment for the drag")

    @model_validator(mode="after")
    def _not_negative(self) -> Water:
        if min(self.drag) < 0 or min(self.inertia) < 0:
            raise ValueError(f"drag and inertia coefficients must not be negative; got {self.drag} and {self.inertia}")
        return self

    def drag_coefficients(self, a: float, b: float) -> np.ndarray:
        """Per unit length: along, sideways, vertical (N s2/m3), roll (N s2)."""
        C1, C2, C3, C4 = self.drag
        perimeter = np.pi * (a + b) * (0.5 if self.perimeter == "half" else 1.0)
        return 0.5 * self.density * np.array([C1 * perimeter, C2 * 2.0 * b, C3 * 2.0 * a, C4 * (b * b - a * a) ** 2])

    def added_coefficients(self, a: float, b: float) -> np.ndarray:
        """Per unit length: added mass along (0), sideways, vertical (kg/m), added roll inertia (kg m)."""
        if self.added_mass == "none":
            return np.zeros(4)
        C5, C6, C7 = self.inertia
        return self.density * np.pi * np.array([0.0, C5 * b * b, C6 * a * a, C7 * (b * b - a * a) ** 2 / 8.0])

    def pack(self, robot: Robot) -> Pack:
        pieces = robot.segments()
        if not pieces:
            raise InputError("water acts on segments of body, and this robot has none: give its links a `body`")
        if self.active and self.added_mass != "none":
            raise InputError("water with added mass cannot be switched on and off (the momentum of the accelerated "
                             "fluid would jump); "
                             "remove `active`, or set `added_mass: none`")
        drag = np.array([self.drag_coefficients(piece.half_width, piece.half_height) for piece in pieces])
        mass = np.array([self.added_coefficients(piece.half_width, piece.half_height) for piece in pieces])
        law = segment_rows(FluidLaw(), pieces, self.points, quadratic=drag[:, :3], quadratic_roll=drag[:, 3],
                           added=mass[:, :3],
                           added_roll=mass[:, 3], consistent=self.added_mass == "consistent",
                           has_added=self.added_mass != "none",
                           current=self.current)
        added = np.zeros((len(robot.bodies().mass), 21))
        for piece, coefficients in zip(pieces, mass, strict=True):
            added[piece.body] += added_inertia(piece, coefficients)
        return Pack(in_windows(self, law), added)
