"""Loads of motors: closed forms, and numbers that stay as steps shrink."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search import measures
from limbless.search.studies import motor_sizing
from limbless.simulation.analysis import motor_load

STEP = 1e-4
TIME = np.arange(0.0, 4.0, STEP) + STEP


def test_loads_of_a_sinusoid_in_closed_form() -> None:
    """Torque 3 sin(2 pi t), speed 5 cos(2 pi t), after a hop of one step: the hop is a peak, and nothing else."""
    torque, speed = 3.0 * np.sin(2.0 * np.pi * TIME), 5.0 * np.cos(2.0 * np.pi * TIME)
    torque[30000] = 80.0
    found = motor_load.loads(TIME, torque[:, None], speed[:, None], np.array([2.9]), 1.0)
    assert found["peak"][0] == 80.0
    assert found["lasting"][0] == pytest.approx(3.0 * np.cos(2.0 * np.pi * 0.005), rel=1e-4)
    assert found["p99"][0] == pytest.approx(3.0 * np.cos(0.005 * np.pi), rel=1e-3)
    hop = 80.0 * STEP / motor_load.LASTS  # its mean over 10 ms, near t = 3 s, where the sine passes through 0,
    # as it does where the first and the last of the windows of 10 ms lie
    assert found["rms"][0] == pytest.approx(np.sqrt((13.5 + hop**2 * motor_load.LASTS) / 2.99), rel=3e-4)
    inside = 2.0 / np.pi * np.arccos(2.9 * motor_load.AT_LIMIT / 3.0)
    assert found["at_limit"][0] == pytest.approx(inside, rel=2e-3)
    assert found["speed"][0] == pytest.approx(5.0, rel=1e-6)
    shares = np.array(motor_load.CURVE) * found["lasting"][0] / 3.0
    corner = np.arcsin(shares) + np.where(shares > 0.0, 2.0 * np.pi * 0.005, 0.0)  # amid 10 ms that begin there
    np.testing.assert_allclose(found["curve"][0], 5.0 * np.cos(corner), rtol=3e-3)


def test_the_weakest_motor_of_an_axis_is_its_limit() -> None:
    limits = xr.Dataset(
        {"joint_limit": ("joint", [3.0, 2.0, 5.0])}, coords={"joint_axis": ("joint", ["yaw", "yaw", "pitch"])}
    )
    limits = limits.assign(joint_torque=(("time", "joint"), np.zeros((1, 3))))
    assert motor_sizing._limits(limits) == {"yaw": 2.0, "pitch": 5.0}


def test_the_start_up_is_left_out() -> None:
    torque = np.where(TIME < 0.5, 9.0, 1.0)[:, None]
    assert motor_load.loads(TIME, torque, 0.0 * torque, None, 0.6)["peak"][0] == 1.0
    assert motor_load.loads(TIME, torque, 0.0 * torque, None, 0.0)["lasting"][0] == 9.0
    assert motor_load.start_up(2.0, 1.0, 20.0) == 3.0 and motor_load.start_up(2.0, 1.0, 4.0) == 2.0


def test_the_torque_ratio_of_searches_converges_with_the_step() -> None:
    """A snake that falls onto the ground from 33 mm lands in one step, however short: the peak of that step grows as
    the step shrinks, a torque that lasts 10 ms does not.
    """
    landing = {"duration": 1.2, "initial.position": [0.0, 0.0, 0.033], "record_every": 0.05}
    found = [ll.run("module-snake-undulate", {**landing, "step": step}) for step in (1e-3, 2.5e-4)]
    peak = [max(result.summary()["peak_torque"].values()) for result in found]
    ratio = [measures.measured([measures.find("torque_ratio")], result)["torque_ratio"] for result in found]
    assert peak[1] == pytest.approx(4.0 * peak[0], rel=0.05)
    assert ratio[1] == pytest.approx(ratio[0], rel=5e-3)


def test_torque_ratio_takes_what_lasts() -> None:
    result = ll.run("module-snake-undulate", {"duration": 1.0})
    found = measures.measured([measures.find("torque_ratio")], result)["torque_ratio"]
    assert found == float((result.dataset["lasting_torque"] / result.dataset["joint_limit"]).max()) > 0.0


def test_motors_of_a_snake_with_error_bars() -> None:
    found = ll.motor_sizing("module-snake-undulate", {"duration": 2.0, "step": 0.001}, after="1 s")
    assert found.after == 1.0 and set(found.axes) == {"yaw", "pitch"} and found.proven
    yaw, bars = found.axes["yaw"], found.errors["yaw"]
    assert yaw["rms"] < yaw["lasting"] <= yaw["p99"] * 1.05 <= 1.1 * yaw["peak"]
    fine = ll.motor_sizing("module-snake-undulate", {"duration": 2.0, "step": 0.0005}, after="1 s", errors=False)
    for name in ("lasting", "p99", "rms", "speed"):
        assert abs(fine.axes["yaw"][name] - yaw[name]) <= 2.0 * bars[name] + 1e-3 * yaw[name], name
    assert fine.errors == {} and "enough" in found.told()[0] and "start-up of 1 s" in repr(found)
    assert found.start_up == 3.0 and "the first 3 s are the start-up" in found.told()[-1]


def test_error_bars_hold_a_hop_that_only_shorter_steps_show() -> None:
    """In its start-up a pitch joint of the snake gives 4e-5 N m at 1 ms, and a thousand times that where it hops."""
    begin = {"duration": 1.0, "step": 0.001}
    found = ll.motor_sizing("module-snake-undulate", begin, after=0.0)
    fine = ll.motor_sizing("module-snake-undulate", {**begin, "step": 6.25e-5}, after=0.0, errors=False)
    hop, seen = fine.axes["pitch"]["lasting"], found.axes["pitch"]["lasting"]
    assert hop > 100.0 * seen and found.errors["pitch"]["lasting"] > hop - seen
    assert "it may hop" in found.told()[-1]


def test_slices_are_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from limbless.search.studies import motor_sizing as study

    short = {"duration": 0.3, "gait.ramp": 0.1}
    whole = ll.motor_sizing("eel-planar", short, after=0.0, errors=False)
    monkeypatch.setattr(study, "SLICE", 3)
    sliced = ll.motor_sizing("eel-planar", short, after=0.0, errors=False)
    assert sliced.axes == whole.axes
    assert sliced.proven and ll.run("eel-planar", short).proven  # three steps alone are not: little work is exchanged


def test_the_command() -> None:
    done = CliRunner().invoke(main, ["motors", "eel-planar", "--set", "duration=2", "--after", "1 s"])
    assert done.exit_code == 0, done.output
    assert "After a start-up of 1 s" in done.output and "torque that lasts 10 ms" in done.output
    assert "of the limit of 4 N m" in done.output


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("neck-planar", {}, "statics has no time"),
        ("eel-planar", {"after": 50.0}, "between 0 and the duration of"),
        ("rod-swim", {"changes": {"duration": 0.1}}, "no joints with motors"),
    ],
)
def test_refusals(name: str, options: dict, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.motor_sizing(name, **options)
