"""A robot that is driven live: a page with sliders and keys for numbers of its gait and controller, and a session."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from limbless.core import InputError, SimulationError
from limbless.scenarios.scenario import Scenario
from limbless.simulation.session import Session
from limbless.view.studio.auth import LOOPBACK
from limbless.view.studio.live import Live
from limbless.view.studio.server import by_visitor
from limbless.view.studio.studio import serve
from limbless.view.studio.tuning import knobs

KEYS = ("RF", "TG", "YH", "UJ", "IK", "OL", "ZX", "CV", "BN")
"""Keys that raise and lower the first numbers; viser moves the camera by W, A, S, D, Q and E."""
KEY_STEPS = 5.0
"""Steps of a slider by which a key moves it."""
PERIOD = 0.04
"""s, of a step of the session, about."""


class LiveDrive:
    """A session whose commands come from sliders and keys.

    Parameters
    ----------
    session : the robot; with `paced=True` it moves as fast as the clock goes.
    """

    def __init__(self, session: Session, host: str = LOOPBACK, port: int = 0) -> None:
        self.session, self.page = session, Live(session.result(), host, port)
        self.url, self._asked, self._told = self.page.url, dict[str, Any](), ""
        keys = iter(KEYS)
        for knob in knobs(session.scenario):
            gait = knob.group == "gait" and knob.path.count(".") == 1
            if knob.kind != "number" or knob.low is None or not (gait or _turns(knob.path)):
                continue
            pair, field = next(keys, ""), knob.path.removeprefix("gait.")
            label = f"{knob.label} [{pair[0]}, {pair[1]}]" if pair else knob.label
            slider = self.page.server.gui.add_slider(label, knob.low, knob.high, knob.step, knob.value)
            by_visitor(slider, partial(self._moved, field, slider))
            for key, steps, word in zip(pair, (KEY_STEPS, -KEY_STEPS), ("more", "less"), strict=False):
                pressed = self.page.server.gui.add_command(f"{knob.label}: {word}", hotkey=key)
                pressed.on_trigger(partial(self._moved, field, slider, steps * knob.step))

    def _moved(self, field: str, slider: Any, change: float = 0.0, event: Any = None) -> None:
        """A slider that was moved, or is by a key."""
        slider.value = min(max(slider.value + change, slider.min), slider.max)
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

    def wait(self) -> None:
        """Move until Ctrl-C."""
        while True:
            self.go(self.session.period)

    def close(self) -> None:
        """Stop the server."""
        self.page.close()


def _turns(path: str) -> bool:
    """Whether a number of a controller can change on the way."""
    words = path.split(".")
    return words[0] == "controller" and "initial" not in words and words[-1] not in ("delay", "filter", "period")


def drive_live(scenario: Scenario, host: str, port: int, browser: bool, told: Callable[[str], None]) -> None:
    """A page that drives a scenario as fast as the clock goes, until Ctrl-C."""
    steps = max(1, round(PERIOD / scenario.step))
    drive = LiveDrive(Session(scenario, period=steps * scenario.step, paced=True), host, port)
    serve(drive, browser, lambda url: told(f"Drive it at {url} (ends with Ctrl-C)"))
