"""How a gait acts on the joints: as a motion, as torques, or as the reference of a feedback."""
from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from limbless.description import Angle, Description, quantity


class Actuation(Description):
    """`motion` imposes the gait; `torque` applies it as torques; `pd` follows it with a feedback."""

    room: ClassVar[str | None] = "actuation"


class Motion(Actuation):
    """The joints follow the gait exactly; the torques that this takes are a result."""

    kind: Literal["motion"] = "motion"


class Torque(Actuation):
    """The gait (one that drives `torque`) gives the joint torques; the motion is a result."""

    kind: Literal["torque"] = "torque"


class ProportionalDerivative(Actuation):
    """Torque = stiffness (reference - position) + damping (reference rate - rate), clipped at `saturation` if one is given."""

    kind: Literal["pd"] = "pd"
    stiffness: float | tuple[float, ...] = quantity(100.0, "N m/rad", "position gain: one, one each, or a pattern that repeats")
    damping: float | tuple[float, ...] = quantity(1.0, "N m s/rad", "rate gain: one for all joints, one each, or a pattern that repeats")
    saturation: float | None = quantity(None, "N m", "largest torque the actuators give; none if absent", gt=0)
    motion_joints: tuple[int, ...] = Field((), description="numbers of the joints (from 0) that are motion-given")


class Servo(ProportionalDerivative):
    """A `pd` actuator with what real servos add: play in the gears, and a reference that is renewed a few times a second."""

    kind: Literal["servo"] = "servo"                                             # type: ignore[assignment]
    backlash: Angle = quantity(0.0, "rad", "play: an error within half of it either way makes no torque", ge=0)
    refresh: float | None = quantity(None, "1/s", "how often the reference is renewed, held in between; continuously if absent", gt=0)
