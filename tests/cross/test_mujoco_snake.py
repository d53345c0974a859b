"""Sidewinding in MuJoCo, whose contacts are soft and whose solver is another: the same distance to a few per cent."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_snake import ready, references, settled_load

import limbless as ll

STEP, DURATION = 1 / 2000, 10.0


def test_sidewinding_goes_as_far_as_in_mujoco() -> None:
    scenario = ll.Scenario.load("snake-sidewind", {"duration": DURATION, "record_every": DURATION})
    model, data = ready(scenario, STEP)
    steps = round(DURATION / STEP)
    for row in references(scenario, STEP, steps):
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    theirs = data.site("middle5").xpos
    ours = ll.run("snake-sidewind", {"duration": DURATION, "record_every": DURATION}).dataset["position"].values[-1, 5]
    assert ours[1] > 0.7
    assert ours[1] == pytest.approx(theirs[1], rel=0.05)
    assert np.abs(ours[:2] - theirs[:2]).max() < 0.06


def test_a_drop_loads_the_ground_with_its_weight_in_both() -> None:
    scenario = ll.Scenario.load(
        "snake-undulate-orthotropic", {"duration": 0.5, "gait.yaw_amplitude": 0.0, "record_every": 0.5}
    )
    run = ll.run(scenario)
    weight = run.mass * 9.81
    assert run.dataset["contact_force"].values[-1].sum(axis=0) == pytest.approx([0.0, 0.0, weight], abs=1e-3)
    assert settled_load(scenario, STEP, 1000) == pytest.approx(weight, rel=1e-2)
