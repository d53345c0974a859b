"""Memory and time of a run, known before they are gone."""

from __future__ import annotations

import logging
import math
from itertools import pairwise

import numpy as np
import pytest

import limbless as ll
from limbless.core import resources
from limbless.core.timeline import LOOKS, WINDOW, blocks_between, knots_between


def test_records_that_do_not_fit_are_refused_with_an_interval_that_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limbless.core.resources.free_memory", lambda: 4e6)
    with pytest.raises(
        ll.InputError,
        match=r"record_every: 1.06e\+03 records .* need about .* GB of memory, and "
        r"0.004 GB are free; set "
        r"record_every to ([\d.]+)",
    ) as refused:
        ll.run("eel-planar", {"duration": 10.0, "record_every": 0.01})
    fitting = float(str(refused.value).partition("set record_every to ")[2].split()[0])
    assert fitting == pytest.approx(round(fitting / 0.01) * 0.01)
    short = {"record_every": fitting, "duration": 10.0}
    assert ll.run("eel-planar", short).dataset.sizes["time"] < 1000 * 0.01 / fitting + 3


def test_where_no_interval_fits_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The instants of the balances are kept whatever is recorded."""
    monkeypatch.setattr("limbless.core.resources.free_memory", lambda: 1e6)
    with pytest.raises(ll.InputError, match="even the 63 that every run keeps do not fit"):
        ll.run("eel-planar", {"duration": 10.0, "record_every": 0.01})


def test_what_is_free_is_known_here() -> None:
    assert 1e7 < resources.free_memory() <= math.inf
    resources.refuse_too_many_records(1000, 1e3, 0.01, 0.01, math.inf)


def test_the_estimate_is_what_a_run_takes() -> None:
    """The largest arrays of a result are its records: 8 bytes for every number, once raw and once as a variable."""
    seen: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "limbless.core.resources.refuse_too_many_records", lambda count, size, *_, **__: seen.extend([count, size])
        )
        data = ll.run("eel-planar", {"duration": 1.0}).dataset
    count, size = seen
    assert count == pytest.approx(data.sizes["time"] + LOOKS) and LOOKS <= data.sizes["look"] < LOOKS + 8
    variables = sum(8 * values.size for values in data.variables.values() if "time" in values.dims) / data.sizes["time"]
    assert variables < size < 5.0 * variables


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(7200.0, "2.0 hours"), (90000.0, "25 hours"), (1e6, "12 days"), (601.0, "10 minutes"), (30.0, "30 seconds")],
)
def test_times_in_words(seconds: float, said: str) -> None:
    assert resources.in_words(seconds).startswith(said)


def test_a_run_of_hours_says_so_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """After a second on the clock: here every look at it takes ten minutes, and a block is one of forty."""
    minutes = iter(np.arange(0.0, 1e6, 600.0))
    monkeypatch.setattr("limbless.simulation.time_loop.clock.perf_counter", lambda: next(minutes))
    with caplog.at_level(logging.WARNING, "limbless"):
        ll.run("eel-planar", {"duration": 100.0, "record_every": 1.0})
    told = [record.message for record in caplog.records if "will take about" in record.message]
    assert len(told) == 1 and "hours more; Ctrl-C ends it" in told[0] and told[0].startswith("eel-planar")


def test_short_runs_say_nothing(caplog: pytest.LogCaptureFixture) -> None:
    ll.run("eel-planar", {"duration": 0.5})
    assert "will take" not in caplog.text


@pytest.mark.parametrize("size", [1, 7, 64])
def test_blocks_are_the_knots_in_pieces(size: int) -> None:
    """Laid out window by window, they are the knots of the whole run, however it begins."""
    step, breaks = 0.01, [3.0005, 0.01 * WINDOW, 0.01 * WINDOW + 0.003, 700.123]
    for start in (0.0, 0.055, 655.3):
        whole = knots_between(start, 720.0, step, breaks)
        pieces = list(blocks_between(start, 720.0, step, lambda a, b: [t for t in breaks if a < t < b], size))
        assert all(len(piece) == size + 1 for piece in pieces[:-1]) and 2 <= len(pieces[-1]) <= size + 1
        assert all(one[-1] == other[0] for one, other in pairwise(pieces))
        np.testing.assert_array_equal(np.concatenate([[start], *(piece[1:] for piece in pieces)]), whole)


def test_a_run_of_a_billion_steps_lays_out_a_few() -> None:
    first = next(blocks_between(0.0, 1e6, 1e-3, lambda a, b: (), 256))
    np.testing.assert_array_equal(first, np.arange(257) * 1e-3)
