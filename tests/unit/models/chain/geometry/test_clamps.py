"""A module that is held: it stays, it carries what it must, and the coordinates of the base make no difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.serpenoid import Serpenoid
from limbless.environments.clamp import Clamp
from limbless.environments.wheels import Wheels
from limbless.robots.presets.wang_snake import WangSnake

IN_SPACE = WangSnake(modules=3, base="free", pitch_joints=(1,))
GAIT = Serpenoid(amplitude=0.3, frequency=5.0, phase_step=0.7, ramp=0.0)
DRAG = ll.Drag(along=1.0, lateral=6.0, vertical=6.0)
STEPS = 4


def held(
    robot: WangSnake, environment: Any, gait: Any = GAIT, coordinates: str = "virtual", **options: Any
) -> ll.Result:
    return ll.simulate(
        robot,
        gait,
        environment,
        model={"kind": "geometric", "coordinates": coordinates},
        duration=STEPS * 1e-3,
        step=1e-3,
        **options,
    )


@pytest.mark.parametrize(
    ("robot", "around", "coordinates"),
    [
        (IN_SPACE, DRAG, "group"),
        (IN_SPACE, DRAG, "virtual"),
        (WangSnake(modules=3), Wheels(law="regularised"), "group"),
        (WangSnake(modules=3), Wheels(law="regularised"), "virtual"),
        (WangSnake(modules=3), Wheels(law="set-valued"), "virtual"),
        (WangSnake(modules=3), Wheels(law="set-valued"), "group"),
    ],
)
@pytest.mark.parametrize("module", [1, -1])
def test_a_clamped_module_stays_and_the_others_move(
    robot: WangSnake, around: Any, coordinates: str, module: int
) -> None:
    result = held(robot, (around, Clamp(module=module)), coordinates=coordinates)
    place, turn = result.dataset["position"].values, result.dataset["orientation"].values
    assert np.abs(place[:, module] - place[0, module]).max() < 1e-14
    assert np.abs(turn[:, module] - turn[0, module]).max() < 1e-14
    assert np.abs(place[-1, 0] - place[0, 0]).max() > 1e-4
    assert {balance.verdict for balance in result.balances()} == {"pass"}


def test_both_coordinates_of_a_base_in_space_give_one_motion() -> None:
    """A clamp moves the base, so that either kind of coordinates has to follow: the path and what the
    clamp carries are the same.
    """
    pitched = {"orientation": (np.cos(0.3), 0.0, np.sin(0.3), 0.0)}
    found = [
        held(IN_SPACE, (ll.Gravity(), Clamp(module=1)), coordinates=coordinates, initial=pitched).dataset
        for coordinates in ("group", "virtual")
    ]
    for name in ("position", "joint_torque", "clamp_wrench"):
        assert found[0][name].values == pytest.approx(found[1][name].values, rel=1e-8, abs=1e-9), name
    assert np.abs(found[0]["clamp_wrench"].values).min() > 0.0


@pytest.mark.parametrize("coordinates", ["group", "virtual"])
def test_a_clamp_carries_the_weight_and_its_moment(coordinates: str) -> None:
    """At rest and bent, held at the base: the force is the weight, the moment that of the weight about the base."""
    bent = ll.FunctionGait(function=lambda t, s: np.full((len(t), len(s)), 0.4), drives="joint")
    data = held(IN_SPACE, (ll.Gravity(), Clamp(module=0)), bent, coordinates).dataset.isel(time=-1)
    weight = np.array([0.0, 0.0, 9.81 * IN_SPACE.build().total_mass])
    assert data["clamp_wrench"].values[:3] == pytest.approx(weight, abs=1e-9)
    arm = data["com_position"].values - data["base_position"].values
    assert np.linalg.norm(arm[:2]) > 0.1
    assert data["clamp_wrench"].values[3:] == pytest.approx(np.cross(arm, weight), abs=1e-9)
