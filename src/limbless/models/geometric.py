"""The `model:` entry for geometric dynamics: coordinates and terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from limbless.control.actuation import Actuation
from limbless.core import Field
from limbless.environments.base import Environment
from limbless.models.base import ModelSettings
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.models.chain.geometry.geometric_model import Geometric

Coordinates = Literal["virtual", "group"]
Form = Literal["full", "printed"]


class GeometricSettings(ModelSettings):
    """Geometric dynamics of a chain, crawling or clamped: product of exponentials (Wang, Ma, Li and Wang)."""

    kind: Literal["geometric"] = "geometric"
    coordinates: Coordinates = Field(
        "virtual",
        description="base on virtual joints (the paper), or on the group SE(2) or SE(3), which has no gimbal lock",
    )
    equations: Form = Field(
        "full", description="all terms, or (22) as the paper prints it, which lets a robot without friction swim away"
    )
    takes_robots: ClassVar[tuple[str, ...]] = ("chain",)
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "friction", "clamp")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion", "torque", "pd", "switched")
    takes_drives: ClassVar[tuple[str, ...]] = ("shape", "joint", "torque")

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Geometric:
        from limbless.models.chain.geometry.geometric_model import Geometric

        return Geometric(robot, environment, actuation, self)
