"""The clock of a run: what kernels cost that are compiled on the way is no time of the run."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import limbless as ll
from limbless.mechanics.compiled import compile_seconds, kernel
from limbless.simulation import time_loop


@kernel
def twice(x):
    return 2.0 * x


def test_a_thread_counts_what_it_waits_for_kernels() -> None:
    before = compile_seconds()
    assert twice(3.0) == 6.0
    after = compile_seconds()
    assert after > before
    assert twice(4.0) == 8.0 and compile_seconds() == after  # the second call finds it there


def test_compiling_is_neither_forecast_nor_real_time_factor(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A kernel that is first needed amid a run takes 100 s here: 37 minutes were foretold for some seconds."""
    watch = {"clock": 0.0, "compiled": 0.0}

    def look() -> float:
        watch["clock"] += 1e-4
        return watch["clock"]

    def compiles_once(time: float, observation: dict) -> np.ndarray | None:
        if not watch["compiled"]:
            watch["clock"] += 100.0
            watch["compiled"] += 100.0
        return None

    monkeypatch.setattr(time_loop.clock, "perf_counter", look)
    monkeypatch.setattr(time_loop, "compile_seconds", lambda: watch["compiled"])
    with caplog.at_level(logging.WARNING, logger="limbless"):
        result = ll.run("eel-planar", {"duration": 0.2, "control_period": 0.01}, controller=compiles_once)
    assert "will take about" not in caplog.text
    assert result.wall_time is not None and 0.0 < result.wall_time < 1.0
    assert result.summary()["realtime_factor"] > 0.2
