"""Measures against the summary of a run, and against arithmetic."""

from __future__ import annotations

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
