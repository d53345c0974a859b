"""Tools of the studio in a real browser: camera buttons, a tape and pegs dragged by the mouse, files of the scene."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from tests.browser.driving import DRAWN, entered, on_screen, until

pytestmark = pytest.mark.long

SHORT = {"duration": 0.2}
GRIP = 0.7  # where along an arrow of a handle the mouse takes it, in sizes of the handle


@pytest.fixture(scope="module")
def studio(browser: Any) -> Iterator[Any]:
    from limbless.view.studio.studio import Studio

    opened = Studio(ll.run("snake-pegs", SHORT), ll.Scenario.load("snake-pegs", SHORT))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def seen(studio: Any, look: Any) -> Any:
    opened = look(studio.url, width=900, height=500)
    opened.page.wait_for_selector("text=snake-pegs: ready")
    opened.hide_notices()
    ours = entered(studio)
    ours.controls.pause()
    ours.cast_shadows(False)  # software draws them slowly
    ours.jump(0.0)
    opened.open("Show")
    return opened


@pytest.fixture
def page(studio: Any, seen: Any) -> Any:
    return entered(studio)


def drag(seen: Any, page: Any, handle: Any, shift: float) -> None:
    """Take a handle by its arrow along x and pull it that far, in units of the scene."""
    seen.caught_up(page)
    reach = [GRIP * handle.scale + share * shift for share in (0.0, 0.5, 1.0)]
    points = np.array(handle.position) + np.outer(reach, [1.0, 0.0, 0.0])
    mouse, box = seen.page.mouse, seen.scene()
    first, *others = on_screen(page.client, points, box)
    mouse.move(*first)
    seen.page.evaluate(DRAWN)
    mouse.down()
    for place in others:
        mouse.move(*place)
        seen.page.evaluate(DRAWN)
    mouse.up()


@pytest.mark.parametrize("view", ["side", "top", "front", "start"])
def test_a_button_puts_the_camera_there(seen: Any, page: Any, view: str) -> None:
    seen.page.get_by_role("button", name=view, exact=True).click()

    def direction() -> np.ndarray:
        camera = page.client.camera
        away = camera.position - camera.look_at
        return np.asarray(away / np.linalg.norm(away))

    seems = {
        "side": lambda d: d[1] < -0.9,
        "top": lambda d: d[2] > 0.99,
        "front": lambda d: d[0] > 0.9,
        "start": lambda d: d[0] > 0.2 and d[1] < -0.5 and d[2] > 0.2,
    }
    until(lambda: seems[view](direction()))


def test_a_tape_is_pulled_by_its_end(seen: Any, page: Any) -> None:
    seen.tick("measuring tape")
    until(lambda: page.tools._tape)
    end, label = page.tools._tape[1], page.tools._tape[3]
    before, said = np.array(end.position), label.text
    drag(seen, page, end, 0.5)
    until(lambda: label.text != said)
    ends = [np.array(one.position) for one in page.tools._tape[:2]]
    assert ends[1][0] > before[0] + 0.2
    apart = np.linalg.norm(ends[1] - ends[0]) / page.display.k
    assert label.text == (f"{100.0 * apart:.3g} cm" if apart < 1.0 else f"{apart:.3g} m")
    seen.tick("measuring tape")
    until(lambda: not page.tools._tape)


def test_a_peg_is_dragged_and_one_that_may_not_stand_there_goes_back(seen: Any, page: Any) -> None:
    seen.tick("move obstacles")
    until(lambda: page.tools._handles)
    kept, feet = page.result, page.result.scenario.environment[1].feet
    drag(seen, page, page.tools._handles[2], 0.36)  # into the body
    seen.page.wait_for_selector("#status[role=alert]:has-text('inside pegs')")
    assert page.result is kept and not page.changes
    np.testing.assert_allclose(np.array(page.tools._handles[2].position)[:2] / page.display.k, feet[2][:2])
    drag(seen, page, page.tools._handles[0], -0.36)
    moved = until(lambda: page.result is not kept and page.result.scenario.environment[1].feet)
    assert 0.02 < feet[0][0] - moved[0][0] < 0.2 and moved[0][1:] == feet[0][1:]
    assert moved[1:] == feet[1:]


@pytest.mark.parametrize("kind", ["PNG", "SVG", "PDF"])
def test_a_file_holds_what_is_seen(seen: Any, page: Any, kind: str, tmp_path: Path) -> None:
    from PIL import Image

    seen.caught_up(page)
    with seen.page.expect_download() as got:
        seen.page.get_by_role("button", name=kind, exact=True).click()
    assert got.value.suggested_filename == f"snake-pegs.{kind.lower()}"
    got.value.save_as(tmp_path / "picture")
    data = (tmp_path / "picture").read_bytes()
    if kind == "PNG":
        box = seen.scene()
        with Image.open(BytesIO(data)) as image:
            drawn = np.asarray(image.convert("RGB")).astype(int)
        assert drawn.shape[1] == page.client.camera.image_width and drawn.shape[0] > box["height"]
        red, _, blue = drawn.transpose(2, 0, 1)
        assert ((blue - red) > 60).sum() > 500  # the blue of the snake
    else:
        assert data.startswith({"SVG": b"<?xml", "PDF": b"%PDF"}[kind])
    seen.page.wait_for_selector("#status:has-text('downloads')")
    assert not seen.errors


def test_a_film_is_recorded_by_the_browser(seen: Any, page: Any, tmp_path: Path) -> None:
    import imageio_ffmpeg
    from PIL import Image

    button = seen.page.locator("#record")
    button.click()
    until(lambda: button.inner_text() == "Stop and save")
    for time in (0.05, 0.1, 0.15, 0.2):
        page.jump(time)
        seen.caught_up(page)
    with seen.page.expect_download() as got:
        button.click()
    assert got.value.suggested_filename == "snake-pegs.webm"
    got.value.save_as(tmp_path / "film.webm")
    # a browser's film has frames as they came, and a clock of a millisecond: none is repeated to fill it
    words = ["-v", "error", "-i", tmp_path / "film.webm", "-fps_mode", "passthrough", "-update", "1"]
    subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *words, tmp_path / "last.png"], check=True, timeout=60)
    with Image.open(tmp_path / "last.png") as last:
        drawn = np.asarray(last.convert("RGB")).astype(int)
    assert ((drawn[..., 2] - drawn[..., 0]) > 60).sum() > 500  # the blue of the snake
    until(lambda: button.inner_text() == "Record a film")
    assert not seen.errors


def test_a_loop_is_drawn_and_pulled_on_its_map(browser: Any, look: Any) -> None:
    from limbless.view.studio.studio import Studio

    scenario = ll.Scenario.load("purcell-swimmer", SHORT)
    opened = Studio(ll.run(scenario), scenario)
    try:
        seen = look(opened.url, width=1000, height=900)
        seen.page.wait_for_selector("text=purcell-swimmer: ready")
        seen.hide_notices()
        ours = entered(opened)
        ours.controls.pause()
        seen.draw_rarely()
        seen.open("Numbers")
        seen.unfold("Map")
        seen.page.get_by_role("button", name="Find the map", exact=True).click()
        seen.page.wait_for_selector("#loop circle")
        panel = ours.map
        before = panel.editor.points.copy()
        seen.page.locator("#loop").scroll_into_view_if_needed()
        box = seen.page.locator("#loop image").bounding_box()
        middle = np.array([box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]])
        turn = np.linspace(0.0, 2.0 * np.pi, 25)
        ring = middle + 0.12 * box["width"] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        mouse = seen.page.mouse
        mouse.move(*ring[0])
        mouse.down()
        for place in ring[1:]:
            mouse.move(*place)
            seen.page.wait_for_timeout(60)
        mouse.up()
        until(lambda: not np.array_equal(panel.editor.points, before))
        low, high = panel.editor.connection.region.T
        radius = np.linalg.norm((panel.editor.points - 0.5 * (low + high)) / (high - low), axis=1)
        np.testing.assert_allclose(radius, 0.12, atol=0.02)
        assert not seen.errors
    finally:
        opened.close()
