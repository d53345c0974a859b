"""The list of figures, filled by a decorator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limbless.simulation.result import Result

Table = dict[str, NDArray[np.float64]]
"""What a figure draws: column name with its unit, as in `time (s)`, -> values."""

Drawing = tuple["Figure", Table]


@dataclass(frozen=True)
class Entry:
    """A figure: its name (and the name of its file), what it shows, the variables that it
    needs, how it is drawn, and the runs that it is drawn for unasked.
    """

    name: str
    shows: str
    draw: Callable[[Result], Drawing]
    needs: tuple[str, ...] = ()
    every_run: bool = False
    scenarios: tuple[str, ...] = ()

    def missing(self, result: Result) -> list[str]:
        """The variables that it needs and that the result does not have."""
        return [name for name in self.needs if name not in result.dataset.variables]


entries: dict[str, Entry] = {}


def figure(
    name: str, shows: str, needs: tuple[str, ...] = (), every_run: bool = False, scenarios: tuple[str, ...] = ()
) -> Callable[[Callable], Callable]:
    """Register a function `(result) -> (Figure, table)` as a figure; it is drawn for every run (`every_run`), or the
    runs of the named scenarios, that have what it needs.
    """

    def register(draw: Callable[[Result], Drawing]) -> Callable[[Result], Drawing]:
        entries[name] = Entry(name, shows, draw, needs, every_run, scenarios)
        return draw

    return register
