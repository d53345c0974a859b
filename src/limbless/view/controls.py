"""The controls of a page: pick a scenario, play, switch parts on, tune every field, save, copy."""
from __future__ import annotations

import math
import time as clock
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from limbless import terminal
from limbless.errors import InputError
from limbless.result import red_line
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from limbless.view.frames import Frames
from limbless.view.legend import legend
from limbless.view.screens import STYLE
from limbless.view.serving import by_visitor
from limbless.view.tuning import Knob, knobs
from limbless.view.wording import heading
from limbless.view.worker import Later

if TYPE_CHECKING:
    from viser import GuiApi

    from limbless.result import Result
    from limbless.view.page import Page
    from limbless.view.scene import Display

OWN = "(the result that was opened)"
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
SLIDING = ("gait", "run")
"""Groups whose numbers are sliders; those of the others are fields to type in."""
TELLING = 0.25         # s between two moves of the bar of a run
TYPING = 0.4           # s without a key before what was typed is run
_BUTTON = ("width:calc(100% - 24px);margin:4px 12px;padding:5px;border:0;border-radius:4px;"
           "background:#0072B2;color:#fff;font-size:13px")
# A page from another machine (--host) is no secure context: there only the older way to copy works.
_COPY = ("const b=this,t=b.parentNode.querySelector('textarea');const said=()=>{b.textContent='Copied';"
         "setTimeout(()=>{b.textContent='Copy "
         "Python'},1500)};b.parentNode.querySelector('details').open=true;t.select();"
         "if(navigator.clipboard)navigator.clipboard.writeText(t.value).then(said,()=>{if(document.execCommand('copy'))said()});"
         "else if(document.execCommand('copy'))said()")


class Controls:
    """The panel at the right. It only asks the page; the page decides."""

    def __init__(self, gui: GuiApi, page: Page) -> None:
        self.gui, self.page = gui, page
        self._switches: dict[str, bool] = {"modules": True, "trail": True, "tendons": True, "holds": True}
        self._parts: list[Any] = []
        self._folders: list[Any] = []
        self.fields: dict[str, Any] = {}               # path of a field -> its handle in the page
        self.choices: dict[str, Any] = {}              # group of a list -> which of its items has its fields shown
        self._typed: dict[str, tuple[float, float]] = {}     # beyond the end of a slider, and that end
        self.time = 0.0
        gui.main_panel.dock_right()
        gui.main_panel.set_width(page.screen.controls)
        gui.add_html(STYLE, order=-2)
        own = page.source if isinstance(page.source, str) and page.source in loader.names() else OWN
        self.scenario: Any = gui.add_dropdown("scenario", tuple(dict.fromkeys([own, *loader.names()])),
                                              initial_value=own, order=0)
        self.doubt = gui.add_html("", order=-1)         # the first line of the page: a run that is not proven
        self.status = gui.add_html("", order=1)
        self.progress: Any = gui.add_progress_bar(0.0, visible=False, animated=True, order=2)
        self.stop = gui.add_button("Cancel the run", visible=False, color="red", order=3)
        with gui.add_folder("Play", order=4):
            self.play: Any = gui.add_checkbox("playing", True)
            self.slider: Any = gui.add_slider("time (s)", 0.0, 1.0, 0.01, 0.0)
            self.speed_choice = gui.add_dropdown("speed", SPEEDS, initial_value="1",
                                                 hint="simulated seconds per second")
            self.follow = gui.add_checkbox("follow the robot", True)
        self.show_folder = gui.add_folder("Show", order=30)
        with self.show_folder:
            self.legend = gui.add_html("", order=1e6)
            self.degrees: Any = gui.add_checkbox("angles in degrees", False, order=1e6 + 1)
        self.numbers_folder = gui.add_folder("Numbers", order=20)
        with self.numbers_folder:
            self.numbers = gui.add_html("")
        self.keep = gui.add_button("Save scenario and result", hint="into runs/ of the folder in which limbless was "
                                                                    "started", order=60)
        self.copy = gui.add_html("", order=61)
        self._later, self._told = Later(TYPING), 0.0
        self._connect()

    def _connect(self) -> None:
        page = self.page
        by_visitor(self.scenario, lambda: page.pick(self.scenario.value))
        by_visitor(self.stop, page.cancel)
        by_visitor(self.keep, page.save)
        by_visitor(self.slider, self._jump)
        by_visitor(self.follow, lambda: page.jump(self.time))
        by_visitor(self.degrees, page.show_angles)

    @property
    def playing(self) -> bool:
        return bool(self.play.value)

    @property
    def speed(self) -> float:
        return float(self.speed_choice.value)

    @property
    def follows(self) -> bool:
        return bool(self.follow.value)

    def _jump(self) -> None:
        self.time = float(self.slider.value)
        self.page.jump(self.time)

    def close(self) -> None:
        """What is still being typed is not run any more."""
        self._later.close()

    # What the page tells

    def show_scenario(self, name: str) -> None:
        self.scenario.value = name
        self.gui.set_panel_label(f"limbless: {name}")

    def say(self, text: str) -> None:
        self._idle()
        self.status.content = (
            f"<div id='status' style='color:#2b6a4d;padding:4px 12px;font-size:13px'>{escape(text)}</div>"
        )

    def refuse(self, text: str) -> None:
        """The library's own sentence; what is shown stays."""
        self._idle()
        self.status.content = ("<div id='status' role='alert' "
                               "style='color:#8a2500;background:#fdeee7;border-left:4px solid #D55E00;"
                               f"padding:6px 10px;margin:4px "
                               f"8px;font-size:13px;white-space:pre-wrap'>{escape(text)}</div>")

    def pause(self) -> None:
        self.play.value = False

    def show_running(self, name: str) -> None:
        self._told = clock.perf_counter()
        self.status.content = (
            f"<div id='status' style='color:#555;padding:4px 12px;font-size:13px'>{escape(name)}: running ...</div>"
        )

    def show_progress(self, fraction: float) -> None:
        """A few times a second; a run that answers sooner than that needs no bar."""
        now = clock.perf_counter()
        if now - self._told > TELLING:
            self._told = now
            self.progress.visible = self.stop.visible = True
            self.progress.value = float(min(max(100.0 * fraction, 0.0), 100.0))

    def _idle(self) -> None:
        self.progress.visible = self.stop.visible = False

    def show_frame(self, frames: Frames, frame: int) -> None:
        self.slider.value = float(frames.times[frame])
        if not self.playing:
            self.time = float(frames.times[frame])

    def show_result(self, result: Result, display: Display, another: bool) -> None:
        """Numbers of a new result; with another scenario also its switches and fields."""
        times = display.frames.times
        self.slider.min, self.slider.max = float(times[0]), max(float(times[-1]), float(times[0]) + 1e-3)
        self.doubt.content = red_line(result.warning)
        self.numbers.content = numbers_table(result, self.page.studio.ghost)
        self.copy.content = _copied(self.page.python())
        if another:
            self.time = float(times[0])
            for part in (*self._parts, *self._folders):
                part.remove()
            self._parts, self._folders = self._add_switches(display), self._add_knobs(result)
        for key, on in self._switches.items():
            display.switch(key, on)
        self.legend.content = legend(display)

    def show_angles(self, result: Result) -> None:
        """The fields once more, with angles in the unit that is chosen; what was typed stays."""
        for folder in self._folders:
            folder.remove()
        self._folders = self._add_knobs(result)

    def _add_switches(self, display: Display) -> list[Any]:
        made = []
        with self.show_folder:
            for key, label in display.switches():
                box = self.gui.add_checkbox(label, self._switches.setdefault(key, False))
                by_visitor(box, partial(self._switch, key, box))
                made.append(box)
        return made

    def _switch(self, key: str, box: Any) -> None:
        self._switches[key] = bool(box.value)
        self.page.switch(key, bool(box.value))
        self.legend.content = legend(self.page.display)

    def _add_knobs(self, result: Result) -> list[Any]:
        self.fields, self.choices = {}, {}
        groups: dict[str, list[Knob]] = {}
        for knob in self._current(result.scenario):
            groups.setdefault(knob.group, []).append(knob)
        folders = []
        for number, (group, members) in enumerate(groups.items()):
            folder = self.gui.add_folder(heading(group), expand_by_default=group == "gait",
                                         order=10 if group == "gait" else 40 + number / len(groups))
            with folder:
                self._add_members(folder, group, members)
            folders.append(folder)
        return folders

    def _add_members(self, folder: Any, group: str, members: list[Knob]) -> None:
        """The fields of a group; of a list those of one item, which is chosen: a chain of 16 links has hundreds."""
        items = tuple(dict.fromkeys(knob.item for knob in members))
        shown = [knob for knob in members if knob.item == items[0]]
        if len(items) > 1:
            names = {f"{group.rpartition(': ')[2]} {item}": item for item in items}
            choice = self.gui.add_dropdown("which", tuple(names))
            self.choices[group] = choice
            by_visitor(choice, lambda: self._choose_item(folder, members, names[choice.value]))
        for knob in shown:
            self.fields[knob.path] = self._add_knob(knob)

    def _current(self, scenario: Scenario | None) -> list[Knob]:
        """The fields, with what was typed since the run that is shown."""
        if scenario is None:
            return []
        try:
            return knobs(Scenario.load(scenario, self.page.changes))
        except InputError:
            return knobs(scenario)

    def _choose_item(self, folder: Any, members: list[Knob], item: str) -> None:
        """Another item of a list; what was changed of it before is shown."""
        with self.page.told_together():
            paths = {knob.path for knob in members}
            members = [knob for knob in self._current(self.page.result.scenario) if knob.path in paths]
            for knob in members:
                if knob.path in self.fields:
                    self.fields.pop(knob.path).remove()
            with folder:
                for knob in members:
                    if knob.item == item:
                        self.fields[knob.path] = self._add_knob(knob)

    def _add_knob(self, knob: Knob) -> Any:
        gui, page = self.gui, self.page
        knob = knob.in_degrees() if self.degrees.value else knob
        hint = f"{knob.meaning}  [{knob.path}]"
        if knob.kind == "choice":
            handle: Any = gui.add_dropdown(knob.label, knob.options, initial_value=knob.value, hint=hint)
        elif knob.kind == "truth":
            handle = gui.add_checkbox(knob.label, knob.value, hint=hint)
        elif knob.kind == "text":
            handle = gui.add_text(knob.label, knob.value, hint=hint)
            by_visitor(handle, lambda: self._later.do(lambda: page.tune_text(knob.path, handle.value)))
            return handle
        elif knob.group in SLIDING and knob.low is not None and knob.high is not None:
            handle = gui.add_slider(knob.label, knob.low, knob.high, knob.step, knob.value, hint=hint)
            handle.precision = _digits(knob)
            by_visitor(handle, lambda: self._slide(knob, handle))
            return handle
        else:
            handle = gui.add_number(knob.label, knob.value, step=1 if knob.kind == "whole" else _fine(knob), hint=hint)
            handle.precision = _digits(knob)
            by_visitor(handle, lambda: self._later.do(lambda: self._tune(knob, handle.value)))
            return handle
        by_visitor(handle, lambda: page.tune(knob.path, handle.value))
        return handle

    def _slide(self, knob: Knob, handle: Any) -> None:
        """A slider at its end reaches farther from then on; so far that it holds what was typed beside it.

        The page pushes what was typed beyond an end back to it when the field is left, for it may not know of the new
        end yet: what was typed stays.
        """
        typed, before = self._typed.pop(knob.path, (None, None))
        if typed is not None and handle.value == before:
            handle.value = typed
        within = handle.min <= handle.value <= handle.max
        if not within:
            self._typed[knob.path] = handle.value, min(max(handle.value, handle.min), handle.max)
        handle.min, handle.max = replace(knob, low=handle.min, high=handle.max).widened(handle.value)
        self._tune(knob, handle.value)

    def _tune(self, knob: Knob, value: Any) -> None:
        """An angle in degrees is told as a file has it: what is typed is what runs."""
        self.page.tune(knob.path, f"{value!r} deg" if knob.label.endswith("(deg)") else value)


def _digits(knob: Knob) -> int:
    """Decimals of a number field: what is typed may be finer than a step, also where the value is tiny."""
    if knob.kind == "whole":
        return 0
    return 9 if not knob.value else min(20, max(9, 8 - math.floor(math.log10(abs(knob.value)))))


def _fine(knob: Knob) -> float:
    """The step of a number's arrows; fine enough to hold the value's own digits."""
    return min(knob.step,
               10.0 ** -min(9, len(f"{knob.value!r}".partition(".")[2]))) if "e" not in repr(knob.value) else 1e-9


def _copied(lines: str) -> str:
    """A button that copies the lines, and the lines themselves to be read or marked."""
    return (f"<div id='python'><button type='button' style='{_BUTTON}' onclick=\"{escape(_COPY)}\" "
            "title='the lines that give this run again'>Copy Python</button>"
            "<details style='margin:0 12px 6px;font-size:12px'><summary style='color:#666;cursor:pointer'>the "
            "lines</summary>"
            f"<textarea readonly rows='6' spellcheck='false' style='width:100%;font:11px "
            f"monospace'>{escape(lines)}</textarea>"
            "</details></div>")


def numbers_table(result: Result, other: Result | None) -> str:
    """The numbers of a run, and beside them those of the run to compare with."""
    rows = [terminal.summary_rows(one.summary()) for one in (result, other) if one is not None]
    own, beside = dict(rows[0]), dict(rows[-1]) if other is not None else {}
    labels = list(dict.fromkeys(label for part in rows for label, _ in part))
    head = ""
    if other is not None:
        names = "".join(f"<th style='text-align:left;padding:1px 8px 3px 0;color:{colour}'>{escape(name)}</th>"
                        for name, colour in ((result.name or "this run", "#0072B2"),
                                             (f"ghost: {other.name or 'other run'}", "#777")))
        head = f"<tr><th></th>{names}</tr>"
    cells = "".join(f"<tr>{_cell(label, 'padding:1px 10px 1px 12px;color:#666;white-space:nowrap;vertical-align:top')}"
                    f"{_cell(own.get(label, ''))}{'' if other is None else _cell(beside.get(label, ''))}</tr>"
                    for label in labels)
    return f"<table id='numbers' style='font-size:12.5px;border-collapse:collapse'>{head}{cells}</table>"


def _cell(text: str, look: str = "padding:1px 8px 1px 0;vertical-align:top") -> str:
    return f"<td style='{look}'>{escape(text)}</td>"
