"""The `model:` entry for soft bodies in motion: integrator, tolerance, stations."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from limbless.actuation import Actuation
from limbless.description import quantity
from limbless.environments.base import Environment
from limbless.models.base import ModelSettings
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.models.soft.model import Soft


class SoftSettings(ModelSettings):
    """Soft bodies in motion: strain cells that bend under tendons, springs, weight and water (Boyer et al. 2021)."""

    kind: Literal["soft"] = "soft"
    integrator: Literal["sdirk4", "midpoint", "rk4"] = Field(
        "sdirk4", description="how time is stepped: implicit of order 4 (anything stiff or damped), implicit and "
                              "symmetric of order 2 (long conservative runs, quick looks), or explicit of order 4 "
                              "(gentle bodies)")
    tolerance: float = quantity(1e-6, "1", "how well an implicit stage is solved, relative to the speed of the body",
                                gt=0, lt=0.1)
    stations: int = Field(3, ge=1, le=12, description="places per cell where mass, weight and water sit (Gauss points)")
    stops: bool = Field(True, description="whether the stops of a spine act")
    takes_robots: ClassVar[tuple[str, ...]] = ("tendon-spine",)
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "load")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion",)
    takes_drives: ClassVar[tuple[str, ...]] = ("tension",)

    def time_order(self, environment: Sequence[Environment]) -> float:
        return 2 if self.integrator == "midpoint" else 4

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Soft:
        from limbless.models.soft.model import Soft

        return Soft(robot, environment, actuation, self)
