"""Rows from a dask cluster: one task is one chunk, results come to the client, which is the one writer.

The library starts no cluster: it is given a `Client`, or the address of a scheduler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from limbless.core import InputError
from limbless.search.sweeps import CHUNK_SECONDS, StoredRow, SweepPlan, Take, kernels, packed_plan

WINDOW = 4
"""Chunks per worker that are given out at a time, never all: a scheduler keeps what it knows of each."""


def _work(packed: bytes, runs: Sequence[int], known: str) -> list[StoredRow]:
    """A chunk of runs, in a process of the cluster."""
    import pickle

    from limbless.search.sweeps.worker_rows import make_rows

    if kernels() != known:
        raise InputError(f"this worker runs another version of the library: {kernels()}, the client {known}")
    return make_rows(pickle.loads(packed), runs)


class Cluster:
    """Fills a sweep with the rows of a dask cluster."""

    def __init__(self, plan: SweepPlan, client: Any) -> None:
        try:
            import distributed
        except ImportError:
            raise InputError("a dask cluster needs the extra `cluster`: pip install 'limbless[cluster]'") from None
        self.distributed, self.packed = distributed, packed_plan(plan)
        self.own = isinstance(client, str)
        if self.own:
            try:
                client = distributed.Client(client, timeout="10s")
            except (OSError, ValueError) as error:
                raise InputError(f"no dask scheduler answers at {client}: {error}") from None
        self.client = client

    def fill(self, todo: Sequence[int], take: Take) -> None:
        """All of `todo`; a chunk that keeps killing its workers comes back run by run, and then as failed rows."""
        waiting, seconds, stopping = list(todo), CHUNK_SECONDS, False
        flying: dict[Any, list[int]] = {}
        finished = self.distributed.as_completed()
        try:
            while (waiting and not stopping) or flying:
                try:
                    while waiting and not stopping and len(flying) < WINDOW * max(1, len(self.client.nthreads())):
                        size = max(1, min(int(CHUNK_SECONDS / max(seconds, 1e-6)), 1000)) if flying or seconds else 1
                        chunk, waiting = waiting[:size], waiting[size:]
                        flying[self._send(finished, chunk)] = chunk
                    future = next(finished)
                    chunk = flying.pop(future)
                    rows, again = self._rows(future, chunk)
                    take(rows)
                    seconds = sum(row.wall_time for row in rows) / len(rows) if rows else seconds
                    for run in again:
                        flying[self._send(finished, [run])] = [run]
                except KeyboardInterrupt:
                    if stopping:
                        raise
                    stopping = True
            if stopping:
                raise KeyboardInterrupt
        finally:
            self.client.cancel(list(flying))
            if self.own:
                self.client.close()

    def _send(self, finished: Any, chunk: Sequence[int]) -> Any:
        future = self.client.submit(_work, self.packed, list(chunk), kernels(), pure=False)
        finished.add(future)
        return future

    def _rows(self, future: Any, chunk: list[int]) -> tuple[list[StoredRow], list[int]]:
        """The rows of a chunk, and the runs of it that are to be tried alone."""
        error = future.exception()
        if error is None:
            return future.result(), []
        if isinstance(error, InputError):
            raise error
        if len(chunk) > 1:
            return [], chunk
        return [StoredRow(chunk[0], {}, f"failed: its workers were killed ({type(error).__name__})", 0.0)], []
