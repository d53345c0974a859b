"""Workers of one machine: processes that may die at any time, and the loop that fills a store with what they find.

A worker holds nothing. The one writer commits after every chunk; a killed worker costs its chunk, which is given out
again, run by run, so that a run that kills its worker is found and becomes a row with its words.
"""

from __future__ import annotations

import contextlib
import multiprocessing as processes
import pickle
import signal
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from typing import Any

from limbless.core import InputError, SimulationError, spawned
from limbless.mechanics.compiled import TANGENTS as LANES
from limbless.search.sweeps import StoredRow, SweepPlan, kernels

CHUNK_SECONDS = 1.0
"""What a chunk of runs should take: a commit and a message then cost nothing beside it."""
_SILENT = 600.0
Take = Callable[[list[StoredRow]], None]
"""Called with rows as they come."""


def inside_a_worker() -> bool:
    """Whether this process is a worker that is only now importing the script that started it."""
    return bool(getattr(processes.current_process(), "_inheriting", False))


GUARD = (
    "the script runs its sweep again in every worker, because its measure lives in the script itself: put the "
    'lines that run below  if __name__ == "__main__":  (or the measure into a module of its own)'
)


def _work(pipe: Any, packed: bytes) -> None:
    """A worker: chunks of run numbers in, rows out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the writer's affair
    with contextlib.suppress(EOFError, OSError):
        try:
            from limbless.search.sweeps.worker_rows import Evaluator

            evaluator = Evaluator(pickle.loads(packed))
        except Exception as error:
            pipe.send(("refused", f"{type(error).__name__}: {error}"))
            return
        pipe.send(("ready", kernels()))  # from here on a death is the run's, or a kill
        while True:
            pipe.send(("rows", evaluator.rows(pipe.recv())))


class WorkerProcess:
    """A process with its pipe and the chunk it has in hand."""

    def __init__(self, packed: bytes, needs_main: bool) -> None:
        context = processes.get_context("spawn")  # fork would copy threads and open databases
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=_work, args=(far, packed), daemon=True)
        with spawned(needs_main):
            self.process.start()
        far.close()
        self.chunk: list[Any] = []
        self.ready = False


def packed_plan(plan: SweepPlan) -> bytes:
    """A plan as it travels to another process; functions that cannot travel are refused."""
    try:
        return pickle.dumps(plan)
    except Exception as error:
        raise InputError(
            f"this sweep cannot be given to workers ({error}): put the functions of the scenario and of "
            "its measures into a module, or run with workers=0, in this process"
        ) from None


class LocalTeam:
    """Fills a sweep with the rows of some workers of this machine."""

    def __init__(self, plan: SweepPlan, workers: int) -> None:
        self.count, self.packed = workers, packed_plan(plan)
        self.needs_main = any(getattr(item.function, "__module__", "") == "__main__" for item in plan.measure)
        self.team: list[WorkerProcess] = []
        self.seconds = CHUNK_SECONDS  # of one run, as far as is known
        self.stillborn = 0
        self.deaths: dict[int, int] = {}
        self.stopping = False
        self.first = True  # one alone, until kernels are compiled

    def fill(self, todo: Sequence[Any], take: Take, keep: bool = False) -> None:
        """All of `todo` (numbers, or numbers with points); rows go to `take` as they come. `keep` the workers."""
        self.queue, self.again = deque(todo), deque[Any]()
        done = False
        try:
            while self._left() or any(worker.chunk for worker in self.team):
                try:
                    self._hand_out()
                    self._collect(take)
                except KeyboardInterrupt:
                    if self.stopping:
                        raise
                    self.stopping = True  # runs in hand are waited for
            if self.stopping:
                raise KeyboardInterrupt
            done = True
        finally:
            if not (keep and done):
                self.end()

    def _left(self) -> int:
        return 0 if self.stopping else len(self.queue) + len(self.again)

    def _hand_out(self) -> None:
        wanted = 1 if self.first else min(self.count, self._left() + sum(bool(worker.chunk) for worker in self.team))
        while self._left() and len(self.team) < wanted:
            self.team.append(WorkerProcess(self.packed, self.needs_main))
        for worker in self.team:
            if worker.ready and not worker.chunk and self._left():
                worker.chunk = self._next_chunk()
                with contextlib.suppress(OSError):  # it died just now: seen when its pipe is read
                    worker.pipe.send(worker.chunk)

    def _next_chunk(self) -> list[Any]:
        if self.again:
            return [self.again.popleft()]
        fair = -(-len(self.queue) // (4 * self.count))
        size = 1 if self.first else max(1, min(int(CHUNK_SECONDS / max(self.seconds, 1e-6)), fair))
        if not self.first and self.seconds < CHUNK_SECONDS:  # eight side by side take as long as two alone
            size = max(size - size % LANES, LANES)
        return [self.queue.popleft() for _ in range(min(size, len(self.queue)))]

    def _collect(self, take: Take) -> None:
        wait([worker.pipe for worker in self.team], timeout=_SILENT)
        for worker in list(self.team):
            try:
                if worker.pipe.poll():
                    sort, said = worker.pipe.recv()
                    self._hear(worker, sort, said, take)
            except (EOFError, OSError):  # killed: by a user, for its memory, by its run
                self._bury(worker, take)

    def _hear(self, worker: WorkerProcess, sort: str, said: Any, take: Take) -> None:
        if sort == "refused":
            raise InputError(f"a worker could not begin: {said}")
        if sort == "ready":
            worker.ready, self.stillborn = True, 0
            if said != kernels():
                raise InputError(
                    f"the library was edited since this sweep began: a worker runs {said}, this process "
                    f"{kernels()}; start again, so that all rows come from one version"
                )
            return
        take(said)
        worker.chunk, self.first = [], False
        self.seconds = sum(row.wall_time for row in said) / len(said)

    def _bury(self, worker: WorkerProcess, take: Take) -> None:
        self.team.remove(worker)
        worker.process.join()
        if not worker.ready:
            self.stillborn += 1
            if self.needs_main and worker.process.exitcode == 1:
                raise InputError(GUARD)
            if self.stillborn >= 3 * self.count:
                raise SimulationError("workers die before their first run; what they said is above")
        for item in worker.chunk:
            run = item[0] if isinstance(item, tuple) else item
            if len(worker.chunk) == 1:
                self.deaths[run] = self.deaths.get(run, 0) + 1
            if self.deaths.get(run, 0) >= 2:
                take([StoredRow(run, {}, "failed: its worker was killed twice (too little memory?)", 0.0)])
            else:
                self.again.append(item)

    def end(self) -> None:
        """Let the workers go."""
        for worker in self.team:
            worker.pipe.close()
        for worker in self.team:
            if worker.chunk:
                worker.process.terminate()
            worker.process.join()
        self.team = []


class InProcess:
    """Fills a sweep in this process, run by run."""

    def __init__(self, plan: SweepPlan) -> None:
        self.plan = plan

    def fill(self, todo: Sequence[Any], take: Take, keep: bool = False) -> None:
        from limbless.search.sweeps.worker_rows import Evaluator

        evaluator = Evaluator(self.plan)
        size = LANES if evaluator.in_lanes else 1
        for first in range(0, len(todo), size):
            take(evaluator.rows(todo[first : first + size]))

    def end(self) -> None:
        """Nothing to let go."""
