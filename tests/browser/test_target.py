"""The target of a tendon-driven spine, dragged with the mouse in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import limbless as ll
from tests.browser.driving import entered, on_screen, until


def test_the_tip_follows_the_mouse(look: Any, browser: Any, tmp_path: Path) -> None:
    from limbless.view.studio.studio import Studio

    studio = Studio(ll.run("neck-horizontal-water"), "neck-horizontal-water", folder=tmp_path)
    try:
        seen = look(studio.url, width=1200, height=600)
        seen.page.wait_for_selector("text=neck-horizontal-water: ready")
        seen.hide_notices()
        page = entered(studio)
        page.controls.pause()
        page.jump(0.0)
        handle, tip = page.target.handle, page.frames.head[0]
        np.testing.assert_allclose(handle.position, page.display.k * tip)
        box = seen.scene()
        until(
            lambda: (
                drag_up(seen.page, page.client, np.asarray(handle.position), handle.scale, box)
                or page.target.solution is not None
            )
        )
        until(lambda: follows(page), "the tip is not where the mouse left the target")  # its last move comes late
        found = page.target.solution
        words = ["distance to the target", "vertebrae at a stop", *(f"{tension:.3f} N" for tension in found.tension[0])]
        told = seen.page.locator("#target")
        until(lambda: all(word in told.inner_text() for word in words), f"the page does not tell {words}")
        seen.page.close()
    finally:
        studio.close()


def follows(page: Any) -> bool:
    """Whether the spine that is found, and the one that is shown, have their tip where the handle is."""
    found, place = page.target.solution, np.asarray(page.target.handle.position) / page.display.k
    return bool(
        found.reached[0]
        and np.allclose(found.tip[0], wanted(page), atol=1e-6)
        and np.allclose(page.display.frames.position[0, -1][1:], place[1:], atol=1e-6)
    )


def wanted(page: Any) -> np.ndarray:
    """What the handle asks for, in the frame of the clamped disk."""
    statics = page.target.statics
    place = np.asarray(page.target.handle.position) / page.display.k
    return (statics.base_rotation.T @ (place - statics.base_position))[1:]


def drag_up(page: Any, client: Any, place: np.ndarray, size: float, box: dict[str, float]) -> None:
    """Take the arrow that points up and pull it a little."""
    up = np.array([0.0, 0.0, size])
    corner = np.array([box["x"], box["y"]])
    begin, end = corner + on_screen(client, np.array([place + 0.45 * up, place + 0.55 * up]), box)
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(*end, steps=5)
    page.mouse.up()
