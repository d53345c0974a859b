"""`StandingProblem`: a model's problem, built and packed once and refreshed in place. A block of a run fills it, and so
does a controller that interrupts a run often: each of its periods is then one call from Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.mechanics.compiled import aligned_zeros, pack
from limbless.models import TOO_LARGE, JointTarget, Model, Records, State, Status, TotalsStore, before_failure

_PARTS = (tuple, np.ndarray)
_MOTION = ("position", "velocity", "acceleration")
_LARGE = 1 << 14
"""Numbers of an array of working memory that is never read before it is written, and so not made new."""


def arrays_in(part: Any) -> list[Any]:
    """All arrays of nested tuples."""
    if type(part) is np.ndarray:
        return [part]
    return [array for one in part for array in arrays_in(one)] if isinstance(part, tuple) else []


def with_arrays(part: Any, arrays: Iterator[Any]) -> Any:
    """Nested tuples with these arrays in the places of their own."""
    if isinstance(part, tuple):
        found = [with_arrays(one, arrays) for one in part]
        return type(part)(*found) if hasattr(part, "_fields") else tuple(found)
    return next(arrays) if isinstance(part, np.ndarray) else part


class StandingProblem:
    """Knots, drive, records, tally, state and working memory of a run, as one packed problem. `begin` fills them from a
    state, `go` steps from knot to knot, `leave` takes out the state and the records so far.

    It grows with what it is asked for. A subclass builds the problem of its model and knows what its states remember.
    """

    engine: Any
    """The kernel `advance_part` of an integrator."""

    def __init__(self, model: Model, totals: TotalsStore, size: int) -> None:
        self.model, self._totals = model, totals
        self._steps, self._room, self._least = -1, -1, (0, 0)
        self._drive: Any = None
        self._rows: list[Array] = []
        self._tally, self._x = totals.start({}, 0.0), aligned_zeros(size)
        self._shares, self._spare = 1.0 / self._limits(size), np.zeros(size)
        self._slots = [item.slot for item in model.asked if item.slot is not None]

    # What a model fills in

    def _limits(self, size: int) -> Array:
        """What no number of a state exceeds in a motion."""
        return np.full(size, TOO_LARGE)

    def _build(self, drive: Any, records: int) -> tuple[Any, ...]:
        """What the engine takes, before knots, records and state; `_memory` of it begins anew with each run, and
        `_kept` are its records by name. The drive comes as `_laid_out` gave it.
        """
        raise NotImplementedError

    def _laid_out(self, drive: Any) -> Any:
        """A drive as the problem holds it."""
        return drive

    def _behind(self) -> tuple[Any, ...]:
        """What the engine takes after the state."""
        return ()

    def _restore(self, state: State, knots: Array) -> None:
        """What a state remembers, into the problem."""
        for name, values in self._remembered.items():
            kept = state.memory.get(name)
            if kept is not None and kept.shape == values.shape:
                values[:] = kept

    def _left(self) -> dict[str, Any]:
        """The way back: what the next block needs to know."""
        return {name: np.array(values) for name, values in self._seen.items()}

    def _take(self, last: int) -> None:
        """After steps to this knot: what the drive gives stands in the state."""

    def _status(self, found: int, done: float, records: Records) -> Status:
        """How steps ended that reached this time, where no law has failed; `found` is what the engine said."""
        raise NotImplementedError

    def _records(self, count: int, times: Array) -> Records:
        """The first `count` records."""
        return Records({"time": times, **{name: array[:count].copy() for name, array in self._kept.items()}})

    _kept: Mapping[str, Array]
    _memory: Any
    _remembered: Mapping[str, Array] = {}
    """What a block begins with as the one before it ended: its names in the memory of a state, and where it stands."""
    _live: Mapping[str, Array] = {}
    """What a state's memory has for a controller to see, and no block begins with."""
    _driven: tuple[tuple[int, Any, Any], ...] = ()
    """Rows for each step of a drive that a controller adds to, the drive, and where it is in `_laid_out`."""
    _pushed: type | None = None  # what the last command was
    _of_the_step_that_ended = False
    redrives = True
    """Whether the drive of steps to come may be replaced: nothing is made of it ahead of them."""

    # How it runs

    def reserve(self, steps: int, records: int) -> None:
        """Room for so many of both is made at once, when any is: memory that is not used costs nothing."""
        self._least = (steps, records)

    def begin(self, state: State, knots: Array, record: NDArray[np.bool_], drive: Any) -> None:
        """From a state on over these knots, of which some are recorded."""
        steps, count, asked = len(knots) - 1, int(np.count_nonzero(record)), self._laid_out(drive)
        parts = arrays_in(asked)
        if not self._fits(steps, count, asked, parts):
            self._allocate(steps, count, asked)
        for array, new in self._new:
            array[...] = new
        for kept in self._kept.values():
            kept[:count] = 0.0
        self._knots[: steps + 1], self._record[: steps + 1], self._x[:] = knots, record, state.x
        for own, given in zip(self._rows, parts, strict=True):
            own[: len(given) if len(given) > 1 else None if len(own) == 1 else 4 * steps + 1] = given
        self._totals.refresh(self._tally, state.memory, state.time)
        self._restore(state, knots)
        self._from, self._asked, self._origin = state.memory, asked, 0
        self._pushed = None
        self._here, self._reached, self._r = 0, 0, 0

    def redrive(self, first: int, last: int, drive: Any) -> bool:
        """Another drive from one knot to a later one; False where it takes more room than the one that was begun."""
        asked = self._laid_out(drive)
        parts = arrays_in(asked)
        if not self._fits(last - first, 0, asked, parts):
            return False
        for own, given in zip(self._rows, parts, strict=True):
            per = (len(own) - 1) // self._steps
            own[per * first : per * first + len(given) if len(given) > 1 else per * last + 1] = given
        self._asked, self._origin = asked, first
        return True

    def _fits(self, steps: int, count: int, drive: Any, parts: list[Any]) -> bool:
        if steps > self._steps or count > self._room or type(drive) is not type(self._drive):
            return False
        alike = all(isinstance(part, _PARTS) or part == own for part, own in zip(drive, self._drive, strict=True))
        return alike and all(len(part) <= len(own) for part, own in zip(parts, self._rows, strict=True))

    def _allocate(self, steps: int, count: int, drive: Any) -> None:
        """Room for so many steps and records at least."""
        most, given = max(steps, self._steps, self._least[0], 1), arrays_in(drive)
        rows = [1 if len(part) == 1 else -(-(len(part) - 1) // steps) * most + 1 for part in given]
        if self._drive is not None and type(drive) is type(self._drive):
            rows = [max(one, len(own)) for one, own in zip(rows, self._rows, strict=True)]
        self._rows = [np.zeros((one, *part.shape[1:])) for one, part in zip(rows, given, strict=True)]
        self._drive = with_arrays(drive, iter(self._rows))
        self._steps, self._room = most, 1 << (max(count, self._room, self._least[1], 1) - 1).bit_length()
        self._knots, self._record = np.zeros(most + 1), np.zeros(most + 1, dtype=bool)
        parts = self._build(self._drive, self._room)
        self._new = [(array, array.copy()) for array in arrays_in(self._memory) if array.size <= _LARGE]
        self._seen = {**self._remembered, **self._live}
        self._packed = pack((*parts, self._knots, self._record, self._x, *self._behind()))

    def go(self, last: int, torque: Any = None, closing: bool = True) -> int:
        """Step to knot `last` under torques that are added and held (None: none). Returns 0, or what the engine found.

        `closing`: what was begun ends there, so that its last knot is recorded here and by no later part.
        """
        first, record = self._here, self._record
        if torque is not None or self._pushed:
            self._push(first, last, torque)
        wanted = record[last]
        record[last] = wanted and closing
        found, self._reached = self.engine(self._packed, first, last, self._r)
        self._r += int(np.count_nonzero(record[first : last + 1] if closing else record[first:last]))
        record[last] = wanted
        self._here = last
        self._take(last)
        return found

    def _push(self, first: int, last: int, torque: Any) -> None:
        if not self._driven:
            self.model.with_torque(None, torque)  # refuses it
        target = isinstance(torque, JointTarget)
        added = 0.0 if torque is None or target else self.model.commanded(torque)
        for per, own, asked in self._driven:
            asked, here = asked(self._asked), per * first
            part = slice(here - per * self._origin, per * (last - self._origin) + 1)
            if target or self._pushed is JointTarget:
                moved = asked._replace(**{name: getattr(asked, name)[part] for name in _MOTION})
                moved = self.model.with_torque(moved, torque) if target else moved
                for name in _MOTION:
                    rows = getattr(moved, name)
                    getattr(own, name)[here : here + len(rows)] = rows
            if len(own.torque) == 1:
                np.add(asked.torque, added, out=own.torque)
            else:
                given = asked.torque if len(asked.torque) == 1 else asked.torque[part]
                own.torque[here : per * last + 1] = given + added
        self._pushed = JointTarget if target else None if torque is None else type(torque)

    @property
    def now(self) -> State:
        """Where it is, with what a controller sees; its numbers change with the next `go`."""
        return State(float(self._knots[self._here]), self._x, self._seen)

    def is_sound(self) -> bool:
        """Whether this is still a motion, and no law of a user has failed."""
        np.multiply(self._x, self._shares, out=self._spare)
        if not self._spare.dot(self._spare) < 1.0:
            return False
        return not any(getattr(slot, "error", None) is not None for slot in self._slots)

    def leave(self, found: int = 0) -> tuple[State, Records, Status]:
        """The state, the records so far and how it went, as `Model.advance` returns them."""
        here, count = self._here, self._r
        done = float(self._knots[self._reached])
        records = self._records(count, self._knots[: here + 1][self._record[: here + 1]][:count])
        status = self.model.failure_of_laws(done)
        status = status if status.failure else self._status(found, done, records)
        return self.state(), before_failure(records, status, self._of_the_step_that_ended), status

    def state(self) -> State:
        """Where it is, with all that another run needs to go on from there."""
        tally = {name: array.copy() for name, array in self._totals.named(self._tally).items()}
        return State(float(self._knots[self._reached]), self._x.copy(), {**self._from, **self._left(), **tally})


class StandingModel(Model):
    """A model whose blocks go through a `StandingProblem`."""

    def standing_problem(self) -> StandingProblem:
        """A problem of its own: two runs of one model, or two threads, never share one."""
        raise NotImplementedError

    def advance(
        self, state: State, knots: Array, record: NDArray[np.bool_], drive: Any
    ) -> tuple[State, Records, Status]:
        """Steps from knot to knot."""
        spare: list[StandingProblem] = self.__dict__.setdefault("_spare_problems", [])
        try:
            problem = spare.pop()  # taken away while a block is on its way
        except IndexError:
            problem = self.standing_problem()
        problem.begin(state, knots, record, drive)
        found = problem.leave(problem.go(len(knots) - 1))
        spare.append(problem)
        return found
