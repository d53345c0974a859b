"""The plots beside the view: any variable over time, with a mark at the moment that is shown."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.figures import style
from limbless.view.plot_lines import LIMIT, Plot, choices, lines_beside, plot_of
from limbless.view.scene.frames import Array, Frames
from limbless.view.studio.screen_sizes import Screen
from limbless.view.studio.server import by_visitor

if TYPE_CHECKING:
    from viser import GuiApi, PanelHandle

COUNT = 3  # plots below each other
MOST_POINTS = 600  # of a line on the screen
_EVERY = 0.12  # s between two moves of the mark: plots are slower to draw than the robot
# A chart that the page makes before it knows how wide it is stays without marks along its time.
_TICKS = """<img alt='' src='data:,' style='display:none' onerror="
if (!window.ticking) window.ticking = setInterval(() => {
  for (const {chart} of Object.values((window.__viserTestpoints || {}).uplots || {}))
    if (chart.width && (chart.axes[0]._found || [1])[0] === 0) chart.redraw(false, true) }, 1000)">"""


def left_panel(gui: GuiApi, screen: Screen) -> PanelHandle:
    """The panel at the left, without anything in it."""
    panel = gui.add_panel()
    panel.dock_left()
    panel.set_width(screen.plots)
    return panel


class Plots:
    """A tab of a panel. `together` holds off whoever else tells the page something,
    and tells it in one piece.
    """

    def __init__(self, gui: GuiApi, together: Callable[[], AbstractContextManager[None]], panel: Any) -> None:
        self.gui, self.together = gui, together
        self._tab = panel.add_tab("Plots")
        with self._tab:
            gui.add_html(_TICKS)
        self._marked = 0.0
        self.degrees = True  # whether angles are plotted in degrees
        self._panels: list[_Panel] = []

    def show(self, frames: Frames, ghost: Frames | None) -> None:
        """Plot a new result; the variables that were chosen stay chosen where it has them."""
        names = choices(frames)
        kept = [panel.name for panel in self._panels if panel.name in names]
        wanted = list(dict.fromkeys([*kept, *names]))[:COUNT]
        for panel in self._panels[len(wanted) :]:
            panel.remove()
        with self._tab:
            self._panels = self._panels[: len(wanted)] + [
                _Panel(self.gui, self.together) for _ in wanted[len(self._panels) :]
            ]
            for panel, name in zip(self._panels, wanted, strict=True):
                panel.show(frames, ghost, names, name, self.degrees)

    def mark(self, frame: int, moving: bool) -> None:
        """Move the mark; while playing, more often than can be seen is left out."""
        now = clock.perf_counter()
        if not moving or now - self._marked > _EVERY:
            self._marked = now
            for panel in self._panels:
                panel.mark(frame)


class _Panel:
    """One plot, with the choice of what it shows. It stays where it is when another result or variable comes."""

    def __init__(self, gui: GuiApi, together: Callable[[], AbstractContextManager[None]]) -> None:
        self.gui, self.together, self.name, self.frame = gui, together, "", 0
        self.choice: Any = None
        self.handle: Any = None

    def show(self, frames: Frames, ghost: Frames | None, names: list[str], name: str, degrees: bool) -> None:
        self.frames, self.ghost, self.name, self.frame, self.degrees = frames, ghost, name, 0, degrees
        self.rows = np.arange(0, frames.count, -(-frames.count // MOST_POINTS))
        if self.choice is None:
            self.choice = by_visitor(self.gui.add_dropdown("plot", tuple(names), initial_value=name), self._choose)
        else:
            self.choice.options, self.choice.value = tuple(names), name
        self._draw()

    def _choose(self) -> None:
        with self.together():
            self.name = self.choice.value
            self._draw()

    def _draw(self) -> None:
        plot, self.at = plot_of(self.frames, self.name), self.frames.abscissa[self.rows]
        own = {label: values[self.rows] for label, values in plot.lines.items()}
        shown, plot = plot.shown, replace(plot, lines=own | lines_beside(self.ghost, self.name, self.at))
        plot = (plot.in_degrees() if self.degrees else plot).readable()
        self.limits, self.lines = plot.limits(), plot.lines
        series: list[Any] = [
            {"label": self.frames.moment},
            *(
                {"label": label, "stroke": colour, "width": 1.5} | ({"dash": (6, 4)} if label.startswith(LIMIT) else {})
                for label, colour in _coloured(self.lines)
            ),
            {"label": "now", "stroke": style.GREY, "width": 1, "points": {"show": False}},
        ]
        options: dict[str, Any] = {
            "data": self._data(),
            "series": tuple(series),
            "title": _title(plot, shown),
            "scales": {
                "x": {"time": False, "auto": False, "range": _ends(self.at)},
                "y": {"auto": False, "range": self.limits},
            },
            "axes": ({"label": self.frames.moment, "labelSize": 18, "size": 34}, {"size": 62}),
            "legend": {"show": len(self.lines) > 1},
            "padding": (12, 12, 0, 0),
        }
        if self.handle is None:
            self.handle = self.gui.add_uplot(
                **options, height=210, order=self.choice.order + 0.5, cursor={"drag": {"x": False, "y": False}}
            )
        else:
            for name, value in options.items():
                setattr(self.handle, name, value)

    def _data(self) -> tuple[Array, ...]:
        """The lines, with two more points at the moment that is shown, from which the mark goes straight up."""
        now = float(self.frames.abscissa[self.frame])
        place = int(np.searchsorted(self.at, now))
        lines = [np.insert(values, place, [np.interp(now, self.at, values)] * 2) for values in self.lines.values()]
        mark = np.full(len(self.at) + 2, np.nan)
        mark[place : place + 2] = self.limits
        return np.insert(self.at, place, [now, now]), *lines, mark

    def mark(self, frame: int) -> None:
        self.frame = frame
        self.handle.data = self._data()

    def remove(self) -> None:
        self.choice.remove()
        self.handle.remove()


def _ends(at: Array) -> tuple[float, float]:
    """From the first to the last; a single moment has some room."""
    first, last = float(at[0]), float(at[-1])
    return (first, last) if last > first else (first - 0.5, first + 0.5)


def _coloured(lines: dict[str, Array]) -> list[tuple[str, str]]:
    ours = [label for label in lines if not label.endswith(", other") and not label.startswith(LIMIT)]
    return [
        (label, style.COLOURS[ours.index(label) % len(style.COLOURS)] if label in ours else style.GREY)
        for label in lines
    ]


def _title(plot: Plot, shown: int) -> str:
    return plot.label + (f", {shown} of {shown + plot.left_out}" if plot.left_out else "")
