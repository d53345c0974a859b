"""The studio in a real browser: what a visitor does reaches Python, and what Python computes reaches the screen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.view.scene.frames import frames_of
from limbless.view.studio.messages import in_page_words
from tests.browser.driving import entered, until

VIEW = (slice(160, 690), slice(390, 830))  # where nothing but the scene is


@pytest.fixture(scope="module")
def studio(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from limbless.view.studio.studio import Studio

    opened = Studio(
        ll.run("eel-planar", {"duration": 4.0}),
        ll.Scenario.load("eel-planar", {"duration": 4.0}),
        folder=tmp_path_factory.mktemp("work"),
    )
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def seen(studio: Any, look: Any) -> Any:
    opened = look(studio.url)
    opened.page.wait_for_selector("text=eel-planar: ready")
    entered(studio).cast_shadows(False)  # software draws them slowly
    until(lambda: opened.body(VIEW).sum() > 1000)
    return opened


@pytest.fixture
def page(studio: Any, seen: Any) -> Any:
    """Python's side of the visitor's page."""
    return entered(studio)


def test_page_asks_no_other_host(seen: Any, studio: Any) -> None:
    assert seen.asked_only(studio.url, studio.url.replace("http", "ws"))
    assert not seen.errors


def test_server_listens_on_this_machine_only(studio: Any) -> None:
    assert studio.server.get_host() == "127.0.0.1"
    assert studio.server.request_share_url() is None


def test_robot_is_drawn_and_moves_when_playing(seen: Any, page: Any) -> None:
    seen.open("Show")
    seen.tick("follow the robot")
    until(lambda: not page.controls.follow.value)
    seen.open("Tune")
    first = seen.body(VIEW)
    until(lambda: (seen.body(VIEW) != first).sum() > 200)
    seen.tick("playing")
    until(lambda: not page.controls.play.value)


def test_scene_has_the_poses_of_the_dataset(page: Any) -> None:
    page.jump(1.5)
    frame, nodes = page.display.frame, page.display._body
    assert page.frames.times[frame] == pytest.approx(1.5)
    drawn = np.concatenate([nodes["head"].batched_positions, nodes["modules"].batched_positions]) / page.display.k
    recorded = page.result.dataset["position"].values[frame]
    np.testing.assert_allclose(drawn[page.display.parts.body.order], recorded, atol=page.frames.size * 2.0**-12)
    page.switch("modules", False)  # the smooth skin in their place
    slices = np.asarray(page.display._body["slices"].batched_positions) / page.display.k
    near = np.linalg.norm(recorded[:, None] - slices, axis=2).min(axis=1)
    assert near.max() < page.frames.size / len(slices)
    page.switch("modules", True)


def test_time_slider_shows_that_time(seen: Any, page: Any) -> None:
    page.controls.pause()  # else playing moves the slider on, if no test stopped it
    page.jump(1.5)  # waits for the player, if it is drawing a last frame
    seen.heard(page)  # a move still on its way would replace what is typed
    seen.enter(seen.labelled("time (s)"), "2.5")
    until(lambda: page.frames.times[page.display.frame] == pytest.approx(2.5))


def test_gait_slider_changes_the_result_and_the_number(seen: Any, page: Any) -> None:
    seen.open("Numbers")
    before = seen.number("mean speed")
    seen.open("Tune")
    seen.enter(seen.labelled("amplitude (°)"), "5.2352456")  # finer than a step of the slider
    until(lambda: page.result.scenario.gait.amplitude == pytest.approx(np.radians(5.2352456), rel=1e-9))
    expected = ll.run("eel-planar", {"duration": 4.0, "gait.amplitude": page.result.scenario.gait.amplitude})
    np.testing.assert_array_equal(page.result.dataset["position"].values, expected.dataset["position"].values)
    shown = f"{expected.summary()['mean_speed']:.4g} m/s"
    seen.open("Numbers")
    seen.page.wait_for_selector(f"#numbers td:text-is('{shown}')")
    assert shown != before
    seen.open("Tune")
    seen.page.wait_for_selector("#status:has-text('answered in')")


def test_bad_value_shows_the_error_and_keeps_the_run(seen: Any, page: Any) -> None:
    kept = page.result
    seen.page.get_by_text("Environment: water", exact=True).click()
    seen.enter(seen.labelled("density (kg/m3)"), "-5")
    seen.page.wait_for_selector("#status[role=alert]:has-text('Environment: water, density (kg/m3): must be')")
    assert "must be" in seen.page.locator(".refused:not(#status)").inner_text()  # below its field too
    said = seen.page.locator("#status").inner_text()
    with pytest.raises(ll.InputError) as error:
        ll.Scenario.load(page.source, page.changes)
    assert said.split() == in_page_words(str(error.value), page.result.scenario).split()
    assert page.result is kept
    seen.enter(seen.labelled("density (kg/m3)"), "1100")
    until(lambda: page.result is not kept and page.result.scenario.environment[0].density == 1100.0)
    seen.page.wait_for_selector("#status:not([role=alert])")


def test_two_pages_do_not_disturb_each_other(seen: Any, studio: Any, page: Any, look: Any) -> None:
    amplitude, result = page.result.scenario.gait.amplitude, page.result
    other = look(studio.url, width=900, height=500)
    other.page.wait_for_selector("text=eel-planar: ready")
    second = entered(studio, page)
    assert second.result.scenario.gait.amplitude == pytest.approx(0.06)
    other.enter(other.labelled("amplitude (°)"), "1.71887")
    until(lambda: second.result.scenario.gait.amplitude == pytest.approx(0.03, abs=1e-3))
    assert page.result is result and page.result.scenario.gait.amplitude == amplitude
    other.page.close()
    until(lambda: len(studio.pages) == 1)
    until(lambda: not second._player.is_alive() and not second.worker._thread.is_alive())


def test_parts_are_switched_on(seen: Any, page: Any) -> None:
    before = seen.picture()[VIEW]
    seen.open("Show")
    seen.tick("forces of the water")
    until(lambda: page.display.shows("fluid"))
    expected, _ = next(one for one in page.display.arrows if one.key == "fluid").at(page.display.frame)
    drawn = np.linalg.norm(expected[:, 1] - expected[:, 0], axis=1) > 0.05 * page.frames.size
    wanted = page.display.k * expected[drawn]
    until(lambda: np.allclose(page.display._nodes["fluid"].points[drawn], wanted, rtol=1e-6, atol=1e-5))
    until(lambda: (np.abs(seen.picture()[VIEW] - before).sum(axis=2) > 60).sum() > 30)
    seen.tick("forces of the water")
    until(lambda: not page.display.shows("fluid"))
    seen.open("Tune")


def test_save_writes_into_the_working_folder_only(seen: Any, page: Any, studio: Any) -> None:
    seen.page.get_by_role("button", name="Save scenario and result").click()
    seen.page.wait_for_selector("#status:has-text('saved in runs/eel-planar')")
    saved = ll.Result.load(studio.folder / "runs/eel-planar")
    np.testing.assert_array_equal(saved.dataset["position"].values, page.result.dataset["position"].values)
    assert [path.name for path in studio.folder.iterdir()] == ["runs"]


def test_copy_python_copies_lines_that_give_the_run_again(seen: Any, page: Any, studio: Any) -> None:
    """Also after a value was refused: the lines are those of the run that is shown."""
    kept = page.result
    page.tune("gait.period", -1.0)
    seen.page.wait_for_selector("#status[role=alert]")
    seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=studio.url)
    button = seen.page.locator("#python button")
    assert button.inner_text() == "Copy Python"
    button.click()
    seen.page.wait_for_selector("#python button:text-is('Copied')")
    copied = seen.page.evaluate("navigator.clipboard.readText()")
    assert copied == seen.page.locator("#python textarea").input_value() == page.python()
    names: dict[str, Any] = {}
    exec(copied, names)
    assert page.result is kept
    np.testing.assert_array_equal(names["result"].dataset["position"].values, kept.dataset["position"].values)
    page.changes.pop("gait.period")


def test_a_long_run_shows_its_progress_and_can_be_cancelled(seen: Any, page: Any) -> None:
    kept = page.result
    page.tune("duration", 1e9)
    seen.page.wait_for_selector("#status[role=alert]:has-text('the studio takes runs of at most 5000000 steps')")
    page.changes["record_every"] = 20.0
    page.tune("duration", 40000.0)
    button = seen.page.get_by_role("button", name="Cancel the run")
    button.wait_for()
    button.click()
    seen.page.wait_for_selector("#status:has-text('cancelled')")
    assert page.result is kept
    page.changes.pop("duration")
    page.changes.pop("record_every")


def test_another_scenario_is_picked(seen: Any, page: Any) -> None:
    """Also where the view does not follow: a camera that sees the whole way sees the robot through the fog."""
    page.controls.follow.value = False
    page.pick("eel-loop")
    until(lambda: page.result.name == "eel-loop")
    seen.page.wait_for_selector("#status:has-text('eel-loop')")
    assert page.changes == {}
    until(lambda: seen.body(VIEW).sum() > 300)


def test_leaving_ends_the_server_and_its_threads(browser: Any, look: Any, tmp_path: Path) -> None:
    from limbless.view.studio.studio import Studio, serve

    other = ll.run("rod-swim", {"duration": 0.3})  # another model, and shorter
    opened = Studio(ll.run("eel-planar", {"duration": 0.5}), ghost=other, folder=tmp_path)
    told: list[str] = []
    server = threading.Thread(target=serve, args=(opened, False, told.append))
    server.start()
    until(lambda: told)
    visitor = look(told[0], width=700, height=400)
    visitor.page.wait_for_selector("text=eel-planar: ready")
    page = entered(opened)
    page.jump(0.4)
    (ghost,) = page._ghosts
    assert page.display.frame == 20 and ghost.frame == ghost.frames.count - 1
    np.testing.assert_allclose(ghost.frames.position, frames_of(opened.ghost).position)
    assert any(
        label.endswith(", other")
        for panel in page.plots._panels
        for label in (one["label"] for one in panel.handle.series)
    )
    visitor.page.close()
    server.join(timeout=30.0)
    assert not server.is_alive()
    assert not [
        thread
        for thread in threading.enumerate()
        if thread.name.startswith("limbless") and str(id(opened)) in thread.name
    ]


@pytest.mark.long
def test_rungs_of_a_ladder_are_told_apart(look: Any, tmp_path: Path) -> None:
    """Three models of one scenario on one clock: names and colours in the legend, a lane and a switch each."""
    from limbless.view.studio.studio import Studio

    kinds = ("macro-continuous", "newton-euler", "non-smooth")
    first, *others = (ll.run("rod-swim", {"duration": 0.4, "model.kind": kind}) for kind in kinds)
    opened = Studio(first, ghost=others[0], others=others[1:], folder=tmp_path)
    try:
        seen = look(opened.url)
        seen.page.wait_for_selector("text=rod-swim: ready")
        page = entered(opened)
        page.controls.pause()
        page.cast_shadows(False)
        page.jump(0.3)
        assert [page.display.frame, *(one.frame for one in page.rungs.displays)] == [15, 15, 15]
        card = seen.page.locator("#legend").inner_text()
        assert all(f"{kind}, " in card for kind in kinds) and "side by side" in card
        seen.caught_up(page)

        def green() -> int:
            """Where the third colour is seen."""
            red, middle, blue = seen.picture(seen.scene())[100:480, 300:].transpose(2, 0, 1)
            return int(((middle - red > 60) & (middle - blue > 20)).sum())

        until(lambda: green() > 500)
        seen.open("Show")
        seen.tick("non-smooth, 13 links")
        until(lambda: green() == 0)
        seen.tick("runs side by side")
        until(lambda: "all at their own places" in seen.page.locator("#legend").inner_text())
        assert not any(np.any(root.position) for root in page.rungs.roots)
        assert not seen.errors
    finally:
        opened.close()
