"""A rod as a problem: memory of its own, and what stands in for inertia."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.body_wave import BodyWave
from limbless.control.gaits.travelling_curvature import TravellingCurvature
from limbless.core.errors import InputError
from limbless.environments.base import Pack
from limbless.environments.drag import Drag
from limbless.environments.support import Support
from limbless.environments.water import Water
from limbless.mechanics.rod.tables import HeadState
from limbless.models.macro_continuous import MacroContinuousSettings
from limbless.models.rod.rod_model import MacroContinuous
from limbless.models.rod.rod_problem import rod_forces_of
from limbless.robots.rod import Rod
from limbless.scenarios.scenario import Initial

KNOTS = 0.01 * np.arange(5)
STAGES = 0.005 * np.arange(9)


def moved(model: MacroContinuous, gait: Any, drive: Any) -> np.ndarray:
    state, _, status = model.advance(model.initial_state(Initial(), gait), KNOTS, np.ones(5, dtype=bool), drive)
    assert not status.failure
    return state.x


@pytest.mark.parametrize(
    ("environment", "gaits"),
    [
        (Water(), [BodyWave(amplitude=0.1), BodyWave(amplitude=0.2)]),
        (Support(), [TravellingCurvature(), TravellingCurvature(speed=-0.3)]),
    ],
    ids=["pushed", "held"],
)
def test_two_runs_of_one_model_are_two_problems(environment: Any, gaits: list[Any]) -> None:
    """Both drives are there before either run moves: none finds the shapes of the other."""
    model = MacroContinuous(
        Rod(base="planar"), environment, settings=MacroContinuousSettings(cells=16, slip_tolerance=0.1)
    )
    for gait in gaits:
        model.initial_state(Initial(), gait)
    alone = [moved(model, gait, model.drive(gait, STAGES)) for gait in gaits]
    drives = [model.drive(gait, STAGES) for gait in gaits]
    together = [moved(model, gait, drive) for gait, drive in zip(gaits, drives, strict=True)]
    assert np.array_equal(alone[0], together[0]) and np.array_equal(alone[1], together[1])
    assert not np.array_equal(alone[0], alone[1])


def test_a_state_without_inertia_holds_the_twist_of_its_instant() -> None:
    """Also where the last knot is the last of a block: a controller reads it there."""
    settings = MacroContinuousSettings(cells=16, inertia=False)
    model, gait = MacroContinuous(Rod(base="planar"), Drag(along=1.0, lateral=2.0), settings=settings), BodyWave()
    start = model.initial_state(Initial(), gait)
    state, block, _ = model.advance(start, KNOTS, np.ones(5, dtype=bool), model.drive(gait, STAGES))
    assert HeadState.of(state.x).motion.tolist() == block["instant_twist"][-1].tolist()
    assert HeadState.of(block["instant_x"]).motion.tolist() == block["instant_twist"].tolist()
    assert np.abs(block["instant_twist"]).max() > 0.0


def test_an_element_that_pushes_bodies_of_chains_is_refused() -> None:
    with pytest.raises(InputError, match="slices"):
        rod_forces_of([Pack((), elements=(ll.Gravity(),))], np.ones(3))
