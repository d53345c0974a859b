"""Scenarios whose numbers cannot be computed with end in a sentence that names them."""

from __future__ import annotations

from typing import Any

import pytest

import limbless as ll

THIN = {"length": 0.1, "half_width": 0.01, "half_height": 0.01}
WEIGHTLESS = {
    "kind": "chain",
    "links": [{"body": THIN}, {"body": THIN, "joint": {"kind": "revolute"}, "position": [0.1, 0.0, 0.0]}],
}


@pytest.mark.parametrize("model", ["newton-euler", "geometric", "non-smooth"])
@pytest.mark.parametrize("base", ["planar", "fixed"])
def test_a_chain_without_any_mass_is_refused(model: str, base: str) -> None:
    with pytest.raises(ll.InputError, match="robot: it has no mass at all"):
        ll.run(
            ll.Scenario.load(
                {
                    "robot": {**WEIGHTLESS, "base": base},
                    "gait": {"kind": "serpenoid"},
                    "model": {"kind": model},
                    "duration": 0.05,
                }
            )
        )


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("eel-planar", {"robot.module_length": 1e300}),
        ("snake-lift", {"robot.link_mass": 1e300, "robot.length": 1e200}),
        ("rod-swim", {"robot.half_width": 1e200}),
        ("neck-vertical-air", {"robot.first_stiffness": 1e-300, "robot.last_stiffness": 1e300, "gait.points": 3}),
    ],
)
def test_numbers_out_of_this_world_are_named(name: str, changes: dict[str, Any]) -> None:
    """They are refused, or the run says that it proves nothing, and why."""
    try:
        result = ll.run(name, {**changes, **({} if "gait.points" in changes else {"duration": 0.1})})
    except (ll.InputError, ll.SimulationError) as refused:
        text = str(refused)
        if "cannot be computed with" in text:
            assert next(iter(changes)) in text or "1e+" in text
    else:
        assert result.outcome == "completed, not proven" and result.doubts
        text = result.doubts[0]
    assert len(text) > 40 and "Traceback" not in text


def test_a_spine_of_one_vertebra_without_stiffness() -> None:
    for changes in ({"robot.count": 1, "robot.first_stiffness": 0.0}, {"robot.count": 1, "robot.last_stiffness": 0.0}):
        try:
            ll.run("neck-vertical-air", {**changes, "gait.points": 3})
        except (ll.InputError, ll.SimulationError) as error:
            assert len(str(error)) > 20
