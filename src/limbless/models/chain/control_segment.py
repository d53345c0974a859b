"""`ControlSegment`: some control periods of a run in memory that is laid out once; each
period is one call from Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import ChainDrive, packed_segment
from limbless.mechanics.compiled import aligned_zeros
from limbless.models.base import Records, State, Status, before_failure
from limbless.models.chain import chain_problem
from limbless.models.divergence import TOO_FAST, TOO_LARGE
from limbless.models.recording.body_recorder import kept_arrays

if TYPE_CHECKING:
    from limbless.models.chain.newton_euler_model import NewtonEuler

Array = NDArray[np.float64]


class ControlSegment:
    """Knots, drive, records and tally of so many steps. `begin` fills them, `go` steps from knot to knot, `leave` takes
    out the state and the records so far.
    """

    def __init__(self, model: NewtonEuler, steps: int) -> None:
        self.model, self.steps = model, steps
        self._knots, self._record = np.zeros(steps + 1), np.zeros(steps + 1, dtype=bool)
        self._span = np.zeros(6, dtype=np.int64)
        self._x = aligned_zeros(model._size)
        limits = np.full(model._size, TOO_LARGE)
        limits[model._split :][:6], limits[model._rates] = TOO_FAST, TOO_FAST
        self._shares, self._room = 1.0 / limits, np.zeros(model._size)
        self._slots = any(item.slot is not None for item in model.environment)
        self._held: Any = None
        self._drive: Any = None

    def begin(self, state: State, knots: Array, record: NDArray[np.bool_], drive: ChainDrive) -> None:
        """From a state on over these knots, of which some are recorded."""
        if self._held is None or [len(part) == 1 for part in drive] != [len(part) == 1 for part in self._drive]:
            self._allocate(drive)
        self._memory, self._asked, last = state.memory, drive, len(knots) - 1
        self._knots[: last + 1], self._record[: last + 1] = knots, record
        self._rows, self._times = np.concatenate([[0], np.cumsum(record)]).tolist(), knots.tolist()
        self._x[:] = state.x
        for own, asked in zip(self._drive, drive, strict=True):
            own[: len(asked)] = asked
        for own, kept in zip(self._tally, self.model._tallies.start(state.memory, state.time), strict=True):
            own[:] = kept
        self._here, self._closing = 0, False

    def _allocate(self, drive: ChainDrive) -> None:
        model = self.model
        rows = [1 if len(part) == 1 else 2 * self.steps + 1 for part in drive]
        self._drive = ChainDrive(*(np.zeros((count, part.shape[1])) for count, part in zip(rows, drive, strict=True)))
        self._tally = model._tallies.start({}, 0.0)
        problem = model.problem(self._drive, 0, self._tally, model._tallies.records(0))
        count = self.steps + 1
        self._kept = chain_problem.records_of(model._actuated, count, model._tallies.records(count))
        problem = problem._replace(records=self._kept)
        self._held = packed_segment(problem, self._knots, self._record, self._x, self._span)

    def go(self, last: int, torque: Any, closing: bool) -> int:
        """Step to knot `last` under torques that are added and held (None: none). Returns 0, or what `trouble` said.

        `closing`: the run ends there, so that its last knot is recorded here and by no later stretch.
        """
        first, span, asked = self._here, self._span, self._asked.torque
        own = self._drive.torque
        added = 0.0 if torque is None else self.model.commanded(torque)
        if len(asked) == 1:
            np.add(asked, added, out=own)
        else:
            np.add(asked[2 * first : 2 * last + 1], added, out=own[2 * first : 2 * last + 1])
        span[0], span[1], span[2], span[3], span[4] = first, last, 2 * first, self._rows[first], closing
        found = self._held()
        self._here, self._closing = last, closing
        self.model._take_given(self._x, self._asked, 2 * last)
        return found

    @property
    def now(self) -> State:
        """Where it is, without what must be remembered; its numbers change with the next `go`."""
        return State(self._times[self._here], self._x)

    def is_sound(self) -> bool:
        """Whether this is still a motion, and no law of a user has failed."""
        np.multiply(self._x, self._shares, out=self._room)
        return self._room.dot(self._room) < 1.0 and not (self._slots and self._failed())

    def _failed(self) -> bool:
        return any(item.slot is not None and item.slot.error is not None for item in self.model.environment)

    def leave(self, found: int = 0) -> tuple[State, Records, Status]:
        """The state, the records so far and how it went, as `advance` returns them."""
        reached = float(self._knots[self._span[5]])
        status = self.model.status_at(found, reached)
        count = self._rows[self._here] + int(self._closing and self._record[self._here])
        keep = self._record[: self._here + 1]
        times = self._knots[: self._here + 1][keep][:count]
        records = Records(
            {"time": times, **{name: array[:count].copy() for name, array in kept_arrays(self._kept).items()}}
        )
        tally = {name: array.copy() for name, array in self.model._tallies.named(self._tally).items()}
        after = State(reached if found else float(self._knots[self._here]), self._x.copy(), {**self._memory, **tally})
        return after, before_failure(records, status), status
