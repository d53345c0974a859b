"""Where a robot starts: laid on a slope, wedged into a pipe, wound around a pole, and settled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import model_validator

from limbless.control.gaits.base import Gait
from limbless.control.gaits.helix import Helix
from limbless.core import Angle, Array, Description, Field, InputError, Quantity, checked, quantity
from limbless.environments import Environment, Ground, Wheels
from limbless.environments.obstacles import Pegs
from limbless.environments.pipe import Pipe
from limbless.mechanics.algebra import matrix_to_quaternion

if TYPE_CHECKING:
    from limbless.robots.chain import Chain

_FIELDS = {"heading": ("lay",), "along": ("wedge", "wrap"), "settle": ("lay", "wedge", "wrap", "given")}

FOUND_BY_POSTURE = {
    "lay": ("orientation",),
    "wedge": ("position", "orientation"),
    "wrap": ("position", "orientation", "joint_position"),
    "equilibrium": ("joint_position", "joint_velocity"),
}
"""What a posture finds, and what therefore cannot be given beside it."""


class Posture(Description):
    """How to lay a robot down, instead of giving its position and orientation."""

    kind: Literal["lay", "wedge", "wrap", "given", "equilibrium"] = Field(
        "lay",
        description="lay it on the ground (which may slope); wedge it into the pipe, the base on its axis; wrap "
        "it around the first of the pegs, as a helix has it (a soft body: turn beside turn); as given; or a soft "
        "body at rest under its loads and the tensions just before the start",
    )
    heading: Quantity[Angle | None] = quantity(
        None, "rad", "lay: angle from world x to the robot's x, seen from above; 0 if absent"
    )
    along: Quantity[float | None] = quantity(
        None,
        "m",
        "wedge, wrap: distance of the base from the start of the pipe or from the foot of the pole; 0 if absent",
    )
    settle: Quantity[float] = quantity(
        0.0,
        "s",
        "let it come to rest for so long, before the time of the run begins, with the gait held where it starts",
        ge=0,
        le=100,
    )

    @model_validator(mode="before")
    @classmethod
    def _of_a_word(cls, value: Any) -> Any:
        """`posture: equilibrium` is short for its kind."""
        return {"kind": value} if isinstance(value, str) else value

    @checked
    def _fields_matter(self) -> None:
        for field, kinds in _FIELDS.items():
            if getattr(self, field) and self.kind not in kinds:
                raise ValueError(f"{field} belongs to {', '.join(kinds)}; this posture is {self.kind!r}")
        if self.kind == "given" and not self.settle:
            raise ValueError("a posture as given does nothing unless it settles: give a time `settle`, s")


class BasePose(NamedTuple):
    """Of the base, world; where there is a `way`, it moves along it until it just touches; where there is a `gait`, the
    joints are where that has them.
    """

    position: Array
    orientation: Array
    way: Array | None = None
    gait: Gait | None = None


def pose_of(
    posture: Posture, chain: Chain, gait: Gait, environment: Sequence[Environment], position: Array
) -> BasePose:
    """The pose of the base in a posture; for one that lies, above the place of `position`."""
    make: dict[str, Callable[..., BasePose]] = {"lay": _laid, "wedge": _wedged, "wrap": _wrapped}
    return make[posture.kind](posture, chain, gait, environment, position)


def _only(environment: Sequence[Environment], kind: Any, word: str) -> Any:
    found = [item for item in environment if isinstance(item, kind)]
    if len(found) != 1:
        raise InputError(f"initial.posture: it needs one {word} in the environment, and there are {len(found)}")
    return found[0]


def _laid(posture: Posture, chain: Chain, gait: Gait, environment: Sequence[Environment], position: Array) -> BasePose:
    bearing = [item for item in environment if not isinstance(item, Wheels) or item.load == "solved"]
    normal = np.array(_only(bearing, Ground | Wheels, "ground (or wheels with load: solved)").plane()[:3])
    heading = posture.heading or 0.0
    level = np.array([math.cos(heading), math.sin(heading), 0.0])
    along = level - np.array([0.0, 0.0, (normal @ level) / normal[2]])  # in the plane, above `level`
    along /= np.linalg.norm(along)
    rotation = np.stack([along, np.cross(normal, along), normal], axis=1)
    return BasePose(np.asarray(position, dtype=float), matrix_to_quaternion(rotation), normal)


def _middle(chain: Chain) -> Array:
    """Middle of the base link's body, in its frame."""
    first = chain.links[0].body
    return np.zeros(3) if first is None else np.array(first.position) + 0.5 * first.length * first.frame[:, 0]


def _wedged(
    posture: Posture, chain: Chain, gait: Gait, environment: Sequence[Environment], position: Array
) -> BasePose:
    begin, end = _only(environment, Pipe, "pipe").pieces()[0][0]
    along = (end - begin) / np.linalg.norm(end - begin)
    up = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.9 else np.array([-1.0, 0.0, 0.0])
    side = np.cross(up, along) / np.linalg.norm(np.cross(up, along))
    rotation = np.stack([along, side, np.cross(along, side)], axis=1)
    aside = _middle(chain) * np.array([0.0, 1.0, 1.0])  # of the body from its frame: the body goes on the axis
    return BasePose(begin + (posture.along or 0.0) * along - rotation @ aside, matrix_to_quaternion(rotation))


class Pole(NamedTuple):
    """The first of the pegs, about which a robot is wound."""

    foot: Array
    axes: Array  # (3, 3) columns: out from its axis, around it, along it
    radius: float


def pole_of(environment: Sequence[Environment]) -> Pole:
    pegs = _only(environment, Pegs, "entry `pegs`")
    foot, span = np.array(pegs.feet[0]), np.array(pegs.span)
    up = span / np.linalg.norm(span)
    helper = np.eye(3)[int(np.argmin(np.abs(up)))]
    out = helper - (helper @ up) * up
    out /= np.linalg.norm(out)
    return Pole(foot, np.stack([out, np.cross(up, out), up], axis=1), pegs.radius)


def _wrapped(
    posture: Posture, chain: Chain, gait: Gait, environment: Sequence[Environment], position: Array
) -> BasePose:
    pole = pole_of(environment)
    if not isinstance(gait, Helix):
        raise InputError(
            f"initial.posture: to wrap a robot around a pole takes the gait helix, which says how it is "
            f"wound; got {gait.kind!r}"
        )
    out, _, up = pole.axes.T
    rotation = pole.axes @ gait.base_frame(gait.roll)
    place = pole.foot + (posture.along or 0.0) * up + gait.radius * out - rotation @ _middle(chain)
    return BasePose(place, matrix_to_quaternion(rotation), gait=gait.changed(tighten=0.0))
