"""What colours, arrows and tiles of a picture mean, in numbers: a card over the scene, rows below a picture, lines of
text in a movie.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limbless.view.scene import trail
from limbless.view.scene.arrows import Arrows, colours_of
from limbless.view.scene.palette import GHOST
from limbless.view.scene.surroundings import round_step
from limbless.view.scene.world import metres

if TYPE_CHECKING:
    from limbless.view.scene.palette import Theme
    from limbless.view.scene.scene import Display

_CARD = (
    "position:fixed;z-index:5;max-width:280px;padding:8px 11px;border-radius:8px;font:12px/1.35 system-ui,sans-serif;"
    "box-shadow:0 1px 6px #0003;pointer-events:none"
)
_SIGN = "<svg width='34' height='10' style='vertical-align:middle'><path d="
_MARKS = {
    "arrow": _SIGN + "'M0 5H24M24 1L34 5L24 9Z' stroke='{0}' fill='{0}' stroke-width='2.4'/></svg>",
    "line": _SIGN + "'M0 5H34' stroke='#0006' stroke-width='5'/><path d='M0 5H34' stroke='{0}' "
    "stroke-width='3'/></svg>",
}
_RECORD = """
if (window.filmed) return window.filmed.stop();
const button = this, parts = [];
const canvas = document.querySelector('canvas[data-engine]') || document.querySelector('canvas');
const film = window.filmed = new MediaRecorder(canvas.captureStream(30), {videoBitsPerSecond: 8e6});
film.ondataavailable = event => parts.push(event.data);
film.onstop = () => {
  window.filmed = null;
  button.textContent = 'Record a film';
  const link = document.createElement('a'), kind = film.mimeType.includes('mp4') ? 'mp4' : 'webm';
  link.href = window.URL.createObjectURL(new Blob(parts, {type: film.mimeType}));
  link.download = document.querySelector('#legend b').textContent + '.' + kind;
  link.click();
  setTimeout(() => window.URL.revokeObjectURL(link.href), 6e4) };
film.start();
button.textContent = 'Stop and save'
"""


class Row(NamedTuple):
    """A line of a legend: what it says beside a mark (`arrow`, `line`, `bar`, or none) in its colours."""

    text: str
    mark: str = ""
    colours: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()  # along a bar, from its first to its last colour


def legend_rows(display: Display, ghost: str = "", rungs: Sequence[Row] = ()) -> list[Row]:
    """The body's length, the size of tiles, and a row for each scale that is in use."""
    theme, world = display.theme, display.world
    rows = [Row(note) for note in world.notes()]
    if display.torque is not None and display.shows("torque"):
        rows.append(_bar(*display.coloured, float(display.torque.max(initial=0.0)), theme.dark))
    if display.tendons is not None and display.shows("tendons"):
        rows.append(_bar("tension of tendons", "N", float(display.tendons.tension.max(initial=0.0)), theme.dark))
    for family in display.arrows:
        if display.shows(family.key) and family.scale > 0.0:
            rows += _arrow_rows(family, theme)
    if display.shows("trail"):
        rows.append(Row("path of the head, on the ground", "line", (trail.colour(theme),)))
    if ghost:
        rows.append(Row(f"ghost: {ghost}", "line", (GHOST,)))
    return [*rungs, *rows]


def legend(display: Display, ghost: str = "", rungs: Sequence[Row] = ()) -> str:
    """The rows as a card over the scene."""
    theme = display.theme
    cells = "".join(f"<div style='margin-top:4px'>{_cell(row)}</div>" for row in legend_rows(display, ghost, rungs))
    name = escape(display.frames.result.name or "")
    return (
        f"<div id='legend' style='{_CARD};background:{theme.paper}E0;color:{theme.text}'>"
        f"<b style='font-size:13px'>{name}</b>{cells}</div>"
    )


def recorder(style: str) -> str:
    """A button of a page, which films the scene with the visitor's own browser until it is pressed again."""
    said = "a film of the scene as you see it, made by your browser"
    return (
        f"<button id='record' type='button' style='{style}' title='{said}' onclick=\"{_RECORD}\">Record a film</button>"
    )


def scale_of(family: Arrows) -> tuple[float, float]:
    """A round force, N (or velocity of water, m/s), and the length with which it is drawn, m."""
    force = round_step(family.reach / family.scale)
    return force, force * family.scale


def scale_words(family: Arrows) -> str:
    """Such as `20 N is 27 cm long`."""
    force, length = scale_of(family)
    return f"{force:g} {'m/s' if family.key == 'flow' else 'N'} is {metres(length)} long"


def _arrow_rows(family: Arrows, theme: Theme) -> list[Row]:
    names = {theme.holds: "contact holds", theme.slips: "contact slips"}
    used = np.unique(family.colour[np.linalg.norm(family.force, axis=-1) > 0.0], axis=0)
    hexes = ["#{:02X}{:02X}{:02X}".format(*colour) for colour in used]
    named = {colour: names.get(colour, family.label) if len(hexes) > 1 else family.label for colour in hexes}
    return [*(Row(words, "arrow", (colour,)) for colour, words in named.items()), Row(scale_words(family))]


def _bar(what: str, unit: str, largest: float, dark: bool) -> Row:
    shades = ("#{:02X}{:02X}{:02X}".format(*shade) for shade in colours_of(np.linspace(0.0, 1.0, 9), 1.0, dark))
    return Row(what, "bar", tuple(shades), ("0", f"{0.5 * largest:.2g}", f"{largest:.3g} {unit}"))


def _cell(row: Row) -> str:
    if row.mark == "bar":
        numbers = "".join(f"<span>{number}</span>" for number in row.numbers)
        shades = f"linear-gradient(90deg, {', '.join(row.colours)})"
        return (
            f"<b>{escape(row.text)}</b><div style='height:10px;border-radius:3px;margin:3px 0 1px;background:{shades}'>"
            f"</div><div style='display:flex;justify-content:space-between'>{numbers}</div>"
        )
    drawn = _MARKS.get(row.mark, "{}").format(*row.colours or ("",))
    return f"{drawn} {escape(row.text)}"
