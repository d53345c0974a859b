"""The numbers of a run as a table of a page, and beside them those of a run to compare with."""

from __future__ import annotations

import math
import re
from html import escape
from typing import TYPE_CHECKING

from limbless.simulation import comparison
from limbless.view import terminal

if TYPE_CHECKING:
    from limbless.simulation.result import Result

_TURNED = re.compile(r"(?P<number>-?\d[\d.e+-]*)(?P<unit>(?: [^\s,;()]+)*?[ /])rad\b")


def numbers_table(result: Result, other: Result | None, degrees: bool = False) -> str:
    """The numbers of a run; with another one also its numbers, and how far this run is from it."""
    rows = [_placed(terminal.summary_rows(one.summary())) for one in (result, other) if one is not None]
    own, beside = rows[0], rows[-1] if other is not None else {}
    apart = {} if other is None else _differences(result, other)
    head = "" if other is None else _head(result, other)
    lines = []
    for place in dict.fromkeys(place for part in rows for place in part):
        label = place[0]
        texts = [own.get(place, ""), *([] if other is None else [beside.get(place, ""), apart.get(label, "")])]
        cells = "".join(_cell(in_degrees(text) if degrees else text) for text in texts)
        name = _cell(
            label, "padding:1px 10px 1px 12px;color:var(--mantine-color-dimmed);white-space:nowrap;vertical-align:top"
        )
        lines.append(f"<tr>{name}{cells}</tr>")
    look = "font-size:12.5px;border-collapse:collapse;margin-bottom:8px"
    return f"<table id='numbers' style='{look}'>{head}{''.join(lines)}</table>"


def _placed(rows: list[tuple[str, str]]) -> dict[tuple[str, int], str]:
    """By label and how often it stood before: there may be several notes."""
    found: dict[tuple[str, int], str] = {}
    for label, text in rows:
        found[label, sum(label == other for other, _ in found)] = text
    return found


def in_degrees(text: str) -> str:
    """A number in radians, or per radian, in degrees; any other text as it is."""

    def turned(found: re.Match[str]) -> str:
        per = found["unit"].endswith("/")
        number = float(found["number"]) * (math.radians(1.0) if per else math.degrees(1.0))
        return f"{number:.4g}{found['unit']}°"

    return _TURNED.sub(turned, text)


def _differences(result: Result, other: Result) -> dict[str, str]:
    """How far this run is from the other, by the labels of the table; numbers with several parts have them in a row."""
    found: dict[str, list[str]] = {}
    known = {label for _, label, _ in comparison.NUMBERS}
    for line in comparison.lines([other, result]):
        label = next((name for name in known if line.label.startswith(name)), line.label)
        told = comparison.told(line, 1)
        if told:
            found.setdefault(label, []).append(f"{line.label.removeprefix(label).strip()} {told}".strip())
    return {label: ", ".join(parts) for label, parts in found.items()}


def _head(result: Result, other: Result) -> str:
    names = (
        (result.name or "this run", "#0072B2"),
        (f"ghost: {other.name or 'other run'}", "#777"),
        ("difference", "#777"),
    )
    cells = "".join(
        f"<th style='text-align:left;padding:1px 8px 3px 0;color:{colour}'>{escape(name)}</th>"
        for name, colour in names
    )
    return f"<tr><th></th>{cells}</tr>"


def _cell(text: str, look: str = "padding:1px 8px 1px 0;vertical-align:top;overflow-wrap:anywhere") -> str:
    return f"<td style='{look}'>{escape(text)}</td>"
