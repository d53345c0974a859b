"""The standing problem of a soft body among hard things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array
from limbless.mechanics.contact import ENDS, SINGULAR, CellRecord, StepCounters
from limbless.models import Records, State, Status
from limbless.models.chain.contact.contact_recorder import touch_arrays
from limbless.models.chain.contact.standing_contact import LAST, STEP, StandingHard
from limbless.models.chain.soft import contact_tables
from limbless.models.chain.soft.standing_soft import LAST_TENDONS, singular, unsolved
from limbless.models.recording.body_recorder import kept_arrays

if TYPE_CHECKING:
    from limbless.models.chain.soft.contact_model import SoftContact

BASE, FELT = "last_base", "last_touch"  # in the memory of a state, beside what `standing_contact` keeps there


class StandingTouch(StandingHard):
    """Steps whose stage lies at `theta`, or where the model has it."""

    model: SoftContact

    def __init__(self, model: SoftContact, theta: float | None = None) -> None:
        self._theta = theta
        super().__init__(model, model._tallies, model._where.end)

    def _build(self, drive: Any, records: int) -> tuple[Any, ...]:
        model = self.model
        memory: Any = contact_tables.memory_for(model, drive, records, self._tally)
        kept: Any = contact_tables.records_for(model, memory, records, model._tallies.records(records))
        self.problem, self._saving = model.contact_problem(drive, memory, kept, self._theta)
        self._memory = memory = self.problem.memory
        more, tendons = CellRecord.of(kept.own), memory.chain.cells.kept
        self._kept = {**kept_arrays(kept.chain), **touch_arrays(kept)}
        self._kept |= {"tendons": tendons, "iterations": more.passes, "numerical": more.numerical}
        self._clock = memory.step.cells.clock
        self._remembered = {
            LAST[0]: memory.step.contacts,
            LAST[1]: memory.outcomes,
            BASE: memory.step.base,
            STEP: self._clock[3:],
            **({} if model._loop is None else {FELT: memory.chain.touch}),
        }
        self._live = {LAST_TENDONS: memory.chain.cells.pulls} if model.tendons else {}
        return (self.problem,)

    def _behind(self) -> tuple[Any, ...]:
        return (np.zeros(1),)

    def _restore(self, state: State, knots: Array) -> None:
        super()._restore(state, knots)
        self._clock[2] = knots[0]

    def _left(self) -> dict[str, Any]:
        counts = self._memory.step.cells.counts
        told = self._told(*counts[2:4])
        counts[2:4] = 0.0
        return told | super()._left()

    def _status(self, found: int, done: float, records: Records) -> Status:
        """How a block ended, in a sentence."""
        if found > SINGULAR:
            return singular(self.model, found - SINGULAR, done)
        within = StepCounters.of(self._memory.counts).last[0] <= self.model._options.bound
        if found and found not in (ENDS.sunk, ENDS.crowded) and within:
            return unsolved(self.model, done, self._memory.chain)
        return self._failed(found, done) if found else Status()
