"""Slopes of the motion of soft bodies against differences of whole runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.mechanics.compiled import pack
from limbless.mechanics.integrate import dirk
from limbless.mechanics.integrate.running_totals import new_objective_totals
from limbless.models.chain.soft.soft_model import Soft
from limbless.search.studies.variations import value_at
from limbless.simulation.simulate import knots_between, stage_times

NECK = {"duration": 0.2, "step": 0.01, "record_every": 0.1, "model.tolerance": 1e-8}
WORM = {"duration": 0.5, "step": 0.02, "record_every": 0.1, "model.cells": 3, "model.tolerance": 1e-8}
WAVE = {"kind": "body-wave", "amplitude": 0.1, "growth": 0.5, "wavelength": 0.6, "period": 1.0, "ramp": 0.5}


@pytest.mark.long
@pytest.mark.parametrize(
    ("scenario", "changes", "names"),
    [
        ("neck-swing-air", NECK, ["robot.damping_time", "robot.first_stiffness", "robot.joint_mass"]),
        (
            "neck-swing-air",
            {
                "duration": 0.2,
                "step": 5e-4,
                "record_every": 0.1,
                "model.integrator": "rk4",
                "robot.damping_time": 0.001,
            },
            ["robot.damping_time", "gait.ramp"],
        ),
        ("worm-muscles", WORM, ["gait.couple", "robot.stiffness", "robot.density"]),
        ("eel-passive-tail", {**WORM, "gait": WAVE}, ["gait.amplitude", "robot.density"]),
    ],
    ids=["implicit", "explicit", "muscles", "wave"],
)
def test_slopes_are_those_of_differences(scenario: str, changes: dict[str, Any], names: list[str]) -> None:
    found = ll.sensitivity(scenario, names, changes)
    plain = ll.run(ll.Scenario.load(scenario, changes)).dataset
    np.testing.assert_allclose(found["tip_position"].values, plain["tip_position"].values, atol=1e-8)
    for name in names:
        here = value_at(ll.Scenario.load(scenario, changes), name)
        more, less = (
            ll.run(ll.Scenario.load(scenario, {**changes, name: (1.0 + share) * here})).dataset
            for share in (1e-4, -1e-4)
        )
        for variable in ("tip_position", "actuator_work"):
            wanted = (more[variable].values - less[variable].values) / (2e-4 * here)
            slope = found[f"d_{variable}"].sel(parameter=name).values
            np.testing.assert_allclose(slope, wanted, atol=2e-5 * np.abs(wanted).max() + 1e-12, err_msg=name)
        wanted = (more["positive_work"].values[-1] - less["positive_work"].values[-1]).sum() / (2e-4 * here)
        assert float(found["d_positive_work"].sel(parameter=name)) == pytest.approx(wanted, rel=2e-5, abs=1e-12), name
    assert float(found["positive_work"]) == pytest.approx(plain["positive_work"].values[-1].sum(), rel=1e-7)


@pytest.mark.long
@pytest.mark.parametrize(
    ("scenario", "changes", "peak"),
    [
        ("neck-swing-air", NECK, "peak_tension"),
        ("worm-muscles", WORM, "peak_torque"),
        ("worm-muscles", {**WORM, "model.integrator": "midpoint"}, "peak_torque"),
    ],
    ids=["tendons", "muscles", "midpoint"],
)
def test_a_score_is_what_a_run_tallies(scenario: str, changes: dict[str, Any], peak: str) -> None:
    asked = ll.Scenario.load(scenario, changes)
    model = asked.model.assemble(asked.robot.build(), asked.environment, asked.actuation)
    assert isinstance(model, Soft) and model.steps is not None
    knots = knots_between(0.0, asked.duration, asked.step, asked.gait.breakpoints(0.0, asked.duration))
    score = new_objective_totals(np.ones(model.tendons or model.freedoms), False)
    problem = model.problem(model.drive(asked.gait, stage_times(knots)), 1, score, None)
    x = model.initial_state(asked.initial, asked.gait).x
    parts = (problem, model.steps.method, model.steps.scratch(), knots, knots == asked.duration, x)
    failed, _ = dirk.advance_part(pack(parts), 0, len(knots) - 1, 0)
    tallied = ll.run(asked).dataset
    assert failed == 0 and score.positive.sum() > 0.0
    np.testing.assert_allclose(score.positive, tallied["positive_work"].values[-1], rtol=1e-12, atol=1e-18)
    np.testing.assert_allclose(score.peak, np.abs(tallied[peak].values), rtol=1e-12)


def test_motion_without_slopes_is_refused() -> None:
    with pytest.raises(InputError, match="tendons that stretch go slack"):
        ll.sensitivity("neck-winch", ["robot.damping_time"], {"duration": 0.1})
