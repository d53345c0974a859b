"""`senses`: what a controller is told of the motion, with gain, offset and filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from limbless.control.controllers.base import LoopLayout
from limbless.core import Description, Field, Quantity, quantity
from limbless.mechanics.control import ExternalForce, JointPosition, JointTorque, JointVelocity, SenseRows, Senses

AXES = ("along", "lateral", "vertical")
_EARLY = {"joint_position": JointPosition, "joint_velocity": JointVelocity}
_LATE = {"external_force": ExternalForce, "joint_torque": JointTorque}


class Sense(Description):
    """A number of the instant, relative to the joint of an oscillator. A joint at the end of a body that has nothing
    before or behind it senses 0 there."""

    kind: Literal["joint_position", "joint_velocity", "external_force", "joint_torque"] = Field(
        description="rad, rad/s; N, of all force laws on a link (added mass is inertia, and no part of it); N m"
    )
    of: Literal["own", "behind", "before"] = Field(
        "own",
        description="of joints: this one, or its neighbour towards tip or base; of links: the one that the joint "
        "carries (own, behind), or the one that carries it",
    )
    axis: Literal["along", "lateral", "vertical"] = Field("lateral", description="axis of the link, for a force")
    gain: Quantity[float] = quantity(1.0, "1", "what the number is multiplied by")
    offset: Quantity[float] = quantity(0.0, "1", "what is added then")
    filter: Quantity[float | None] = quantity(
        None, "s", "time of a first-order filter, whose value is a number of the state; none if absent", gt=0
    )

    @property
    def late(self) -> bool:
        """Whether it is known only after the dynamics of the instant."""
        return self.kind in _LATE and self.filter is None


class SensePlace(NamedTuple):
    """One number that is sensed: by which sense, and where in the tables."""

    sense: Sense
    place: int


def place_of(sense: Sense, layout: LoopLayout, joint: int) -> SensePlace | None:
    """Where the number of a joint is; None where there is none."""
    if sense.kind == "external_force":
        row = layout.before[joint] if sense.of == "before" else layout.behind[joint]
        return SensePlace(sense, int(row))
    beside = joint + {"own": 0, "behind": 1, "before": -1}[sense.of]
    if not 0 <= beside < layout.freedoms:
        return None
    columns = {"joint_position": layout.position, "joint_velocity": layout.velocity}
    return SensePlace(sense, int(columns[sense.kind][beside]) if sense.kind in columns else beside)


def packed_senses(channels: Sequence[SensePlace], first: int) -> Senses:
    """All channels in tables; their filters begin at `first` in a state."""

    def rows(kind: str) -> SenseRows | None:
        own = [number for number, channel in enumerate(channels) if channel.sense.kind == kind]
        if not own:
            return None
        return SenseRows(
            np.array(own, dtype=np.int64),
            np.array([channels[number].place for number in own], dtype=np.int64),
            np.array([AXES.index(channels[number].sense.axis) for number in own], dtype=np.int64),
            np.array([channels[number].sense.gain for number in own]),
            np.array([channels[number].sense.offset for number in own]),
        )

    def kinds(classes: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(cls(found) for kind, cls in classes.items() if (found := rows(kind)) is not None)

    filtered = [number for number, channel in enumerate(channels) if channel.sense.filter is not None]
    return Senses(
        kinds(_EARLY),
        kinds(_LATE),
        np.zeros(len(channels)),
        np.zeros(len(channels)),
        np.array(filtered, dtype=np.int64),
        np.array([1.0 / (channels[number].sense.filter or 1.0) for number in filtered]),
        np.array([first], dtype=np.int64),
    )
