"""Searches of soft bodies by exact slopes: against differences of runs, and against a scan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import SimulationError
from limbless.search.measures import find, measured
from limbless.search.optimisation.goals import goal_of
from limbless.search.optimisation.objective import MotionObjective, smooth_way
from limbless.search.studies import soft_gradients
from limbless.search.studies.variations import value_at

SHORT: dict[str, Any] = {"duration": 2.0, "step": 0.02, "record_every": 0.5, "model.cells": 3, "model.tolerance": 1e-8}
FIELDS = ["gait.couple", "gait.wavelength", "robot.stiffness", "robot.density", "environment.drag.lateral"]
SPINE: dict[str, Any] = {
    "duration": 1.5,
    "step": 0.005,
    "record_every": 0.5,
    "model.tolerance": 1e-9,
    "gait.ramp": 0.5,
    "gait.period": 0.75,
}


def measures(changes: dict[str, Any], scenario: str = "worm-muscles", base: dict[str, Any] = SHORT) -> dict[str, float]:
    return measured([find(name) for name in soft_gradients.MEASURES], ll.run(scenario, {**base, **changes}))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "base", "fields", "share"),
    [
        ("worm-muscles", SHORT, FIELDS, 1e-3),
        ("spine-45-swim", SPINE, ["gait.largest", "environment.water.density", "robot.joint_mass"], 1e-3),
        ("spine-45-swim", SPINE, ["gait.wavelength", "gait.period"], 1e-4),
    ],
    ids=["worm", "spine", "kinks"],
)
def test_slopes_are_differences_of_runs(name: str, base: dict[str, Any], fields: list[str], share: float) -> None:
    """Tensions of the spine begin and end at kinks that go with wavelength and period, one of them at the end of the
    run: at knots that stand still the speed of the spine changed by 3.5 % too little.
    """
    scenario = ll.Scenario.load(name, base)
    values, slopes = soft_gradients.moved(scenario, fields)
    plain = measures({}, name, base)
    assert soft_gradients.has_slopes(scenario, fields)
    for measure in soft_gradients.MEASURES:
        assert values[measure] == pytest.approx(plain[measure], rel=1e-6), measure
    for number, path in enumerate(fields):
        here = value_at(scenario, path)
        more, less = (measures({path: (1.0 + side) * here}, name, base) for side in (share, -share))
        for measure in soft_gradients.MEASURES:
            wanted = (more[measure] - less[measure]) / (2.0 * share * here)
            off = 1e-4 * plain[measure] / here
            assert slopes[measure][number] == pytest.approx(wanted, rel=1e-3, abs=off), (path, measure)


@pytest.mark.long
def test_what_goes_nowhere_has_no_cost_of_transport() -> None:
    """Before a search asks for the slope of it: the base is held."""
    scenario = ll.Scenario.load("neck-swing-air", {"duration": 0.02, "step": 0.01})
    with pytest.raises(SimulationError, match="cost_of_transport: its base is fixed, so that it has no slope"):
        soft_gradients.moved(scenario, ["robot.damping_time"])


@pytest.mark.long
def test_a_search_by_slopes_ends_where_a_scan_has_its_best() -> None:
    """How long the wave of the muscles is best: inside its bounds, by a scan of plain runs."""
    scan = np.linspace(0.15, 1.2, 22)
    speeds = [measures({"gait.wavelength": float(one)})["mean_speed"] for one in scan]
    top = int(np.argmax(speeds))
    best = ll.optimise(
        "worm-muscles", {"gait.wavelength": (0.15, 1.2)}, maximise="mean_speed", changes=SHORT, starts=2, certify=False
    )
    assert best.method == "slsqp" and best.feasible and len(best.history) < 60
    assert best.value >= (1.0 - 1e-6) * speeds[top]
    if 0 < top < len(scan) - 1:
        assert scan[top - 1] < best.values["gait.wavelength"] < scan[top + 1]
    half = 0.5 * measures({"gait.couple": 0.004, "gait.wavelength": best.values["gait.wavelength"]})["actuator_work"]
    bounded = ll.optimise(
        "worm-muscles",
        {"gait.couple": (0.001, 0.004)},
        maximise="mean_speed",
        starts=1,
        subject_to=[f"actuator_work <= {half!r}"],
        certify=False,
        changes={**SHORT, "gait.wavelength": best.values["gait.wavelength"]},
    )
    assert bounded.method == "slsqp" and bounded.measures["actuator_work"] == pytest.approx(half, rel=1e-3)


@pytest.mark.long
def test_the_cheapest_worm_by_slopes_is_the_cheapest_of_a_scan() -> None:
    scan = np.linspace(0.2, 1.2, 21)
    costs = [measures({"gait.wavelength": float(one)})["cost_of_transport"] for one in scan]
    best = ll.optimise(
        "worm-muscles",
        {"gait.wavelength": (0.2, 1.2)},
        minimise="cost_of_transport",
        changes=SHORT,
        starts=1,
        certify=False,
    )
    assert best.method == "slsqp" and len(best.history) < 40
    assert best.value <= (1.0 + 1e-6) * min(costs)
    assert best.values["gait.wavelength"] == pytest.approx(scan[np.argmin(costs)], abs=0.1)


@pytest.mark.parametrize(
    ("scenario", "changes", "paths", "smooth"),
    [
        ("worm-muscles", {}, ["gait.couple"], True),
        ("neck-winch", {}, ["robot.damping_time"], False),
        ("spine-45-swim", {}, ["duration"], False),
        ("eel-planar", {}, ["gait.amplitude"], False),
        ("neck-swing-air", {"robot.friction": 0.1}, ["gait.ramp"], False),
    ],
)
def test_where_a_search_has_slopes(scenario: str, changes: dict[str, Any], paths: list[str], smooth: bool) -> None:
    goal = goal_of("mean_speed", None, ["actuator_work <= 1 J", "positive_work <= 2 J", "cost_of_transport <= 20"])
    assert smooth_way(ll.Scenario.load(scenario, changes), goal, paths) is (MotionObjective if smooth else None)
