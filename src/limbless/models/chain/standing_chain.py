"""The standing problem of a chain in smooth motion, by explicit or implicit steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.core import Array
from limbless.mechanics.chain import ChainDrive
from limbless.mechanics.integrate import dirk, runge_kutta
from limbless.models import TOO_FAST, ImplicitSteps, Records, StandingProblem, State, Status
from limbless.models.chain import smooth_problem
from limbless.models.chain.switching import restore_clamp
from limbless.models.recording.body_recorder import kept_arrays

if TYPE_CHECKING:
    from limbless.models.chain.newton_euler_model import NewtonEuler


class StandingSmooth(StandingProblem):
    """Steps of `runge_kutta`, or of `dirk` where `implicit` says so."""

    def __init__(self, model: Any) -> None:
        self.implicit: ImplicitSteps | None = model.steps
        super().__init__(model, model._tallies, model._size)

    def _engaged(self, problem: Any) -> tuple[Any, ...]:
        """What the engine takes of a problem, which begins anew with each run."""
        self.problem, self._memory = problem, problem.memory
        if self.implicit is None:
            self.engine = runge_kutta.advance_part
            return (problem,)
        self.engine, self._scratch = dirk.advance_part, self.implicit.scratch()
        self._memory = (problem.memory, self._scratch)
        self._remembered = self.implicit.remembered(self._scratch)
        return problem, self.implicit.method, self._scratch


class StandingChain(StandingSmooth):
    model: NewtonEuler

    def _restore(self, state: State, knots: Array) -> None:
        super()._restore(state, knots)
        restore_clamp(self.problem.memory.clamp, state.memory)

    def _limits(self, size: int) -> Array:
        limits, model = super()._limits(size), self.model
        limits[model._split :][:6], limits[model._rates] = TOO_FAST, TOO_FAST
        return limits

    def _laid_out(self, drive: ChainDrive) -> Any:
        """Implicit steps take knots and middles, and the quarters between them."""
        return drive if self.implicit is None else (smooth_problem.halves(drive), drive)

    def _build(self, drive: Any, records: int) -> tuple[Any, ...]:
        model = self.model
        problem = model.problem(
            drive if self.implicit is None else drive[1], records, self._tally, model._tallies.records(records)
        )
        self._driven = ((2, drive, lambda asked: asked),) if self.implicit is None else ()
        if self.implicit is not None:
            problem = problem._replace(drive=drive[0])
            self._driven = ((2, drive[0], lambda asked: asked[0]), (4, drive[1], lambda asked: asked[1]))
        self._kept = kept_arrays(problem.records)
        return self._engaged(problem)

    def _take(self, last: int) -> None:
        asked = self._asked if self.implicit is None else self._asked[0]
        self.model._take_given(self._x, asked, 2 * (last - self._origin))

    def _status(self, found: int, done: float, records: Records) -> Status:
        return self.model.status_at(found, done, records)
