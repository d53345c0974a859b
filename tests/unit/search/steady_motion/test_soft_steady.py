"""Steady motion of soft bodies, whose strains are unknown too: against long runs,
differences, and its own definition.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.base import Gait
from limbless.core import registry
from limbless.search.steady_motion.fixed_point import differenced_inverse, multisecant
from limbless.search.steady_motion.homogeneity import refuse_medium
from limbless.search.steady_motion.period_map import SoftPeriodMap, begun
from limbless.search.steady_motion.steady import Families, SteadyMotion
from limbless.search.studies.variations import moved_knots, one_sided, value_at

WORM: dict[str, Any] = {"model.cells": 3}
NUMBERS = ("speed", "positive_work", "cost_of_transport")


def differences(families: Families, scenario: ll.Scenario, path: str, share: float = 1e-4) -> dict[str, float]:
    """Slopes of whole solutions."""
    here = value_at(scenario, path)
    less, more = (families.steady(ll.Scenario.load(scenario, {path: (1.0 + side * share) * here})) for side in (-1, 1))
    return {name: (getattr(more, name) - getattr(less, name)) / (2.0 * share * here) for name in NUMBERS}


def assert_slopes(families: Families, scenario: ll.Scenario, paths: list[str], rel: float) -> SteadyMotion:
    motion = families.steady(scenario, paths)
    for path in paths:
        wanted = differences(families, scenario, path)
        for name in NUMBERS:
            assert motion.slopes[name][path] == pytest.approx(wanted[name], rel=rel), (path, name)
    return motion


@pytest.mark.long
def test_a_worm_crawls_as_at_the_end_of_a_run() -> None:
    """And not as if its strains were nothing where a period begins, which gave 5.7 times its speed."""
    scenario = ll.Scenario.load("worm-muscles", WORM)
    motion = assert_slopes(
        Families(),
        scenario,
        [
            "gait.couple",
            "gait.wavelength",
            "gait.period",
            "robot.stiffness",
            "robot.density",
            "environment.drag.lateral",
        ],
        1e-5,
    )
    long = ll.run(scenario, {"duration": 8.0, "model.tolerance": 1e-9}).summary()
    assert motion.speed == pytest.approx(long["period_speed"], rel=1e-5)
    assert motion.residual < 1e-9 and motion.stable and motion.peak_torque is not None
    again = motion.result()
    assert again.proven and again.mass == pytest.approx(
        motion.positive_work / (9.81 * motion.cost_of_transport * motion.speed * motion.period)
    )
    counted = again.dataset["positive_work"].values
    assert (counted[-1] - counted[0]).sum() == pytest.approx(motion.positive_work, rel=1e-5)


@pytest.mark.long
def test_an_eel_with_a_passive_tail_swims_as_at_the_end_of_a_long_run() -> None:
    scenario = ll.Scenario.load("eel-passive-tail")
    motion = assert_slopes(Families(), scenario, ["gait.curvature", "gait.period"], 1e-5)
    long = ll.run(scenario, {"duration": 40.0, "record_every": 1.0}).summary()
    assert motion.speed == pytest.approx(long["period_speed"], rel=1e-5)
    assert motion.largest_multiplier == pytest.approx(0.6364, abs=1e-3)
    end = motion.result().dataset["base_twist"].values
    assert np.abs(end[-1] - end[0]).max() < 1e-5


@pytest.mark.long
def test_derivatives_of_a_period_are_differences_of_periods() -> None:
    period = SoftPeriodMap(ll.Scenario.load("eel-passive-tail"), [], None, 50)
    whole = period(period.begin)
    J = whole.x_slope[period.rows]
    for column in (0, 2, 5, 20):
        step = 1e-5 * np.eye(period.unknowns)[column]
        wanted = (period.plain(period.begin + step) - period.plain(period.begin - step)) / 2e-5
        np.testing.assert_allclose(J[:, column], wanted, atol=1e-5 * max(1.0, np.abs(J).max()))


@pytest.mark.long
def test_a_spine_swims_as_at_the_end_of_a_long_run() -> None:
    """With this wavelength two tendons change over where the period begins: slopes come from within."""
    families, scenario = Families(50), ll.Scenario.load("spine-45-swim")
    motion = assert_slopes(families, scenario, ["gait.wavelength"], 2e-3)
    assert motion.speed == pytest.approx(0.199674, rel=1e-4)  # after 40 periods of `ll.run`
    assert motion.peak_torque is None and 0.3 < motion.largest_multiplier < 0.4
    assert len(motion.unknowns) == 3 + 2 * 45  # nothing bends up or down


@pytest.mark.long
def test_a_search_of_steady_worms_follows_slopes() -> None:
    speeds = {wave: ll.steady("worm-muscles", {**WORM, "gait.wavelength": wave}).speed for wave in (0.3, 0.4, 0.5, 0.6)}
    best = ll.optimise(
        "worm-muscles", {"gait.wavelength": (0.2, 1.0)}, maximise="steady.speed", changes=WORM, starts=1, certify=False
    )
    assert best.method == "slsqp" and best.value >= (1.0 - 1e-6) * max(speeds.values())


@pytest.mark.long
def test_tendons_that_rub_settle() -> None:
    scenario = ll.Scenario.load("spine-45-swim", {"robot.friction": 0.05})
    assert refuse_medium(scenario) == "settled"
    motion = ll.steady(scenario)
    long = ll.run(scenario, {"duration": 18.0}).summary()
    assert motion.multipliers is None and motion.residual < 1e-3
    assert motion.speed == pytest.approx(long["period_speed"], rel=1e-3)
    with pytest.raises(ll.InputError, match=r"tendons that stretch or rub.*CMA-ES"):
        ll.steady(scenario, slopes=["gait.largest"])


def test_every_gait_that_repeats_can_be_had_without_its_beginning() -> None:
    """The wave of a tension or a muscle grew within the period that was to repeat itself."""
    for kind, cls in registry.kinds("gait").items():
        repeats = "period" in cls.model_fields or cls.cycle is not Gait.cycle
        if "ramp" in cls.model_fields and repeats and kind != "sheared-curvature":  # whose motion never repeats itself
            assert "ramp" in cls.start_fields, kind
    assert begun(ll.Scenario.load("spine-45-swim").gait).ramp == 0.0


def test_multisecants_find_what_plain_iteration_finds() -> None:
    """A map whose slowest part shrinks by 0.95 in a turn: 400 turns, one by one."""
    A = np.diag([0.95, -0.6, 0.5, 0.1]) + 0.02
    calls, taken = [], []

    def turn(V: np.ndarray) -> np.ndarray:
        calls.append(V)
        return (A * V[:, None]).sum(axis=2) + 0.05 * np.sin(V) + 1.0

    found, _ = multisecant(turn, np.zeros((1, 4)), 1e-11)
    assert np.abs(turn(found) - found).max() <= 1e-11 and len(calls) < 40
    beside, _ = multisecant(
        turn, np.array([[np.nan] * 4, [0.0] * 4]), 1e-11, take=lambda lane, v, left: taken.append((lane, v))
    )
    assert np.array_equal(beside[1], found[0])  # whoever stands beside it
    assert [lane for lane, _ in taken] == [1] and np.array_equal(taken[0][1], found[0])
    inverse = differenced_inverse(turn, found)
    del calls[:]
    multisecant(turn, found + 1e-3, 1e-11, inverse)
    assert len(calls) < 5  # what is known of the derivative leads: seven without it


def test_knots_go_with_kinks() -> None:
    knots, kinks = np.array([0.0, 0.3, 0.5, 1.0]), np.array([0.3])
    assert moved_knots(knots, kinks, np.array([0.3001, 0.9])).tolist() == [0.0, 0.3001, 0.5, 1.0]
    assert moved_knots(knots, kinks, np.array([0.4])).tolist() == knots.tolist()  # another kink
    t = np.arange(9.0)[:, None]
    jump = t**3 - t
    jump[0], jump[-1] = 1e3, -1e3
    np.testing.assert_allclose(one_sided(jump), t**3 - t)
    wave = np.sin(0.3 * t)
    assert np.array_equal(one_sided(wave), wave)  # no kink, no cubic
