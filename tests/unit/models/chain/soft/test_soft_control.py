"""Controllers of soft bodies, in free space and among contacts: one against the other, and resumed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.simulation.simulate import run_scenario

FAR = {"kind": "ground", "height": -50.0}
ARM = {"duration": 0.1, "record_every": 0.02, "step": 0.0025}


def arm(**changes: Any) -> ll.Result:
    return ll.run("arm-follows-tip", {**ARM, **changes})


def end(result: ll.Result) -> Any:
    assert result.state is not None
    return result.state.x


def test_an_arm_above_a_ground_far_below_is_the_arm_without_one() -> None:
    """Without contacts the rule among contacts is the implicit midpoint rule: numbers of the controller, too."""
    bent = {"controller.reference": [0.02, 0.01]}
    here = arm(**{"model.integrator": "midpoint", "model.tolerance": 1e-10, **bent})
    ground = [{"kind": "gravity"}, FAR]
    there = arm(**{"environment": ground, "model.theta": 0.5, "model.tolerance": 1e-10, **bent})
    for name in ("controller_state", "tension", "tip_position"):
        expected = here.dataset[name].values
        np.testing.assert_allclose(there.dataset[name].values, expected, atol=1e-10 * np.abs(expected).max())
    assert np.ptp(there.dataset["controller_state"].values) > 1e-3 and there.summary()["proven"]
    first = ll.run(there.scenario, {"duration": 0.06})
    rest = run_scenario(ll.Scenario.load(there.scenario, {"duration": 0.04}), after=first)
    assert np.array_equal(end(there), end(rest))


def rod(controller: Any, **fields: Any) -> dict[str, Any]:
    """A rod of three cells of constant curvature in the plane, which lies on the ground or stands out of a wall."""
    body = {"kind": "rod", "strains": "planar", "length": 0.6, "half_width": 0.01, "density": 1000.0}
    return {
        "name": "rod",
        "robot": {**body, "base": "fixed", "passive": {}, "stiffness": 0.02, "damping": 0.02},
        "model": {"kind": "soft", "cells": 3, "degree": 0},
        "controller": controller,
        "duration": 0.04,
        "step": 0.002,
        "record_every": 0.02,
        **fields,
    }


def test_an_effort_bends_a_cell_until_its_spring_holds_it() -> None:
    """The freedom of a cell is its curvature, and an effort along it a moment times its length: EI l κ, at rest."""
    bends = {"kind": "oscillators", "frequency": 0.0, "coupling": {"weight": 0.0}, "haste": 50.0, "output": "effort"}
    effort = np.array([4e-4, 8e-4, -4e-4])
    found = ll.run(rod({**bends, "strength": effort.tolist()}, duration=20.0, record_every=20.0))
    np.testing.assert_allclose(end(found)[7:10], effort / (0.02 * 0.2), rtol=1e-6)
    assert found.summary()["proven"]


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        ({"kind": "oscillators"}, "torque needs an actuation of kind"),
        ({"kind": "feedback", "senses": [{"kind": "tip_position", "axis": "x"}], "output": "tendon"}, "output effort"),
        ({"kind": "feedback", "senses": [{"kind": "contact_force"}], "output": "effort"}, "a soft body has none"),
        (
            {"kind": "feedback", "senses": [{"kind": "speed"}], "output": "effort"},
            "'speed' of a soft body is not known",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(controller: dict[str, Any], words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.run(rod(controller))
