"""A robot that is driven by sliders: what they ask is what its session does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.view.studio import live_drive
from limbless.view.studio.live_drive import LiveDrive


class Page:
    """What a live page does, without a server."""

    url = "here"

    def __init__(self, result: Any, host: str, port: int) -> None:
        self.server = self.gui = self
        self.sliders: dict[str, Any] = {}
        self.shown: list[float] = []
        self.told: list[str] = []
        self.keys: dict[str, Any] = {}

    def add_slider(self, label: str, low: float, high: float, step: float, value: float) -> Any:
        self.sliders[label] = value
        return SimpleNamespace(value=value, min=low, max=high)

    def add_command(self, label: str, hotkey: str) -> Any:
        return SimpleNamespace(on_trigger=lambda do: self.keys.__setitem__(hotkey, do))

    def show(self, result: Any, wait: bool, told: str) -> None:
        self.shown.append(float(result.dataset["time"].values[-1]))
        self.told.append(told)


def test_sliders_command_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_drive, "Live", Page)
    monkeypatch.setattr(live_drive, "by_visitor", lambda handle, do: None)
    monkeypatch.setattr(live_drive.clock, "sleep", lambda seconds: None)
    drive, by_hand = LiveDrive(ll.Session("eel-planar", period=0.05)), ll.Session("eel-planar", period=0.05)
    page: Any = drive.page
    assert any("amplitude" in label for label in page.sliders)
    drive.go(0.1)
    drive.ask("amplitude", 0.12)
    drive.go(0.1)
    by_hand.step(2)
    by_hand.command({"amplitude": 0.12})
    assert np.array_equal(by_hand.step(2)["base_twist"], drive.session.observe()["base_twist"])
    assert page.shown == pytest.approx([0.05, 0.1, 0.15, 0.2]) and not any(page.told)
    drive.ask("period", -1.0)
    drive.go(0.05)
    assert "period" in page.told[-1]
    drive.go(0.05)
    assert drive.session.time == pytest.approx(0.25)


def test_keys_and_sliders_reach_a_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first key raises the first number by five steps of its slider, and no further than the slider goes."""
    monkeypatch.setattr(live_drive, "Live", Page)
    monkeypatch.setattr(live_drive, "by_visitor", lambda handle, do: None)
    drive, by_hand = (LiveDrive(ll.Session("agnathax", period=0.01)), ll.Session("agnathax", period=0.01))
    page: Any = drive.page
    first = next(iter(page.sliders))
    assert first.startswith("frequency") and first.endswith("[R, F]")
    before = page.sliders[first]
    page.keys["R"]()
    drive.go(0.02)
    asked = drive.session._tuned["frequency"]
    assert asked > before
    by_hand.command({"controller.frequency": asked})
    assert np.array_equal(by_hand.step(2)["controller_state"], drive.session.observe()["controller_state"])
    for _ in range(100):
        page.keys["F"]()
    drive.go(0.01)
    assert drive.session._tuned["frequency"] < before and not any(page.told)
