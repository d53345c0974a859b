"""Scenarios write themselves completely, and come back equal."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from limbless.core.errors import InputError
from limbless.scenarios.document import parse_value, written
from limbless.scenarios.scenario import Scenario


@pytest.mark.parametrize("name", ["eel-planar", "eel-loop"])
def test_what_is_written_gives_the_same_scenario_and_text(name: str) -> None:
    scenario = Scenario.load(name)
    again = Scenario.from_yaml(scenario.to_yaml())
    assert again == scenario and again.to_yaml() == scenario.to_yaml()


def test_every_field_is_written_and_what_it_is_comes_first() -> None:
    text = Scenario.load("eel-planar").to_yaml()
    data = parse_value(text, "text")
    absent = ("task", "controller", "driven_by")  # a motion has no task, and a gait alone no controller
    assert list(data) == [name for name in Scenario.model_fields if name not in absent]
    assert next(iter(data["environment"][0])) == "kind"
    assert "control_period: null" in text and "position: [0.0, 0.0, 0.0]" in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize(
    "value", [0.1 + 0.2, 1e-300, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 1e-5, 123456789.123456789, math.pi / 40]
)
def test_floats_come_back_exactly(value: float) -> None:
    back = parse_value(written({"value": value}), "text")["value"]
    assert math.copysign(1, back) == math.copysign(1, value) and back == value and type(back) is float


TEXTS = [
    "null",
    "true",
    "1e5",
    "010",
    "",
    " x",
    "a: b",
    "- a",
    "#no",
    "é",
    "'",
    '"',
    "30 deg",
    "{",
    "2001-01-01",
    "~",
    "a\tb",
]


@pytest.mark.parametrize("value", TEXTS)
def test_texts_come_back_exactly(value: str) -> None:
    assert parse_value(written({"value": value}), "text")["value"] == value


def test_saving_replaces_the_file_in_one_step(tmp_path: Path) -> None:
    scenario = Scenario.load("eel-planar")
    path = scenario.save(tmp_path / "new" / "eel.yaml")
    assert Scenario.load(path) == scenario
    Scenario.load(scenario, {"duration": 3}).save(path)
    assert Scenario.load(path).duration == 3.0
    assert [item.name for item in path.parent.iterdir()] == ["eel.yaml"]


@pytest.mark.parametrize("field", ["name", "title"])
def test_names_and_titles_are_one_line(field: str) -> None:
    with pytest.raises(InputError, match=f"--set {field}="):
        Scenario.load("eel-planar", {field: "a/b\nc"})
