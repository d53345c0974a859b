"""The controls of a page: pick a scenario, play, switch parts on, tune every field, save, copy."""

from __future__ import annotations

import time as clock
from html import escape
from typing import TYPE_CHECKING, Any

from limbless.scenarios import loader
from limbless.simulation.result import red_line
from limbless.view.scene.legend import legend, recorder
from limbless.view.scene.palette import LIGHTS
from limbless.view.studio.field_entries import Entries
from limbless.view.studio.numbers_table import numbers_table
from limbless.view.studio.screen_sizes import LEGEND_STYLE, STYLE
from limbless.view.studio.server import by_visitor, removed

if TYPE_CHECKING:
    from viser import GuiApi

    from limbless.simulation.result import Result
    from limbless.view.scene.scene import Display
    from limbless.view.studio.page import Page

COMPARE, APART = "Compare with this run", "Stop comparing"
CAMERAS, PICTURES = ("start", "side", "top", "front"), ("PNG", "SVG", "PDF")
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
TELLING = 0.25  # s between two moves of the bar of a run
_BUTTON = (
    "width:calc(100% - 20px);margin:4px 10px;padding:4px;border:0;border-radius:2px;"
    "background:var(--mantine-primary-color-filled);color:var(--mantine-primary-color-contrast);font-size:13px"
)
# A page from another machine (--host) is no secure context: there only the older way to copy works.
_COPY = """
const b=this,t=b.parentNode.querySelector('textarea');
const said=()=>{b.textContent='Copied';setTimeout(()=>{b.textContent='Copy Python'},1500)};
b.parentNode.querySelector('details').open=true;t.select();
if(navigator.clipboard)
  navigator.clipboard.writeText(t.value).then(said,()=>{if(document.execCommand('copy'))said()});
else if(document.execCommand('copy'))said()
"""
# Only the page itself knows how fast it draws. It unticks the box as a visitor would, once.
_WATCH = """<div id='slow' class='said dim'></div><img alt='' src='data:,' style='display:none' onerror="
if (!window.watched) { window.watched = true; let drawn = 0, since = 0;
const look = now => { drawn += 1;
  if (now - since < 2000) return requestAnimationFrame(look);
  const label = document.querySelector('label[for=&quot;SHADOWS&quot;]');
  const box = label && document.evaluate('following::input', label, null, 9).singleNodeValue;
  if (document.hidden || drawn >= 20) { drawn = 0; since = now; return requestAnimationFrame(look) }
  if (box && box.checked) { box.click(); document.getElementById('slow').textContent =
    'Shadows went off: this page drew fewer than ten pictures a second.' } };
setTimeout(() => { since = performance.now(); requestAnimationFrame(look) }, 8000) }">"""


class Controls:
    """The panel at the right: what is played, then tabs to tune, to choose what is shown, and for numbers. It only asks
    the page; the page decides.
    """

    def __init__(self, gui: GuiApi, page: Page) -> None:
        self.gui, self.page = gui, page
        self._switches: dict[str, bool] = {}
        self._parts: list[Any] = []
        self.time = 0.0
        gui.main_panel.dock_right()
        gui.main_panel.set_width(page.screen.controls)
        gui.add_html(STYLE + LEGEND_STYLE + page.screen.style, order=-2)
        named = isinstance(page.source, str) and page.source in loader.names()
        self.own = str(page.source) if named else f"{page.result.name or 'result'} (opened)"
        self.scenario: Any = by_visitor(
            gui.add_dropdown(
                "scenario", tuple(dict.fromkeys([self.own, *loader.names()])), initial_value=self.own, order=0
            ),
            lambda: page.pick(self.scenario.value),
        )
        self.doubt = gui.add_html("", order=-1)  # the first line of the page: a run that is not proven
        self.status = gui.add_html("", order=1)
        self.progress: Any = gui.add_progress_bar(0.0, visible=False, animated=True, order=2)
        self.stop: Any = by_visitor(
            gui.add_button("Cancel the run", visible=False, color="red", order=3), lambda: page.worker.cancel()
        )
        self.slider: Any = by_visitor(gui.add_slider("time (s)", 0.0, 1.0, 0.01, 0.0, order=4), self._jump)
        self.play: Any = gui.add_checkbox("playing", True, order=4.1)
        self.shadows: Any = by_visitor(
            gui.add_checkbox(
                "shadows",
                True,
                order=4.2,
                hint="without them a slow machine draws faster; they go off by themselves there",
            ),
            lambda: page.cast_shadows(self.shadows.value),
        )
        gui.add_html(_WATCH.replace("SHADOWS", self.shadows._impl.uuid), order=4.3)
        self.legend = gui.add_html("", order=1e6)
        self.tabs = gui.add_tab_group(order=5)
        self.tune: Any = self.tabs.add_tab("Tune")
        self.show_tab: Any = self.tabs.add_tab("Show")
        self.numbers_tab: Any = self.tabs.add_tab("Numbers")
        self.entries = Entries(gui, page, self.refuse, self.tune)
        with self.tune:
            by_visitor(
                gui.add_button(
                    "Save scenario and result", hint="into runs/ of the folder in which limbless was started", order=60
                ),
                page.save,
            )
            self.copy = gui.add_html("", order=61)
        with self.show_tab:
            self._add_looks()
        with self.numbers_tab:
            self.numbers = gui.add_html("", order=0)
            by_visitor(
                gui.add_button(
                    COMPARE, hint="it stays as a pale ghost with its own numbers, beside what you run next", order=1
                ),
                lambda: page.compare(True),
            )
            self.apart: Any = by_visitor(gui.add_button(APART, visible=False, order=2), lambda: page.compare(False))
        self._told = 0.0
        self._running, self._compiles = "", False

    def _add_looks(self) -> None:
        """What is in the tab Show beside the parts of a run."""
        gui, page = self.gui, self.page
        self.speed: Any = gui.add_dropdown("speed", SPEEDS, initial_value="1", hint="simulated seconds per second")
        self.follow: Any = by_visitor(gui.add_checkbox("follow the robot", True), lambda: page.jump(self.time))
        self.view: Any = by_visitor(
            gui.add_button_group("camera", CAMERAS, order=1e3), lambda: page.look_from(self.view.value)
        )
        self.lighting: Any = by_visitor(gui.add_dropdown("light", LIGHTS, order=1e3 + 1), page.relight)
        self.radians: Any = by_visitor(gui.add_checkbox("angles in radians", False, order=1e3 + 2), page.show_angles)
        self.picture: Any = by_visitor(
            gui.add_button_group("picture", PICTURES, order=1e3 + 4, hint="a file of what is seen, with its legend"),
            lambda: page.send_picture(self.picture.value),
        )
        gui.add_html(recorder(_BUTTON), order=1e3 + 5)

    def _jump(self) -> None:
        self.time = float(self.slider.value)
        self.page.jump(self.time)

    # What the page tells

    def show_scenario(self, name: str) -> None:
        self.scenario.value = name
        self.gui.set_panel_label(f"limbless: {name}")

    def say(self, text: str) -> None:
        self._answer(text, "class='said good'", {})

    def refuse(self, text: str, fields: dict[str, str] | None = None) -> None:
        """The library's own sentence, and below each field (by its path) what is said of it; what is shown stays."""
        self._answer(text, "role='alert' class='refused'", fields or {})

    def _answer(self, text: str, look: str, fields: dict[str, str]) -> None:
        """What came of a wish: nothing runs any more."""
        self.progress.visible = self.stop.visible = False
        self.entries.refuse(fields)
        self.status.content = f"<div id='status' {look}>{escape(text)}</div>"

    def pause(self) -> None:
        self.play.value = False

    def show_running(self, name: str) -> None:
        self._told, self._running, self._compiles = clock.perf_counter(), name, False
        self._say_quietly(f"{name}: running ...")

    def show_compiling(self) -> None:
        """Once for a run: what it needs has never been used on this machine."""
        if not self._compiles:
            self._compiles = True
            self._say_quietly(
                f"{self._running}: compiling what this run needs, once on this machine; it may take half a minute ..."
            )

    def _say_quietly(self, text: str) -> None:
        self.status.content = f"<div id='status' class='said dim'>{escape(text)}</div>"

    def show_progress(self, fraction: float) -> None:
        """A few times a second; a run that answers sooner than that needs no bar."""
        now = clock.perf_counter()
        if now - self._told > TELLING:
            if self._compiles:
                self.show_running(self._running)
            self._told = now
            self.progress.visible = self.stop.visible = True
            self.progress.value = float(min(max(100.0 * fraction, 0.0), 100.0))

    def show_time(self, time: float) -> None:
        self.slider.value = time
        if not self.play.value:
            self.time = time

    def show_result(self, result: Result, display: Display, another: bool) -> None:
        """Numbers of a new result; with another scenario also its switches and fields."""
        times = display.frames.times
        self.slider.min, self.slider.max = float(times[0]), max(float(times[-1]), float(times[0]) + 1e-3)
        self.doubt.content = red_line(result.warning)
        self.show_numbers(result)
        self.copy.content = _copied(self.page.python())
        if another:
            self.time = float(times[0])
            removed(self._parts)
            with self.show_tab:
                switches = (*self.page.rungs.switches, *display.switches())
                self._parts = [self._add_switch(*switch) for switch in switches]
            self.entries.show(result.scenario)
        for key, on in self._switches.items():
            display.switch(key, on)
        self.show_legend(display)

    def show_legend(self, display: Display) -> None:
        self.legend.content = legend(display, self.page.ghost_name, self.page.rungs.rows())

    def show_numbers(self, result: Result) -> None:
        """The table, with the run that is compared where there is one."""
        self.numbers.content = numbers_table(result, self.page.other, not self.radians.value)
        self.apart.visible = self.page.other is not None

    def show_angles(self, result: Result) -> None:
        """The fields once more, with angles in the unit that is chosen; what was typed stays."""
        self.entries.degrees = not self.radians.value
        self.entries.show(result.scenario)

    def _add_switch(self, key: str, label: str, first: bool) -> Any:
        """A switch, as it was left; at first as it is said."""

        def switch() -> None:
            self._switches[key] = box.value
            self.page.switch(key, box.value)
            self.show_legend(self.page.display)

        box = by_visitor(self.gui.add_checkbox(label, self._switches.setdefault(key, first)), switch)
        return box

    def is_on(self, key: str, first: bool) -> bool:
        """Whether a switch is on; one that is not there yet is as it will be at first."""
        return self._switches.get(key, first)


def _copied(lines: str) -> str:
    """A button that copies the lines, and the lines themselves to be read or marked."""
    return (
        f"<div id='python'><button type='button' style='{_BUTTON}' onclick=\"{escape(_COPY)}\" title='the lines that "
        "give this run again'>Copy Python</button><details style='margin:0 12px 6px;font-size:12px'><summary "
        "class='dim' style='cursor:pointer'>the lines</summary><textarea readonly rows='6' spellcheck='false' "
        f"style='width:100%;font:11px monospace'>{escape(lines)}</textarea></details></div>"
    )
