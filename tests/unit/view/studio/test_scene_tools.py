"""A tape says how far its ends are apart, handles move pegs and objects, and shadows can be switched."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.simulation.result import Result
from limbless.view.scene.frames import frames_of
from limbless.view.scene.palette import theme_of
from limbless.view.scene.world import World
from tests.unit.view import made_up

viser = pytest.importorskip("viser", reason="the extra view is not installed")

PEGS = ((1.0, 0.5, 0.0), (0.0, 0.0, 0.0))


@pytest.fixture
def page() -> Iterator[Any]:
    """As much of a page as tools need, among two pegs."""
    from limbless.view.scene.scene import Display
    from limbless.view.studio.server import quiet_server, stop

    server = quiet_server()
    environment = [ll.Ground(), ll.Pegs(feet=PEGS, span=(0.0, 0.0, 0.4), radius=0.05)]
    result = Result(made_up.straight(), SimpleNamespace(environment=environment, robot=None, name="straight"))
    frames = frames_of(result)
    made: list[Any] = []
    yield SimpleNamespace(
        client=server,
        controls=SimpleNamespace(show_tab=server.gui.add_folder("Show")),
        result=result,
        frames=frames,
        display=Display(server.scene, frames, World([frames], theme_of(frames))),
        made=made,
        changes={},
        tune=lambda path, value: made.append((path, value)),
    )
    stop(server)


def test_a_tape_tells_metres(page: Any) -> None:
    from limbless.view.studio.scene_tools import SceneTools

    tools = SceneTools(page)
    tools.tape.value = True
    tools.show(page.result)
    assert tools._tape[3].text == "40 cm"  # from the middle of the first section of 0.1 m to that of the fifth
    tools._tape[0].position = (0.0, 0.0, 0.0)
    tools._tape[1].position = page.display.k * np.array([0.3, 0.4, 0.0])
    tools._measure()
    assert tools._tape[3].text == "50 cm"
    tools.tape.value = False
    tools._show_tape()
    assert tools._tape == []


def test_a_peg_that_is_let_go_elsewhere_is_a_change_of_its_feet(page: Any) -> None:
    from limbless.view.studio.scene_tools import SceneTools

    tools = SceneTools(page)
    tools.move.value = True
    tools.show(page.result)
    places = [np.array(handle.position) / page.display.k for handle in tools._handles]
    np.testing.assert_allclose(places, np.add(PEGS, [0.0, 0.0, 0.4]))  # at their tops
    tools.put("environment.1.feet", 1, page.display.k * np.array([0.2, -0.3, 0.7]))
    assert page.made == [("environment.1.feet", [[1.0, 0.5, 0.0], [0.2, -0.3, 0.0]])]
    page.changes = dict(page.made) | {"duration": 2.0}
    tools._handles[1].position = page.display.k * np.array([0.2, -0.3, 0.4])
    tools.take_back("environment.1.feet")  # refused: the peg stands there, and its handle too
    assert page.changes == {"duration": 2.0}
    np.testing.assert_allclose(np.array(tools._handles[1].position) / page.display.k, [0.0, 0.0, 0.4])


def test_an_object_that_is_let_go_elsewhere_starts_there(page: Any) -> None:
    from limbless.view.studio.scene_tools import SceneTools

    log = {"shape": "capsule", "position": (0.5, 0.2, 0.3), "radius": 0.05, "length": 0.4, "pitch": "90 deg"}
    page.result.scenario.environment[1] = ll.Objects(bodies=[log, {**log, "position": (0.0, 0.2, 0.3)}])
    tools = SceneTools(page)
    tools.move.value = True
    tools.show(page.result)
    places = [np.array(handle.position) / page.display.k for handle in tools._handles]
    np.testing.assert_allclose(places, [(0.5, 0.2, 0.55), (0.0, 0.2, 0.55)])  # on end: at the top of its round end
    path = "environment.1.bodies.1.position"
    tools.put(path, 0, page.display.k * np.array([0.25, -0.3, 9.0]))
    assert page.made == [(path, [0.25, -0.3, 0.3])]
    moved = ll.Scenario.load("snake-push", {path: page.made[0][1]})
    assert moved.environment[1].bodies[1].position == (0.25, -0.3, 0.3)


def test_shadows_fall_on_the_ground_or_on_nothing(page: Any) -> None:
    from limbless.view.scene.stage import SHADE, Stage

    stage = Stage(page.client.scene, page.display.world)
    assert stage._sun.cast_shadow and stage._shaded[0].receive_shadow == SHADE
    stage.cast_shadows(False)
    assert not stage._sun.cast_shadow and not stage._shaded[0].receive_shadow


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_picture_has_what_is_seen_and_every_row_of_its_legend(page: Any, kind: str) -> None:
    from io import BytesIO

    from PIL import Image

    from limbless.view.scene.legend import Row, legend_rows
    from limbless.view.studio.scene_tools import picture_file

    seen = np.zeros((300, 700, 3), np.uint8)
    seen[100:200, 300:400] = (255, 0, 0)
    page.client = SimpleNamespace(
        camera=SimpleNamespace(image_height=300, image_width=700), get_render=lambda *_, timeout: seen
    )
    page.ghost_name = "an earlier run"
    page.rungs = SimpleNamespace(rows=lambda: [Row("soft, 24 cells", "line", ("#009E73",))])
    data = picture_file(page, kind)
    if kind == "png":
        with Image.open(BytesIO(data)) as image:
            drawn = np.asarray(image.convert("RGB"))
        assert drawn.shape[1] == 700 and drawn.shape[0] > 300
        np.testing.assert_array_equal(drawn[:300], seen)
        assert (drawn[300:] < 128).all(axis=2).any()  # letters
    elif kind == "pdf":
        assert data.startswith(b"%PDF")
    else:
        said = data.decode()
        for row in legend_rows(page.display, page.ghost_name, page.rungs.rows()):
            assert f"<!-- {row.text}" in said
