"""The `model:` entry for recursive Newton-Euler dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from limbless.control.actuation import Actuation
from limbless.core import Field, InputError, Quantity, quantity
from limbless.environments.base import Environment
from limbless.models.base import STAGE_TOLERANCE, ChainSettings, Model
from limbless.robots.base import Robot

# m/s: residual at which a step with set-valued wheels is solved; torques show first what is left
FRICTION_TOLERANCE = 1e-12


class NewtonEulerSettings(ChainSettings):
    """Recursive Newton-Euler dynamics of a serial chain (Khalil, Gallot and Boyer 2007)."""

    kind: Literal["newton-euler"] = "newton-euler"
    inertia: bool = Field(True, description="with inertia; without it the external forces balance at every instant")
    integrator: Literal["rk4", "sdirk4", "midpoint"] = Field(
        "rk4",
        description="how time is stepped: explicit of order 4, implicit of order 4 (stiff gains, springs, drag "
        "or friction), or implicit and symmetric of order 2 (long conservative runs)",
    )
    tolerance: Quantity[float | None] = quantity(
        None,
        "1",
        f"how well an implicit stage is solved, relative to the speed of the body; {STAGE_TOLERANCE:g} if absent",
        gt=0,
        lt=1,
    )
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "friction", "clamp")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion", "torque", "pd", "motor", "switched", "muscles")
    takes_drives: ClassVar[tuple[str, ...]] = ("shape", "joint", "torque")
    takes_controllers: ClassVar[bool] = True

    def time_order(self, environment: Sequence[Environment]) -> float:
        return min(super().time_order(environment), 2 if self.integrator == "midpoint" else 4)

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Model:
        """Velocities jump under set-valued wheels: the same equations are then stepped by Moreau's rule, in the
        non-smooth model.

        Imported only then: the two models know nothing else of each other.
        """
        set_valued = any(item.role == "friction" for item in environment)
        if set_valued and self.integrator != "rk4":
            raise InputError(
                f"model.integrator: {self.integrator!r} solves smooth forces; set-valued wheels have "
                "steps of their own: leave it out, or give the wheels `law: regularised`"
            )
        if set_valued and not self.inertia:
            raise InputError(
                "model.inertia: set-valued wheels step velocities, which a robot without inertia has none "
                "of; give the wheels `law: regularised`, or leave inertia: true"
            )
        if set_valued:
            from limbless.models.nonsmooth import NonSmoothSettings

            try:
                solved = any(getattr(item, "load", "") == "solved" for item in environment)
                settings = NonSmoothSettings() if solved else NonSmoothSettings(tolerance=FRICTION_TOLERANCE)
                return settings.assemble(robot, environment, actuation)
            except InputError as error:
                raise InputError(
                    f"newton-euler with set-valued wheels is stepped by the non-smooth model: {error}; "
                    "or give the wheels `law: regularised`"
                ) from None
        from limbless.models.chain.newton_euler_model import NewtonEuler

        return NewtonEuler(robot, environment, actuation, self)
