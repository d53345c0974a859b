"""The tip of a tendon-driven spine follows the target, where the model for it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.core import registry
from limbless.simulation.result import Result
from limbless.view.scene.frames import frames_of
from limbless.view.scene.tendon_lines import lines_of
from limbless.view.studio import tip_target


def test_other_robots_have_no_target(swim: Result) -> None:
    assert tip_target.statics_of(swim) is None


def test_the_tip_follows_and_the_tendons_are_drawn_through_the_disks() -> None:
    if tip_target.MODEL not in registry.kinds("model"):
        pytest.skip("the model tendon-statics is not here")
    result = ll.run("neck-planar")
    statics = tip_target.statics_of(result)
    wanted = statics.inverse([[0.02, 0.005]], tip_target.FOLLOW)
    frames = frames_of(result)
    posed = tip_target._posed(frames, wanted.equilibria[0], wanted.tension[0])
    tip = statics.base_rotation.T @ (posed.position[0, -1] - statics.base_position)
    np.testing.assert_allclose(tip[1:], [0.02, 0.005], atol=1e-9)
    np.testing.assert_allclose(posed.values("tension")[0], wanted.tension[0])
    ends, colours = lines_of(posed).at(0)
    assert len(ends) == len(statics.robot.tendons) * len(statics.robot.vertebrae)
    assert len(np.unique(colours.reshape(-1, 3), axis=0)) > 1
    assert "distance to the target" in tip_target._told(statics, wanted)
