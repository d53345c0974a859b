"""What a search wants: one number as large or as small as possible, others within limits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array, InputError, units
from limbless.search import measures
from limbless.search.measures import Measure

_LIMIT = re.compile(r"\s*([\w.]+(?:@[-+\w.,]+)?)\s*(<=|>=|<|>)\s*([-+0-9.].*?)\s*")
_FORM = "give a measure, <= or >=, and a number, such as 'steady.torque_ratio <= 1' or 'steady.speed >= 40 cm/s'"
PER_JOINT = "steady.torque_ratio"
"""This limit is one for each joint: a maximum over joints has kinks where the largest changes."""


class Evaluation(NamedTuple):
    """Objective and constraints at one point of a search.

    `value` is to be minimised, and `limits` must stay at or below 0. Gradients, along the unit coordinates of the
    search, are given where they exist.
    """

    value: float
    limits: Array
    value_slope: Array | None = None
    limits_slope: Array | None = None

    @property
    def violation(self) -> float:
        return float(np.maximum(self.limits, 0.0).sum()) if len(self.limits) else 0.0


class Limit(NamedTuple):
    """`measure` at most (or at least) `bound`."""

    measure: Measure
    at_most: bool
    bound: float

    def text(self) -> str:
        return f"{self.measure.name} {'<=' if self.at_most else '>='} {self.bound:g}"


class Goal(NamedTuple):
    """What is to be made large or small, and within which limits."""

    measure: Measure
    largest: bool
    limits: tuple[Limit, ...]

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple({item.name: item for item in (self.measure, *(limit.measure for limit in self.limits))}.values())

    @property
    def names(self) -> str:
        """What is evaluated: goals with other measures find nothing of these at the same point."""
        return ", ".join(sorted(item.name for item in self.measures))

    def text(self) -> str:
        limits = "".join(f"{', ' if i else ' subject to '}{limit.text()}" for i, limit in enumerate(self.limits))
        return f"{'maximise' if self.largest else 'minimise'} {self.measure.name}{limits}"


def goal_of(
    maximise: str | Callable[[Any], Any] | None, minimise: str | Callable[[Any], Any] | None, subject_to: Sequence[str]
) -> Goal:
    """A goal from what a user gives."""
    if maximise is not None and minimise is not None:
        raise InputError(
            "give one of maximise and minimise, such as maximise='steady.speed' (both with front=8, for "
            "the best trade-offs)"
        )
    if maximise is None and minimise is None:
        maximise = "progress"
    if isinstance(subject_to, str):
        subject_to = [subject_to]
    wanted = maximise if maximise is not None else minimise
    assert wanted is not None
    return Goal(measures.find(wanted), maximise is not None, tuple(limit_of(text) for text in subject_to))


def limit_of(text: str) -> Limit:
    """`steady.torque_ratio <= 1` as a limit."""
    match = _LIMIT.fullmatch(str(text))
    if not match:
        raise InputError(f"subject_to: {text!r}: {_FORM}")
    measure = measures.find(match[1])
    return Limit(measure, match[2].startswith("<"), _bound(str(text), match[3], measure.unit))


def _bound(text: str, written: str, unit: str) -> float:
    """The number of a limit, which may have a unit that fits the measure's."""
    found = units.spelled_out(written, unit) if unit else written
    try:
        if math.isfinite(float(found)):
            return float(found)
    except ValueError:
        pass
    why = units.refusal(written, unit) if unit else ""
    raise InputError(f"subject_to: {text!r}: {why or _FORM}")


def answer_of(goal: Goal, values: Mapping[str, Any], slopes: Mapping[str, Any] | None = None) -> Evaluation:
    """Numbers of a point as an answer; of a measure with one number per joint there is one limit each.

    values : name of a measure -> number, or an array; slopes likewise, with an axis of coordinates more.
    """
    sign = -1.0 if goal.largest else 1.0
    limits, rises = [], []
    for limit in goal.limits:
        found = np.atleast_1d(np.asarray(values[limit.measure.name], dtype=np.float64))
        turn, scale = (1.0 if limit.at_most else -1.0), abs(limit.bound) or 1.0
        limits.append(turn * (found - limit.bound) / scale)
        if slopes is not None:
            rises.append(turn * np.atleast_2d(slopes[limit.measure.name]) / scale)
    joined = np.concatenate(limits) if limits else np.zeros(0)
    value = sign * float(values[goal.measure.name])
    if not math.isfinite(value) or not np.isfinite(joined).all():
        return Evaluation(math.inf, joined)
    if slopes is None:
        return Evaluation(value, joined)
    slope = sign * np.asarray(slopes[goal.measure.name], dtype=np.float64)
    return Evaluation(value, joined, slope, np.concatenate(rises) if rises else np.zeros((0, len(slope))))
