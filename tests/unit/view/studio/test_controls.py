"""Every field that the page offers asks for a change of its own path, whatever the scenario."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from limbless.scenarios import loader
from limbless.scenarios.document import parse_value
from limbless.scenarios.scenario import Scenario
from limbless.simulation.result import Result
from limbless.view.studio.screen_sizes import Screen
from limbless.view.studio.server import by_visitor
from limbless.view.studio.tuning import knobs
from tests.unit.view import made_up

viser = pytest.importorskip("viser", reason="the extra view is not installed")


class Asked:
    """A page that only writes down what it is asked for."""

    def __init__(self) -> None:
        self.source, self.made, self.changes, self.other = None, [], {}, None
        self.result: Any = SimpleNamespace(name="made up", scenario=None)
        self.screen, self.told_together = Screen(1200, 700), nullcontext
        self.rungs: Any = SimpleNamespace(switches=[], rows=list)

    def tune(self, path: str, value: Any) -> None:
        self.made.append((path, value))

    tune_text = tune

    def show_angles(self, *_: Any) -> None:
        pass

    relight = look_from = send_picture = show_angles

    def cast_shadows(self, on: bool) -> None:
        pass

    compare = cast_shadows

    def cancel(self) -> None:
        pass

    save = cancel

    def python(self) -> str:
        return "result = 'a < b'"


@pytest.fixture(scope="module")
def server():
    from limbless.view.studio.server import quiet_server, stop

    started = quiet_server()
    yield started
    stop(started)


def changed(handle: Any, value: Any) -> None:
    """As if a visitor had typed it."""
    handle.value = value
    for answer in handle._impl.update_cb:
        answer(SimpleNamespace(client=object(), target=handle))


def another(knob: Any) -> Any:
    return {
        "number": lambda: 0.5 * (knob.value + knob.high),
        "whole": lambda: knob.value + 1,
        "truth": lambda: not knob.value,
        "choice": lambda: knob.options[-1],
        "text": lambda: "[0.5]",
    }[knob.kind]()


@pytest.mark.parametrize("name", loader.names())
def test_every_field_asks_for_its_own_change(name: str, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from limbless.view.studio.controls import Controls

    monkeypatch.setattr("limbless.view.studio.run_thread.Later.do", lambda self, action: action())
    scenario, page = Scenario.load(name), Asked()
    server.gui.reset()
    controls = Controls(server.gui, page)
    controls.entries.degrees = False
    controls.entries.show(scenario)
    offered = {knob.path: knob for knob in knobs(scenario) if knob.item in ("", "1")}
    assert controls.entries.fields.keys() == offered.keys()
    for path, handle in controls.entries.fields.items():
        page.made.clear()
        wanted = another(offered[path])
        wanted = str(wanted) if isinstance(handle.value, str) else wanted
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
    from limbless.view.studio.controls import _copied

    assert "a &lt; b" in _copied("result = 'a < b'")


def test_what_is_typed_beyond_a_slider_is_what_runs(server: Any) -> None:
    """Also when the page, which does not know of the new end yet, pushes it back to the old one."""
    from limbless.view.studio.controls import Controls

    page = Asked()
    server.gui.reset()
    controls = Controls(server.gui, page)
    controls.entries.degrees = False
    controls.entries.show(Scenario.load("eel-planar"))
    handle = controls.entries.fields["gait.amplitude"]
    end = handle.max
    changed(handle, 12.3456789)
    assert handle.max >= 12.3456789
    changed(handle, end)
    assert page.made[-1] == ("gait.amplitude", 12.3456789) and handle.value == 12.3456789
    changed(handle, end)  # once more, by the visitor
    assert page.made[-1] == ("gait.amplitude", end)


def test_tiny_numbers_keep_their_digits(server: Any) -> None:
    from limbless.view.studio.field_entries import _digits

    knob = replace(knobs(Scenario.load("eel-planar"))[0], kind="number")
    assert _digits(replace(knob, value=0.06)) >= 9
    assert f"{1.234e-11:.{_digits(replace(knob, value=1.234e-11))}f}".rstrip("0").endswith("1234")


def test_a_list_shows_one_of_its_items_at_a_time(server: Any) -> None:
    """A chain of 16 links has one folder for them, and the fields of the link that is chosen."""
    import limbless as ll
    from limbless.view.studio.controls import Controls

    robot = ll.Chain.uniform(links=16, length=0.1, half_width=0.015, half_height=0.03)
    scenario = Scenario.load("eel-planar", {"robot": robot.model_dump(mode="json")})
    page = Asked()
    page.result = SimpleNamespace(name="made up", scenario=scenario)
    server.gui.reset()
    controls = Controls(server.gui, page)
    controls.entries.show(scenario)
    folders, fields = controls.entries.folders, controls.entries.fields
    assert [folder.label for folder in folders].count("Robot: links") == 1 and len(folders) < 9
    assert "robot.links.0.mass" in fields and "robot.links.4.mass" not in fields
    page.changes["robot.links.4.solids.0.density"] = 1234.5
    changed(controls.entries.choices["robot: links"], "links 5")
    assert "robot.links.4.mass" in fields and "robot.links.0.mass" not in fields
    assert fields["robot.links.4.solids.0.density"].value == "1234.5"


@pytest.mark.parametrize(("width", "height", "wide"), [(390, 844, False), (800, 600, False), (1920, 1080, True)])
def test_the_scene_has_room_on_every_screen(width: int, height: int, wide: bool) -> None:
    screen = Screen(width, height)
    assert screen.wide == wide and screen.aspect > 0.7


def test_angles_are_typed_in_degrees(server: Any) -> None:
    """They are told as a file has them, so that what is typed is what runs."""
    from limbless.view.studio.controls import Controls

    page = Asked()
    server.gui.reset()
    controls = Controls(server.gui, page)
    scenario = Scenario.load("eel-planar", {"gait.turn": "30 deg"})
    controls.show_angles(Result(None, scenario))
    handle = controls.entries.fields["gait.turn"]
    assert (handle.min, handle.max) == (0.0, 60.0)  # round ends
    assert handle.label == "turn (°)" and handle.value == 30.0
    changed(handle, 33.3)
    path, value = page.made[-1]
    assert Scenario.load("eel-planar", {path: value}).gait.turn == pytest.approx(np.radians(33.3), rel=1e-15)
    controls.radians.value = True
    controls.show_angles(Result(None, scenario))
    assert controls.entries.fields["gait.turn"].label == "turn (rad)"
    assert controls.entries.fields["gait.turn"].value == pytest.approx(np.pi / 6)


def test_numbers_are_typed_with_units(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a file; a number alone is in the unit beside the field, whichever that is."""
    from limbless.view.studio.controls import Controls

    monkeypatch.setattr("limbless.view.studio.run_thread.Later.do", lambda self, action: action())
    page = Asked()
    page.result = SimpleNamespace(name="made up", scenario=Scenario.load("module-snake-undulate"))
    page.tune_text = lambda path, text: page.changes.update({path: parse_value(text, path)})
    server.gui.reset()
    controls = Controls(server.gui, page)
    controls.entries.show(page.result.scenario)
    changed(controls.entries.fields["robot.length"], "7 cm")
    assert Scenario.load("module-snake-undulate", page.changes).robot.length == pytest.approx(0.07)
    changed(controls.entries.lines["gait"], "yaw rate = 0.75 Hz")
    assert Scenario.load("module-snake-undulate", page.changes).gait.yaw_rate == pytest.approx(1.5 * np.pi)
    slider = controls.entries.fields["gait.yaw_rate"]
    assert slider.value == pytest.approx(270.0) and slider.min <= slider.value <= slider.max
    controls.show_angles(page.result)
    for text, wanted in (("yaw amplitude = 40", np.radians(40.0)), ("yaw_amplitude = 0.5 rad", 0.5)):
        changed(controls.entries.lines["gait"], text)
        assert Scenario.load("module-snake-undulate", page.changes).gait.yaw_amplitude == pytest.approx(wanted)
        assert controls.entries.fields["gait.yaw_amplitude"].value == pytest.approx(np.degrees(wanted))
    changed(controls.entries.lines["gait"], "yawl amplitude = 40")
    assert "no field here is called" in controls.status.content and "yaw amplitude" in controls.status.content


def test_two_runs_have_their_own_numbers() -> None:
    from limbless.view.studio.numbers_table import numbers_table

    table = numbers_table(made_up.on_ground(), made_up.swelling())
    assert table.count("<th") == 4 and "ghost" in table
    assert {row.count("<td") for row in table.split("<tr>")[2:]} == {4}
    assert "<th" not in numbers_table(made_up.on_ground(), None)


def test_every_note_of_a_run_has_a_row() -> None:
    from limbless.view.studio.numbers_table import numbers_table

    one, other = made_up.on_ground(), made_up.on_ground()
    one.notes, other.notes = ("the first", "the second"), ("the first alone",)
    alone, beside = numbers_table(one, None), numbers_table(one, other)
    assert all(text in table for text in one.notes for table in (alone, beside)) and "the first alone" in beside


def test_numbers_are_told_in_degrees() -> None:
    from limbless.view.studio.numbers_table import in_degrees

    assert in_degrees("2 N m/rad") == "0.03491 N m/°"
    assert in_degrees("0.5 rad") == "28.65 °" and in_degrees("-1 rad/s") == "-57.3 °/s"
    assert in_degrees("(0.1, 2) m") == "(0.1, 2) m" and in_degrees("5 N") == "5 N"


def test_a_comparison_tells_how_far_apart_two_runs_are() -> None:
    from limbless.view.studio.numbers_table import numbers_table

    one = made_up.on_ground()
    assert "+0 (+0.0 %)" in numbers_table(one, one)
    assert "overflow-wrap:anywhere" in numbers_table(one, None)  # a long path of a field does not widen the panel


def test_a_refusal_stands_below_its_field_until_the_next_answer(server: Any) -> None:
    from limbless.view.studio.controls import Controls

    server.gui.reset()
    controls = Controls(server.gui, Asked())
    controls.entries.show(Scenario.load("eel-planar"))
    field = controls.entries.fields["gait.period"]
    controls.refuse("scenario: 2 errors", {"gait.period": "must be greater than 0", "gait.ramp": "is too long"})
    told, other = sorted(controls.entries._refused, key=lambda one: one.order)
    assert "too long" in other.content and other.order > controls.entries.fields["gait.ramp"].order
    assert "must be greater than 0" in told.content and field.order < told.order < field.order + 0.5
    assert told._impl.parent_container_id == field._impl.parent_container_id
    controls.say("ready")
    assert not controls.entries._refused


def test_limits_of_torques_are_lines_of_their_plot() -> None:
    """Where they are near: what joints and actuation may give at most, both ways."""
    import limbless as ll
    from limbless.view.plot_lines import plot_of
    from limbless.view.scene.frames import frames_of

    result = ll.run("module-snake-undulate", {"duration": 0.3, "actuation.saturation": 0.2})
    lines = plot_of(frames_of(result), "joint_torque").lines
    assert (lines["limit +0.2"][0], lines["limit -0.2"][0]) == (0.2, -0.2)
    free = ll.run("module-snake-undulate", {"duration": 0.3, "actuation.saturation": 2e3})
    assert not any(label.startswith("limit") for label in plot_of(frames_of(free), "joint_torque").lines)


def test_gaits_of_other_scenarios_are_presets_of_their_kind() -> None:
    """Each can be taken in place of another of its kind; what was changed of the gait before goes."""
    from limbless.view.studio.page import Page
    from limbless.view.studio.tuning import gait_presets

    waves = gait_presets()["joint-wave"]
    assert {"module-snake-sidewind", "module-snake-undulate"} <= set(waves)
    page = Asked()
    page.changes, page._lock = {"gait.ramp": 3.0, "duration": 2.0}, nullcontext()
    Page.take_gait(page, waves["module-snake-sidewind"])
    ((path, gait),) = page.made
    assert page.changes == {"duration": 2.0} and page._other_fields
    taken = Scenario.load("module-snake-undulate", {path: gait}).gait
    assert taken == Scenario.load("module-snake-sidewind").gait


def test_what_goes_wrong_is_told_to_the_visitor_who_asked() -> None:
    """A value that no page sends: it ended in a traceback on the terminal of the server."""
    handle, told = SimpleNamespace(), []
    handle.on_update = lambda changed: setattr(handle, "changed", changed)
    by_visitor(handle, lambda: {"light": 1}["__class__" * 100])
    client = SimpleNamespace(add_notification=lambda *words: told.append(words))
    handle.changed(SimpleNamespace(client=client))
    assert told[0][0] == "This could not be done" and told[0][1].startswith("KeyError: '__class__")
    assert len(told[0][1]) < 320
    handle.changed(SimpleNamespace(client=SimpleNamespace()))  # a visitor who has left
    handle.changed(SimpleNamespace(client=None))  # the program itself
    assert len(told) == 1
