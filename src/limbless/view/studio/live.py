"""A robot that is watched while it moves: a page that shows the instant it is told, as fast as the clock goes."""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.scene.cameras import camera_for
from limbless.view.scene.frames import Frames, frames_of
from limbless.view.scene.legend import legend
from limbless.view.scene.palette import theme_of
from limbless.view.scene.scene import Display
from limbless.view.scene.stage import Stage
from limbless.view.scene.surroundings import extent_of
from limbless.view.scene.world import World
from limbless.view.studio.auth import LOOPBACK, AuthMiddleware
from limbless.view.studio.screen_sizes import LEGEND_STYLE, STYLE
from limbless.view.studio.server import quiet_server, stop

if TYPE_CHECKING:
    from viser import ClientHandle

    from limbless.simulation.result import Result

_REACH, _STRAY = 6.0, 3.0  # ground lies this far around the robot, and anew when it has gone so far: body lengths


class Live:
    """A server whose visitors all see the same instant; the view, and the ground, go with the robot.

    Parameters
    ----------
    result : the robot at one instant (one record), and what is around it.
    """

    def __init__(self, result: Result, host: str = LOOPBACK, port: int = 0) -> None:
        frames = frames_of(result)
        self.gate = AuthMiddleware(host)
        named = result.name if result.name != "untitled" else None
        self.server: Any = quiet_server(host, port, f"limbless: {named or 'a robot learns'}", self.gate)
        scene = self.server.scene
        self._roots = [scene.add_frame(name, show_axes=False) for name in ("/robot", "/surroundings")]
        self._extent, self._laid = extent_of([frames]), frames.centre(0)
        self._stage: Stage | None = None
        self._display = Display(scene, frames, self._lay(frames))
        self._start = frames.centre(0)
        self._first = camera_for(frames, True)
        # a panel with a line of its own: an empty one shows the address and the tree of the scene instead
        self._told = self.server.gui.add_html("")
        self.server.gui.add_html(STYLE + LEGEND_STYLE + legend(self._display))
        self._shown: tuple[float, float] | None = None  # of the robot and of the clock, s
        self.server.on_client_connect(self._enter)

    @property
    def url(self) -> str:
        """The address with its token."""
        return self.gate.address(self.server.get_port())

    def _enter(self, client: ClientHandle) -> None:
        self._display.world.put_camera(client.camera, *self._first)

    def _lay(self, frames: Frames) -> World:
        """Ground, obstacles and water around where the robot is; a level grid stays at its height, unless the robot
        leaves it far above or below.
        """
        middle, reach, extent = frames.centre(0), _REACH * frames.size, extent_of([frames])
        if abs(extent.floor - self._extent.floor) < frames.size:
            extent = replace(extent, floor=self._extent.floor)
        self._extent = replace(extent, low=middle - reach, high=middle + reach)
        self._laid = middle
        if self._stage is not None:
            self._stage.remove()
        world = World([frames], theme_of(frames), self._extent)
        self._stage = Stage(self.server.scene, world)
        return world

    def show(self, result: Result, wait: bool = True, told: str = "") -> None:
        """Another instant of the same robot; not before as much time has gone by as for the robot, if it should
        `wait`. The panel says the time, how far it went, and what else is `told`.
        """
        frames = frames_of(result)
        time, now = float(frames.times[-1]), clock.perf_counter()
        if wait and self._shown is not None and time > self._shown[0]:
            clock.sleep(max(0.0, self._shown[1] + time - self._shown[0] - now))
        self._shown = time, clock.perf_counter()
        with self.server.atomic():
            if np.abs(frames.centre(0) - self._laid).max() > _STRAY * frames.size:
                self._display.world = self._lay(frames)
            self._display.pose(frames)
            gone = float(np.linalg.norm(frames.centre(0) - self._start))
            self._told.content = (
                f"<div id='status' style='padding:8px 12px;font-size:14px'>t = {time:.2f} s, "
                f"{gone:.3g} m from the start{told and f'<br>{told}'}</div>"
            )
            for root in self._roots:
                root.position = self._display.k * (self._start - frames.centre(0))

    def close(self) -> None:
        """Stop the server; no thread is left."""
        stop(self.server)
