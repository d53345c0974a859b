"""The standing problem of a soft body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array
from limbless.mechanics.integrate import dirk
from limbless.models.base import Records, Status, law_failure
from limbless.models.chain.soft import failure_messages
from limbless.models.chain.standing_chain import StandingSmooth
from limbless.models.recording.body_recorder import kept_arrays

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_model import Soft


LAST_TENDONS = "last_tendons"
"""In the memory of a state: the `TendonState` of the last step."""


class StandingSoft(StandingSmooth):
    model: Soft

    def __init__(self, model: Soft) -> None:
        self.implicit = model.steps
        super().__init__(model, model._tallies, model._size)

    def _build(self, drive: Any, records: int) -> tuple[Any, ...]:
        problem = self.model.problem(drive, records, self._tally, self._totals.records(records))
        self._kept = kept_arrays(problem.records) | {"tendons": problem.memory.cells.kept}
        self._live = {LAST_TENDONS: np.asarray(problem.memory.cells.pulls)} if self.model.tendons else {}
        return self._engaged(problem)

    def _records(self, count: int, times: Array) -> Records:
        evaluations = 4.0
        if self.implicit is not None:
            evaluations = float(self._scratch.counts[0] / max(self._scratch.counts[1], 1))
        return Records({**super()._records(count, times), "iterations": np.full(count, evaluations)})

    def _take(self, last: int) -> None:
        model = self.model
        if len(model._given):
            row = 4 * (last - self._origin)
            position, velocity = self._asked.position[row], self._asked.velocity[row]
            self._x[7 + model._given], self._x[model._split + 6 + model._given] = position, velocity

    def _status(self, found: int, done: float, records: Records) -> Status:
        model, status = self.model, law_failure(self.model.asked)
        status = status if status.failure else model.lawful.failure(done)
        if found and not status.failure:
            status = failure_messages.lost(model, done, self.problem)
        if found and not status.failure:
            status = failure_messages.stopped(model, done, float(self._knots[1] - self._knots[0]))
        if found and not status.failure:
            status = (
                failure_messages.unsolved(model, done, self.problem.memory)
                if found == dirk.UNSOLVED
                else failure_messages.singular(model, found, done)
            )
        return status
