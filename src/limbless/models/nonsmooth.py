"""The `model:` entry for non-smooth dynamics: options of the time stepping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from limbless.control.actuation import Actuation
from limbless.core import Field, Quantity, quantity
from limbless.environments.base import Environment
from limbless.models.base import ChainSettings
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.models.chain.contact.nonsmooth_model import NonSmooth


class NonSmoothSettings(ChainSettings):
    """Impacts, stick and slip without regularisation (Transeth, Leine, Glocker and Pettersen 2008)."""

    kind: Literal["non-smooth"] = "non-smooth"
    activation: Literal["anticipative", "paper"] = Field(
        "anticipative", description="contacts act before they close, or once g <= 0 (49)"
    )
    theta: Quantity[float] = quantity(
        0.0,
        "1",
        "share of the position feedback taken at the end of the step: 0 explicit, 0.5 to 1 implicit",
        ge=0,
        le=1,
    )
    recovery: Quantity[float] = quantity(0.2, "1", "share of a penetration that is taken back in a step", ge=0, le=1)
    compliance: Quantity[float] = quantity(
        5e-4, "1", "ground compliance e as a share of the robot's own mobility; smaller is more rigid", gt=0, le=1
    )
    tolerance: Quantity[float] = quantity(1e-8, "m/s", "residual of the contact laws at which a step is solved", gt=0)
    bound: Quantity[float] = quantity(
        1e-4, "m/s", "a step that keeps more residual than this ends the run; at least the tolerance", gt=0
    )

    takes_roles: ClassVar[tuple[str, ...]] = ("contact", "wrench", "friction", "clamp")
    takes_actuations: ClassVar[tuple[str, ...]] = ("pd", "servo", "motor", "motion", "torque", "switched", "muscles")
    takes_postures: ClassVar[tuple[str, ...]] = ("lay", "wedge", "wrap", "given")
    takes_drives: ClassVar[tuple[str, ...]] = ("joint", "shape", "torque")
    takes_controllers: ClassVar[bool] = True

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> NonSmooth:
        from limbless.models.chain.contact.nonsmooth_model import NonSmooth

        return NonSmooth(robot, environment, actuation, self)

    def time_order(self, environment: Sequence[Environment]) -> float:
        return 0.5  # Moreau's rule, where many impacts follow each other: 1 between them

    def refined(self) -> NonSmoothSettings:
        return self.changed(tolerance=0.5 * self.tolerance)
