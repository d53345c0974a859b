"""The `model:` entry for geometric dynamics: coordinates and terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from limbless.control.actuation import Actuation
from limbless.core import Field, InputError
from limbless.environments.base import Environment
from limbless.models import ChainSettings, Model, NewtonEulerSettings
from limbless.robots.base import Robot

Coordinates = Literal["virtual", "group"]
Form = Literal["full", "printed"]


class GeometricSettings(ChainSettings):
    """Geometric dynamics of a chain, crawling or clamped: product of exponentials (Wang, Ma, Li and Wang)."""

    kind: Literal["geometric"] = "geometric"
    coordinates: Coordinates = Field(
        "virtual",
        description="base on virtual joints (the paper), or on the group SE(2) or SE(3), which has no gimbal lock",
    )
    equations: Form = Field(
        "full", description="all terms, or (22) as the paper prints it, which lets a robot without friction swim away"
    )
    takes_roles: ClassVar[tuple[str, ...]] = NewtonEulerSettings.takes_roles
    takes_actuations: ClassVar[tuple[str, ...]] = NewtonEulerSettings.takes_actuations
    takes_drives: ClassVar[tuple[str, ...]] = NewtonEulerSettings.takes_drives

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Model:
        """The recursion of Newton and Euler gives the motion of the geometric equations in O(n): it moves the run.
        Coordinates and the printed form belong to the equations of one state, `Geometric`.
        """
        if self.equations == "printed":
            raise InputError(
                "model.equations: 'printed' leaves the mixed terms out of (22), as the paper does, and is no motion of "
                "a robot: a run takes 'full'; for one state at a time there is Geometric(robot, settings="
                "GeometricSettings(equations='printed')).solve"
            )
        return NewtonEulerSettings().assemble(robot, environment, actuation)

    def notes(self) -> tuple[str, ...]:
        told = (
            f"model.coordinates: {self.coordinates!r} says how `Geometric` writes its equations; the motion of a run "
            "does not depend on it"
        )
        return (*super().notes(), *(told for _ in self.given("coordinates")))
