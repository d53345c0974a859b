"""The fields of a page: folders with a slider, a text or a box for everything that can be tuned.

Numbers that are no sliders are texts, so that they can be written with a unit, as in a file: `5 cm`, `2 N/mm`. Beside
sliders stands one line in which any of them is written in this way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from limbless.core import InputError, nearest
from limbless.scenarios.scenario import Scenario
from limbless.view.studio.messages import heading
from limbless.view.studio.run_thread import Later
from limbless.view.studio.server import by_visitor, removed
from limbless.view.studio.tuning import Knob, gait_presets, knobs

if TYPE_CHECKING:
    from viser import GuiApi

    from limbless.view.studio.page import Page

SLIDING = ("gait", "run")
"""Groups whose numbers are sliders; those of the others are fields to type in."""
AS_IT_IS = "(as it is)"
NUMBERS = ("number", "whole")
TYPING = 0.4  # s without a key before what was typed is run


class Entries:
    """All fields of a scenario. They only ask the page; the page decides.

    Parameters
    ----------
    gui, tab : where they stand. page : what is asked for a change.
    refuse : called with a sentence where something is written that is no field.
    """

    def __init__(self, gui: GuiApi, page: Page, refuse: Callable[[str], None], tab: Any) -> None:
        self.gui, self.page, self._refuse, self._tab = gui, page, refuse, tab
        self.degrees = True  # whether angles are shown in degrees
        self._kind = ""  # of the gait
        self._refused: list[Any] = []  # sentences below fields
        self._within: dict[str, Any] = {}  # path of a field -> its folder
        self.fields: dict[str, Any] = {}  # path of a field -> its handle in the page
        self.choices: dict[str, Any] = {}  # group of a list -> which of its items has its fields shown
        self.lines: dict[str, Any] = {}  # group of sliders -> the line in which values have units
        self.folders: list[Any] = []
        self._typed: dict[str, tuple[float, float]] = {}  # beyond the end of a slider, and that end
        self._later = Later(TYPING)

    def show(self, scenario: Scenario | None) -> None:
        """The fields of a scenario in place of those before; what was typed since stays."""
        self.folders = removed(self.folders)
        self.fields, self.choices, self.lines, self._refused = {}, {}, {}, []
        self._kind = "" if scenario is None else scenario.gait.kind
        groups: dict[str, list[Knob]] = {}
        for knob in self._current(scenario):
            groups.setdefault(knob.group, []).append(knob)
        for number, (group, members) in enumerate(groups.items()):
            with self._tab:
                folder = self.gui.add_folder(
                    heading(group),
                    expand_by_default=group == "gait",
                    order=10 if group == "gait" else 40 + number / len(groups),
                )
            with folder:
                self._add_members(folder, group, members)
            self.folders.append(folder)

    def refuse(self, sentences: dict[str, str]) -> None:
        """Sentences right below the fields that they are about (by path), in place of those before."""
        self._refused = removed(self._refused)
        for path in sentences.keys() & self.fields.keys():
            told = f"<div class='refused' role='alert'>{escape(sentences[path])}</div>"
            with self._within[path]:
                self._refused.append(self.gui.add_html(told, order=self.fields[path].order + 1e-3))

    def close(self) -> None:
        """What is still being typed is not run any more."""
        self._later.close()

    def _current(self, scenario: Scenario | None) -> list[Knob]:
        """The fields, with what was typed since the run that is shown."""
        if scenario is None:
            return []
        try:
            return knobs(Scenario.load(scenario, self.page.changes))
        except InputError:
            return knobs(scenario)

    def _add_members(self, folder: Any, group: str, members: list[Knob]) -> None:
        """The fields of a group; of a list those of one item, which is chosen: a chain of 16 links has hundreds."""
        items = tuple(dict.fromkeys(knob.item for knob in members))
        shown = [knob for knob in members if knob.item == items[0]]
        if len(items) > 1:
            names = {f"{group.rpartition(': ')[2]} {item}": item for item in items}
            self.choices[group] = by_visitor(
                self.gui.add_dropdown("which", tuple(names)),
                lambda: self._choose_item(folder, members, names[self.choices[group].value]),
            )
        if group == "gait":
            self._add_presets()
        for knob in shown:
            self.fields[knob.path], self._within[knob.path] = self._add(knob), folder
        sliders = [knob for knob in shown if _slides(knob)]
        if sliders:
            example = f"{_words(sliders[0])} = {_example(sliders[0])}"
            self.lines[group] = by_visitor(
                self.gui.add_text("with a unit", "", hint=f"any of these numbers with its unit, such as `{example}`"),
                lambda: self._later.do(lambda: self._write_line(sliders, self.lines[group].value)),
            )

    def _add_presets(self) -> None:
        """Gaits of the same kind that scenarios of the library have."""
        known = gait_presets().get(self._kind, {})
        if known:
            choice: Any = self.gui.add_dropdown("preset", (AS_IT_IS, *known), hint="the gait of another scenario")
            by_visitor(choice, lambda: self._take(known.get(choice.value)))

    def _take(self, gait: dict[str, Any] | None) -> None:
        if gait is not None:
            self.page.take_gait(gait)

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
                        self.fields[knob.path], self._within[knob.path] = self._add(knob), folder

    def _add(self, knob: Knob) -> Any:
        gui = self.gui
        knob = knob.in_degrees() if self.degrees else knob
        hint = f"{knob.meaning}  [{knob.path}]"
        if knob.kind == "choice":
            handle: Any = gui.add_dropdown(knob.label, knob.options, initial_value=knob.value, hint=hint)
        elif knob.kind == "truth":
            handle = gui.add_checkbox(knob.label, knob.value, hint=hint)
        elif _slides(knob):
            handle = gui.add_slider(knob.label, knob.low, knob.high, knob.step, knob.value, hint=hint)
            handle.precision = _digits(knob)
            return by_visitor(handle, lambda: self._slide(knob, handle))
        else:
            handle = gui.add_text(knob.label, repr(knob.value) if knob.kind in NUMBERS else knob.value, hint=hint)
            return by_visitor(handle, lambda: self._later.do(lambda: self._write(knob, handle.value)))
        return by_visitor(handle, lambda: self.page.tune(knob.path, handle.value))

    def _write(self, knob: Knob, text: str) -> None:
        """What is typed is what runs: a number alone is in the unit that stands beside the field."""
        self.page.tune_text(knob.path, f"{text.strip()} {_turned(knob)}" if _turned(knob) and _is_plain(text) else text)

    def _slide(self, knob: Knob, handle: Any) -> None:
        """A slider at its end reaches farther from then on; so far that it holds what was typed beside it.

        The page pushes what was typed beyond an end back to it when the field is left, for it may not know of the new
        end yet: what was typed stays.
        """
        typed, before = self._typed.pop(knob.path, (None, None))
        if typed is not None and handle.value == before:
            handle.value = typed
        if not handle.min <= handle.value <= handle.max:
            self._typed[knob.path] = handle.value, min(max(handle.value, handle.min), handle.max)
        handle.min, handle.max = replace(knob, low=handle.min, high=handle.max).widened(handle.value)
        self.page.tune(knob.path, f"{handle.value!r} {_turned(knob)}" if _turned(knob) else handle.value)

    # The line beside sliders

    def _write_line(self, sliders: list[Knob], text: str) -> None:
        """`period = 0.5 s`: the field by its name, and its value as in a file; the slider goes there."""
        name, equals, value = text.partition("=")
        named = {key: knob for knob in sliders for key in (_words(knob), knob.path.rpartition(".")[2])}
        if not equals or not value.strip():
            return
        if name.strip() not in named:
            self._refuse(f"no field here is called {name.strip()!r}; {nearest(name.strip(), map(_words, sliders))}")
            return
        knob = named[name.strip()]
        self._write(knob.in_degrees() if self.degrees else knob, value)
        self._follow(knob.path)

    def _follow(self, path: str) -> None:
        """A slider goes where its field was put, if that was taken."""
        knob = next((one for one in self._current(self.page.result.scenario) if one.path == path), None)
        if knob is None or path not in self.fields:
            return
        knob, handle = knob.in_degrees() if self.degrees else knob, self.fields[path]
        handle.min, handle.max = replace(knob, low=handle.min, high=handle.max).widened(knob.value)
        handle.value = knob.value


def _slides(knob: Knob) -> bool:
    return knob.group in SLIDING and knob.kind in NUMBERS and knob.low is not None and knob.high is not None


def _words(knob: Knob) -> str:
    """Its label without the unit."""
    return knob.label.rpartition(" (")[0] or knob.label


def _example(knob: Knob) -> str:
    unit = knob.label.rpartition(" (")[2].rstrip(")") if " (" in knob.label else ""
    return f"{knob.value:g} {unit}".rstrip()


def _turned(knob: Knob) -> str:
    """The unit of an angle, or of its rate, that is shown in degrees; nothing for others."""
    return next((f"deg{per}" for per in ("", "/s") if knob.label.endswith(f"(°{per})")), "")


def _is_plain(text: str) -> bool:
    """Whether a text is a number without a unit."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _digits(knob: Knob) -> int:
    """Decimals of a slider's number: what is typed may be finer than a step, also where the value is tiny."""
    if knob.kind == "whole":
        return 0
    return 9 if not knob.value else min(20, max(9, 8 - math.floor(math.log10(abs(knob.value)))))
