"""The sweep beside the view: its map, which follows the folder while it is being filled; a click
runs and shows that robot.
"""

from __future__ import annotations

import threading
import time as clock
from html import escape
from typing import TYPE_CHECKING, Any

from limbless.core import InputError
from limbless.search.sweeps.sweep import Sweep
from limbless.view.studio import sweep_map
from limbless.view.studio.run_thread import Later
from limbless.view.studio.server import by_visitor

if TYPE_CHECKING:
    from limbless.view.studio.page import Page

EVERY = 1.0  # s between two looks at the folder
_SHARE = 10.0  # a look takes at most one part in so many of the time
_CLICK = """
const run=event.target.dataset.run;
if(run!==undefined){{
  const field=document.evaluate("//label[@for='{uuid}']/following::input[1]",document,null,9,null).singleNodeValue;
  const set=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value').set;
  set.call(field,field.value===run?run+' ':run);
  field.dispatchEvent(new Event('input',{{bubbles:true}}))}}
"""
"""A mark that is clicked writes its run into the field below the map, as if it had been typed: pictures cannot tell
Python anything themselves. A blank makes the same number another text.
"""


class SweepPanel:
    """A tab at the left: what is shown of the sweep, its map, the run that is shown, and how far it is."""

    def __init__(self, page: Page, sweep: Sweep, run: int) -> None:
        self.page, self.run = page, run
        self.sweep = Sweep(sweep.folder, sweep.plan)  # a look of its own: pages do not share theirs
        self._seen = self.sweep.stamp()
        self._closed = threading.Event()
        self._later = Later(0.2)
        gui, choice = page.client.gui, sweep_map.first_choice(self.sweep)
        fields, names = tuple(sweep_map.fields_of(self.sweep)), tuple(self.sweep.measured)
        with page.panel.add_tab("Sweep"):
            choices: list[Any] = [
                by_visitor(gui.add_dropdown(label, options, initial_value=first), self._choose) if first else None
                for label, options, first in (
                    ("measure", names, choice.measure),
                    ("across", fields, choice.across),
                    ("up", fields, choice.up),
                )
            ]
            self.measure, self.across, self.up = choices
            self.map: Any = gui.add_html("")
            self.field: Any = by_visitor(
                gui.add_text(
                    "run",
                    str(run),
                    hint="the run that is shown; a click on the map, or a number typed here, runs another",
                ),
                lambda: self._later.do(self._typed),
            )
            self.told: Any = gui.add_html("")
        self.draw()
        self._watcher = threading.Thread(target=self._watch, name="limbless sweep", daemon=True)

    def watch(self) -> None:
        """Follow the folder from now on."""
        self._watcher.start()

    @property
    def choice(self) -> sweep_map.Choice:
        return sweep_map.Choice(self.measure.value, self.across.value, None if self.up is None else self.up.value)

    def draw(self) -> None:
        """The map as the folder is now."""
        with self.page.told_together():
            choice = self.choice
            marks, left_out = sweep_map.marks_of(self.sweep, choice)
            self.map.content = sweep_map.drawn(
                self.sweep, choice, marks, self.run, click=_CLICK.format(uuid=self.field._impl.uuid)
            )
            rows = "".join(
                f"<tr><td class='dim' style='padding:1px 10px 1px 0;vertical-align:top'>{escape(label)}</td>"
                f"<td>{escape(text)}</td></tr>"
                for label, text in sweep_map.rows_of(self.sweep, self.run)
            )
            note = f"<div class='dim'>{escape(left_out)}</div>" if left_out else ""
            self.told.content = (
                f"<div id='sweep' style='padding:2px 12px;font-size:12.5px'><div id='sweep-told'>"
                f"{escape(self.sweep.told())}</div>{note}<table style='border-collapse:collapse;margin-top:6px'>{rows}"
                f"</table></div>"
            )

    def _choose(self) -> None:
        """Another measure or field; the two fields of a map differ."""
        with self.page.told_together():
            if self.up is not None and self.up.value == self.across.value:
                self.up.value = next(path for path in self.up.options if path != self.across.value)
            self.draw()

    def _typed(self) -> None:
        text = str(self.field.value).strip()
        if not text.isdigit() or int(text) >= self.sweep.plan.runs:
            last = self.sweep.plan.runs - 1
            self.page.controls.refuse(f"run: this sweep has the runs 0 to {last}; got {text or 'nothing'}")
            return
        self.run = int(text)
        self.draw()
        self.page.show_run(self.sweep, self.run)

    def _watch(self) -> None:
        """Draw again whenever rows have come."""
        pause = EVERY
        while not self._closed.wait(pause):
            began = clock.monotonic()
            stamp = self.sweep.stamp()
            if stamp != self._seen:
                try:
                    fresh = Sweep(self.sweep.folder, self.sweep.plan)
                    _ = fresh.dataset
                    self.sweep, self._seen = fresh, stamp
                    if not self._closed.is_set():
                        self.draw()
                except InputError as error:
                    self.page.controls.refuse(str(error))
            pause = max(EVERY, _SHARE * (clock.monotonic() - began))

    def close(self) -> None:
        """The visitor has left."""
        self._closed.set()
        self._later.close()
        if self._watcher.is_alive():
            self._watcher.join(timeout=10.0)
