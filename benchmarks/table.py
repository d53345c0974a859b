"""Rows of the table: what was measured, the peer, the target, and whether it is met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

HEADINGS = ("what", "limbless", "peer", "ratio", "target", "met")


@dataclass(frozen=True)
class Row:
    """One measurement. `value` is what the target speaks of (a ratio, a slope, a time); rows without a
    target are for information.
    """

    what: str
    ours: str
    peer: str = ""
    value: float | None = None
    shown: str = ""
    target: float | None = None
    sense: Literal["at least", "at most"] = "at least"
    unit: str = ""
    reason: str = ""
    """Why the target is not met, should it not be."""

    @property
    def met(self) -> bool | None:
        """Whether the value reaches the target; None without one."""
        if self.target is None or self.value is None:
            return None
        return self.value >= self.target if self.sense == "at least" else self.value <= self.target

    def cells(self) -> tuple[str, ...]:
        """As text, in the order of `HEADINGS`."""
        ratio = self.shown or ("" if self.value is None else f"{self.value:.2f}")
        target = "" if self.target is None else f"{'≥' if self.sense == 'at least' else '≤'} {self.target:g}{self.unit}"
        return self.what, self.ours, self.peer, ratio, target, {None: "", True: "yes", False: "**no**"}[self.met]


@dataclass
class Section:
    """A part of the document: a table, text below it, and pictures that the text shows (path from docs/ -> function
    that draws it).
    """

    rows: list[Row]
    text: str = ""
    pictures: dict[str, Callable[[Path], object]] = field(default_factory=dict)
    title: str = ""


def markdown(rows: list[Row]) -> str:
    """The rows as a table that reads well as plain text too."""
    cells = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs" if seconds < 1e-4 else f"{seconds * 1e6:.0f} µs"
