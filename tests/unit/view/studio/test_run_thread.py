"""Runs of a page: progress is told and a run can be cancelled, of motion and of statics alike."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import limbless as ll
from limbless.mechanics.compiled import on_compile
from limbless.view.studio.run_thread import CANCELLED, Later, RunThread

PATIENCE = 300.0  # s, on a busy machine; nothing waits longer than it must


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("eel-planar", {"duration": 1e5, "record_every": 10.0}),
        ("neck-vertical-water", {"gait.points": 100_000}),
        ("neck-workspace", {"gait.count": 60}),
    ],
)
def test_a_long_run_tells_its_progress_and_is_cancelled(name: str, changes: dict[str, Any]) -> None:
    ll.run(name)  # compiles the kernels, which tells no progress
    told: list[float] = []
    ended, begun, answers = threading.Event(), threading.Event(), []

    def failed(sentence: str) -> None:
        answers.append(sentence)
        ended.set()

    def progress(share: float) -> None:
        told.append(share)
        if share > 0.0:
            begun.set()

    worker = RunThread(lambda result: ended.set(), failed, progress)
    try:
        worker.ask(ll.Scenario.load(name, changes))
        assert begun.wait(PATIENCE)
        worker.cancel()
        assert ended.wait(PATIENCE)
    finally:
        worker.close()
    assert answers == [CANCELLED]
    assert told == sorted(told) and 0.0 < told[-1] < 1.0


def test_an_interrupted_path_keeps_its_points() -> None:
    def progress(share: float, time: float, factor: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    result = ll.run("neck-vertical-water", progress=progress)
    whole = ll.run("neck-vertical-water")
    points = result.dataset.sizes["point"]
    assert result.status == "interrupted" and 0.5 < points / whole.dataset.sizes["point"] < 0.52
    assert (result.dataset["tension"].values == whole.dataset["tension"].values[:points]).all()


def test_only_the_newest_of_what_is_typed_is_done() -> None:
    done, later = [], Later(0.02)
    finished = threading.Event()
    later.do(lambda: done.append("0."))
    later.do(lambda: (done.append("0.09"), finished.set()))
    assert finished.wait(10.0)
    later.do(lambda: done.append("late"))
    later.close()
    assert done == ["0.09"]


def test_compiling_is_heard_once_and_only_by_who_does_it() -> None:
    """What a page says while a run compiles; another thread's compilation is not told."""
    import numba

    @numba.njit
    def more(x):
        return x + 1

    told: list[str] = []
    with on_compile(lambda: told.append("compiles")):
        other = threading.Thread(target=more, args=(1.0,))
        other.start()
        other.join()
        assert told == []
        more(1)
        more(2)
    assert told == ["compiles"]
    more(1j)  # nobody listens any more
    assert told == ["compiles"]
