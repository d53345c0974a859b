"""Eight robots side by side are eight robots one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.search.sweeps.rollout import RolloutScratch

SHORT = {"duration": 1.0, "step": 0.02, "gait.ramp": 0.5}
STATES = ("base_position", "base_orientation", "base_twist", "joint_position", "joint_velocity")


def same_as_alone(runs, scenario, changes: dict, number: int, exact: float = 1e-12) -> None:
    alone = ll.run(scenario, {**changes, "record_every": 0.5}).dataset
    for name in STATES:
        np.testing.assert_allclose(runs[name].values[number], alone[name].values, rtol=0, atol=exact, err_msg=name)
    spent = alone["positive_work"].values[-1].sum()
    assert runs["positive_work"].values[number] == pytest.approx(spent, rel=1e-9)


def test_gaits_with_their_own_periods() -> None:
    """Ten gaits: a full eight, and two with six empty places."""
    amplitude, period = np.linspace(0.02, 0.1, 10), np.linspace(1.5, 2.5, 10)
    runs = ll.rollout(
        "eel-planar", {"gait.amplitude": amplitude, "gait.period": period}, changes=SHORT, record_every=0.5
    )
    assert runs["base_position"].dims == ("run", "time", "axis") and runs.sizes["run"] == 10
    assert (runs["status"] == "completed").all() and runs["time"].values.tolist() == [0.0, 0.5, 1.0]
    for number in (0, 5, 9):
        changes = {**SHORT, "gait.amplitude": amplitude[number], "gait.period": period[number]}
        same_as_alone(runs, "eel-planar", changes, number)


def test_eight_bodies() -> None:
    width = np.linspace(0.05, 0.07, 3)
    runs = ll.rollout(
        "eel-planar",
        {"robot.half_width": width, "environment.water.density": [900.0, 1000.0, 1100.0]},
        changes=SHORT,
        record_every=0.5,
    )
    for number in range(3):
        changes = {
            **SHORT,
            "robot.half_width": width[number],
            "environment.water.density": [900.0, 1000.0, 1100.0][number],
        }
        same_as_alone(runs, "eel-planar", changes, number)


def test_a_lane_that_diverges_leaves_the_others_alone() -> None:
    """One water a thousand million times too dense for its steps; its neighbours come out bit for bit."""
    over = {"gait.amplitude": [0.02, 0.04, 0.06], "environment.water.density": [1000.0, 1e12, 1000.0]}
    changes = {**SHORT, "environment.water.added_mass": "none"}
    runs = ll.rollout("eel-planar", over, changes=changes, record_every=0.5)
    assert runs["status"].values[1].startswith("failed: ") and np.isnan(runs["base_position"].values[1]).all()
    whole = ll.rollout("eel-planar", {"gait.amplitude": [0.02, 0.04, 0.06]}, changes=changes, record_every=0.5)
    np.testing.assert_array_equal(runs["base_position"].values[[0, 2]], whole["base_position"].values[[0, 2]])


@pytest.mark.parametrize(
    "gait",
    [
        {
            "kind": "joint-wave",
            "yaw_amplitude": 0.2,
            "yaw_offset": 0.02,
            "pitch_amplitude": 0.1,
            "pitch_lead": 1.0,
            "ramp": 0.4,
        },
        {"kind": "serpenoid", "amplitude": 0.2, "frequency": 3.0, "phase_step": 0.5, "offset": 0.05, "ramp": 0.3},
        {"kind": "joint-wave", "yaw_amplitude": 0.2, "release": 0.02},  # no sine at first
    ],
)
def test_gaits_of_joints_are_sampled_in_lanes(gait: dict) -> None:
    """Sines, with a smooth start and without, at eight rates."""
    name, values = ("gait.yaw_rate", [1.0, 2.0]) if gait["kind"] == "joint-wave" else ("gait.frequency", [2.0, 3.0])
    changes = {"duration": 1.0, "step": 0.02, "gait": gait}
    runs = ll.rollout("eel-planar", {name: values}, changes=changes, record_every=0.5)
    for number in range(2):
        same_as_alone(runs, "eel-planar", {**changes, name: values[number]}, number)


@pytest.mark.long
def test_torque_given_joints_in_lanes() -> None:
    changes = {
        "duration": 0.3,
        "step": 0.002,
        "gait.ramp": 0.1,
        "robot": {"kind": "chain", "preset": "uniform", "links": 4, "rotor_inertia": 1e-3},
        "actuation": {"kind": "pd", "stiffness": 2.0, "damping": 0.1},
    }
    scenario = ll.Scenario.load("eel-planar", changes)
    runs = ll.rollout(scenario, {"gait.amplitude": [0.2, 0.4]}, record_every=0.1)
    alone = ll.run(scenario, {"gait.amplitude": 0.4, "record_every": 0.1}).dataset
    for name in STATES:
        np.testing.assert_allclose(runs[name].values[1], alone[name].values, rtol=0, atol=1e-11, err_msg=name)


@pytest.mark.long
def test_a_flow_that_changes_finds_every_robot_at_its_own_time() -> None:
    """Ramps that end between two steps, each at its own time: such robots do not go side by side. Kernels have one time
    for all of them.
    """
    water = {
        "kind": "water",
        "wake": "none",
        "flow": [{"kind": "oscillating", "amplitude": [0.3, 0.2, 0.0], "period": 0.7}],
    }
    changes, ramps = {"environment": [water], "duration": 1.0, "step": 0.02}, [0.501, 0.503, 0.517]
    runs = ll.rollout("eel-planar", {"gait.ramp": ramps}, changes=changes, record_every=0.5)
    for number, ramp in enumerate(ramps):
        same_as_alone(runs, "eel-planar", {**changes, "gait.ramp": ramp}, number)


def test_refusals() -> None:
    with pytest.raises(ll.InputError, match="as many values of every field"):
        ll.rollout("eel-planar", {"gait.amplitude": [0.1, 0.2], "gait.period": [1.0]})
    with pytest.raises(ll.InputError, match="did you mean 'amplitude'"):
        ll.rollout("eel-planar", {"gait.amplitud": [0.1, 0.2]})
    with pytest.raises(ll.InputError, match="at least one field"):
        ll.rollout("eel-planar", {})
    with pytest.raises(ll.InputError, match="run 1 keeps other times than run 0"):
        ll.rollout("eel-planar", {"duration": [0.2, 0.4], "record_every": [0.1, 0.2]})


def test_starts_that_are_lists() -> None:
    start = [[-0.1, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.1, 0.0, 0.0, 0.0, 0.3]]
    runs = ll.rollout("eel-planar", {"initial.twist": start}, changes=SHORT, record_every=0.5)
    assert runs["initial.twist"].values.tolist() == start
    same_as_alone(runs, "eel-planar", {**SHORT, "initial.twist": start[1]}, 1)


def test_robots_at_a_surface_and_robots_of_other_joints() -> None:
    """The surface cuts each elsewhere, so that they go one by one; joints that a robot does not have are NaN."""
    robot = {"kind": "chain", "preset": "uniform", "links": 1, "length": 0.3, "density": 500.0}
    changes = {
        "duration": 0.02,
        "step": 0.01,
        "robot": robot,
        "environment": [{"kind": "water", "wake": "none", "surface": 0.0}, {"kind": "gravity"}],
    }
    over = {"environment.water.surface": [0.0, 0.01], "robot.links": [2, 3]}
    runs = ll.rollout("eel-planar", over, changes=changes, record_every=0.01)
    assert (runs["status"] == "completed").all()
    alone = ll.run(
        "eel-planar", {**changes, "environment.water.surface": 0.01, "robot.links": 3, "record_every": 0.01}
    ).dataset
    np.testing.assert_array_equal(runs["base_position"].values[1], alone.base_position.values)
    np.testing.assert_array_equal(runs["joint_position"].values[1], alone.joint_position.values)
    assert np.isnan(runs["joint_position"].values[0, :, -1]).all()
    assert np.isfinite(runs["joint_position"].values[0, :, 0]).all()


def lesioned(cut: list[int], **changes: float) -> ll.Scenario:
    changes = {"duration": 0.1, "record_every": 0.05, **changes}
    return ll.Scenario.load("agnathax", {**changes, "controller.lesion.couplings": cut})


def test_lesions_go_side_by_side_where_the_step_is_short_enough() -> None:
    """What a damper or an oscillator allows is no reason to go alone: only a longer step is."""
    desk = RolloutScratch()
    keys = {desk.key(lesioned(cut)) for cut in ([], [2], [1, 5])}
    assert len(keys) == 1 and None not in keys
    longest = desk.packed(lesioned([])).longest
    assert 0.01 < longest < 0.1 and desk.key(lesioned([], step=0.1, record_every=0.1)) is None


@pytest.mark.long
def test_lesions_side_by_side_are_each_its_own_run() -> None:
    cuts = [[], [2], [1, 5]]
    runs = ll.rollout(lesioned([]), {"controller.lesion.couplings": cuts})
    for number, cut in enumerate(cuts):
        alone = ll.run(lesioned(cut)).dataset
        for name in ("base_position", "joint_position", "base_twist"):
            np.testing.assert_allclose(runs[name].values[number], alone[name].values, rtol=0, atol=1e-12, err_msg=name)
    assert np.abs(np.diff(runs["joint_position"].values[:, -1], axis=0)).max(axis=1).min() > 1e-6
