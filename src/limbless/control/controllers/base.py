"""`ClosedLoop`: a controller with numbers of its own, which are a part of the run's state, as those of a joint are."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Description, Field, InputError, Listed
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class LoopLayout(NamedTuple):
    """Where a controller finds the parts of a robot; one entry for each degree of freedom."""

    chain: Chain
    position: Indices  # place in a state
    velocity: Indices
    behind: Indices  # row of the body that the joint carries,
    before: Indices  # and of the one that carries it
    first: int  # where the controller's own numbers begin in a state
    radius: Array  # m: half width of the body behind,
    spacing: Array  # and its length
    head: tuple[int, float]  # row of the head, and +1 or -1: which way along its x axis it heads
    tip: tuple[int, tuple[float, float, float]]  # row of the last body, and where its end is
    step: float  # s
    gait: Any = None
    given: bool = False  # joints are motion-given
    tendons: int = 0
    rigid: bool = True
    touching: bool = True  # the model knows contacts
    # (rows, 2) of a soft body among hard things: further rows of a body, from and up to; a rigid one has none
    parts: Indices | None = None
    # of each controller before this one: what may be sensed of it
    earlier: tuple[tuple[Signalled, ...], ...] = ()

    def joint_name(self, number: int) -> str:
        return str(getattr(self.chain, "joint_names", {})[number] if self.rigid else f"freedom {number}")

    @property
    def freedoms(self) -> int:
        return len(self.velocity)


class Signalled(NamedTuple):
    """An activity of a controller that later ones may sense: a number of the state, or r (bias + cos θ) of two."""

    place: int  # in a state
    amplitude: int = -1  # place of r; -1: the number itself
    bias: float = 0.0


class PackedLoop(NamedTuple):
    """A controller in tables."""

    tables: Any
    start: Array  # its numbers at the start
    names: tuple[str, ...]  # of its numbers
    fastest: float  # 1/s: how fast they answer,
    why: str  # and which field says so
    slot: Any = None  # the callback of a law in plain Python


class Lesion(Description):
    """What is cut: numbers (from 0) of oscillators, couplings, senses and outputs. Tables hold zeros in their places:
    robots with different lesions go side by side.
    """

    oscillators: Listed[tuple[int, ...]] = Field(
        (), description="they have no rhythm of their own; what they sense, couplings and outputs stay"
    )
    couplings: Listed[tuple[int, ...]] = Field(
        (), description="coupling k is that between oscillators k and k + 1 of a side, both ways, on all sides"
    )
    senses: Listed[tuple[int, ...]] = Field((), description="oscillators whose senses are cut")
    outputs: Listed[tuple[int, ...]] = Field((), description="oscillators that move nothing")

    def cut(self, what: str, count: int, word: str = "oscillators") -> list[int]:
        """The numbers of one kind, of which there are `count`."""
        for number in getattr(self, what):
            if not 0 <= number < count:
                raise InputError(
                    f"controller.lesion.{what}: {number} is none of the {count} {word} (0 to {count - 1})"
                    if count
                    else f"controller.lesion.{what}: there are no {word} to cut"
                )
        return list(getattr(self, what))


class ClosedLoop(Description):
    """A controller whose numbers are integrated, saved, resumed, swept and differentiated with the motion."""

    family: ClassVar[str | None] = "controller"
    needs: ClassVar[dict[str, tuple[str, ...]]] = {
        "torque": ("torque", "pd", "servo", "muscles"),
        "target": ("pd", "motor"),
        "activation": ("muscles",),
        "gait": ("motion", "pd"),
        "tendon": ("motion",),
        "effort": ("motion",),
        "signal": ("motion", "torque", "pd", "servo", "motor", "muscles", "switched"),
    }
    """What it may give (`output`) -> the actuations that take it."""

    def notes(self) -> tuple[str, ...]:
        items: Any = (self, *getattr(self, "senses", ()), *(item.sense for item in getattr(self, "feedback", ())))
        silent = getattr(self, "seed", 0) != 0 and not any(getattr(item, "noise", 0.0) for item in items)
        return (*super().notes(), *(("controller.seed: has no effect without noise",) if silent else ()))

    def pack(self, layout: LoopLayout) -> PackedLoop:
        """The controller of one robot, in tables."""
        raise NotImplementedError

    def activity(self, state: Array, count: int) -> Array:
        """(records, count) of its neurons, from its numbers (records, numbers)."""
        raise NotImplementedError

    def neurons(self, layout: LoopLayout) -> list[str]:
        """Labels of its activities."""
        raise NotImplementedError

    def signals(self, layout: LoopLayout) -> tuple[Signalled, ...]:
        """Where its activities are found in a state."""
        return tuple(Signalled(layout.first + k) for k in range(len(self.neurons(layout))))

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which its law is not smooth: steps end there."""
        return []


def whole_steps(name: str, time: float, step: float) -> int:
    """How many steps a time is."""
    count = round(time / step)
    if count < 1 or abs(time / step - count) > 1e-6 * count:
        raise InputError(f"controller.{name}: {time:g} s is no whole multiple of the step of {step:g} s")
    return count


def chosen_joints(joints: tuple[int, ...] | str, count: int) -> Indices:
    """Numbers of degrees of freedom, of which a robot has so many."""
    if isinstance(joints, str):
        return np.arange(count, dtype=np.int64)
    for number in joints:
        if not 0 <= number < count:
            raise InputError(f"controller.joints: no joint {number}; the robot has joints 0 to {count - 1}")
    if len(set(joints)) < len(joints):
        raise InputError("controller.joints: a joint is named twice")
    return np.array(joints, dtype=np.int64)


def chosen_tendons(tendons: tuple[int, ...], layout: LoopLayout) -> Indices:
    """Numbers of tendons; all of the robot's if none is given."""
    numbers = tendons or tuple(range(layout.tendons))
    wrong = [number for number in numbers if not 0 <= number < layout.tendons]
    if wrong or not numbers:
        raise InputError(f"controller.tendons: {wrong or 'none'}; the robot has {layout.tendons} tendons (from 0)")
    return np.array(numbers, dtype=np.int64)


def one_for_each(value: Any, count: int, name: str, word: str = "oscillators") -> Array:
    """(count,) from one number or one each."""
    numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if len(numbers) not in (1, count):
        raise InputError(
            f"controller.{name}: give one number, or one for each of the {count} {word}; got {len(numbers)}"
        )
    return np.broadcast_to(numbers, (count,)).copy()
