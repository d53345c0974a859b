"""A refusal names the field as the page does."""

from __future__ import annotations

from typing import Any

import pytest

from limbless.core.errors import InputError
from limbless.scenarios.scenario import Scenario
from limbless.view.studio.messages import by_field, in_page_words


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        (
            "eel-planar",
            {"environment.0.density": -5.0},
            "Environment: water, density (kg/m3): must be greater than 0 (kg/m3); received -5.0",
        ),
        (
            "eel-planar",
            {"step": 1.0},
            "Run, record every (s): must be a whole multiple of the step, 1 s; the nearest is 1; received 0.02",
        ),
        (
            "eel-planar",
            {"initial.position": [0, 0]},
            "Start, position: must be a list of 3 numbers (m); received [0, 0]",
        ),
        ("neck-planar", {"gait.table": [[0, 1]]}, "Gait: a tip path needs at least 2 rows"),
    ],
)
def test_a_field_has_its_name_of_the_page(name: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        Scenario.load(name, changes)
    told = in_page_words(str(error.value), Scenario.load(name))
    assert told.startswith(said)
    assert "--set" not in told and ".yaml" not in told


def test_several_errors_are_told_line_by_line() -> None:
    with pytest.raises(InputError) as error:
        Scenario.load("eel-planar", {"gait.period": -1.0, "duration": -1.0})
    told = in_page_words(str(error.value), Scenario.load("eel-planar")).splitlines()
    assert [line.partition(":")[0] for line in told[1:]] == ["  Gait, period (s)", "  Run, duration (s)"]
    found = by_field(str(error.value), "\n".join(told), "gait.turn")
    assert found == {"gait.period": told[1].strip(), "duration": told[2].strip()}
    assert by_field("the run failed", "the run failed", "gait.turn") == {"gait.turn": "the run failed"}


def test_other_sentences_stay_as_they_are() -> None:
    assert in_page_words("nothing is saved: the disk is full", None) == "nothing is saved: the disk is full"
