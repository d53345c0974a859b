"""The `model:` entry for soft bodies in motion: integrator, tolerance, stations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from limbless.control.actuation import Actuation
from limbless.core import Field, InputError, Listed, Quantity, quantity
from limbless.environments.base import Environment
from limbless.models.base import STAGE_TOLERANCE, ModelSettings
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_model import Soft


VERTEBRA_STATIONS = 3
"""Where nothing is said: statics is then met to rounding."""


def touches(environment: Sequence[Environment]) -> bool:
    """Whether there is something hard around."""
    return any(item.role == "contact" for item in environment)


class SoftSettings(ModelSettings):
    """Soft bodies in motion: strain cells that bend under tendons, springs, weight and water (Boyer et al. 2021)."""

    kind: Literal["soft"] = "soft"
    inertia: bool = Field(True, description="with inertia; without it all forces balance at every instant")
    integrator: Literal["sdirk4", "midpoint", "rk4"] | None = Field(
        None,
        description="how time is stepped: implicit of order 4 (sdirk4: anything stiff or damped), implicit and "
        "symmetric of order 2 (midpoint: long conservative runs, quick looks), or explicit of order 4 "
        "(rk4: gentle bodies); sdirk4 if absent, midpoint in contact",
    )
    tolerance: Quantity[float | None] = quantity(
        None,
        "1",
        f"how well an implicit stage is solved, relative to the speed of the body; {STAGE_TOLERANCE:g} if absent, 1e-4 "
        "in contact",
        gt=0,
        lt=0.1,
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
    theta: Quantity[float | None] = quantity(
        None,
        "1",
        "in contact: where in a step its forces are taken; 0.5 conserves energy, 1 damps all that the step does not "
        "follow; 0.6 if absent",
        ge=0.5,
        le=1,
    )
    activation: Literal["anticipative", "paper"] = Field(
        "anticipative", description="contacts act before they close, or once g <= 0 (49)"
    )
    recovery: Quantity[float] = quantity(
        0.2, "1", "in contact: share of a penetration that is taken back in a step", ge=0, le=1
    )
    compliance: Quantity[float] = quantity(
        5e-4,
        "1",
        "in contact: compliance of the ground over that of the mean mass of what touches; smaller is more rigid",
        gt=0,
        le=1,
    )
    contact_tolerance: Quantity[float] = quantity(
        1e-8, "m/s", "in contact: residual of the contact laws at which a step is solved", gt=0
    )
    bound: Quantity[float] = quantity(
        1e-4,
        "m/s",
        "in contact: a step that keeps more residual than this ends the run; at least contact_tolerance",
        gt=0,
    )
    starts_bent: ClassVar[bool] = True
    takes_robots: ClassVar[tuple[str, ...]] = ("tendon-spine", "rod", "chain")
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "load", "contact")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion",)
    takes_controllers: ClassVar[bool] = True
    takes_postures: ClassVar[tuple[str, ...]] = ("equilibrium", "lay", "wedge", "wrap", "given")
    takes_drives: ClassVar[tuple[str, ...]] = ("tension", "tendon-length", "winch-torque", "strain", "shape", "effort")

    def momentum_cure(self, environment: Sequence[Environment]) -> str:
        return ", or model.theta: 0.5, which damps nothing" if touches(environment) and self.theta != 0.5 else ""

    def time_order(self, environment: Sequence[Environment]) -> float:
        if touches(environment):
            return 0.5  # where many impacts follow each other: 1 between them
        return 2 if self.integrator == "midpoint" else 4

    def refined_for(self, robot: Robot) -> SoftSettings:
        """Twice the cells of a rod. A vertebra is one cell: an arc of it has twice the stations, a hinge has one."""
        finer: dict[str, Any] = (
            {} if self.integrator == "rk4" else {"tolerance": 0.1 * (self.tolerance or STAGE_TOLERANCE)}
        )
        if robot.kind == "rod":
            finer["cells"] = min(2 * self.cells, 2000)
        elif getattr(robot, "kinematics", "") == "arc":
            finer["stations"] = min(2 * (self.stations or VERTEBRA_STATIONS), 12)
        return self.changed(**finer) if finer else self

    def refined_environment(self, environment: Sequence[Environment]) -> tuple[Environment, ...]:
        return tuple(environment)  # all that acts on a body sits at its stations

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Soft:
        from limbless.models.chain.soft.contact_model import SoftContact
        from limbless.models.chain.soft.soft_model import Soft

        if touches(environment) and not self.inertia:
            raise InputError(
                "model.inertia: hard contact needs inertia, which it takes velocities from; leave inertia: true, or "
                "use regularised-friction, which fades at its `speed`"
            )
        return (SoftContact if touches(environment) else Soft)(robot, environment, actuation, self)
