"""Sidewinding here and in MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
import validation.engines  # noqa: F401
from validation.ground import behind

STEP, DURATION = 1 / 2000, 10.0


def weights() -> tuple[float, float]:
    """Total load of a snake at rest over its weight, less one: ours and MuJoCo's."""
    from mujoco_snake import settled_load

    scenario = ll.Scenario.load(
        "snake-undulate-orthotropic", {"duration": 0.5, "gait.yaw_amplitude": 0.0, "record_every": 0.5}
    )
    run = ll.run(scenario)
    weight = run.mass * 9.81
    total = settled_load(scenario, STEP, 1000)
    return float(abs(run.dataset["contact_force"].values[-1, :, 2].sum() / weight - 1.0)), float(
        abs(total / weight - 1.0)
    )


def check(case: Any, sheet: Any) -> dict[str, float]:
    import mujoco
    from mujoco_snake import ready, references

    scenario = ll.Scenario.load("snake-sidewind", {"duration": DURATION, "record_every": 0.01})
    model, data = ready(scenario, STEP)
    theirs = []
    for number, row in enumerate(references(scenario, STEP, round(DURATION / STEP))):
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
        if number % 20 == 19:
            mujoco.mj_kinematics(model, data)
            theirs.append(data.site("middle5").xpos.copy())
    ours, peer = ll.run(scenario).dataset["position"].values[:, 5], np.array(theirs)
    axes = sheet.subplots()
    axes.plot(*ours[:, :2].T, label="limbless")
    axes.plot(*peer[:, :2].T, "--", label="MuJoCo")
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.legend()
    time = 0.01 * np.arange(1, len(peer) + 1)
    (when, here), (_, there) = behind(time, ours[1:, 1]), behind(time, peer[:, 1])
    own, other = weights()
    return {
        "distance": float(abs(ours[-1, 1] / peer[-1, 1] - 1.0)),
        "place": float(np.abs(ours[-1, :2] - peer[-1, :2]).max()),
        "back": float(here.max() / there.max()),
        "back time": float(abs(when[here.argmax()] - when[there.argmax()])),
        "our weight": own,
        "their weight": other,
    }
