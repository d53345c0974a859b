"""The plots beside the view: any variable over time, with a mark at the moment that is shown."""
from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.figures import style
from limbless.view.frames import Array, Frames
from limbless.view.plots import Plot, choices, lines_beside, plot_of
from limbless.view.serving import by_visitor

if TYPE_CHECKING:
    from viser import GuiApi

COUNT = 3              # plots below each other
MOST_POINTS = 600      # of a line on the screen
_EVERY = 0.12          # s between two moves of the mark: plots are slower to draw than the robot


class Plots:
    """The panel at the left."""

    def __init__(self, gui: GuiApi) -> None:
        self.gui = gui
        self.panel = gui.add_panel()
        self.panel.dock_left()
        self.panel.set_width(380)
        self._tab = self.panel.add_tab("Plots")
        self._frames: Frames | None = None
        self._ghost: Frames | None = None
        self._marked = 0.0
        self._panels: list[_Panel] = []

    def show(self, frames: Frames, ghost: Frames | None) -> None:
        """Plot a new result; the variables that were chosen stay chosen where it has them."""
        before = [panel.name for panel in self._panels]
        names = choices(frames)
        kept = [name for name in before if name in names]
        wanted = list(dict.fromkeys([*kept, *names]))[:COUNT]
        for panel in self._panels:
            panel.remove()
        with self._tab:
            self._panels = [_Panel(self.gui, frames, ghost, names, name) for name in wanted]

    def mark(self, frame: int, moving: bool) -> None:
        """Move the mark; while playing, more often than can be seen is left out."""
        now = clock.perf_counter()
        if not moving or now - self._marked > _EVERY:
            self._marked = now
            for panel in self._panels:
                panel.mark(frame)


class _Panel:
    """One plot, with the choice of what it shows."""

    def __init__(self, gui: GuiApi, frames: Frames, ghost: Frames | None, names: list[str], name: str) -> None:
        self.gui, self.frames, self.ghost, self.name, self.frame = gui, frames, ghost, name, 0
        self.choice = gui.add_dropdown("plot", tuple(names), initial_value=name)
        by_visitor(self.choice, self._choose)
        every = max(1, -(-frames.count // MOST_POINTS))
        self.rows = np.arange(0, frames.count, every)
        self.handle: Any = None
        self._draw()

    def _choose(self) -> None:
        self.name = self.choice.value
        self._draw()

    def _draw(self) -> None:
        plot, at = plot_of(self.frames, self.name), self.frames.abscissa[self.rows]
        own = {label: values[self.rows] for label, values in plot.lines.items()}
        plot = replace(plot, lines=own | lines_beside(self.ghost, self.name, at)).readable()
        self.limits, lines = plot.limits(), plot.lines
        self.data = (at, *lines.values(), self._mark_line())
        series: list[Any] = [{"label": self.frames.moment},
                             *({"label": label, "stroke": colour, "width": 1.5} for label, colour in _coloured(lines)),
                             {"label": "now", "stroke": style.BLACK, "width": 1}]
        low, high = self.limits
        options: dict[str, Any] = {
            "title": _title(plot, len(own)), "scales": {"x": {"time": False},
                                                        "y": {"auto": False, "range": (low, high)}}, "height": 210,
            "axes": ({"label": self.frames.moment, "labelSize": 18, "size": 34}, {"size": 62}),
            "legend": {"show": len(lines) > 1},
            "cursor": {"drag": {"x": False, "y": False}}}
        order = None if self.handle is None else self.handle.order
        if self.handle is not None:
            self.handle.remove()
        self.handle = self.gui.add_uplot(self.data, tuple(series), order=self.choice.order + 0.5 if order is None
                                         else order, **options)

    def _mark_line(self) -> Array:
        """Along the lower edge, and up to the upper one at the moment that is shown: uPlot draws that as an upright
        line.
        """
        line = np.full(len(self.rows), self.limits[0])
        line[np.clip(np.searchsorted(self.rows, self.frame), 0, len(line) - 1)] = self.limits[1]
        return line

    def mark(self, frame: int) -> None:
        self.frame = frame
        self.data = (*self.data[:-1], self._mark_line())
        self.handle.data = self.data

    def remove(self) -> None:
        self.choice.remove()
        self.handle.remove()


def _coloured(lines: dict[str, Array]) -> list[tuple[str, str]]:
    ours = [label for label in lines if not label.endswith(", other")]
    return [(label, style.COLOURS[ours.index(label) % len(style.COLOURS)] if label in ours else style.GREY)
            for label in lines]


def _title(plot: Plot, shown: int) -> str:
    return plot.label + (f", {shown} of {shown + plot.left_out}" if plot.left_out else "")
