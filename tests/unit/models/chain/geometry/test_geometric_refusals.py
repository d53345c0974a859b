"""What the geometric model refuses, and how it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.serpenoid import Serpenoid
from limbless.environments.wheels import Wheels
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.geometric import GeometricSettings
from limbless.robots.joints import Joint
from limbless.robots.links import Link
from limbless.robots.presets.wang_snake import WangSnake

SNAKE = WangSnake()
ZERO = np.zeros(7)


def massless_end() -> ll.Chain:
    body = {"mass": 1.0, "inertia": (0.1, 0, 0, 0.1, 0, 0.1)}
    return ll.Chain(base="planar", links=(Link(**body), Link(joint=Joint(name="wrist"), position=(0.1, 0, 0))))


def test_a_massless_end_is_a_singular_metric() -> None:
    model = Geometric(massless_end())
    with pytest.raises(ll.SimulationError, match=r"metric is singular.*'wrist'.*rotor_inertia"):
        model.solve(np.zeros(4), np.zeros(4), "torque-driven")
    # nothing to move, nothing to solve
    assert np.isfinite(model.solve(np.zeros(4), np.zeros(4), "locomotion").acceleration).all()
    gait = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
    with pytest.raises(ll.SimulationError, match="no inertia to move") as caught:
        ll.simulate(massless_end(), gait, (), model="geometric", actuation="torque", duration=0.1)
    assert caught.value.time == 0.0


def test_gimbal_lock_of_the_virtual_joints_points_to_the_group() -> None:
    free = WangSnake(base="free", pitch_joints=(1, 3))
    locked = np.concatenate([np.zeros(4), [np.pi / 2, 0.0], np.zeros(4)])
    with pytest.raises(ll.SimulationError, match=r"gimbal lock.*'group'"):
        Geometric(free).metric(locked)
    spin = {"twist": (0, 0, 0, 0, 2.0, 0)}
    still = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="joint")
    whole = ll.simulate(free, still, (), model="geometric", duration=1.0, step=1e-2, initial=spin).dataset
    assert whole["base_twist"].values[-1, 4] == pytest.approx(2.0, abs=1e-6)  # a run has no such lock


def test_coordinates_that_a_run_has_no_use_for_are_noted() -> None:
    settings = {"kind": "geometric", "coordinates": "group"}
    run = ll.simulate(SNAKE, Serpenoid(), (), model=settings, duration=0.01, step=1e-3)
    assert any("model.coordinates: 'group'" in note and "does not depend on it" in note for note in run.notes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Geometric(ll.Rod()), "moves a chain; got Rod"),
        (lambda: Geometric(SNAKE, settings=GeometricSettings(coordinates="euler")), "'virtual'.*'group'"),
        (lambda: Geometric(ll.KhalilEel(joints="spherical")), "three revolute"),
        (lambda: Geometric(SNAKE).metric(np.zeros(5)), "x must have 7 numbers"),
        (lambda: Geometric(SNAKE).metric([np.nan] * 7), "finite"),
        (lambda: Geometric(SNAKE).solve(ZERO, np.zeros(6)), "speeds must have 7"),
        (lambda: Geometric(SNAKE).solve(ZERO, ZERO, "dancing"), "locomotion"),
        (lambda: Geometric(SNAKE).solve(ZERO, ZERO, [True]), "given must have 7"),
        (lambda: Geometric(SNAKE).solve(ZERO, ZERO, clamp=5), "beyond the body"),
        (lambda: Geometric(SNAKE).solve(ZERO, ZERO, acceleration=[1.0]), "acceleration must have 7"),
        (lambda: Geometric(SNAKE).body_jacobian(ZERO, 9), "modules 0 to 4"),
        (lambda: Geometric(SNAKE, Wheels()).solve(ZERO, ZERO), "regularised"),
        (
            lambda: Geometric(SNAKE, settings=GeometricSettings(coordinates="group")).christoffel(ZERO, "planar"),
            "general",
        ),
        (lambda: Geometric(WangSnake(pitch_joints=(1,))).christoffel(ZERO, "planar"), "joint 2.*general"),
        (lambda: WangSnake(pitch_joints=(4,)), "joints of 5 modules"),
        (
            lambda: ll.simulate(
                SNAKE, Serpenoid(), (), model="geometric", duration=0.1, initial={"twist": (0, 0, 1.0, 0, 0, 0)}
            ),
            "planar base",
        ),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        make()
