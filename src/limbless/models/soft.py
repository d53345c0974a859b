"""The `model:` entry for soft bodies in motion: integrator, tolerance, stations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from limbless.control.actuation import Actuation
from limbless.core import Field, Listed, Quantity, quantity
from limbless.environments.base import Environment
from limbless.models.base import ModelSettings
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_model import Soft


VERTEBRA_STATIONS = 3
"""Where nothing is said: statics is then met to rounding."""


class SoftSettings(ModelSettings):
    """Soft bodies in motion: strain cells that bend under tendons, springs, weight and water (Boyer et al. 2021)."""

    kind: Literal["soft"] = "soft"
    integrator: Literal["sdirk4", "midpoint", "rk4"] = Field(
        "sdirk4",
        description="how time is stepped: implicit of order 4 (anything stiff or damped), implicit and "
        "symmetric of order 2 (long conservative runs, quick looks), or explicit of order 4 "
        "(gentle bodies)",
    )
    tolerance: Quantity[float] = quantity(
        1e-6, "1", "how well an implicit stage is solved, relative to the speed of the body", gt=0, lt=0.1
    )
    cells: int = Field(8, ge=1, le=2000, description="cells of a rod; a spine has one per vertebra")
    degree: int = Field(
        1, ge=0, le=6, description="degree of the strains of a rod along each cell; those of a vertebra are constant"
    )
    breaks: Listed[tuple[float, ...]] = quantity(
        (), "m", "abscissae at which cells of a rod must end, beside those of passive stretches and point wrenches"
    )
    stations: int | None = Field(
        None,
        ge=1,
        le=12,
        description=f"places per cell where mass, weight and water sit (Gauss points); {VERTEBRA_STATIONS} in a "
        "vertebra, degree + 2 in a rod if absent",
    )
    stops: bool = Field(True, description="whether the stops of a spine act")
    starts_bent: ClassVar[bool] = True
    takes_robots: ClassVar[tuple[str, ...]] = ("tendon-spine", "rod", "chain")
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "load")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion",)
    takes_postures: ClassVar[tuple[str, ...]] = ("equilibrium",)
    takes_drives: ClassVar[tuple[str, ...]] = ("tension", "tendon-length", "winch-torque", "strain", "shape", "effort")

    def time_order(self, environment: Sequence[Environment]) -> float:
        return 2 if self.integrator == "midpoint" else 4

    def refined_for(self, robot: Robot) -> SoftSettings:
        """Twice the cells of a rod. A vertebra is one cell: an arc of it has twice the stations, a hinge has one."""
        finer: dict[str, Any] = {} if self.integrator == "rk4" else {"tolerance": 0.1 * self.tolerance}
        if robot.kind == "rod":
            finer["cells"] = min(2 * self.cells, 2000)
        elif getattr(robot, "kinematics", "") == "arc":
            finer["stations"] = min(2 * (self.stations or VERTEBRA_STATIONS), 12)
        return self.changed(**finer) if finer else self

    def refined_environment(self, environment: Sequence[Environment]) -> tuple[Environment, ...]:
        return tuple(environment)  # all that acts on a body sits at its stations

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Soft:
        from limbless.models.chain.soft.soft_model import Soft

        return Soft(robot, environment, actuation, self)
