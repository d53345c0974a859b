"""Modes of a soft body: its frequencies and damping in a table, and one of them swinging in the scene."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.view.scene.frames import Frames
from limbless.view.studio.server import Panel, by_visitor, handed_over

if TYPE_CHECKING:
    from limbless.models.chain.soft.linearisation import SmallMotions
    from limbless.simulation.result import Result
    from limbless.view.studio.page import Page

MODEL = "soft"
NONE = "(none)"
ABOUT = ("the end of the run", "its start")
MOST = 12  # modes that are told
FRAMES = 24  # postures of one swing
LARGEST = 0.12  # how far a mode swings, in body lengths
SHORTEST, LONGEST = 1.0, 4.0  # s that a swing takes on the screen: fast ones are slowed down
_LOOK = "padding:1px 12px 1px 0"


class ModePanel(Panel):
    """The folder with the modes of a soft body; for other robots there is none."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._swings: list[Frames] = []
        self._lasts, self._shown = 1.0, -1
        self.found: SmallMotions | None = None

    def show(self, result: Result) -> None:
        """Offer them for a new result, if its body is soft."""
        self._clear()
        self._swings, self.found = [], None
        if result.scenario is None or result.scenario.model.kind != MODEL:
            return
        gui = self.page.client.gui
        with self._folder("Modes", self.page.controls.numbers_tab, 21):
            self.about: Any = gui.add_dropdown(
                "about", ABOUT, hint="small motions about this posture, held at rest, with the tensions that act there"
            )
            by_visitor(gui.add_button("Find the modes"), lambda: self.find(result))
            self.table: Any = gui.add_html("")
            self.choice: Any = by_visitor(gui.add_dropdown("mode", (NONE,), visible=False), self._choose)

    def find(self, result: Result) -> None:
        """Linearise, and tell what came out."""
        with self._refusing():
            self.found = small_motions(result, at_end=self.about.value == ABOUT[0])
            with self.page.told_together():
                self.table.content = _table(self.found)
                names = (_name(self.found, number) for number in range(_count(self.found)))
                self.choice.options, self.choice.visible = (NONE, *names), True
                self.choice.value = NONE

    def _choose(self) -> None:
        """Let a mode swing, until play goes on or none is chosen."""
        self._swings = []
        if self.found is None or self.choice.value == NONE:
            self.page.jump(self.page.controls.time)
            return
        number = int(self.choice.value.partition(":")[0]) - 1
        self.page.controls.pause()
        frequency = float(self.found.frequency[number])
        self._lasts = float(np.clip(2.0 * math.pi / max(frequency, 1e-9), SHORTEST, LONGEST))
        self._swings = swings(self.page.frames, self.found, number)

    def swing(self, now: float) -> None:
        """Show the posture of this moment, where a mode is chosen and nothing plays."""
        if not self._swings or not handed_over(self.page.client):
            return
        place = int(now / self._lasts * FRAMES) % FRAMES
        if place != self._shown:
            self._shown = place
            with self.page.told_together():
                self.page.display.pose(self._swings[place])


def small_motions(result: Result, at_end: bool = True) -> SmallMotions:
    """The modes about the end of a run, or about its start, at rest."""
    from limbless.models.chain.soft.linearisation import SmallMotions

    scenario: Any = result.scenario
    model: Any = scenario.assemble()
    ended = result.state if at_end else None
    state = model.initial_state(scenario.initial, scenario.gait) if ended is None else ended
    return SmallMotions(model, scenario.gait, state)


def swings(frames: Frames, found: SmallMotions, number: int) -> list[Frames]:
    """One swing of a mode, frame by frame, large enough to be seen."""
    end = -1 if np.allclose(frames.head, frames.position[:, -1]) else 0
    frame = frames.at(found.time)
    return [
        frames.posed(frame, position, quaternion_to_matrix(quaternion), position[end])
        for position, quaternion in found.swing(number, LARGEST * frames.size, FRAMES)
    ]


def _count(found: SmallMotions) -> int:
    """How many are told."""
    return min(len(found.frequency), MOST)


def _name(found: SmallMotions, number: int) -> str:
    return f"{number + 1}: {_hertz(found, number)}"


def _hertz(found: SmallMotions, number: int) -> str:
    return f"{found.frequency[number] / (2.0 * math.pi):.4g} Hz"


def _table(found: SmallMotions) -> str:
    if not _count(found):
        return "<div style='padding:4px 12px;font-size:13px'>Nothing swings: only rigid motions are left.</div>"
    heads = "".join(
        f"<th style='{_LOOK};text-align:left;color:var(--mantine-color-dimmed)'>{text}</th>"
        for text in ("mode", "frequency", "damping ratio")
    )
    cells = [
        (number + 1, _hertz(found, number), f"{found.damping_ratio[number]:.3g}") for number in range(_count(found))
    ]
    rows = "".join(f"<tr>{''.join(f'<td style={_LOOK!r}>{cell}</td>' for cell in row)}</tr>" for row in cells)
    return f"<table id='modes' style='font-size:12.5px;margin:4px 12px'><tr>{heads}</tr>{rows}</table>"
