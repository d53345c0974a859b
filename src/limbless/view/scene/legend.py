"""What colours, arrows and tiles of a picture mean, in numbers: a card over the scene, and lines of text in a movie."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

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
    "position:fixed;z-index:5;max-width:250px;padding:8px 11px;border-radius:8px;font:12px/1.35 system-ui,sans-serif;"
    "box-shadow:0 1px 6px #0003;pointer-events:none"
)


def legend(display: Display, ghost: str = "") -> str:
    """A card with the body's length, the size of tiles, and a row for each scale that is in use."""
    theme, world = display.theme, display.world
    rows = [escape(note) for note in world.notes()]
    if display.torque is not None and display.shows("torque"):
        rows.append(_colour_row(*display.coloured, float(display.torque.max(initial=0.0)), theme.dark))
    if display.tendons is not None and display.shows("tendons"):
        rows.append(_colour_row("tension of tendons", "N", float(display.tendons.tension.max(initial=0.0)), theme.dark))
    rows += [
        _arrow_rows(family, theme) for family in display.arrows if display.shows(family.key) and family.scale > 0.0
    ]
    if display.shows("trail"):
        rows.append(f"{_line(trail.colour(theme))} path of the head, on the ground")
    if ghost:
        rows.append(f"{_line(GHOST)} ghost: {escape(ghost)}")
    cells = "".join(f"<div style='margin-top:4px'>{row}</div>" for row in rows)
    name = escape(display.frames.result.name or "")
    return (
        f"<div id='legend' style='{_CARD};background:{theme.paper}E0;color:{theme.text}'>"
        f"<b style='font-size:13px'>{name}</b>{cells}</div>"
    )


def scale_of(family: Arrows) -> tuple[float, float]:
    """A round force, N (or velocity of water, m/s), and the length with which it is drawn, m."""
    force = round_step(family.reach / family.scale)
    return force, force * family.scale


def scale_words(family: Arrows) -> str:
    """Such as `20 N is 27 cm long`."""
    force, length = scale_of(family)
    return f"{force:g} {'m/s' if family.key == 'flow' else 'N'} is {metres(length)} long"


def _arrow_rows(family: Arrows, theme: Theme) -> str:
    names = {theme.holds: "contact holds", theme.slips: "contact slips"}
    used = np.unique(family.colour[np.linalg.norm(family.force, axis=-1) > 0.0], axis=0)
    hexes = ["#{:02X}{:02X}{:02X}".format(*colour) for colour in used]
    named = {colour: names.get(colour, family.label) if len(hexes) > 1 else family.label for colour in hexes}
    drawn = "".join(f"<div>{_arrow(colour)} {escape(words)}</div>" for colour, words in named.items())
    return f"{drawn}<div>{scale_words(family)}</div>"


def _arrow(colour: str) -> str:
    return (
        "<svg width='34' height='10' style='vertical-align:middle'><path d='M0 5H24M24 1L34 5L24 9Z' "
        f"stroke='{colour}' fill='{colour}' stroke-width='2.4'/></svg>"
    )


def _line(colour: str) -> str:
    return (
        "<svg width='34' height='10' style='vertical-align:middle'><path d='M0 5H34' stroke='#0006' stroke-width='5'/>"
        f"<path d='M0 5H34' stroke='{colour}' stroke-width='3'/></svg>"
    )


def _colour_row(what: str, unit: str, largest: float, dark: bool) -> str:
    """A bar with three numbers."""
    shades = colours_of(np.linspace(0.0, 1.0, 9), 1.0, dark)
    stops = ", ".join("rgb({}, {}, {})".format(*shade) for shade in shades)
    numbers = f"<span>0</span><span>{0.5 * largest:.2g}</span><span>{largest:.3g} {unit}</span>"
    return (
        f"<b>{what}</b><div style='height:10px;border-radius:3px;margin:3px 0 1px;background:linear-gradient(90deg, "
        f"{stops})'></div><div style='display:flex;justify-content:space-between'>{numbers}</div>"
    )
