"""`senses`: what a controller is told of the motion, with gain, offset, noise, delay and filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from limbless.control.controllers.base import Array, LoopLayout, whole_steps
from limbless.core import Description, Field, Function, InputError, Listed, Nested, Quantity, checked, quantity
from limbless.mechanics.control import Delays, Noise, SenseRows, Senses

READS = (
    "state",
    "heading",
    "turn_rate",
    "position",
    "centre",
    "speed",
    "touch",
    "torque",
    "force",
    "tension",
    "activity",
    "touched",
    "target",
)
"""What kernels read, by its number."""
NOISE_ROWS = (1021, 1024)
AXES = ("along", "lateral", "vertical", "x", "y", "z")
_LATE = {"external_force": "force", "joint_torque": "torque", "tension": "tension"}
_OF_JOINTS = {"joint_position": "state", "joint_velocity": "state", "stretch": "state", "joint_torque": "torque"}
_OF_LINKS = {"external_force": "force", "contact_force": "touch", "contact_state": "touched"}
OF_ALL = {"heading": "heading", "turn_rate": "turn_rate", "speed": "speed", "com_position": "centre"}
OF_BODIES = (*_OF_JOINTS, *_OF_LINKS)
PATHS = ("cross_track", "path_heading")
POSITIONS = ("com_position", "tip_position")
LOOKED_AT = (*_OF_JOINTS, *_OF_LINKS, *OF_ALL, "tip_position", "tension")
"""What the function of a sense may look at."""
_BESIDE = {"own": 0, "behind": 1, "before": -1}
RECORDED = (*PATHS, "function")
"""Kinds whose numbers a recorded law makes of what kernels read."""


class Sense(Description):
    """A number of the instant. A joint at the end of a body that has nothing before or behind it senses 0 there."""

    kind: Literal[
        "joint_position",
        "joint_velocity",
        "stretch",
        "heading",
        "turn_rate",
        "speed",
        "com_position",
        "tip_position",
        "cross_track",
        "path_heading",
        "target",
        "external_force",
        "contact_force",
        "contact_state",
        "joint_torque",
        "tension",
        "signal",
        "function",
    ] = Field(
        description="rad, rad/s; strain of a side; rad and rad/s of the head, from above; m/s of the centre of mass "
        "along the head; m; m and rad beside `path`; m and rad to `point`, two numbers; N of all force laws on a link "
        "(added mass is inertia, and no part of it); N of all contacts of a link over the step that ended, and 1 where "
        "it had any; N m; N; activity of an earlier controller; what `function` makes of others"
    )
    of: Listed[Literal["own", "behind", "before", "all"] | tuple[int, ...]] = Field(
        "own",
        description="of joints: this one, its neighbour towards tip or base, all, or these numbers; of links: the one "
        "that the joint carries (own, behind), or the one that carries it; of tendons and signals: numbers, or all; "
        "heading and speed: along the head, or along the mean of all links",
    )
    axis: Literal["along", "lateral", "vertical", "x", "y", "z"] = Field(
        "lateral", description="axis of the link for a force; x, y or z of the world for a position"
    )
    side: Literal["left", "right"] = Field("left", description="of a stretch: the side that is stretched")
    path: Listed[tuple[tuple[float, float], ...]] = quantity(
        (), "m", "points [x, y] of a path, for `cross_track` (to its left) and `path_heading`; it goes on straight"
    )
    point: Listed[tuple[float, float] | None] = quantity(
        None,
        "m",
        "[x, y] of a target: its distance from the end of the head, and its bearing, positive to the left of where the "
        "head looks; of oscillators the bearing alone",
    )
    function: Nested[Function | None] = Field(
        None,
        description="f(t, motion) -> one number, of NumPy, as `law` of kind `function`: `motion` has the other kinds "
        "by name, such as motion.joint_position (all joints) or motion.com_position (x, y, z)",
    )
    controller: int | None = Field(
        None, description="of a signal: whose it is, from 0 in the list of controllers; the one before if absent", ge=0
    )
    gain: Quantity[float] = quantity(1.0, "1", "what the number is multiplied by")
    offset: Quantity[float] = quantity(0.0, "1", "what is added then")
    noise: Quantity[float] = quantity(0.0, "1", "standard deviation of a normal noise that is added then", ge=0)
    every: Quantity[float | None] = quantity(None, "s", "how long a value of the noise holds; a step if absent", gt=0)
    delay: Quantity[float] = quantity(0.0, "s", "how late it is, whole steps; before the start it was 0", ge=0)
    filter: Quantity[float | None] = quantity(
        None, "s", "time of a first-order filter, whose value is a number of the state; none if absent", gt=0
    )

    @checked
    def _has_its_own(self) -> None:
        for kind, name in (("target", "point"), ("function", "function")):
            if self.kind == kind and getattr(self, name) is None:
                raise ValueError(f"{name}: a sense {kind!r} needs one; give {name}")

    def notes(self) -> tuple[str, ...]:
        told = {
            "path": self.kind not in PATHS,
            "point": self.kind != "target",
            "function": self.kind != "function",
            "side": self.kind != "stretch",
            "axis": self.kind not in ("external_force", "contact_force", *POSITIONS, "function"),
            "every": self.noise == 0.0,
            "controller": self.kind != "signal",
        }
        idle = [name for name in self.given(*told) if told[name]]
        return (*super().notes(), *(f"controller: {name} of a sense {self.kind!r} has no effect" for name in idle))

    @property
    def late(self) -> bool:
        """Whether it is known only after the dynamics of the instant."""
        return self.after and self.filter is None and self.delay == 0.0

    @property
    def after(self) -> bool:
        """Whether it is read after the dynamics."""
        return self.kind in _LATE


class SensePlace(NamedTuple):
    """One number that is sensed: by which sense, and where in the tables."""

    sense: Sense
    read: str
    place: int
    axis: int = 0
    gain: float = 1.0
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)


def place_of(sense: Sense, layout: LoopLayout, joint: int) -> SensePlace | None:
    """Where the number of a joint is; None where there is none."""
    if sense.kind == "signal" and isinstance(sense.of, tuple) and len(sense.of) == 1:
        return _signals(sense, layout, [])[0]
    if sense.kind == "tension" and sense.of != "all":
        beside = joint + _BESIDE[sense.of] if isinstance(sense.of, str) else sense.of[0]
        return places_of(sense.changed(of=(beside,)), layout, [])[0]
    if sense.kind in RECORDED:
        raise InputError(
            f"controller.feedback: oscillators do not sense {sense.kind!r}; let a controller of kind function before "
            "them in the list sense it (output: signal), and sense its signal"
        )
    if isinstance(sense.of, tuple) or sense.of == "all":
        raise InputError("controller.feedback: its sense is that of each oscillator: own, behind or before")
    if sense.kind in _OF_LINKS:
        if not layout.touching and sense.kind != "external_force":
            raise InputError(f"controller.senses: {sense.kind!r} needs contacts; choose model.kind non-smooth")
        if not layout.rigid and (sense.kind == "external_force" or layout.parts is None):
            raise InputError(
                f"controller.senses: {sense.kind!r} is that of a link, and a soft body has none; among hard things its "
                "cells have a contact_force"
            )
        row = int(layout.before[joint] if sense.of == "before" else layout.behind[joint])
        first, last = (0, 0) if layout.parts is None else layout.parts[row]
        point = (float(first), float(last), 0.0)
        return SensePlace(sense, _OF_LINKS[sense.kind], row, AXES.index(sense.axis) % 3, 1.0, point)
    if sense.kind in _OF_JOINTS:
        beside = joint + _BESIDE[sense.of]
        return _of_joint(sense, layout, beside) if 0 <= beside < layout.freedoms else None
    if sense.kind == "signal":
        return _signals(sense, layout, [joint])[0]
    return places_of(sense, layout, [joint])[-1]


def _signals(sense: Sense, layout: LoopLayout, joints: Sequence[int]) -> list[SensePlace]:
    """Activities of an earlier controller: by their numbers, all, or one for each of these joints."""
    number = len(layout.earlier) - 1 if sense.controller is None else sense.controller
    if not 0 <= number < len(layout.earlier):
        which = "there is none" if sense.controller is None else f"{number} is none of the {len(layout.earlier)}"
        raise InputError(f"controller.senses: 'signal' is of a controller before this one in the list, and {which}")
    known = layout.earlier[number]
    if isinstance(sense.of, tuple):
        wanted = list(sense.of)
    elif sense.of == "all" or len(known) == 1:
        wanted = list(range(len(known))) * (len(joints) if sense.of != "all" else 1)
    else:
        wanted = [joint + _BESIDE[sense.of] for joint in joints]
    for one in wanted:
        if not 0 <= one < len(known):
            raise InputError(f"controller.senses.of: no signal {one}; controller {number} has 0 to {len(known) - 1}")
    return [
        SensePlace(sense, "state", place.place)
        if place.amplitude < 0
        else SensePlace(sense, "activity", place.place, place.amplitude, 1.0, (place.bias, 0.0, 0.0))
        for place in (known[one] for one in wanted)
    ]


def _of_joint(sense: Sense, layout: LoopLayout, joint: int) -> SensePlace:
    if not 0 <= joint < layout.freedoms:
        raise InputError(f"controller.senses.of: no joint {joint}; the robot has joints 0 to {layout.freedoms - 1}")
    if sense.kind == "stretch":
        if not layout.radius[joint] > 0.0:
            raise InputError("controller.senses: 'stretch' needs a rod or a chain with bodies (half_width)")
        strain = layout.radius[joint] / layout.spacing[joint]
        gain = -strain if sense.side == "left" else strain  # a positive yaw bends to the left, and shortens that side
        return SensePlace(sense, "state", int(layout.position[joint]), 0, gain)
    columns = {"joint_position": layout.position, "joint_velocity": layout.velocity}
    place = columns[sense.kind][joint] if sense.kind in columns else joint
    return SensePlace(sense, _OF_JOINTS[sense.kind], int(place))


def places_of(sense: Sense, layout: LoopLayout, joints: Sequence[int]) -> list[SensePlace]:
    """All numbers of a sense, for a controller of these joints."""
    if sense.kind in PATHS:
        if len(sense.path) < 2:
            raise InputError(f"controller.senses.path: {sense.kind!r} needs two points or more")
        return [SensePlace(sense.changed(gain=1.0, offset=0.0), "centre", -1, axis) for axis in (0, 1)]
    if sense.kind == "target" and sense.point is not None:
        ahead = layout.tip[1][0] if layout.head[1] > 0.0 else 0.0
        return [SensePlace(sense, "target", layout.head[0], k, 1.0, (*sense.point, ahead)) for k in range(2)]
    if sense.kind in OF_ALL or sense.kind == "tip_position":
        return [_of_robot(sense, layout)]
    if sense.kind == "signal":
        return _signals(sense, layout, joints)
    if sense.kind == "tension":
        numbers = range(layout.tendons) if not isinstance(sense.of, tuple) else sense.of
        if not layout.tendons or not all(0 <= number < layout.tendons for number in numbers):
            raise InputError(f"controller.senses: 'tension' of {list(numbers)}; the robot has {layout.tendons} tendons")
        return [SensePlace(sense, "tension", number) for number in numbers]
    if isinstance(sense.of, tuple) or sense.of == "all":
        chosen = range(layout.freedoms) if isinstance(sense.of, str) else sense.of
        sense, joints = sense.changed(of="own"), list(chosen)
        if sense.kind in _OF_JOINTS:
            return [_of_joint(sense, layout, joint) for joint in joints]
    found = [place_of(sense, layout, joint) for joint in joints]
    if None in found:
        raise InputError(f"controller.senses.of: no joint has one {sense.of} it at the end of the body; give numbers")
    return [place for place in found if place is not None]


def _of_robot(sense: Sense, layout: LoopLayout) -> SensePlace:
    """Of the head, of the tip, or of all links."""
    if sense.kind in POSITIONS and sense.axis not in AXES[3:]:
        raise InputError(f"controller.senses.axis: {sense.kind!r} is along x, y or z of the world")
    if not layout.rigid and (sense.kind in ("speed", "com_position") or sense.of == "all"):
        raise InputError(f"controller.senses: {sense.kind!r} of a soft body is not known to controllers; sense its tip")
    axis = AXES.index(sense.axis) % 3
    if sense.kind == "tip_position":
        return SensePlace(sense, "position", layout.tip[0], axis, 1.0, layout.tip[1])
    return SensePlace(
        sense, OF_ALL[sense.kind], -1 if sense.of == "all" and sense.kind != "turn_rate" else layout.head[0], axis
    )


def packed_senses(channels: Sequence[SensePlace], first: int, layout: LoopLayout, seed: int = 0) -> Senses:
    """All channels in tables, the early ones first; their own numbers begin at `first` in a state: filters, then
    clock and values of delayed ones.
    """
    filtered = [number for number, channel in enumerate(channels) if channel.sense.filter is not None]
    noisy = [number for number, channel in enumerate(channels) if channel.sense.noise > 0.0]
    late = [number for number, channel in enumerate(channels) if channel.sense.delay > 0.0]
    places, place = [], first + len(filtered) + 2
    for number in late:
        steps = whole_steps("senses.delay", channels[number].sense.delay, layout.step)
        places.append((number, place, steps))
        place += _kept(steps)
    return Senses(
        SenseRows(
            np.array([(READS.index(c.read), c.place, c.axis) for c in channels], dtype=np.int64).reshape(-1, 3),
            np.array([c.point for c in channels]).reshape(-1, 3),
            np.array([c.sense.gain * c.gain for c in channels]),
            np.array([c.sense.offset for c in channels]),
            np.full(len(channels), layout.head[1]),
        ),
        np.array([sum(not c.sense.after for c in channels)], dtype=np.int64),
        np.zeros(len(channels)),
        np.zeros(len(channels)),
        Noise(
            np.array(noisy, dtype=np.int64),
            np.array([channels[number].sense.every or layout.step for number in noisy]),
            np.array([_noise(seed, number, channels[number].sense.noise) for number in noisy]).reshape(
                len(noisy), sum(NOISE_ROWS)
            ),
        ),
        Delays(
            np.array(places, dtype=np.int64).reshape(-1, 3),
            first + len(filtered) + np.arange(2, dtype=np.int64),
            np.array([layout.step]),
        ),
        np.array(filtered, dtype=np.int64),
        np.array([1.0 / (channels[number].sense.filter or 1.0) for number in filtered]),
        np.array([first], dtype=np.int64),
    )


def _kept(steps: int) -> int:
    """How many values a number keeps that is so many steps late."""
    return max(steps - 2, 0) + 4


def _noise(seed: int, number: int, size: float) -> Array:
    """Rows of a channel: their sums are normal."""
    return np.random.Generator(np.random.Philox(key=[seed, number])).normal(0.0, size / np.sqrt(2.0), sum(NOISE_ROWS))


def names_of(senses: Senses, channels: Sequence[SensePlace]) -> list[str]:
    """Of the numbers that senses have in a state."""
    names = [f"filter of {channels[number].sense.kind} {number}" for number in senses.filtered]
    if len(senses.delays.channel):
        names += ["clock of delays", "steps of delays"]
    for number, _, steps in senses.delays.channel:
        names += [f"{channels[number].sense.kind} {number}, {k} steps ago" for k in range(_kept(steps))]
    return names
