"""The `model:` entry for tendon statics: form of the equations, friction, stops, elasticity of the tendons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation import Actuation
from limbless.core import Field, Listed, Quantity, checked, quantity
from limbless.environments.base import Environment
from limbless.models.base import ModelSettings
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.models.statics.statics_tasks import TendonTask
    from limbless.robots.tendon_spine import TendonSpine

Prefer = Literal["antagonists", "tension", "work", "stiffness"]


class TendonStaticsSettings(ModelSettings):
    """Statics of a tendon-driven spine: paths, tip positions, workspaces (Gautreau, Bonnet and Laribi 2024)."""

    kind: Literal["tendon-statics"] = "tendon-statics"
    form: Literal["energy", "moment"] = Field(
        "energy", description="equilibrium: virtual work over each arc, or the paper's moments"
    )
    friction: Quantity[Literal["gautreau2024"] | float | None] = quantity(
        None,
        "1",
        "tendons on disks: a Coulomb coefficient from 0 to below 1, 'gautreau2024' for the paper's fit, or none",
    )
    stops: bool = Field(True, description="whether the stops of the robot limit its bends")
    tension_at: Literal["base", "tip"] = Field(
        "base", description="whether given tensions are those at the clamped disk or at the anchor"
    )
    drop_axial: bool = Field(
        False, description="moment form: leave out tendon forces along the axis of disks that are merely passed"
    )
    tendon_stiffness: Listed[float | tuple[float, ...] | None] = quantity(
        None,
        "N/m",
        "stiffness of every tendon as it begins to pull, for given or held lengths; none if absent; one, "
        "or one per tendon",
    )
    tendon_stiffening: Listed[float | tuple[float, ...]] = quantity(
        0.0, "1/m", "how much that stiffness grows per newton of tension"
    )
    largest_tension: Quantity[float] = quantity(2.5, "N", "bound on the tensions of an inverse problem", gt=0)
    prefer: Prefer = Field(
        "antagonists", description="inverse: one tendon of a pair slack, least tension, least work, or a tip stiffness"
    )
    tip_stiffness: Quantity[float | None] = quantity(
        None, "N/m", "the tip stiffness wanted, where that is preferred", gt=0
    )
    vertebrae: int | None = Field(
        None,
        ge=2,
        le=1000,
        description="vertebrae that another robot is seen as; one per diameter, 8 to 60, if absent",
    )
    takes_robots: ClassVar[tuple[str, ...]] = ("tendon-spine",)
    takes_roles: ClassVar[tuple[str, ...]] = ("load",)
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion",)
    takes_drives: ClassVar[tuple[str, ...]] = ("tension", "tendon-length", "tip", "tension-grid")
    tasks: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "path": ("tension", "tendon-length"),
        "inverse": ("tip",),
        "grid": ("tension-grid",),
    }

    @checked
    def _options_agree(self) -> None:
        if isinstance(self.friction, float) and not 0.0 <= self.friction < 1.0:
            raise ValueError(f"friction must lie between 0 and below 1; got {self.friction:g}")
        if self.drop_axial and self.form != "moment":
            raise ValueError("drop_axial belongs to the moment form; set form: moment, or leave it out")
        if self.tension_at == "tip" and not self.friction:
            raise ValueError(
                "tension_at: without friction a tension is the same at both ends; give a friction, or leave it at base"
            )
        if (self.prefer == "stiffness") != (self.tip_stiffness is not None):
            raise ValueError("tip_stiffness goes with prefer: stiffness; give both or neither")
        elastic, stiffening = self.tendon_stiffness is not None, np.atleast_1d(self.tendon_stiffening)
        stiffness = np.atleast_1d(np.array(self.tendon_stiffness if elastic else 1.0))
        if stiffness.min(initial=np.inf) <= 0.0:
            raise ValueError(f"tendon_stiffness must be greater than 0 N/m; got {stiffness.min():g}")
        if stiffening.min(initial=0.0) < 0.0:
            raise ValueError(f"tendon_stiffening must not be negative; got {stiffening.min():g} 1/m")
        if stiffening.any() and not elastic:
            raise ValueError("tendon_stiffening goes with a tendon_stiffness; give both, or leave it out")

    def bends_at_rest(
        self, robot: TendonSpine, loads: Sequence[Environment], place: Mapping[str, Any], **command: ArrayLike
    ) -> NDArray[np.float64]:
        """(vertebrae, 2 or 3) bends of a spine of the soft model, to the side, down and about itself: the equilibrium
        under these loads and this `tension` (N) or `length` (m), its base at `place`.
        """
        from limbless.models.statics.spine_problem import BEND_SIGN, at_rest, ends
        from limbless.models.statics.statics_model import TendonStatics

        still = TendonStatics(at_rest(robot, bool(ends(loads))), loads, None, self, **place)
        count = len(robot.tendons)
        each = {name: np.broadcast_to(np.array(value, dtype=float), count) for name, value in command.items()}
        found = still.solve(**each).q
        return np.asarray(found * BEND_SIGN[: found.shape[1]])

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> TendonTask:
        from limbless.models.statics.statics_tasks import TendonTask

        return TendonTask(robot, environment, actuation, self)
