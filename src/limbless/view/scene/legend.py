"""What colours and arrows of a display mean, in numbers: as text beside the switches."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from limbless.view.scene.arrows import Arrows, colours_of
from limbless.view.scene.surroundings import round_step

if TYPE_CHECKING:
    from limbless.view.scene.scene import Display

_ROW = "display:flex;align-items:center;gap:8px;padding:2px 12px;font-size:12px;color:#444"


def legend(display: Display) -> str:
    """A row for each scale that is in use: arrows of one kind have one, the colours of the body and of tendons too."""
    rows = [_arrow_row(family) for family in display.arrows if display.shows(family.key) and family.scale > 0.0]
    if display.torque is not None and display.shows("torque"):
        rows.append(_colour_row(*display.coloured, float(display.torque.max(initial=0.0))))
    if display.tendons is not None and display.shows("tendons"):
        rows.append(_colour_row("tension", "N", float(display.tendons.tension.max(initial=0.0))))
    return f"<div id='legend'>{''.join(rows)}</div>"


def scale_of(family: Arrows) -> tuple[float, float]:
    """A round force, N, and the length with which it is drawn, m."""
    force = round_step(family.reach / family.scale)
    return force, force * family.scale


def _arrow_row(family: Arrows) -> str:
    force, length = scale_of(family)
    used = family.colour[np.linalg.norm(family.force, axis=-1) > 0.0]
    colour = "rgb({}, {}, {})".format(*(used[0] if len(used) else (80, 80, 80)))
    bar = (
        f"<svg width='62' height='10'><path d='M0 5H50M50 1L62 5L50 9Z' stroke='{colour}' fill='{colour}' "
        "stroke-width='2.5'/></svg>"
    )
    return f"<div style='{_ROW}'>{bar}<span>{force:g} N is {length:.3g} m long: {escape(family.label)}</span></div>"


def _colour_row(what: str, unit: str, largest: float) -> str:
    shades = colours_of(np.linspace(0.0, 1.0, 7), 1.0)
    stops = ", ".join("rgb({}, {}, {})".format(*shade) for shade in shades)
    bar = f"<span style='width:110px;height:10px;background:linear-gradient(90deg, {stops})'></span>"
    return f"<div style='{_ROW}'>0 {bar}<span>{largest:.3g} {unit}, {what}</span></div>"
