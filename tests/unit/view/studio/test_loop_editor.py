"""The loop that is pulled in the studio: pulls move it, numbers follow, pictures hold what the page needs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.strokes import Loop
from limbless.view.studio.loop_editor import PULL, LoopEditor
from limbless.view.studio.map_panel import MapPanel, has_map


@pytest.fixture(scope="module")
def editor() -> LoopEditor:
    return LoopEditor(ll.connection("purcell-swimmer"))


def test_it_begins_with_the_gait_and_follows_a_pull(editor: LoopEditor) -> None:
    assert editor.stroke.distance == pytest.approx(0.05128082430808744, abs=1e-8)
    before = editor.stroke.distance
    larger = editor.pull(3, 1.15 * editor.points[3])
    assert larger.distance > before  # the height of x has one sign there: a larger loop goes farther
    np.testing.assert_allclose(editor.stroke.loop.along(np.arange(12) / 12.0)[0], editor.points, atol=1e-9)
    assert editor.stroke.scenario().gait.kind == "shape-loop"
    rows = dict(editor.rows())
    assert set(rows) == {"distance by motion", "turn", "distance by area", "efficiency"}
    with pytest.raises(ll.InputError, match="points 0 to 11"):
        editor.pull(12, np.zeros(2))


def test_pictures_tell_where_the_points_are(editor: LoopEditor) -> None:
    drawn = editor.picture("x", PULL.format(uuid="abc"))
    assert drawn.count("data-point=") == 12 and "data:image/png;base64," in drawn and "onpointermove" in drawn
    assert "joint 1 (rad)" in drawn
    place = editor.to_picture(editor.points[5])
    np.testing.assert_allclose(editor.from_picture(*place), editor.points[5])
    bodies, track = editor.bodies(5)
    for body in bodies:  # links of their length, wherever they are
        np.testing.assert_allclose(np.linalg.norm(np.diff(body, axis=0), axis=1), 1.0 / 3.0, atol=1e-12)
    # of a period's first and last moment, nearly a period apart
    assert np.linalg.norm(bodies[-1].mean(axis=0) - bodies[0].mean(axis=0)) < 2.0 * editor.stroke.distance + 0.05
    assert editor.way().count("<polyline") == 7 and len(track) == len(editor.stroke.path)


def test_a_loop_that_is_drawn_goes_as_the_circle_it_follows_and_back_when_drawn_backwards(editor: LoopEditor) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    line = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    circle = editor.connection.around(Loop.of_table(np.zeros(2), [[1.0, 0.0]], [[0.0, 1.0]]))
    forward = editor.draw(line)
    assert forward.distance == pytest.approx(circle.distance, rel=1e-3)
    np.testing.assert_allclose(editor.draw(line[::-1]).displacement[0], -forward.displacement[0], rtol=2e-2)
    kept = editor.points.copy()
    with pytest.raises(ll.InputError, match="at least three places"):
        editor.draw(line[:2])
    np.testing.assert_array_equal(editor.points, kept)


def test_each_wish_that_cannot_be_met_is_refused_in_its_own_words(editor: LoopEditor) -> None:
    told: list[str] = []
    page: Any = SimpleNamespace(controls=SimpleNamespace(refuse=told.append))
    panel = MapPanel(page)
    panel.editor, before = editor, editor.points.copy()
    for wish in ("99 200 120", "draw 1 1 2 2", "first 200 120", "0"):
        panel.ask(wish)
    assert [words.partition(":")[0].partition(" points")[0] for words in told] == [
        "the loop has the",
        "a loop that is drawn has at least three places apart from each other; got 2",
        "pull",
        "pull",
    ]
    assert (editor.points == before).all()


def test_only_what_has_a_map_is_offered_one() -> None:
    assert has_map(Scenario.load("purcell-swimmer")) and has_map(Scenario.load("kinematic-snake-map"))
    assert not has_map(Scenario.load("eel-planar")) and not has_map(Scenario.load("neck-planar"))
