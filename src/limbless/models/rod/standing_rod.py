"""The standing problem of a rod that no contact holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.integrate import runge_kutta
from limbless.mechanics.rod.tables import HeadState, InstantRecord, RodDrive, Strains
from limbless.models.base import Records, Status, law_failure
from limbless.models.rod.rod_recorder import instants_from, kept_arrays
from limbless.models.standing_problem import StandingProblem, arrays_in, with_arrays

if TYPE_CHECKING:
    from limbless.models.rod.rod_model import MacroContinuous

Array = NDArray[np.float64]


class StandingRod(StandingProblem):
    model: MacroContinuous
    engine = staticmethod(runge_kutta.advance_part)

    def __init__(self, model: MacroContinuous) -> None:
        super().__init__(model, model.tallies, HeadState.width)

    def _laid_out(self, drive: Any) -> RodDrive:
        return RodDrive(Strains(*drive), self.model.recorder.passive_power(drive.value, drive.rate))

    def _build(self, drive: RodDrive, records: int) -> tuple[Any, ...]:
        self.problem = self.model._problem(drive, self._tally, records)
        self._memory, self._kept = self.problem.memory, dict(enumerate(arrays_in(self.problem.records)))
        return (self.problem,)

    def go(self, last: int, torque: Any = None, closing: bool = True) -> int:
        super().go(last, torque, closing)
        self._closed = closing and bool(self._record[last])
        failed = int(self.problem.memory.failed[0])  # also within the last step, at whose end nothing was asked
        if failed:
            self._reached = (failed - 1) // 2
        return failed

    def _records(self, count: int, times: Array) -> Records:
        """Works of what is passive come from the gait; without inertia the twist is that of the last instant."""
        here, passive, last = self._here, self._asked.passive[: 2 * self._here + 1], HeadState.of(self._x)
        h = np.diff(self._knots[: here + 1])
        paid = np.concatenate([[0.0], np.cumsum(h / 6.0 * (passive[0:-2:2] + 4.0 * passive[1::2] + passive[2::2]))])
        kept = with_arrays(self.problem.records, (array[:count].copy() for array in self._kept.values()))
        HeadState.of(kept.x).passive[:] += paid[self._record[: here + 1]][:count]
        last.passive[...] += paid[-1]
        if self.model._options.inertialess and self._closed and not self.problem.memory.failed[0]:
            last.motion[:] = InstantRecord.of(kept.instants).twist[-1]
        now = instants_from(times, kept, self._drive.strains)
        return Records({**kept_arrays(now, None), **self._totals.named(kept.tally)})

    def _status(self, found: int, done: float, records: Records) -> Status:
        status = law_failure(self.model.environment)
        if found and not status.failure:
            status = Status(
                "the forces leave the motion of the head undetermined (without inertia every direction "
                "needs a drag); add a drag, or set model.inertia: true",
                done,
                "the head",
            )
        return status
