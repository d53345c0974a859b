"""The standing problem of a chain among hard things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array
from limbless.mechanics.contact import ENDS, ContactRow, StepCounters
from limbless.mechanics.integrate import moreau
from limbless.models import TOO_FAST, Records, StandingProblem, State, Status, law_failure
from limbless.models.chain.contact import contact_messages, contact_recorder, contact_scene
from limbless.models.chain.switching import remembered_clamp, restore_clamp

if TYPE_CHECKING:
    from limbless.models.chain.contact.nonsmooth_model import NonSmooth

# In the memory of a state: worst residual and greatest depth since the last record, and what the last step did, since a
# knot records the step that ended
UNRECORDED = "unrecorded"
LAST = ("last_contacts", "last_outcomes")
STEP = "last_step"  # its length, s


class StandingHard(StandingProblem):
    """Steps of Moreau's scheme, of a chain or of a soft body."""

    model: Any
    _saving: Any
    engine = staticmethod(moreau.advance_part)
    _of_the_step_that_ended = True

    def _restore(self, state: State, knots: Array) -> None:
        self.model.refuse_start(state, knots)
        now = StepCounters.of(self._memory.counts)
        now.residual[0], now.depth[0] = state.memory.get(UNRECORDED, (0.0, 0.0))

    def go(self, last: int, torque: Any = None, closing: bool = True) -> int:
        found = super().go(last, torque, closing)
        if self._saving.error is not None:
            raise self._saving.error
        return found

    def _told(self, *solve: Any) -> dict[str, Any]:
        """Counts go to the model and begin anew; what no record holds yet stays in the state."""
        now = StepCounters.of(self._memory.counts)
        self.model.count(now, *solve)
        now.steps[0] = now.iterations[0] = now.fallbacks[0] = 0.0
        return {UNRECORDED: np.array([now.residual[0], now.depth[0]])}

    def _failed(self, found: int, done: float) -> Status:
        """What the contacts did not let pass, in a sentence."""
        model, now = self.model, StepCounters.of(self._memory.counts)
        contacts = ContactRow.of(self._memory.step.contacts)
        if found == ENDS.sunk:
            deepest, end = int(now.deepest[0]), float(self._knots[min(self._reached + 1, self._here)])
            return model._meetings.sunk(deepest, -float(contacts.gap[deepest]), done, end - done)
        if found == ENDS.crowded:
            return contact_messages.crowded(done)
        return model._meetings.unsolved(done, now.last[0], model._options.bound, np.asarray(contacts.load))


class StandingContact(StandingHard):
    model: NonSmooth

    def __init__(self, model: NonSmooth) -> None:
        self._before, self._length = np.zeros(1), np.ones(1)  # s: of the step before knot 0, and of the last step
        super().__init__(model, model._tallies, model._where.end)

    def _limits(self, size: int) -> Array:
        limits, model = super()._limits(size), self.model
        limits[model._split :][:6], limits[model._rates] = TOO_FAST, TOO_FAST
        return limits

    def _build(self, drive: Any, records: int) -> tuple[Any, ...]:
        model = self.model
        memory = model._memory(self._tally)
        kept = contact_scene.records_for(
            model._actuated,
            len(model._scene.owner),
            len(model._objects),
            records,
            model._tallies.records(records),
            model._controlled,
        )
        self.problem, self._saving = model.problem(drive, memory, kept)
        per = 1 if model._feedback and not model._both_ends else 2
        self._memory, self._driven = memory, ((per, drive, lambda asked: asked),)
        self._kept = contact_recorder.kept_arrays(kept) | model._tallies.named(kept.tally)
        self._last = (memory.step.contacts, memory.outcomes)
        self._live = {**dict(zip(LAST, self._last, strict=True)), STEP: self._length}
        return (self.problem,)

    def _behind(self) -> tuple[Any, ...]:
        return (self._before,)

    def _restore(self, state: State, knots: Array) -> None:
        super()._restore(state, knots)
        remembered = state.memory
        for name, values in zip(LAST, self._last, strict=True):
            if name in remembered and remembered[name].shape == values.shape:
                values[:] = remembered[name]
        restore_clamp(self._memory.chain.clamp, remembered)
        self._before[:] = remembered.get(STEP, 0.0)
        self._length[:] = remembered.get(STEP, 1.0)

    def _take(self, last: int) -> None:
        if last > 0 and self._knots[last] > self._knots[last - 1]:
            self._length[0] = self._knots[last] - self._knots[last - 1]

    def _left(self) -> dict[str, Any]:
        left = self._told()
        left |= {name: values.copy() for name, values in zip(LAST, self._last, strict=True)}
        left |= remembered_clamp(self._memory.chain.clamp, self._from)
        knots, last = self._knots, self._here
        if last > 0 and knots[last] > knots[0]:
            left[STEP] = self._length.copy()
        return left

    def _status(self, found: int, done: float, records: Records) -> Status:
        status = law_failure(self.model.asked)
        if status.failure or not found:  # whatever else went wrong follows from that
            return status
        return self._failed(found, done)
