"""What a page is told: every frame in one piece, a mark that is a line, and nothing of what is not there any more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limbless.view.scene.frames import frames_of
from limbless.view.studio.screen_sizes import Screen
from tests.unit.view import made_up

viser = pytest.importorskip("viser", reason="the extra view is not installed")

JUMPS = 60
MOVING = {"/robot/slices", "/robot/head", "/robot/tail", "/robot/holds"}


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Any]:
    from limbless.view.studio.studio import Studio

    opened = Studio(made_up.anchored(), folder=tmp_path)
    yield opened
    opened.close()


def entered(studio: Any, connection: Any) -> Any:
    """Python's side of the page, once all of its beginning is told."""
    from tests.unit.view.visitor import heard

    next(one for one in heard(connection) if one["type"] == "GuiUpdateMessage" and "ready" in str(one["updates"]))
    while not studio.pages:
        threading.Event().wait(0.01)
    return next(iter(studio.pages.values()))


def test_a_frame_arrives_in_one_piece(studio: Any) -> None:
    """Frames are told faster than they are handed over; none is cut in two."""
    from tests.unit.view.visitor import CAMERA, pieces, say, visiting

    with visiting(studio.url, origin=studio.url.rpartition("/")[0]) as connection:
        say(connection, CAMERA)
        page = entered(studio, connection)
        page.controls.pause()

        told = page.client._websock_connection.get_message_buffer()
        quick = told.pop_message_locked

        def slowly(number: int) -> Any:
            threading.Event().wait(0.001)
            return quick(number)

        told.pop_message_locked = slowly

        def jump() -> None:
            for number in range(JUMPS):
                page.jump(0.2 * (number % made_up.FRAMES))
            page.controls.say("the last")

        jumping = threading.Thread(target=jump)
        jumping.start()
        whole = 0
        for piece in pieces(connection):
            moved = {one["name"] for one in piece if one["type"] == "SceneNodeUpdateMessage"} & MOVING
            assert moved in (set(), MOVING)
            whole += bool(moved)
            if any("the last" in str(one.get("updates")) for one in piece):
                break
        jumping.join()
        assert whole > 5


def test_the_mark_is_an_upright_line() -> None:
    from limbless.view.studio.plot_panels import Plots, left_panel
    from limbless.view.studio.server import quiet_server, stop

    server = quiet_server()
    try:
        plots = Plots(server.gui, nullcontext, left_panel(server.gui, Screen(1700, 700)))
        frames = frames_of(made_up.on_ground())
        plots.show(frames, None)
        panel = plots._panels[0]
        plots.mark(3, moving=False)
        times, *lines, mark = panel.handle.data
        assert (np.diff(times) >= 0.0).all() and len(times) == frames.count + 2
        drawn = np.flatnonzero(np.isfinite(mark))
        assert times[drawn].tolist() == [frames.times[3]] * 2
        assert tuple(mark[drawn]) == panel.limits
        for values, own in zip(lines, panel.lines.values(), strict=True):
            np.testing.assert_allclose(values[np.unique(times, return_index=True)[1]], own)
    finally:
        stop(server)


def test_plots_stay_where_they_are_when_another_result_comes() -> None:
    """A page that is told of a plot which is gone says so in its console; so none goes while it is needed."""
    from limbless.view.studio.plot_panels import Plots, left_panel
    from limbless.view.studio.server import quiet_server, stop

    server = quiet_server()
    try:
        plots = Plots(server.gui, nullcontext, left_panel(server.gui, Screen(1700, 700)))
        plots.show(frames_of(made_up.on_ground()), None)
        before = [panel.handle for panel in plots._panels]
        plots.show(frames_of(made_up.statics()), None)
        assert [panel.handle for panel in plots._panels] == before[: len(plots._panels)]
        assert plots._panels[0].name == "tension" and plots._panels[0].choice.value == "tension"
        assert plots._panels[0].handle.title == "tension (N)"
    finally:
        stop(server)
