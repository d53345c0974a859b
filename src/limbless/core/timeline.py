"""Where the steps of a run begin and end, and which of these times are kept: the same for a whole run and
for one that is continued.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Numbers, of whatever shape."""
WINDOW = 2**16
"""Steps that are laid out ahead: a run of a billion steps does not need a list of them all."""


def knots_between(start: float, end: float, step: float, breakpoints: Sequence[float]) -> Array:
    """Where steps begin and end: multiples of `step` counted from time 0, the breakpoints, and both ends.

    Counting from 0, and not from `start`, makes a continued run step at the very same times as an uninterrupted one.
    """
    first, last = math.floor(start / step) + 1, math.ceil(end / step)
    times = np.concatenate([np.arange(first, last + 1) * step, np.asarray(breakpoints, dtype=np.float64)])
    slack = 1e-9 * step
    inner = np.sort(times[(start + slack < times) & (times < end - slack)])
    knots = np.concatenate([[start], inner, [end]])
    return knots[np.concatenate([[True], np.diff(knots) > slack])]


def blocks_between(
    start: float, end: float, step: float, breakpoints: Callable[[float, float], Sequence[float]], size: int
) -> Iterator[Array]:
    """The knots from `start` to `end` in pieces of `size` steps, each beginning where the one before ended.

    Breakpoints are asked for window by window; windows end at multiples of the step counted from time 0, whatever the
    start.
    """
    ahead = np.array([start])
    while ahead[-1] < end:
        after = (math.floor(ahead[-1] / (WINDOW * step) + 1e-9) + 1) * (WINDOW * step)
        last = end if after > end - step else after
        ahead = np.concatenate(
            [ahead, knots_between(float(ahead[-1]), last, step, breakpoints(float(ahead[-1]), last))[1:]]
        )
        while len(ahead) > size + 1 or (len(ahead) > 1 and ahead[-1] == end):
            yield ahead[: size + 1]
            ahead = ahead[min(size, len(ahead) - 1) :]


def knots_among(marks: Array, step: float, breakpoints: Sequence[float]) -> tuple[Array, list[int]]:
    """The knots from the first mark to the last, every mark among them, and where in them the marks are: those that
    `knots_between` gives from mark to mark, one after another.
    """
    first, last, slack = math.floor(marks[0] / step) + 1, math.ceil(marks[-1] / step), 1e-9 * step
    times = np.sort(np.concatenate([np.arange(first, last + 1) * step, np.asarray(breakpoints, dtype=np.float64)]))
    after = np.searchsorted(marks, times).clip(1, len(marks) - 1)
    inner = times[(times > marks[after - 1] + slack) & (times < marks[after] - slack)]
    inner = inner[np.diff(inner, prepend=-np.inf) > slack]
    places = np.searchsorted(inner, marks) + np.arange(len(marks))
    return np.insert(inner, np.searchsorted(inner, marks), marks), places.tolist()


def parted(knots: Array, jumps: Sequence[float]) -> list[Array]:
    """Knots in parts that end at these of them; the next part begins with the same knot."""
    cuts = sorted({int(np.abs(knots[1:-1] - jump).argmin()) + 1 for jump in jumps} if len(knots) > 2 else ())
    return [knots[first : last + 1] for first, last in itertools.pairwise([0, *cuts, len(knots) - 1])]


def on_grid(time: float, step: float) -> float:
    """A time that is a multiple of the step but for rounding, as that multiple: a continued run then ends where the
    whole one does.
    """
    multiple = round(time / step) * step
    return multiple if abs(multiple - time) < 1e-9 * step else time


def stage_times(knots: Array) -> Array:
    """Knots and the middles between them: the times at which a Runge-Kutta step asks for the drive."""
    times = np.empty((2 * len(knots) - 1, *knots.shape[1:]))
    times[::2], times[1::2] = knots, 0.5 * (knots[:-1] + knots[1:])
    return times


def recorded(knots: Array, every: float, end: float) -> NDArray[np.bool_]:
    """Which knots are multiples of `every`; the end always is one of them."""
    return (np.abs(knots / every - np.rint(knots / every)) * every < 1e-6 * every) | (knots == end)


LOOKS = 61
"""Intervals between looks: prime, so that a gait is not always looked at in the same phase."""


class Looks:
    """The knots at which a run is looked at for its proof and its summary, whatever is recorded.

    Some sixty of them, evenly from the first to the last, and those around the last two marks of whole periods, counted
    back from the end.
    """

    def __init__(self, start: float, end: float, step: float, period: float | None) -> None:
        self.start, self.end, self.step, self.spacing = start, end, step, (end - start) / LOOKS
        self.marks = [] if not period else [end - number * period for number in (1, 2)]
        self._taken = -1.0

    def among(self, knots: Array) -> NDArray[np.bool_]:
        """Which knots of a block, of those that come one after another; the last belongs to the
        next block, but for the end.
        """
        self._before, number = self._taken, np.floor((knots - self.start) / self.spacing + 1e-6)
        chosen = number > np.concatenate([[self._taken], number[:-1]])
        self._taken = number[-2]
        for mark in self.marks:
            chosen |= np.abs(knots - mark) <= 1.001 * self.step
        return chosen | (knots == self.end)

    def back_to(self, knots: Array, last: int) -> None:
        """Of these knots, asked for with `among`, only those until `last` have come: the next block begins there."""
        self._taken = float(np.floor((knots[last - 1] - self.start) / self.spacing + 1e-6)) if last else self._before
