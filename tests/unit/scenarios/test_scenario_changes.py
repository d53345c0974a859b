"""Changes by path reach every field; what cannot be changed says so in the words of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limbless.control.gaits.body_wave import BodyWave
from limbless.core.errors import InputError
from limbless.environments.gravity import Gravity
from limbless.environments.water import Water
from limbless.scenarios.scenario import Scenario

PAPER = {"model": "morison", "added_mass": "paper", "density": 1000.0}


def changed(changes: dict[str, Any]) -> Scenario:
    return Scenario.load("eel-planar", changes)


def refusal(changes: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        changed(changes)
    return str(caught.value)


def test_fields_written_in_the_file_and_fields_that_are_not() -> None:
    scenario = changed(
        {
            "gait.amplitude": 0.08,
            "duration": 10,
            "robot.tail_cap": 0.05,
            "initial.position.2": -1.5,
            "actuation.kind": "pd",
            "actuation.stiffness": 3,
        }
    )
    assert isinstance(scenario.gait, BodyWave) and scenario.gait.amplitude == 0.08
    assert scenario.duration == 10.0 and scenario.robot.tail_cap == 0.05  # type: ignore[union-attr]
    assert scenario.initial.position == (0.0, 0.0, -1.5)
    assert scenario.actuation.stiffness == 3.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["environment.0.current", "environment.water.current"])
def test_items_of_a_list_by_number_or_by_kind(name: str) -> None:
    assert changed({name: [0.1, 0, 0]}).environment == (Water(**PAPER, current=(0.1, 0.0, 0.0)),)
    assert changed({f"{name}.0": 0.1}).environment == (Water(**PAPER, current=(0.1, 0.0, 0.0)),)


def test_an_item_may_be_added_to_the_environment() -> None:
    scenario = changed({"environment.1": {"kind": "gravity"}, "environment.gravity.acceleration": [0, 0, -1.62]})
    assert scenario.environment == (Water(**PAPER), Gravity(acceleration=(0.0, 0.0, -1.62)))
    assert changed({"environment": []}).environment == ()


def test_values_may_be_arrays_descriptions_and_angles() -> None:
    arrays = {"initial.position": np.array([1, 2, 3]), "step": np.float64(0.005)}
    scenario = changed({**arrays, "gait": BodyWave(growth=2.0), "gait.turn": "9 deg"})
    assert scenario.initial.position == (1.0, 2.0, 3.0) and scenario.step == 0.005
    assert scenario.gait == BodyWave(growth=2.0, turn=np.pi / 20)


def test_a_word_that_stands_for_a_kind_can_be_looked_into() -> None:
    short = {"robot": "khalil-eel", "gait": "body-wave"}
    scenario = Scenario.load(short, {"gait.period": 3, "robot.density": 900})
    assert scenario.gait.cycle == 3.0 and scenario.robot.density == 900.0  # type: ignore[union-attr]


def test_a_scenario_can_be_changed_too() -> None:
    before = changed({})
    after = Scenario.load(before, {"gait.period": 3})
    assert after.gait.cycle == 3.0 and before.gait.cycle == 2.0 and after.robot == before.robot


def test_the_data_given_stays_as_it_is() -> None:
    given: dict[str, Any] = {"robot": {"preset": "khalil-eel"}, "gait": {"kind": "body-wave"}}
    Scenario.load(given, {"gait.period": 3})
    assert given == {"robot": {"preset": "khalil-eel"}, "gait": {"kind": "body-wave"}}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("gait.amplitud", 0.08, "--set gait.amplitud=0.08: unknown field; did you mean 'amplitude'?"),
        ("gait.period", -1, "--set gait.period=-1: must be greater than 0 (s); received -1"),
        ("gait", {"kind": "body-wave", "period": -1}, "'period': -1}: gait.period: must be greater than 0"),
        ("gait.kind", "body-wav", "--set gait.kind=body-wav: unknown gait 'body-wav'; did you mean 'body-wave'?"),
        ("gat.period", 1, "--set gat.period=1: gat: unknown field; did you mean 'gait'?"),
        ("gait.period.x", 1, "--set gait.period.x=1: gait.period is 2.0; it has no part 'x'"),
        (
            "environment.watr.density",
            1,
            "environment.watr: environment has no item of kind 'watr'; did you mean 'water'?",
        ),
        (
            "environment.3.density",
            1,
            "--set environment.3.density=1: environment.3: environment has 1 items, counted from 0",
        ),
        (
            "environment.water.density",
            "salty",
            "--set environment.water.density=salty: environment.0.density: must be a number (kg/m3)",
        ),
        ("initial.position.5", 1, "--set initial.position.5=1: initial.position has 3 items, counted from 0"),
        ("record_every", 0.015, "--set record_every=0.015: must be a whole multiple of the step, 0.01 s"),
        ("gait..period", 1, "--set gait..period=1: is no path"),
        ("", 1, "--set =1: is no path"),
        ("gait" + ".a" * 5000, 1, "is no path"),
        ("title", True, "--set title=true: must be a valid string"),
    ],
)
def test_what_cannot_be_done_is_said_in_the_words_of_the_command_line(path: str, value: Any, message: str) -> None:
    assert message in refusal({path: value})


def test_two_items_of_one_kind_need_their_numbers() -> None:
    text = refusal({"environment.1": {"kind": "water"}, "environment.water.density": 1})
    assert "environment has 2 items of kind 'water'; use a number: 0, 1" in text


def test_errors_of_the_file_and_of_the_changes_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "eel.yaml"
    path.write_text("robot: khalil-eel\ngait: {kind: body-wave, period: 0}\nstep: 0.5\nrecord_every: 0.7\n")
    with pytest.raises(InputError) as caught:
        Scenario.load(path, {"gait.ramp": -1, "record_every": 1.2})
    first, *lines = str(caught.value).splitlines()
    assert first == f"{path}: 3 errors"
    assert lines[0].startswith(f"  {path}:2: gait.period: must be greater than 0")
    assert any(line.startswith("  --set gait.ramp=-1: must be greater than or equal to 0") for line in lines)
    assert any(line.startswith("  --set record_every=1.2: ") and "the nearest is 1;" in line for line in lines)
    assert Scenario.load(path, {"gait.period": 1, "record_every": 1.5}).record_every == 1.5
