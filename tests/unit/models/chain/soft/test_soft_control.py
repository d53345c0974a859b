"""Controllers of soft bodies, in free space and among contacts: one against the other, and resumed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.simulation.simulate import run_scenario

FAR = {"kind": "ground", "height": -50.0}
ARM = {"duration": 0.1, "record_every": 0.02, "step": 0.0025}


def arm(**changes: Any) -> ll.Result:
    return ll.run("arm-follows-tip", {**ARM, **changes})


def end(result: ll.Result) -> Any:
    assert result.state is not None
    return result.state.x


def continued(result: ll.Result, until: float, rest: float) -> bool:
    """Whether a run that is ended and goes on is the run in one piece, in every bit."""
    assert result.scenario is not None
    first = ll.run(result.scenario, {"duration": until})
    after = run_scenario(ll.Scenario.load(result.scenario, {"duration": rest}), after=first)
    return np.array_equal(end(result), end(after))


@pytest.mark.parametrize(("step", "tolerance"), [(0.0025, 1e-10), (0.005, 1e-7)])
def test_an_arm_above_a_ground_far_below_is_the_arm_without_one(step: float, tolerance: float) -> None:
    """Without contacts the rule among contacts is the implicit midpoint rule: numbers of the controller, too. At 5 ms a
    smaller tolerance needs more evaluations than a stage has: each rule then halves other steps.
    """
    same = {"step": step, "model.tolerance": tolerance, "controller.reference": [0.02, 0.01]}
    here = arm(**{"model.integrator": "midpoint", **same})
    there = arm(**{"environment": [{"kind": "gravity"}, FAR], "model.theta": 0.5, **same})
    for name in ("controller_state", "tension", "tip_position"):
        expected = here.dataset[name].values
        np.testing.assert_allclose(there.dataset[name].values, expected, atol=tolerance * np.abs(expected).max())
    assert np.ptp(there.dataset["controller_state"].values) > 1e-3 and there.summary()["proven"]
    assert continued(there, 0.06, 0.04)


def test_an_arm_that_is_asked_to_go_below_the_ground_presses_on_it() -> None:
    """The tip comes to lie still at z, and slides aside. A tendon pulls by 0.3 + 4 e + I + 0.4 e', I' = 20 e, with e =
    z + 0.06 and e' = (z - smoothed z) / 10 ms. A second controller adds up what its last disk feels of the ground, of
    the step before.
    """
    senses = [{"kind": "tip_position", "axis": axis} for axis in "yz"]
    pulling = ll.Scenario.load("arm-follows-tip").controller.changed(senses=senses, reference=(0.03, -0.06))
    last = [{"kind": "contact_force", "of": [15], "axis": axis} for axis in ("along", "lateral", "vertical")]
    feeling = {"kind": "function", "law": added_up, "state": {"sum": [0.0] * 3}, "senses": last, "output": "signal"}
    asked = {"controller": [pulling, feeling], "initial": {}, "duration": 0.2, "record_every": 0.0025}
    found = arm(**{"environment": [{"kind": "gravity"}, {**FAR, "height": -0.02}], **asked})
    data, numbers = found.dataset, found.dataset["controller_state"]
    own, smoothed = (numbers.sel(controller_number=f"{name} 1 (0)").values for name in ("integral", "smoothed"))
    tip, force = data["tip_position"].values, data["contact_force"].values[40:].sum(axis=1)
    z = tip[:, 2]
    assert np.ptp(z[40:]) < 1e-6 and force[:, 2].min() > 0.2 and tip[-1, 1] > 0.004 and found.summary()["proven"]
    felt = np.diff(numbers.values[40:, -3:], axis=0) / 0.0025
    turned = Rotation.from_quat(data["orientation"].values[40:, -1], scalar_first=True).inv()
    np.testing.assert_allclose(felt, turned.apply(force)[:-1], atol=2e-3 * np.abs(force).max())
    expected = 0.3 + 4.0 * (z + 0.06) + own + 40.0 * (z - smoothed)
    np.testing.assert_allclose(data["tension"].values[:, 1], expected, rtol=1e-12)
    np.testing.assert_allclose(np.diff(own[40:]), 20.0 * 0.0025 * (z[40:-1] + 0.06), rtol=1e-5)
    assert continued(found, 0.12, 0.08)


def added_up(t: Any, s: Any, z: Any) -> Any:
    return s, np.zeros(0)


def test_oscillators_pull_tendons() -> None:
    """By 0.3 N times r (1 + cos θ), those of the left first; and feel how their own tendons pull."""
    feels = {"sense": {"kind": "tension", "filter": 0.02}, "gain": 4.0, "times": "sine"}
    cord = {"kind": "oscillators", "output": "tendon", "sides": 2, "tendons": [0, 3, 1, 2], "strength": 0.3}
    still = {"gait": {"kind": "still", "drives": "tension"}}
    found = arm(controller={**cord, "coupling": {"lag": 1.0}, "feedback": [feels]}, **still)
    data = found.dataset
    assert list(data["neuron"].values) == ["tendon 0", "tendon 3", "tendon 1", "tendon 2"]
    np.testing.assert_allclose(data["tension"].values[:, [0, 3, 1, 2]], 0.3 * data["activity"].values, atol=1e-12)
    assert data["tension"].values.max() > 0.2 and found.summary()["proven"] and continued(found, 0.06, 0.04)
    deaf = arm(controller={**cord, "coupling": {"lag": 1.0}}, **still).dataset["activity"].values
    assert np.abs(deaf - data["activity"].values).max() > 1e-3


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
        ({"kind": "oscillators", "tendons": [4]}, r"controller.tendons: \[4\]; the robot has 4 tendons"),
        ({"kind": "oscillators", "tendons": [0, 1, 2], "sides": 2}, "two sides need an even number of tendons; got 3"),
        ({"kind": "oscillators", "feedback": [{"sense": {"kind": "joint_position"}}]}, "choose tension, tip_position"),
        ({"kind": "function", "law": added_up, "tendons": [7]}, r"controller.tendons: \[7\]"),
        ({"kind": "feedback", "senses": [{"kind": "contact_force"}]}, "among hard things its cells have a contact"),
    ],
)
def test_what_tendons_cannot_do_is_said_in_a_sentence(controller: dict[str, Any], words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        arm(controller={"output": "tendon", **controller}, gait={"kind": "still", "drives": "tension"})


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        ({"kind": "oscillators"}, "torque needs an actuation of kind"),
        ({"kind": "oscillators", "output": "tendon"}, "output effort"),
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
