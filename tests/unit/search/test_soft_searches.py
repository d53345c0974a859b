"""Searches of soft bodies by exact slopes: against differences of runs, and against a scan."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.search.evaluations import Moving, smooth_way
from limbless.search.goals import goal_of
from limbless.studies import soft_slopes
from limbless.studies.variations import value_at

SHORT: dict[str, Any] = {"duration": 2.0, "step": 0.02, "record_every": 0.5, "model.cells": 3, "model.tolerance": 1e-8}
FIELDS = ["gait.couple", "gait.wavelength", "robot.stiffness", "robot.density", "environment.drag.lateral"]


def measures(changes: dict[str, Any]) -> dict[str, float]:
    data = ll.run("worm-muscles", {**SHORT, **changes}).dataset
    way, work = data["com_position"].values, data["actuator_work"].values
    return {"mean_speed": float(np.linalg.norm(way[-1] - way[0])) / 2.0, "actuator_work": float(work[-1] - work[0])}


@pytest.mark.long
def test_slopes_of_a_worm_are_differences_of_runs() -> None:
    scenario = ll.Scenario.load("worm-muscles", SHORT)
    found, plain = soft_slopes.moved(scenario, FIELDS), measures({})
    assert soft_slopes.has_slopes(scenario, FIELDS)
    for name in soft_slopes.MEASURES:
        assert found.values[name] == pytest.approx(plain[name], rel=1e-6), name
    for number, path in enumerate(FIELDS):
        here = value_at(scenario, path)
        more, less = (measures({path: (1.0 + share) * here}) for share in (1e-3, -1e-3))
        for name in soft_slopes.MEASURES:
            wanted = (more[name] - less[name]) / (2e-3 * here)
            assert found.slopes[name][number] == pytest.approx(wanted, rel=1e-3, abs=1e-4 * plain[name] / here), path


@pytest.mark.long
def test_a_search_by_slopes_ends_where_a_scan_has_its_best() -> None:
    """How long the wave of the muscles is best: inside its bounds, by a scan of plain runs."""
    scan = np.linspace(0.15, 1.2, 22)
    speeds = [measures({"gait.wavelength": float(one)})["mean_speed"] for one in scan]
    top = int(np.argmax(speeds))
    best = ll.optimise("worm-muscles", {"gait.wavelength": (0.15, 1.2)}, maximise="mean_speed", changes=SHORT, starts=2,
                       certify=False)
    assert best.method == "slsqp" and best.feasible and len(best.history) < 60
    assert best.value >= (1.0 - 1e-6) * speeds[top]
    if 0 < top < len(scan) - 1:
        assert scan[top - 1] < best.values["gait.wavelength"] < scan[top + 1]
    half = 0.5 * measures({"gait.couple": 0.004, "gait.wavelength": best.values["gait.wavelength"]})["actuator_work"]
    bounded = ll.optimise("worm-muscles", {"gait.couple": (0.001, 0.004)}, maximise="mean_speed", starts=1,
                          subject_to=[f"actuator_work <= {half!r}"], certify=False,
                          changes={**SHORT, "gait.wavelength": best.values["gait.wavelength"]})
    assert bounded.method == "slsqp" and bounded.measures["actuator_work"] == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize(("scenario", "changes", "paths", "smooth"), [
    ("worm-muscles", {}, ["gait.couple"], True), ("neck-winch", {}, ["robot.damping_time"], False),
    ("spine-45-swim", {}, ["duration"], False), ("eel-planar", {}, ["gait.amplitude"], False),
    ("neck-swing-air", {"robot.friction": 0.1}, ["gait.ramp"], False),
])
def test_where_a_search_has_slopes(scenario: str, changes: dict[str, Any], paths: list[str], smooth: bool) -> None:
    goal = goal_of("mean_speed", None, ["actuator_work <= 1 J"])
    assert smooth_way(ll.Scenario.load(scenario, changes), goal, paths) is (Moving if smooth else None)
