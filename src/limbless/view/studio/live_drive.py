"""A robot that is driven live: a page with a slider for every number of its gait, and a session behind it."""

from __future__ import annotations

import time as clock
from functools import partial
from html import escape
from typing import Any

from limbless.core import InputError, SimulationError
from limbless.simulation.session import Session
from limbless.view.studio.auth import LOOPBACK
from limbless.view.studio.live import Live
from limbless.view.studio.server import by_visitor
from limbless.view.studio.tuning import knobs


class LiveDrive:
    """A session whose commands come from sliders.

    Parameters
    ----------
    session : the robot; with `paced=True` it moves as fast as the clock goes.
    """

    def __init__(self, session: Session, host: str = LOOPBACK, port: int = 0) -> None:
        self.session, self.page = session, Live(session.result(), host, port)
        self.url, self._asked, self._told = self.page.url, dict[str, Any](), ""
        for knob in knobs(session.scenario):
            if knob.group == "gait" and knob.kind == "number" and knob.low is not None and knob.path.count(".") == 1:
                slider = self.page.server.gui.add_slider(knob.label, knob.low, knob.high, knob.step, knob.value)
                by_visitor(slider, partial(self._slid, knob.path.partition(".")[2], slider))

    def _slid(self, field: str, slider: Any) -> None:
        self.ask(field, slider.value)

    def ask(self, field: str, value: float) -> None:
        """From the next period on."""
        self._asked[field] = value

    def go(self, seconds: float) -> None:
        """Move for so long, s; what is wrong with a command is told in the page, and the motion goes on without it."""
        for _ in range(max(1, round(seconds / self.session.period))):
            asked, self._asked = self._asked, {}
            try:
                self.session.command(asked)
                self._told = "" if asked else self._told
                self.session.step()
            except (InputError, SimulationError) as error:
                self._told = escape(str(error))
                clock.sleep(self.session.period)
            self.page.show(self.session.result(), wait=False, told=self._told)

    def close(self) -> None:
        """Stop the server."""
        self.page.close()
