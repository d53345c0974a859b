"""While playing, all parts of a picture belong to one instant, however slowly the page draws."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limbless.simulation.result import Result
from tests.browser.driving import Seen, entered, until
from tests.unit.view import made_up

SLOW = 350  # ms between two drawn frames: at 1 m/s each is most of a body length from the one before
LOOKS = 6


def runner() -> Result:
    """A body of 0.5 m that runs across the picture, to and fro at 1 m/s; its last section is held, and
    pulled upwards.
    """
    data = made_up.straight(frames=120, length=0.1)
    data["time"] = 0.05 * np.arange(120)
    along = 0.9 * np.abs((data["time"].values / 0.9 + 1.0) % 2.0 - 1.0)
    place = np.zeros_like(data["position"].values)
    place[..., 0] = along[:, None] + 0.1 * np.arange(made_up.SECTIONS)
    data["position"].values[:] = place
    data["com_position"].values[:] = place.mean(axis=1)
    data["radius"].values[:] = 0.05
    data["head_position"].values[:] = place[:, 0] - [0.05, 0.0, 0.0]
    force = np.zeros((120, 1, 3))
    force[..., 2] = 5.0
    data["contact_force"] = (("time", "contact", "axis"), force, {"units": "N", "frame": "world"})
    data["contact_position"] = (("time", "contact", "axis"), place[:, 4:5], {"units": "m"})
    data["contact_state"] = (("time", "contact"), np.ones((120, 1)), {"units": "1"})
    data["support_abscissa"] = (("time", "contact"), np.full((120, 1), 0.45), {"units": "m"})
    return Result(data)


@pytest.fixture(scope="module")
def studio(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from limbless.view.studio.studio import Studio

    opened = Studio(runner(), folder=tmp_path_factory.mktemp("work"))
    yield opened
    opened.close()


def columns(picture: np.ndarray) -> list[float] | None:
    """Where the body begins and ends, and where head and force are, in pixels from the left; None
    where one is out of sight.
    """
    red, green, blue = picture.transpose(2, 0, 1)
    body = (blue - red > 30) & (blue - green > 10)
    head = (red - blue > 60) & (green - blue > 35) & (red > green)  # its stripe
    force = (green - red > 60) & (green - blue > -5)
    if min(part.sum() for part in (body, head, force)) < 8:
        return None
    across = np.flatnonzero(body.sum(axis=0) >= 4)
    return [float(across[0]), float(across[-1]), *(float(np.nonzero(part)[1].mean()) for part in (head, force))]


def assert_together(seen: Seen, box: dict[str, float]) -> None:
    """Head and force stand where they stand on the body, in every picture taken while it moves."""
    places: list[list[float]] = []

    def moved() -> bool:
        found = columns(seen.picture(box))
        if found is not None and (not places or abs(found[0] - places[-1][0]) > 5.0):
            places.append(found)
        return len(places) >= LOOKS

    until(moved, "the robot does not move")
    first, last, *parts = np.array(places).T
    shares = np.array([(part - first) / (last - first).max() for part in parts])
    assert np.ptp(shares, axis=1).max() < 0.08, f"places along the body, as shares of its length: {shares}"


def test_all_parts_of_the_studio_show_one_instant(studio: Any, look: Any) -> None:
    seen = look(studio.url, width=1300, height=380)
    seen.page.wait_for_selector("text=ready")
    page = entered(studio)
    seen.hide_notices()
    page.switch("trail", False)
    page.switch("contacts", True)
    seen.open("Show")
    seen.tick("follow the robot")
    until(lambda: not page.controls.follow.value)
    k = page.display.k
    page.client.camera.position, page.client.camera.look_at = (0.6 * k, -k, 0.4 * k), (0.6 * k, 0.0, 0.0)
    page.cast_shadows(False)
    seen.caught_up(page)  # pictures with another camera would be mistaken for parts
    seen.page.evaluate(f"window.pause = {SLOW}")
    box = seen.scene()
    assert_together(seen, box)
    seen.page.close()


def test_all_parts_of_a_replay_show_one_instant(look: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from limbless.view import replay

    seen = look("about:blank", width=600, height=380)
    monkeypatch.setattr(replay, "camera_for", lambda *_: (np.array([0.6, -1.0, 0.4]), np.array([0.6, 0.0, 0.0])))
    seen.page.goto(replay.write_replay(runner(), tmp_path).as_uri())
    seen.hide_notices()
    seen.page.add_style_tag(content="#said { display: none }")
    seen.page.evaluate(f"window.pause = {SLOW}")
    assert_together(seen, seen.scene())
    seen.page.close()
