"""`switched`: joints that are motion-given for a time, then torque-driven, then motion-given again."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np

from limbless.control.actuation.feedback import ProportionalDerivative
from limbless.core import Description, Field, Listed, Quantity, checked, quantity


class DrivePhase(Description):
    """A phase of `Switched`: from `start` on, joints follow the gait exactly, by feedback, or get torques.

    Without `torque` they are limp.
    """

    start: Quantity[float] = quantity(..., "s", "when it begins; the first one begins with the run", ge=0)
    drive: Literal["motion", "pd", "torque"] = Field(..., description="how the joints are driven in it")
    torque: Listed[tuple[float, ...] | None] = quantity(
        None, "N m", "constant torques of a `torque` phase, one per joint; none if absent"
    )

    @checked
    def _torque_where_it_acts(self) -> None:
        if self.torque is not None and self.drive != "torque":
            raise ValueError(f"torque: a phase of drive {self.drive!r} takes none; choose drive 'torque'")


class Switched(ProportionalDerivative):
    """Joints that change between imposed motion, feedback and torques at given times.

    A joint that returns to its gait starts from its present angle and reaches the gait smoothly within `settle`
    seconds. The gains belong to the `pd` phases. `motion_joints` follow the gait exactly in every phase.
    """

    kind: Literal["switched"] = "switched"  # type: ignore[assignment]
    phases: Listed[tuple[DrivePhase, ...]] = Field(
        ..., min_length=1, description="what drives the joints, from which time on"
    )
    settle: Quantity[float] = quantity(
        0.5, "s", "how long a joint that was torque-driven takes to reach its gait again", gt=0
    )

    @checked
    def _phases_in_order(self) -> None:
        if self.phases[0].start != 0.0:
            raise ValueError(f"phases: the first one begins with the run, `start` at 0 s; got {self.phases[0].start:g}")
        for before, after in pairwise(self.phases):
            if not after.start > before.start:
                raise ValueError(
                    f"phases: each has a later `start` than the one before; got {before.start:g} s and "
                    f"then {after.start:g} s"
                )
        for number, phase in enumerate(self.phases):
            torque = np.abs(phase.torque or ())
            if self.saturation is not None and (torque > np.resize(self.limits, torque.shape)).any():
                raise ValueError(
                    f"phases[{number}].torque: {torque.max():g} N m is more than the actuators give, "
                    f"saturation {self.saturation}"
                )

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which phases begin."""
        return [phase.start for phase in self.phases if start < phase.start < end]
