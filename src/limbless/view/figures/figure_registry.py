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
    needs, and how it is drawn.
    """

    name: str
    shows: str
    draw: Callable[[Result], Drawing]
    needs: tuple[str, ...] = ()
    every_run: bool = False

    def missing(self, result: Result) -> list[str]:
        """The variables that it needs and that the result does not have."""
        return [name for name in self.needs if name not in result.dataset.variables]


entries: dict[str, Entry] = {}


def figure(
    name: str, shows: str, needs: tuple[str, ...] = (), every_run: bool = False
) -> Callable[[Callable], Callable]:
    """Register a function `(result) -> (Figure, table)` as a figure; with `every_run` it is drawn for every run that
    has what it needs.
    """

    def register(draw: Callable[[Result], Drawing]) -> Callable[[Result], Drawing]:
        entries[name] = Entry(name, shows, draw, needs, every_run)
        return draw

    return register
