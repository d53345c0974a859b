"""The studio on screens of several sizes: the robot is seen, panels fold, plots are reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import limbless as ll
from tests.browser.driving import Seen, entered, until

MARKS = """() => Object.values(window.__viserTestpoints.uplots).every(plot => plot.chart.axes[0]._values)"""
"""Whether the numbers along all time axes are there; viser keeps its charts for tests."""
SIZES = {"phone": (390, 844), "small": (800, 600), "large": (1640, 640)}


@pytest.fixture(scope="module")
def studio(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from limbless.view.studio.studio import Studio

    robot = ll.Chain.uniform(links=16, length=0.06, half_width=0.02, half_height=0.02)
    gait = ll.BodyWave(amplitude=0.35, growth=0.0, wavelength=0.6, period=1.0, ramp=0.5)
    result = ll.simulate(robot, gait, ll.Water(), duration=1.0)
    opened = Studio(result, folder=tmp_path_factory.mktemp("work"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "screen", ["small", *(pytest.param(name, marks=pytest.mark.long) for name in ("phone", "large"))]
)
def test_the_robot_is_seen_and_plots_are_reached(screen: str, studio: Any, look: Any) -> None:
    width, height = SIZES[screen]
    others = list(studio.pages.values())
    seen = look(studio.url, width=width, height=height)
    seen.page.wait_for_selector("text=ready", state="attached")
    page = entered(studio, *others)
    seen.hide_notices()
    page.controls.pause()
    page.cast_shadows(False)
    box = seen.scene()
    assert box["width"] > 0.5 * min(width, height) and box["height"] > 0.5 * height
    until(lambda: robots_share(seen, box) > 0.25, "the robot is too small, or not in sight")
    if screen != "phone":
        assert seen.page.get_by_text("Robot: links", exact=True).count() == 1
    reach_plots(seen, screen)
    chart = seen.page.locator(".uplot canvas").first
    until(lambda: (chart.bounding_box() or {"width": 0.0})["width"] > 150.0, "no plot is seen")
    if screen == "large":
        assert seen.page.locator("#legend").bounding_box()["x"] > page.screen.plots  # it hides no plot
        until(lambda: seen.page.evaluate(MARKS), "a plot has no marks along its time")
    if screen == "phone":
        fold_sheet(seen, box)
    assert not seen.errors


def robots_share(seen: Seen, box: dict[str, float]) -> float:
    """How much of the scene's width the body takes."""
    rows = slice(int(box["y"]), int(box["y"] + box["height"]))
    columns = slice(int(box["x"]), int(box["x"] + box["width"]))
    body = seen.body((rows, columns))
    across = body.sum(axis=0).nonzero()[0]
    return float((across[-1] - across[0]) / box["width"]) if len(across) > 20 else 0.0


def reach_plots(seen: Seen, screen: str) -> None:
    """Where they are folded, one touch opens them."""
    if screen != "large":
        seen.page.get_by_text("Plots", exact=True).first.click()


def fold_sheet(seen: Seen, before: dict[str, float]) -> None:
    """The sheet of a phone folds, and the scene takes its place."""
    seen.page.get_by_text("limbless:", exact=False).first.click()
    until(lambda: seen.scene()["height"] > 1.3 * before["height"], "the scene does not grow when the sheet is folded")
