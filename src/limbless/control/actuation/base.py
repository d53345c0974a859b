"""`Actuation`: how a gait acts on the joints. Here: as a motion, or as torques."""

from __future__ import annotations

from typing import ClassVar, Literal

from limbless.core import Description


class Actuation(Description):
    """`motion` imposes the gait; `torque` applies it as torques; `pd` follows it with a feedback."""

    family: ClassVar[str | None] = "actuation"
    takes_torques: ClassVar[bool] = False
    """Whether its gait drives torques, which add to what it does itself."""

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which it changes: integration steps end there."""
        return []


class Motion(Actuation):
    """The joints follow the gait exactly; the torques are a result."""

    kind: Literal["motion"] = "motion"


class Torque(Actuation):
    """The gait, one that drives `torque`, gives joint torques; the motion is a result."""

    kind: Literal["torque"] = "torque"
    takes_torques: ClassVar[bool] = True
