"""A live session moves as a run does, takes commands, goes back, and says how late it was."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import limbless as ll
from limbless.models import JointTarget
from limbless.simulation import session as module
from limbless.simulation.prefetch import RobotAhead

OTHER = {"controller.joints": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
FOLLOWS = {
    "robot": {"preset": "uniform", "links": 4},
    "gait": {"kind": "joint-wave"},
    "environment": ["water"],
    "actuation": "pd",
}
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
    assert 0.1 < found["jitter"] < 0.5  # of three intervals one is half a second
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
        (
            lambda: ll.Session("agnathax").restore(ll.Session("agnathax", OTHER).save()),
            "saved state was run by another",
        ),
        (lambda: ll.Session(FOLLOWS).command([np.nan, 0.0, 0.0]), "torque must be finite; got nan at entry 0"),
        (lambda: ll.Session(FOLLOWS).command({"joint_position": [0.0, np.nan, 0.0]}), "joint_position must be finite"),
        (lambda: ll.Session(FOLLOWS).command({"joint_position": [0.0]}), "joint_position must have 3 numbers"),
        (lambda: ll.Session(FOLLOWS).command({"yaw_amplitude": np.nan}), "must be a number .rad.; received nan"),
        (lambda: ll.Session(FOLLOWS).command({3: 1.0}), "command: must name fields of the gait, or joint_position"),
        (lambda: ll.Session(FOLLOWS, {"driven_by": lambda t, seen: 1 / 0}).step(), "failed at t = 0 s with ZeroDiv"),
    ],
)
def test_what_is_wrong_is_said(ask, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ask()


def test_a_session_asks_the_function_of_its_scenario_and_follows_targets() -> None:
    def bend(t: float, seen: dict, to: float = 0.2) -> dict:
        return {"joint_position": np.full(len(seen["joint_position"]), to)}

    snake = {"duration": 0.1, "step": 0.001, "control_period": 0.02, "record_every": 0.02}
    whole = ll.run("module-snake-undulate", snake, controller=bend)
    live = ll.Session(whole.scenario)
    assert np.array_equal(live.step(5)["joint_position"], whole.dataset["joint_position"].values[-1])
    by_hand = ll.Session("module-snake-undulate", snake)
    by_hand.command({"joint_position": np.full(len(live.observe()["joint_position"]), 0.2)})
    assert np.array_equal(by_hand.step(5)["joint_position"], live.observe()["joint_position"])


@pytest.mark.parametrize("name", ["neck-winch", "chain-tendons"])
def test_a_controller_sees_tip_and_tendons_as_the_result_has_them(name: str) -> None:
    """The tensions are those of the last stage of a step, which solves its end to the tolerance of the model."""
    step = ll.Scenario.load(name).step
    live = ll.Session(name, period=step)
    seen, held = live.step(20), ll.Session(name, period=step)
    last = ll.run(name, {"duration": 20 * step, "record_every": 20 * step}).dataset.isel(time=-1)
    for told in ("tip_position", "tendon_length"):
        assert np.array_equal(seen[told], last[told].values), told
    np.testing.assert_allclose(seen["tension"], last["tension"].values, rtol=1e-6)
    held.restore(live.save())
    assert np.array_equal(held.observe()["tension"], seen["tension"])


def test_a_controller_sees_whose_contacts_they_are() -> None:
    """Sixteen spheres on two surfaces, link by link: a plane and a box beside the robot."""
    box = {"kind": "boxes", "centres": [[0.0, -2.0, 0.1]], "sizes": [[0.2, 0.2, 0.2]]}
    seen = ll.Session("snake-sidewind", {"environment": ["gravity", "ground", box]}).step()
    whole = ll.run("snake-sidewind", {"environment": ["gravity", "ground", box], "duration": 0.001}).dataset
    assert len(seen["contact_state"]) == len(seen["contact_link"]) == len(seen["contact_surface"])
    assert set(seen["contact_surface"]) == {0, 1} and set(seen["contact_link"]) == set(range(11))
    touches = np.linalg.norm(seen["contact_force"], axis=1) > 0.0
    assert touches.any() and set(seen["contact_surface"][touches]) == {0}
    assert np.array_equal(seen["contact_link"], whole["contact_link"].values)


@pytest.mark.parametrize("name", ["eel-planar", "module-snake-undulate"])
def test_a_robot_that_goes_on_where_it_was_is_one_that_begins_in_every_period(name: str) -> None:
    """Torques, targets, changed gaits and nothing, in turns, past the end of what is laid out ahead, and from a state
    of before: times, numbers and all that a state remembers, bit for bit."""
    changes = {"step": 0.01} if name == "eel-planar" else {"step": 0.002, "initial.position": (0.0, 0.0, 0.05)}
    live = ll.Session(name, changes, period=0.02)
    field = "amplitude" if name == "eel-planar" else "yaw_amplitude"
    own, count = getattr(live.scenario.gait, field), len(live.observe()["joint_position"])
    held = [None, None] if name == "eel-planar" else [np.full(count, 0.05), JointTarget(np.full(count, 0.1))]
    ahead, went = RobotAhead.of(live), []
    assert ahead is not None
    inner = ahead.advanced
    ahead.advanced = lambda *given: went.append(inner(*given)) or went[-1]  # type: ignore[method-assign]
    state, gait = live.save(), live.scenario.gait
    kept = None
    for number in range(300 if name == "eel-planar" else 64):
        fields = {field: own * (1.0 + 0.1 * (number % 5))} if number % 7 in (1, 2, 6) else {}
        command = held[number % 2] if number % 3 else None
        if number == 20:
            kept = state
        if number == 40:
            state = kept
        alone, then = live.advanced(state, gait, fields, command)
        after, gait = live.advanced(state, gait, fields, command, ahead=ahead)
        assert gait == then and after.time == alone.time and after.memory.keys() == alone.memory.keys()
        np.testing.assert_array_equal(after.x, alone.x)
        for key, values in alone.memory.items():
            np.testing.assert_array_equal(after.memory[key], values, err_msg=key)
        state = after
    assert all(one is not None for one in went)


def test_a_gait_of_a_user_is_asked_in_its_own_period() -> None:
    """It may look at something that changes meanwhile."""
    bent = [0.0]
    gait = ll.FunctionGait(function=lambda t, s: np.full((len(t), len(s)), bent[0]), drives="joint")
    live = ll.Session({**FOLLOWS, "gait": gait, "step": 0.001}, period=0.01)
    live.step(3)
    bent[0] = 0.3
    assert np.abs(live.step(20)["joint_position"]).max() > 0.1


def test_what_takes_long_to_see_is_made_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """And then as it was, whatever has moved meanwhile; whoever goes through all of it sees all of it."""
    asked, live = [], ll.Session("neck-winch", period=0.01)
    inner = live.model.instant
    monkeypatch.setattr(live.model, "instant", lambda *given, **named: asked.append(1) or inner(*given, **named))
    seen, again, whole = live.step(2), live.observe(), live.observe()
    assert seen["joint_position"].any() and not asked
    there = dict(whole)
    assert len(asked) == 1 and {"tip_position", "tip_axes", "tension", "tendon_length"} <= there.keys()
    live.step(10)
    for other in (seen, again):
        assert np.array_equal(other["tip_position"], there["tip_position"])
        assert "tension" in other and other.get("nothing") is None and len(other) == len(there)
    assert np.abs(live.observe()["tip_position"] - there["tip_position"]).max() > 1e-9
    with pytest.raises(KeyError):
        seen["nothing"]
    assert pickle.loads(pickle.dumps(live.observe())).keys() == there.keys()
