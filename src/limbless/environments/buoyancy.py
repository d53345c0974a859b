"""`buoyancy`: the lift of the displaced fluid, fully immersed or up to a free surface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from limbless.core import Field, InputError, Listed, Quantity, Vector3, checked, quantity
from limbless.environments import (
    NO_VOLUME,
    STANDARD,
    DrawnSheet,
    field_among,
    field_rows,
    in_windows,
    level_water,
    lifted_fills,
    segment_rows,
)
from limbless.environments.base import MOST_POINTS, Array, Environment, Pack
from limbless.mechanics.forces import HydrostaticLaw
from limbless.robots.base import Robot


class Buoyancy(Environment):
    """Lift against gravity: density times displaced volume.

    It uses the acceleration of `gravity`, or 9.81 m/s2 downwards without one. Without `surface` the lift of the whole
    volume, times `immersed`, acts at its centroid. With `surface`, a height in the world, each slice of a body counts
    as far as it is under water. This is exact at any roll and includes the moment of a cut section. The surface is
    horizontal. A link displaces no more than its volume (caps).
    """

    kind: Literal["buoyancy"] = "buoyancy"
    also: ClassVar[tuple[str, ...]] = ("load",)
    is_fluid: ClassVar[bool] = True
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density of the fluid", gt=0)
    acceleration: Listed[Vector3 | None] = quantity(
        None, "m/s2", "gravity in world axes (z up); that of `gravity` if absent"
    )
    immersed: Quantity[float] = quantity(1.0, "1", "immersed fraction of the volume, without a surface", ge=0, le=1)
    surface: Quantity[float | None] = quantity(None, "m", "height of the free surface; deep water if absent")
    points: int = Field(
        8,
        ge=1,
        le=MOST_POINTS,
        description="Gauss points per segment, with a surface; slabs per vertebra in tendon statics",
    )

    @checked
    def _one_way(self) -> None:
        if self.surface is not None and self.immersed != 1.0:
            raise ValueError("give either `surface` or `immersed`, not both: the surface decides how much is immersed")
        if self.surface is not None and any((self.acceleration or STANDARD)[:2]):
            raise ValueError("`surface` is horizontal: gravity must then point along z")

    @property
    def field(self) -> Array:
        """(3,) gravity, m/s2, world."""
        return np.array(STANDARD if self.acceleration is None else self.acceleration)

    def among(self, environment: Sequence[Environment]) -> Buoyancy:
        """With the gravity of `gravity`; where it states another one, that is a mistake."""
        field = field_among(environment, self.acceleration, "buoyancy.acceleration")
        return self if field == self.acceleration else self.changed(acceleration=field)

    def refined(self) -> Buoyancy:
        return self if self.surface is None else super().refined()

    @property
    def lifts(self) -> bool:
        return True

    @property
    def has_surface(self) -> bool:
        return self.surface is not None

    @property
    def lifts_slices(self) -> bool:
        return self.has_surface

    def varies(self, level: bool) -> str | None:
        steady = level and self.surface is None
        return None if steady else "a surface, or what lifts, has a direction in the world"

    def drawn(self) -> Sequence[DrawnSheet]:
        return level_water(self.surface)

    def pack(self, robot: Robot) -> Pack:
        gravity = self.field
        if self.surface is None:
            bodies, displaced = robot.bodies(), self.density * self.immersed
            law = field_rows(bodies, displaced * bodies.volume, displaced * bodies.volume_moment, -gravity)
        else:
            pieces = robot.segments()
            width, height = np.array([(piece.half_width, piece.half_height) for piece in pieces]).reshape(-1, 2).T
            area = width * height * lifted_fills(robot)
            law = segment_rows(
                HydrostaticLaw(),
                pieces,
                self.points,
                lift=-self.density * np.pi * np.outer(area, gravity),
                height=self.surface,
                half_width=width,
                half_height=height,
            )
        if not len(law.rows.codes):
            raise InputError(NO_VOLUME)
        return Pack(in_windows(self, law))
