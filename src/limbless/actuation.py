"""How a gait acts on the joints: as a motion, as torques, or as the reference of a feedback."""
from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from limbless.description import Angle, Description, quantity

RATE = 30.0
"""rad/s: of feedback whose gains come from the robot's inertia; gaits of a second or so are far slower."""


class Actuation(Description):
    """`motion` imposes the gait; `torque` applies it as torques; `pd` follows it with a feedback."""

    room: ClassVar[str | None] = "actuation"

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which it changes: integration steps end there."""
        return []


class Motion(Actuation):
    """The joints follow the gait exactly; the torques that this takes are a result."""

    kind: Literal["motion"] = "motion"


class Torque(Actuation):
    """The gait (one that drives `torque`) gives the joint torques; the motion is a result."""

    kind: Literal["torque"] = "torque"


class ProportionalDerivative(Actuation):
    """Torque = stiffness (reference - position) + damping (reference rate - rate), within `saturation` if one is given.

    Gains that are not stated come from the robot: with e = reference - position, every actuator gives
    J ë + 2J (2ω ė + ω² e), where J is what its joint has to turn (the straight robot with its added mass, the other
    joints locked) and ω the `rate`. Together with that J, ë + 2ω ė + ω² e = 0: critical damping. Lighter motions of the
    body, joint against joint, are damped more, and are stable in steps of up to half of 1/ω, because the actuator
    answers to the acceleration as a rotor would. Where one of the two gains is stated, the other makes the damping
    critical. `feedforward` adds the torques that the gait's accelerations take at the present state (inverse dynamics),
    so that feedback is left with what disturbs. All that the actuators give stays within `saturation`.
    """

    kind: Literal["pd"] = "pd"
    stiffness: float | tuple[float, ...] | None = quantity(
        None, "N m/rad", "position gain: one, one each, or a pattern that repeats; from the robot's inertia if absent")
    damping: float | tuple[float, ...] | None = quantity(
        None, "N m s/rad", "rate gain: one for all joints, one each, or a pattern that repeats; critical if absent")
    rate: float | None = quantity(
        None, "rad/s", f"rate ω of gains that come from the inertia; {RATE:g} if absent", gt=0)
    saturation: float | tuple[float, ...] | None = quantity(
        None, "N m", "largest torque the actuators give: one, one each, or a pattern that repeats; none if absent")
    feedforward: bool = Field(False, description="whether torques of inverse dynamics are added (newton-euler)")
    motion_joints: tuple[int, ...] = Field((), description="numbers of the joints (from 0) that are motion-given")

    @property
    def bandwidth(self) -> float:
        """ω of gains that come from the inertia, rad/s."""
        return RATE if self.rate is None else self.rate

    @model_validator(mode="after")
    def _acts(self) -> ProportionalDerivative:
        if self.rate is not None and not (self.stiffness is None and self.damping is None):
            raise ValueError("rate: it makes gains of the robot's inertia, and here a gain is stated; leave out `rate`, "
                             "or both gains")
        if self.saturation is not None and not np.min(self.saturation, initial=np.inf) > 0.0:
            raise ValueError(f"saturation: must be positive; got {self.saturation}")
        return self


class Servo(ProportionalDerivative):
    """A `pd` actuator with what real servos add: play in the gears, and a reference that is renewed a few times a second."""

    kind: Literal["servo"] = "servo"                                             # type: ignore[assignment]
    backlash: Angle = quantity(0.0, "rad", "play: an error within half of it either way makes no torque", ge=0)
    refresh: float | None = quantity(None, "1/s", "how often the reference is renewed, held in between; continuously if absent", gt=0)


class DrivePhase(Description):
    """From `start` on: the joints follow the gait exactly, follow it by feedback, or take given torques (none: they are limp)."""

    start: float = quantity(..., "s", "when it begins; the first one begins with the run", ge=0)
    drive: Literal["motion", "pd", "torque"] = Field(..., description="how the joints are driven in it")
    torque: tuple[float, ...] | None = quantity(None, "N m", "constant torques of a `torque` phase, one per joint; none if absent")

    @model_validator(mode="after")
    def _torque_where_it_acts(self) -> DrivePhase:
        if self.torque is not None and self.drive != "torque":
            raise ValueError(f"torque: a phase of drive {self.drive!r} takes none; choose drive 'torque'")
        return self


class Switched(ProportionalDerivative):
    """Joints that are motion-given for a time, then torque-driven, then motion-given again: `phases` say when.

    A joint that comes back to its gait starts from where it is, and reaches the gait smoothly within `settle` seconds. Gains are
    those of the `pd` phases; `motion_joints` are motion-given in every phase.
    """

    kind: Literal["switched"] = "switched"                                       # type: ignore[assignment]
    phases: tuple[DrivePhase, ...] = Field(..., min_length=1, description="what drives the joints, from which time on")
    settle: float = quantity(0.5, "s", "how long a joint that was torque-driven takes to reach its gait again", gt=0)

    @model_validator(mode="after")
    def _phases_in_order(self) -> Switched:
        if self.phases[0].start != 0.0:
            raise ValueError(f"phases: the first one begins with the run, `start` at 0 s; got {self.phases[0].start:g}")
        for before, after in pairwise(self.phases):
            if not after.start > before.start:
                raise ValueError(f"phases: each has a later `start` than the one before; got {before.start:g} s and then {after.start:g} s")
        for number, phase in enumerate(self.phases):
            torque = np.abs(phase.torque or ())
            if self.saturation is not None and (torque > np.resize(self.saturation, torque.shape)).any():
                raise ValueError(f"phases[{number}].torque: {torque.max():g} N m is more than the actuators give, "
                                 f"saturation {self.saturation}")
        return self

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which phases begin."""
        return [phase.start for phase in self.phases if start < phase.start < end]
