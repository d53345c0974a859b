"""Slopes of what a neck spends, against differences of whole runs."""

from __future__ import annotations

import pytest

import limbless as ll
from limbless.search.studies import statics_gradients
from limbless.search.studies.variations import value_at

FIELDS = (
    "robot.first_stiffness",
    "robot.hole_radius",
    "robot.last_length",
    "robot.head_mass",
    "robot.stop_lateral",
    "environment.buoyancy.immersed",
    "gait.half_width",
)


@pytest.mark.parametrize("changes", [{}, {"robot.stop_lateral": 0.05}])
def test_slopes_are_differences_of_runs(changes: dict) -> None:
    """Body, loads, targets and stops; with the stops near, several vertebrae rest against theirs."""
    scenario = ll.Scenario.load(
        "neck-horizontal-water", {"gait.points": 13, "environment.buoyancy.immersed": 0.75, **changes}
    )
    assert statics_gradients.has_slopes(scenario)
    value, slopes = statics_gradients.consumption(scenario, FIELDS)
    assert value == pytest.approx(spent(scenario, {}), rel=1e-9)
    touched = int(ll.run(scenario).summary()["statics"]["stops_touched"])
    assert (touched > 0) is bool(changes)
    for path in FIELDS:
        middle = value_at(scenario, path)
        step = 1e-4 * abs(middle)
        difference = (spent(scenario, {path: middle + step}) - spent(scenario, {path: middle - step})) / (2.0 * step)
        assert slopes[path] == pytest.approx(difference, rel=2e-3, abs=1e-6 * value / abs(middle)), path


def spent(scenario: ll.Scenario, changes: dict) -> float:
    return float(ll.run(scenario, changes).summary()["statics"]["consumption"])


def test_where_there_are_none() -> None:
    assert not statics_gradients.has_slopes(ll.Scenario.load("eel-planar"))
    assert not statics_gradients.has_slopes(ll.Scenario.load("neck-friction"))
    with pytest.raises(ll.SimulationError, match="out of reach"):
        statics_gradients.consumption(
            ll.Scenario.load("neck-horizontal-water", {"gait.points": 5, "model.largest_tension": 0.05})
        )
