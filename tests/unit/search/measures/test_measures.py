"""Measures against the summary of a run, and against arithmetic."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import limbless as ll
from limbless.search import measures


@pytest.fixture(scope="module")
def result():
    return ll.run("eel-planar", {"duration": 2.2, "gait.ramp": 0.5, "record_every": 0.1})


@pytest.mark.parametrize("name", ["mean_speed", "period_speed", "cost_of_transport", "positive_work", "path_length"])
def test_measures_are_numbers_of_the_summary(result, name: str) -> None:
    assert measures.measured([measures.find(name)], result) == {name: result.summary()[name]}


@pytest.mark.parametrize("name", [*measures.known(), "mean_speed@x"])
def test_measures_travel_to_workers(name: str) -> None:
    assert pickle.loads(pickle.dumps(measures.find(name))).meaning == measures.find(name).meaning


def test_torques(result) -> None:
    found = measures.measured([measures.find("peak_torque"), measures.find("torque_ratio")], result)
    by_axis = result.summary()["peak_torque"]
    assert found["peak_torque"] == max(by_axis.values())
    assert found["torque_ratio"] == pytest.approx(by_axis["yaw"] / 4.0)  # the eel's yaw joints give 4 N m


def test_what_makes_no_sense_is_nan(result) -> None:
    found = measures.measured([measures.find("reached"), measures.find("consumption")], result)
    assert all(np.isnan(value) for value in found.values())


def test_statics() -> None:
    spine = ll.run("neck-horizontal-water")
    found = measures.measured([measures.find("reached"), measures.find("consumption")], spine)
    assert found["consumption"] == pytest.approx(spine.summary()["statics"]["consumption"])
    assert np.isnan(found["reached"]) or 0.0 <= found["reached"] <= 1.0


def test_a_function_is_a_measure(result) -> None:
    def twice(one):
        return {"a": 2.0, "b": None}

    found = measures.measured([measures.find(twice)], result)
    assert found["twice.a"] == 2.0 and np.isnan(found["twice.b"])
    with pytest.raises(ll.InputError, match="a measure gives a number"):
        measures.measured([measures.find(lambda one: "fast")], result)


def test_every_measure_says_what_it_is() -> None:
    for name, item in measures.known().items():
        assert item.name == name and item.meaning and item.unit, name


@pytest.fixture(scope="module")
def slid():
    """A snake whose head is up a slope, on ice: it slides down, tail first."""
    tilt = np.radians(10.0)
    changes = {
        "duration": 0.6,
        "step": 0.001,
        "environment.gravity.acceleration": [9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)],
        "environment.ground.forward": 0.02,
        "environment.ground.lateral": 0.02,
        "gait.yaw_amplitude": 0.05,
        "initial": {"position": [0.0, 0.0, 0.0525]},
    }
    return ll.run("snake-undulate-isotropic", changes)


def test_a_measure_along_a_direction_has_a_sign(slid) -> None:
    """`mean_speed` has none: a search climbed a slope by sliding down."""
    value = {
        name: measures.measured([measures.find(name)], slid)[name]
        for name in ("mean_speed", "progress", "mean_speed@head", "mean_speed@heading", "mean_speed@x", "mean_speed@-x")
    }
    moved = slid.summary()["com_displacement"]
    assert value["mean_speed@x"] == -value["mean_speed@-x"] == pytest.approx(moved[0] / 0.6, rel=1e-12)
    assert moved[0] > 0.1 and slid.summary()["mean_speed"] == value["mean_speed"] > 0.0  # the head points to -x
    assert value["progress"] == value["mean_speed@head"] == slid.summary()["progress"] < 0.0
    assert value["progress"] == pytest.approx(-value["mean_speed"], rel=0.05)
    assert value["mean_speed@heading"] == pytest.approx(-value["mean_speed@x"], rel=0.05)


def test_a_cost_along_a_direction_is_that_of_the_way_there(slid) -> None:
    found = measures.measured([measures.find(f"cost_of_transport{at}") for at in ("", "@x", "@head", "@0,0,-2")], slid)
    moved, work = slid.summary()["com_displacement"], slid.summary()["positive_work"]
    assert found["cost_of_transport@x"] == pytest.approx(work / (slid.mass * 9.81 * moved[0]), rel=1e-12)
    assert np.isnan(found["cost_of_transport@head"])  # there is no way towards the head


def test_progress_of_what_swims_straight_is_its_speed() -> None:
    straight = ll.run("eel-planar", {"duration": 8.0, "gait.ramp": 0.5}).summary()
    assert straight["progress"] == pytest.approx(straight["mean_speed"], rel=0.02)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mean_speed@up", "give head .*, heading"),
        ("mean_speed@0,0,0", "a vector of the world"),
        ("mean_speed@1,2", "a vector of the world"),
        ("peak_torque@x", "has no direction; those that have one: cost_of_transport, mean_speed"),
        ("mean_sped@x", "did you mean 'mean_speed'"),
    ],
)
def test_directions_that_are_none(name: str, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        measures.find(name)
