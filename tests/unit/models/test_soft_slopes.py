"""Slopes of the motion of soft bodies against differences of whole runs."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.errors import InputError
from limbless.studies.variations import value_at

NECK = {"duration": 0.2, "step": 0.01, "record_every": 0.1, "model.tolerance": 1e-8}
WORM = {"duration": 0.5, "step": 0.02, "record_every": 0.1, "model.cells": 3, "model.tolerance": 1e-8}


@pytest.mark.long
@pytest.mark.parametrize(("scenario", "changes", "names"), [
    ("neck-swing-air", NECK, ["robot.damping_time", "robot.first_stiffness", "robot.joint_mass"]),
    ("neck-swing-air", {**NECK, "model.integrator": "rk4", "step": 5e-4, "robot.damping_time": 0.001},
     ["robot.damping_time", "gait.ramp"]),
    ("worm-muscles", WORM, ["gait.couple", "robot.stiffness", "robot.density"]),
], ids=["implicit", "explicit", "muscles"])
def test_slopes_are_those_of_differences(scenario: str, changes: dict[str, Any], names: list[str]) -> None:
    found = ll.sensitivity(scenario, names, changes)
    plain = ll.run(ll.Scenario.load(scenario, changes)).dataset
    np.testing.assert_allclose(found["tip_position"].values, plain["tip_position"].values, atol=1e-8)
    for name in names:
        here = value_at(ll.Scenario.load(scenario, changes), name)
        more, less = (ll.run(ll.Scenario.load(scenario, {**changes, name: (1.0 + share) * here})).dataset
                      for share in (1e-4, -1e-4))
        for variable in ("tip_position", "actuator_work"):
            wanted = (more[variable].values - less[variable].values) / (2e-4 * here)
            slope = found[f"d_{variable}"].sel(parameter=name).values
            np.testing.assert_allclose(slope, wanted, atol=2e-5 * np.abs(wanted).max() + 1e-12, err_msg=name)


@pytest.mark.parametrize(("scenario", "said"), [
    ("neck-winch", "tendons that stretch go slack"), ("chain-tendons", "tendons that stretch go slack")])
def test_motion_without_slopes_is_refused(scenario: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.sensitivity(scenario, ["robot.density" if scenario == "chain-tendons" else "robot.damping_time"],
                       {"duration": 0.1})
