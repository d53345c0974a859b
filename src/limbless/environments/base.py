"""`Environment`: what acts on a robot from outside, and how it is packed for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from limbless.core import Array, Description, InputError, Listed, Vector3, checked, quantity
from limbless.mechanics.forces import PackedLaws

if TYPE_CHECKING:
    from limbless.environments.solids import Drawn
    from limbless.robots.base import Robot, Segment

ROLES = {
    "wrench": "pushes on bodies",
    "friction": "set-valued friction on bodies",
    "contact": "surfaces that bodies touch",
    "constraint": "holds components of the motion of a rod",
    "clamp": "holds a link",
    "load": "a dead load, in statics",
}
"""How a model can use an environment."""
CURRENT = "a `current` has a direction in the world"
MOST_POINTS = 64
"""Gauss points per segment that an environment may ask for."""


class Pack(NamedTuple):
    """An environment in tables: laws by kind (see `mechanics.forces`), and the added inertia
    (bodies, 21: M, H, J) or None.
    """

    laws: tuple[PackedLaws, ...]
    added_inertia: Array | None = None
    elements: tuple[Any, ...] = ()
    """Forces that are no law on slices or bodies: named tuples with an `owner`, and versions of
    `mechanics.forces.element`.
    """
    parts: tuple[str, ...] = ()
    """Names of further works that a result has beside the environment's own, such as `wake`: laws of `part` 1, 2, .."""
    medium: Any = None
    """The environment itself, where its own motion or its surface is recorded."""


class Environment(Description):
    """Something that acts on the robot; `role` says how a model uses it, one of `ROLES`."""

    family: ClassVar[str | None] = "environment"
    role: ClassVar[str] = "wrench"
    also: ClassVar[tuple[str, ...]] = ()
    """Other roles in which a model may take it: a uniform field is a wrench in dynamics and a dead load in statics."""
    is_ground: ClassVar[bool] = False
    """Whether a robot with weight rests on it."""
    is_fluid: ClassVar[bool] = False
    """Whether what it does to a section is a force of the water."""
    has_steps: ClassVar[bool] = False
    """Whether it has steps or hills, which are hardly seen from above."""
    active: Listed[tuple[tuple[float, float], ...] | None] = quantity(
        None, "s", "time windows [from, until] in which it acts; always if absent"
    )

    @checked
    def _windows_in_order(self) -> None:
        for start, end in self.active or ():
            if not end > start:
                raise ValueError(f"active: window [{start}, {end}] ends before it starts")

    def pack(self, robot: Robot) -> Pack:
        """This environment acting on that robot, as arrays for compiled code."""
        raise InputError(f"environment {self.kind!r} cannot be packed as a wrench")

    def refined(self) -> Self:
        """Twice the Gauss points, where it has some."""
        points = getattr(self, "points", None)
        return self if points is None else self.changed(points=min(2 * points, MOST_POINTS))

    @property
    def slot(self) -> Any:
        """Where compiled code finds a user's function, and an exception that it raised; None without one."""
        return None

    @property
    def moving(self) -> Sequence[Any]:
        """The flows of a fluid."""
        return ()

    @property
    def pull(self) -> Vector3 | None:
        """The acceleration that it gives to every mass, m/s2, world; None of what is no field."""
        return None

    @property
    def lifts(self) -> bool:
        """Whether it lifts what is in it."""
        return False

    @property
    def lifts_slices(self) -> bool:
        """Whether its lift acts along the body of a link, which its surface can cut."""
        return False

    @property
    def has_surface(self) -> bool:
        """Whether it is a fluid with a surface."""
        return False

    @property
    def is_wavy(self) -> bool:
        """Whether it has a surface that moves, `waves_at` a time."""
        return False

    def varies(self, level: bool) -> str | None:
        """Why place or direction matter in it, so that no motion repeats itself; None where it is the same everywhere.
        `level`: the robot keeps to a plane, or ground bears it.
        """
        return None

    def smallest(self) -> float:
        """The largest side of the smallest obstacle, m; 0 of what is no obstacle."""
        return 0.0

    def free_bodies(self) -> Sequence[tuple[str, Any]]:
        """What can be pushed around, by name."""
        return ()

    def drawn(self) -> Sequence[Drawn]:
        """What there is to see of it; nothing of what fills space."""
        return ()

    @property
    def unseen(self) -> str:
        """Why there is nothing to see of it, where there should be."""
        return ""

    def among(self, environment: Sequence[Environment]) -> Self:
        """Itself as it acts beside the others: with what it takes from them."""
        return self

    def windows(self) -> list[tuple[float, float]]:
        """The time windows in which it acts."""
        return list(self.active) if self.active else [(-np.inf, np.inf)]

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which it is switched: integration steps end there."""
        return sorted({t for window in self.active or () for t in window if start < t < end})


def segments_of(robot: Robot, acts: str) -> list[Segment]:
    """The segments of body of a robot that has some; `acts` is who acts on them, as in `drag acts`."""
    if not robot.segments():
        raise InputError(f"{acts} on segments of body, and this robot has none: give its links a `body`")
    return robot.segments()


def refuse_points(environment: Sequence[Environment], why: str) -> None:
    """Refuse Gauss points of segments where a model has none."""
    for item in environment:
        if "points" in type(item).model_fields and item.given("points"):
            raise InputError(
                f"environment {item.kind!r}: points are for the segments of a chain; {why}, so leave points out"
            )


def together(environment: Sequence[Environment] | Environment) -> tuple[Environment, ...]:
    """All that acts on a robot, one or several, each with what it takes from the others."""
    items = (environment,) if isinstance(environment, Environment) else tuple(environment)
    return tuple(item.among(items) if isinstance(item, Environment) else item for item in items)
