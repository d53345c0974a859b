"""Searches that are asked for points and told what came out: SLSQP from several starts, and CMA-ES.

A search knows nothing of robots: points are shares from 0 to 1 between bounds. The loop, and who evaluates, is the
caller's.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from queue import Queue
from typing import Any, cast

import numpy as np

from limbless.core import Array, InputError
from limbless.search.optimisation.goals import Evaluation

PENALTY = 10.0
"""Of a unit of violation, in units of the first value: CMA-ES compares points by value and penalty."""
WORST = 1e6


class Search:
    """An ask-and-tell optimiser.

    `best` is the best evaluation so far, and `done` is True when the search has no further points.
    """

    done = False

    def __init__(self) -> None:
        self.history: list[tuple[Array, Evaluation]] = []

    def ask(self, count: int | None = None) -> list[Array]:
        """Points to evaluate next, all of which are to be told."""
        raise NotImplementedError

    def tell(self, points: Sequence[Array], answers: Sequence[Evaluation | float]) -> None:
        """What came out at points that were asked for."""
        made = [
            answer if isinstance(answer, Evaluation) else Evaluation(float(answer), np.zeros(0)) for answer in answers
        ]
        self.history += list(zip(points, made, strict=True))
        self._take(points, made)

    def _take(self, points: Sequence[Array], answers: Sequence[Evaluation]) -> None:
        raise NotImplementedError

    @property
    def best(self) -> tuple[Array, Evaluation] | None:
        """The best point within its limits (to 1e-6), or the one that violates them least."""
        sound = [(point, answer) for point, answer in self.history if math.isfinite(answer.value)]
        return min(sound, key=lambda item: (max(item[1].violation - 1e-6, 0.0), item[1].value), default=None)

    def end(self) -> None:
        """Nothing more will be told."""


class Gradient(Search):
    """SLSQP from several starting points, with exact derivatives; each start asks for one point at a time."""

    def __init__(self, starts: Sequence[Array], tolerance: float = 1e-8, max_iterations: int = 80) -> None:
        super().__init__()
        self.starts = [_Start(np.asarray(start, dtype=np.float64), tolerance, max_iterations) for start in starts]

    def ask(self, count: int | None = None) -> list[Array]:
        waiting = [start for start in self.starts if start.wants()]
        self.asked = waiting[:count]
        self.done = not waiting
        return [start.point for start in self.asked]

    def _take(self, points: Sequence[Array], answers: Sequence[Evaluation]) -> None:
        for start, answer in zip(self.asked, answers, strict=True):
            start.answer(answer)

    @property
    def ends(self) -> list[tuple[Array, Evaluation | None]]:
        """Where each start ended."""
        return [(start.end_point, start.end_answer) for start in self.starts]

    def end(self) -> None:
        for start in self.starts:
            start.stop()


class _Stopped(Exception):
    pass


class _Start:
    """One run of SLSQP in a thread of its own, which waits at every point for its answer."""

    def __init__(self, start: Array, tolerance: float, max_iterations: int) -> None:
        self.start, self.tolerance, self.max_iterations = start, tolerance, max_iterations
        self.known: dict[bytes, Evaluation] = {}
        self.questions: Queue[Array | None] = Queue()
        self.answers: Queue[Evaluation | None] = Queue()
        self.scale: float | None = None
        self.end_point, self.end_answer = start, cast("Evaluation | None", None)
        self.finished, self.pending = False, False
        self.thread: threading.Thread | None = None

    def wants(self) -> bool:
        """Whether it asks for a point, `point`; waits until that is known."""
        if self.finished or self.pending:
            return self.pending
        if self.thread is None:
            self.thread = threading.Thread(target=self._minimise, daemon=True)
            self.thread.start()
        question = self.questions.get()
        if question is None:
            self.finished = True
            return False
        self.point, self.pending = question, True
        return True

    def answer(self, answer: Evaluation) -> None:
        self.pending = False
        self.answers.put(answer)

    def stop(self) -> None:
        if self.thread is not None and not self.finished:
            self.answers.put(None)
            self.thread.join(timeout=5.0)

    def _at(self, u: Array) -> Evaluation:
        point = np.clip(u, 0.0, 1.0)
        key = point.tobytes()
        if key not in self.known:
            self.questions.put(point.copy())
            answer = self.answers.get()
            if answer is None:
                raise _Stopped
            self.known[key] = answer
        return self.known[key]

    def _minimise(self) -> None:
        from scipy.optimize import minimize

        try:
            first = self._at(self.start)
            if not math.isfinite(first.value):
                return
            scale = abs(first.value) or 1.0
            worst = 10.0 * scale

            def value(u: Array) -> float:
                found = self._at(u).value
                return (found if math.isfinite(found) else worst) / scale

            def value_slope(u: Array) -> Array:
                slope = self._at(u).value_slope
                return np.zeros(len(u)) if slope is None else slope / scale

            count = len(first.limits)
            limits = (
                [
                    {
                        "type": "ineq",
                        "fun": lambda u: -self._limits(u, count),
                        "jac": lambda u: -self._limits_slope(u, count),
                    }
                ]
                if count
                else []
            )
            found = minimize(
                value,
                self.start,
                jac=value_slope,
                bounds=[(0.0, 1.0)] * len(self.start),
                method="SLSQP",
                constraints=limits,
                options={"maxiter": self.max_iterations, "ftol": self.tolerance},
            )
            self.end_point = np.clip(found.x, 0.0, 1.0)
            self.end_answer = self._at(self.end_point)
        except _Stopped:
            pass
        finally:
            self.questions.put(None)

    def _limits(self, u: Array, count: int) -> Array:
        found = self._at(u).limits
        return found if len(found) == count else np.ones(count)

    def _limits_slope(self, u: Array, count: int) -> Array:
        found = self._at(u).limits_slope
        return found if found is not None and len(found) == count else np.zeros((count, len(u)))


class Evolution(Search):
    """CMA-ES between bounds, in batches; it needs no derivatives."""

    def __init__(
        self,
        start: Array,
        width: float = 0.25,
        population: int | None = None,
        max_evaluations: int = 400,
        seed: int = 1,
        tolerance: float = 1e-4,
    ) -> None:
        super().__init__()
        cma = needed_cma()
        size = population or max(8, 4 + int(3 * math.log(len(start))))
        self.max_evaluations, self.told, self.scale = max_evaluations, 0, 1.0
        self.engine: Any = cma.CMAEvolutionStrategy(
            list(start),
            width,
            {
                "bounds": [0.0, 1.0],
                "popsize": size,
                "seed": seed,
                "verbose": -9,
                "tolx": tolerance,
                "tolfun": 1e-9,
                "CMA_stds": None,
                "maxstd": math.inf if len(start) == 1 else None,  # of a single number cma cannot bound it
                "verb_log": 0,
            },
        )
        self.waiting: list[Array] = []

    def ask(self, count: int | None = None) -> list[Array]:
        if not self.waiting:
            self.done = bool(self.engine.stop()) or self.told >= self.max_evaluations
            if self.done:
                return []
            self.waiting = [np.asarray(point, dtype=np.float64) for point in self.engine.ask()]
            self.batch: list[tuple[Array, float]] = []
        asked, self.waiting = self.waiting[:count], self.waiting[len(self.waiting[:count]) :]
        return asked

    def _take(self, points: Sequence[Array], answers: Sequence[Evaluation]) -> None:
        self.told += len(points)
        sound = [abs(answer.value) for answer in answers if math.isfinite(answer.value)]
        if self.told == len(points) and sound:
            self.scale = max(float(np.median(sound)), 1e-12)
        for point, answer in zip(points, answers, strict=True):
            cost = answer.value / self.scale + PENALTY * answer.violation if math.isfinite(answer.value) else WORST
            self.batch.append((point, cost))
        if not self.waiting:
            self.engine.tell([point for point, _ in self.batch], [cost for _, cost in self.batch])


def needed_cma() -> Any:
    """The package that CMA-ES comes from."""
    try:
        import cma
    except ImportError:
        raise InputError("CMA-ES comes with the extra `search`: pip install 'limbless[search]'") from None
    return cma
