"""Every field that the page offers asks for a change of its own path, whatever the scenario."""
from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from limbless.result import Result
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from limbless.view.tuning import knobs

viser = pytest.importorskip("viser", reason="the extra view is not installed")


class Asked:
    """A page that only writes down what it is asked for."""

    def __init__(self) -> None:
        self.source, self.made = None, []

    def tune(self, path: str, value: Any) -> None:
        self.made.append((path, value))

    tune_text = tune

    def cancel(self) -> None:
        pass

    save = cancel

    def python(self) -> str:
        return "result = 'a < b'"


@pytest.fixture(scope="module")
def server():
    from limbless.view.serving import quiet_server, stop

    started = quiet_server()
    yield started
    stop(started)


def changed(handle: Any, value: Any) -> None:
    """As if a visitor had typed it."""
    handle.value = value
    for answer in handle._impl.update_cb:
        answer(SimpleNamespace(client=object(), target=handle))


def another(knob: Any) -> Any:
    return {"number": lambda: 0.5 * (knob.value + knob.high), "whole": lambda: knob.value + 1,
            "truth": lambda: not knob.value,
            "choice": lambda: knob.options[-1], "text": lambda: "[0.5]"}[knob.kind]()


@pytest.mark.parametrize("name", loader.names())
def test_every_field_asks_for_its_own_change(name: str, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from limbless.view.controls import Controls

    monkeypatch.setattr("limbless.view.worker.Later.do", lambda self, action: action())
    scenario, page = Scenario.load(name), Asked()
    server.gui.reset()
    controls = Controls(server.gui, page)
    controls._add_knobs(Result(None, scenario))
    offered = {knob.path: knob for knob in knobs(scenario)}
    assert controls.fields.keys() == offered.keys()
    for path, handle in controls.fields.items():
        page.made.clear()
        wanted = another(offered[path])
        changed(handle, wanted)
        assert page.made == [(path, wanted)]


def test_a_slider_at_its_end_reaches_farther() -> None:
    knob = next(one for one in knobs(Scenario.load("eel-planar")) if one.path == "gait.amplitude")
    low, high = knob.widened(knob.high)
    assert (low, high) == (knob.low, pytest.approx(2 * knob.high - knob.low))
    assert knob.widened(knob.value) == (knob.low, knob.high)
    least = next(one for one in knobs(Scenario.load("eel-planar")) if one.path == "duration")
    assert least.widened(least.low)[0] == 0.0


def test_the_lines_to_copy_are_only_text(server: Any) -> None:
    from limbless.view.controls import _copied

    assert "a &lt; b" in _copied("result = 'a < b'")


def test_what_is_typed_beyond_a_slider_is_what_runs(server: Any) -> None:
    """Also when the page, which does not know of the new end yet, pushes it back to the old one."""
    from limbless.view.controls import Controls

    page = Asked()
    server.gui.reset()
    controls = Controls(server.gui, page)
    controls._add_knobs(Result(None, Scenario.load("eel-planar")))
    handle = controls.fields["gait.amplitude"]
    end = handle.max
    changed(handle, 12.3456789)
    assert handle.max >= 12.3456789
    changed(handle, end)
    assert page.made[-1] == ("gait.amplitude", 12.3456789) and handle.value == 12.3456789
    changed(handle, end)                                    # once more, by the visitor
    assert page.made[-1] == ("gait.amplitude", end)


def test_tiny_numbers_keep_their_digits(server: Any) -> None:
    from limbless.view.controls import _digits

    knob = replace(knobs(Scenario.load("eel-planar"))[0], kind="number")
    assert _digits(replace(knob, value=0.06)) >= 9
    assert f"{1.234e-11:.{_digits(replace(knob, value=1.234e-11))}f}".rstrip("0").endswith("1234")
