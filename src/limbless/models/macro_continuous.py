"""The `model:` entry for macro-continuous dynamics: cells, inertia, form of the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from limbless.control.actuation import Actuation
from limbless.core import Field, Listed, Quantity, quantity
from limbless.environments.base import Environment
from limbless.models.base import ModelSettings
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.models.rod.rod_model import MacroContinuous


class MacroContinuousSettings(ModelSettings):
    """Macro-continuous dynamics of a strain-actuated rod (Boyer, Ali and Porez 2012)."""

    kind: Literal["macro-continuous"] = "macro-continuous"
    cells: int = Field(64, ge=2, le=20_000, description="cells along the body, two to a panel of the quadrature")
    breaks: Listed[tuple[float, ...]] = quantity((), "m", "abscissae at which the strain jumps: cells end there")
    inertia: bool = Field(True, description="with inertia; without it the external forces balance at every instant")
    form: Literal["velocity", "momentum"] = Field(
        "velocity", description="state of a free rod: twist of the head, or momentum of the whole"
    )
    slip_tolerance: Quantity[float] = quantity(
        1e-6, "1", "slip that contacts may leave, relative to the speed of the body", gt=0
    )
    takes_robots: ClassVar[tuple[str, ...]] = ("rod",)
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "constraint")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion",)
    takes_drives: ClassVar[tuple[str, ...]] = ("strain", "shape")

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> MacroContinuous:
        from limbless.models.rod.rod_model import MacroContinuous

        return MacroContinuous(robot, environment, actuation, self)

    def refined(self) -> MacroContinuousSettings:
        return self.changed(cells=2 * self.cells)

    def refined_environment(self, environment: Sequence[Environment]) -> tuple[Environment, ...]:
        return tuple(environment)  # a rod integrates all that acts on it over its cells
