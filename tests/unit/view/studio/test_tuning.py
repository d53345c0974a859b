"""Every numeric field of every scenario is offered, with its unit, and what is offered can be set."""

from __future__ import annotations

import pytest

from limbless.core.errors import InputError
from limbless.scenarios import loader
from limbless.scenarios.document import parse_value
from limbless.scenarios.scenario import Scenario
from limbless.view.studio.reproduce import changes_of, command_line, python_lines
from limbless.view.studio.tuning import knobs


def numbers(data: object, path: str = "") -> list[str]:
    """Paths of all numbers in a scenario."""
    if isinstance(data, dict):
        return [found for key, item in data.items() for found in numbers(item, f"{path}.{key}" if path else key)]
    if isinstance(data, list | tuple):
        return [found for number, item in enumerate(data) for found in numbers(item, f"{path}.{number}")]
    return [path] if isinstance(data, int | float) and not isinstance(data, bool) else []


@pytest.mark.parametrize("name", loader.names())
def test_every_knob_can_be_turned(name: str) -> None:
    """A value that is offered is taken, or refused in words that name the field."""
    scenario = Scenario.load(name)
    found = knobs(scenario)
    assert len({knob.path for knob in found}) == len(found)
    for knob in found:
        for value in (knob.low, knob.high) if knob.kind in ("number", "whole") else knob.options:
            try:
                assert Scenario.load(scenario, {knob.path: value}) is not None
            except InputError as error:
                assert str(error)


@pytest.mark.parametrize("name", loader.names())
def test_every_number_is_offered(name: str) -> None:
    """Alone, or in the text of the list that holds it."""
    scenario = Scenario.load(name)
    offered = {knob.path for knob in knobs(scenario)}
    for path in numbers(scenario.model_dump()):
        assert any(path == one or path.startswith(f"{one}.") for one in offered), path


@pytest.mark.parametrize("name", loader.names())
def test_lists_are_offered_as_text_that_gives_them_again(name: str) -> None:
    scenario = Scenario.load(name)
    for knob in knobs(scenario):
        if knob.kind == "text" and knob.value:
            assert Scenario.load(scenario, {knob.path: parse_value(knob.value, knob.path)}) == scenario


def test_statics_has_no_duration_to_tune() -> None:
    assert not {"duration", "step", "record_every", "initial.twist.0"} & {
        knob.path for knob in knobs(Scenario.load("neck-planar"))
    }


@pytest.mark.parametrize("name", loader.names())
def test_sliders_hold_the_value_and_have_sensible_steps(name: str) -> None:
    for knob in knobs(Scenario.load(name)):
        if knob.kind in ("number", "whole"):
            assert knob.low is not None and knob.high is not None
            assert knob.low <= knob.value <= knob.high and knob.low < knob.high, knob
            assert 0 < knob.step <= max(knob.high - knob.low, 1)


def test_labels_carry_units() -> None:
    found = {knob.path: knob for knob in knobs(Scenario.load("eel-planar"))}
    assert found["gait.amplitude"].label == "amplitude (rad)"
    assert found["environment.0.current.0"].label == "current x (m/s)"
    assert found["environment.0.drag.0"].label == "drag 1"
    assert found["environment.0.added_mass"].options == ("paper", "consistent", "none")


def test_lines_that_give_the_run_again() -> None:
    scenario = Scenario.load("eel-planar", {"gait.amplitude": 0.08, "environment.water.current": [0.1, 0, 0]})
    changes = changes_of(scenario)
    assert changes == {"gait.amplitude": 0.08, "environment.0.current": [0.1, 0.0, 0.0]}
    names: dict = {}
    exec(python_lines("eel-planar", changes).replace("ll.run", "ll.Scenario.load"), names)
    assert names["result"] == scenario
    assert (
        command_line("eel-planar", changes)
        == "limbless run eel-planar --set gait.amplitude=0.08 --set 'environment.0.current=[0.1, 0.0, 0.0]'"
    )
    exec(python_lines(scenario, {}).replace("ll.run", "ll.Scenario.load"), names)
    assert names["result"] == scenario


def test_changes_of_another_kind_have_no_short_form() -> None:
    scenario = Scenario.load("eel-planar", {"environment": []})
    assert changes_of(scenario) is None
    assert changes_of(Scenario.load("eel-planar", {"name": "mine"})) is None


@pytest.mark.parametrize(
    "text", ["[0.1, 0.2", "!!python/object/apply:os.system [ls]", "&a [*a]", "{1: 2}", "not a number"]
)
def test_text_from_the_page_is_validated_like_a_file(text: str) -> None:
    """What the page sends is parsed as YAML data and then checked as a field: nothing of it is run."""
    with pytest.raises(InputError):
        Scenario.load("eel-planar", {"gait.amplitude": parse_value(text, "gait.amplitude")})
