"""`Robot`: what every robot can say of itself, whatever model moves it; `Preset`: a ready robot
with a few numbers to choose.

`SkinFriction`: how a robot's skin rubs on what it touches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
from pydantic import PrivateAttr

from limbless.core import Array, Description, Field, Quantity, quantity

if TYPE_CHECKING:
    from limbless.robots import Chain, Rod, TendonSpine

MOST_LINKS = 10_000
"""Of a ready robot: a slip of the hand beyond it would fill the memory before anything is said."""


class Segment(NamedTuple):
    """A straight piece of body: P(s) = start + s e1, s in [0, length], with an elliptic section. In the frame of its
    body.

    `frame` holds e1 (along the body, towards the tip), e2 (lateral), e3 (vertical) in its columns; the section has half
    axes `half_width` along e2 and `half_height` along e3.
    """

    body: int
    start: Array
    frame: Array
    length: float
    half_width: float
    half_height: float


class Bodies(NamedTuple):
    """Mass properties of all rigid bodies of a robot, each about its own origin and in its own frame."""

    mass: Array  # (bodies,)      kg
    moment: Array  # (bodies, 3)    first moment, kg m
    inertia: Array  # (bodies, 3, 3) about the origin, kg m2
    volume: Array  # (bodies,)      m3
    volume_moment: Array  # (bodies, 3)    first moment of volume, m4


class Seen(Description):
    """What every robot and every ready robot can be seen as. A view keeps mass, first moment, inertia, volume, length,
    stiffness between the ends and the paths of tendons; what it cannot keep is in its `lost`.
    """

    if TYPE_CHECKING:

        def build(self) -> Robot:
            """The full description."""

    def as_chain(self, links: int | None = None) -> Chain:
        """The robot as rigid links: its own, or about one per diameter of body (8 to 60) if their number is absent."""
        from limbless.robots.views import as_chain

        return as_chain(self.build(), links)

    def as_rod(self) -> Rod:
        """The robot as a rod, its joints spread along it."""
        from limbless.robots.views import as_rod

        return as_rod(self.build())

    def as_spine(self, vertebrae: int | None = None) -> TendonSpine:
        """The robot as vertebrae pulled by its tendons: about one per diameter if their number is absent."""
        from limbless.robots.views import as_spine

        return as_spine(self.build(), vertebrae)


class Robot(Seen):
    """Something that moves. Body 0 is the base; local x runs along the body from base to tip."""

    _source: Robot | None = PrivateAttr(None)
    _lost: tuple[str, ...] = PrivateAttr(())

    family: ClassVar[str | None] = "robot"
    if TYPE_CHECKING:

        @property
        def base(self) -> str:
            """How its base may move: a field of every kind."""
            return ""

    head: Literal["base", "tip"] = Field("base", description="which end is the head")

    def build(self) -> Robot:
        """The robot itself (a preset builds one)."""
        return self

    @property
    def seen_from(self) -> Robot | None:
        """The robot that this one is a view of; None if it was described as it is."""
        return self._source

    @property
    def lost(self) -> tuple[str, ...]:
        """What this view of another robot could not keep: one sentence each."""
        return self._lost

    def refined(self) -> Self:
        """A view with twice as many links or vertebrae; any other robot as it is."""
        from limbless.robots.views import refined

        return cast(Self, refined(self))

    @property
    def stretches(self) -> bool:
        """Whether its body may become longer or shear: what Lighthill's wake is not for."""
        return False

    def segments(self) -> list[Segment]:
        """The straight pieces of body on which a fluid or a ground acts, and that are drawn."""
        raise NotImplementedError

    def bodies(self) -> Bodies:
        raise NotImplementedError

    def fills(self) -> Array:
        """(segments,) volume of each body over that of the full cylinders of its segments: caps make it less than 1."""
        volume, pieces = self.bodies().volume, self.segments()
        whole = np.zeros(len(volume))
        for piece in pieces:
            whole[piece.body] += np.pi * piece.half_width * piece.half_height * piece.length
        share = volume / np.where(whole > 0.0, whole, np.inf)
        return np.array([share[piece.body] for piece in pieces])

    @property
    def total_mass(self) -> float:
        return float(self.bodies().mass.sum())


_recent: deque[tuple[Any, Any, Robot]] = deque(maxlen=8)
"""Descriptions and what they have built, the last few: a run asks several times, a search again and again."""


def _once(build: Callable[[Any], Robot]) -> Callable[[Any], Robot]:
    """`build` that answers the same description, or an equal one, with the same robot."""

    @wraps(build)
    def built(preset: Any) -> Robot:
        for known, by, robot in tuple(_recent):
            if by is build and (known is preset or (preset.by_its_fields and known == preset)):
                return robot
        made = build(preset)
        _recent.append((preset, build, made))
        return made

    return built


class Preset(Seen):
    """A ready robot with a few numbers to choose; `build()` makes the full description."""

    family: ClassVar[str | None] = "preset"
    by_its_fields: ClassVar[bool] = True
    """Whether two with equal fields build the same robot."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if "build" in cls.__dict__:
            cls.build = _once(cls.__dict__["build"])  # type: ignore[method-assign, assignment]

    def build(self) -> Robot:
        raise NotImplementedError


class SkinFriction(Description):
    """Friction of a skin with scales, or on small wheels: less along the body than across it.

    It applies to every ground and obstacle that sets no coefficients of its own.
    """

    forward: Quantity[float] = quantity(0.1, "1", "friction along the body while it slides head first", ge=0)
    lateral: Quantity[float] = quantity(0.5, "1", "friction across the body", ge=0)
    backward: Quantity[float | None] = quantity(
        None, "1", "friction along the body while it slides tail first; as `forward` if absent", ge=0
    )
