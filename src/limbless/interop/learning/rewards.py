"""Terms of a reward, by name. Each is a function of what was seen before and after an action, for one robot or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from limbless.core import Array, InputError, refuse_unknown
from limbless.interop.learning.controlled_run import ControlledRun, Observed

Term = Callable[[Observed, Observed, Array, Array, ControlledRun], Any]
"""term(before, after, action, last action, world) -> a number, or one per robot"""


def displacement(before: Observed, after: Observed, action: Array, last: Array, world: ControlledRun) -> Any:
    """m, of the base, in the direction in which the head looked at the start."""
    (x, y), one, two = world.course, before.values, after.values
    if two.ndim == 1:  # plain numbers are several times as fast as arrays of one
        return (two.item(0) - one.item(0)) * x + (two.item(1) - one.item(1)) * y
    return (two[:, 0] - one[:, 0]) * x + (two[:, 1] - one[:, 1]) * y


def forward_speed(before: Observed, after: Observed, action: Array, last: Array, world: ControlledRun) -> Any:
    """m/s: displacement over the control period."""
    return displacement(before, after, action, last, world) / world.period


def heading_error(before: Observed, after: Observed, action: Array, last: Array, world: ControlledRun) -> Any:
    """rad: angle between where the head looks and where it looked at the start, or the target."""
    sine, cosine = after.heading
    x, y = world.wanted(after)
    return np.abs(np.arctan2(sine * x - cosine * y, cosine * x + sine * y))


def power(before: Observed, after: Observed, action: Array, last: Array, world: ControlledRun) -> Any:
    """W: mean power of the actuators, from their integrated work."""
    return (after.work - before.work) / world.period


def torque(before: Observed, after: Observed, action: Array, last: Array, world: ControlledRun) -> Any:
    """1: sum of the squares of the actions (torques as shares of their limits)."""
    return _squares(action)


def smoothness(before: Observed, after: Observed, action: Array, last: Array, world: ControlledRun) -> Any:
    """1: sum of the squares of the changes of the actions."""
    return _squares(action - last)


def _squares(values: Array) -> Any:
    return values.dot(values) if values.ndim == 1 else np.einsum("ij,ij->i", values, values)


def alive(before: Observed, after: Observed, action: Array, last: Array, world: ControlledRun) -> Any:
    """1 for every step."""
    return 1.0


TERMS: dict[str, Term] = {
    term.__name__: term for term in (alive, displacement, forward_speed, heading_error, power, smoothness, torque)
}


def chosen(reward: Mapping[str, float], world: ControlledRun) -> dict[str, tuple[float, Term]]:
    """The terms of a reward with their weights."""
    refuse_unknown(reward, TERMS, "reward: there is no term")
    if "power" in reward and not world.knows_work:
        raise InputError(
            "reward: the term 'power' needs a model that integrates the work of its actuators: newton-euler"
        )
    return {name: (float(weight), TERMS[name]) for name, weight in reward.items()}
