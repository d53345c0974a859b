"""Modes of a soft body in the studio: the numbers of the model, and a swing that is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.view.scene.frames import frames_of
from limbless.view.scene.tendon_lines import lines_of
from limbless.view.studio import mode_panel


@pytest.fixture(scope="module")
def neck() -> ll.Result:
    return ll.run("neck-swing-air", {"duration": 0.1})


def test_modes_are_those_of_the_model_about_the_posture(neck: ll.Result) -> None:
    """Of a neck at rest under the tensions that act at its start, without rigid motions."""
    scenario: Any = neck.scenario
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    state = model.initial_state(scenario.initial, scenario.gait)
    expected = model.linearise(state.x, scenario.gait.sample(np.zeros(1), np.zeros(4)).value[0])
    found = mode_panel.small_motions(neck, at_end=False)
    np.testing.assert_allclose(found.frequency, expected.frequency[expected.frequency > 0.0], rtol=1e-9)
    assert found.time == 0.0 and mode_panel.small_motions(neck).time == pytest.approx(0.1)


def test_a_swing_goes_to_both_sides(neck: ll.Result) -> None:
    found, frames = mode_panel.small_motions(neck), frames_of(neck)
    made = mode_panel.swings(frames, found, 0)
    still, _ = found.posture(np.zeros(found.shape.shape[1]))
    way = np.array([one.position[0] - still for one in made])
    reach = np.linalg.norm(way, axis=-1).max()
    assert 0.5 * mode_panel.LARGEST * frames.size < reach < 1.5 * mode_panel.LARGEST * frames.size
    half = len(made) // 2
    np.testing.assert_allclose(way[:half], -way[half:], atol=0.3 * reach)  # drawn large, not small
    assert made[0].count == 1 and lines_of(made[0]) is not None


def test_the_table_has_hertz_and_other_robots_have_none(neck: ll.Result) -> None:
    found = mode_panel.small_motions(neck)
    told = mode_panel._table(found)
    assert f"{found.frequency[0] / (2.0 * np.pi):.4g} Hz" in told and told.count("<tr>") == 1 + mode_panel._count(found)
