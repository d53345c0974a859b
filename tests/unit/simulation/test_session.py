"""A live session moves as a run does, takes commands, goes back, and says how late it was."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.simulation import session as module

SWIM = {"duration": 0.2, "step": 0.01, "record_every": 0.2}


def test_steps_are_those_of_a_run_in_every_bit() -> None:
    live = ll.Session("eel-planar", SWIM, period=0.04)
    seen = live.step(5)
    whole = ll.run("eel-planar", SWIM)
    assert whole.state is not None and live.time == pytest.approx(0.2)
    assert np.array_equal(live.save().x, whole.state.x)
    assert np.array_equal(seen["base_position"], whole.dataset["base_position"].values[-1])


def test_a_session_with_oscillators_is_their_run() -> None:
    changes = {"duration": 0.02, "record_every": 0.02}
    live, whole = ll.Session("agnathax", changes, period=0.005), ll.run("agnathax", changes)
    seen = live.step(4)
    assert np.array_equal(seen["controller_state"], whole.dataset["controller_state"].values[-1])


def test_commands_change_the_gait_and_going_back_forgets_them() -> None:
    live = ll.Session("eel-planar", SWIM, period=0.05)
    live.step()
    kept = live.save()
    plain = live.step(2)["base_twist"]
    live.restore(kept)
    live.command({"amplitude": 0.12})
    live.step()
    changed, middle = live.save(), live.step()["base_twist"]
    assert np.abs(middle - plain).max() > 1e-6
    live.restore(changed)
    assert np.array_equal(live.step()["base_twist"], middle)
    live.restore(kept)
    assert np.array_equal(live.step(2)["base_twist"], plain)


def test_the_clock_is_kept_and_lateness_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of ours: every look at it takes 4 ms, one period in three is slow."""
    now, slept = [0.0], []

    def look() -> float:
        now[0] += 0.004 if len(slept) != 2 else 0.5
        return now[0]

    def wait(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(module.clock, "perf_counter", look)
    monkeypatch.setattr(module.clock, "sleep", wait)
    live = ll.Session("eel-planar", SWIM, period=0.02, paced=True)
    live.step(4)
    found = live.timing()
    assert found["steps"] == 4 and found["late"] >= 1 and 0.4 < found["worst"] < 1.1
    assert slept and all(0.0 < seconds <= 0.02 for seconds in slept)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ll.Session("eel-planar", SWIM, period=0.015), "no whole multiple of the step"),
        (lambda: ll.Session("neck-planar"), "statics has no time"),
        (lambda: ll.Session("eel-planar", SWIM).command({"amplitud": 1.0}), "amplitud"),
        (lambda: ll.Session("eel-planar", SWIM).command(np.zeros(3)), "torque-given joints"),
        (lambda: ll.Session("eel-planar", SWIM).timing(), "paced=True"),
        (lambda: ll.Session("eel-planar", SWIM).restore(ll.Session("agnathax").save()), "another robot or model"),
    ],
)
def test_what_is_wrong_is_said(ask, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ask()
