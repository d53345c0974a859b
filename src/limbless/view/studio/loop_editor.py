"""A loop of shapes that can be pulled at its points: the map under it, the body along it, and what one turn does."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.search.studies.connection_field import pose_of
from limbless.search.studies.strokes import Loop, Stroke
from limbless.view.connection_figures import line_of

if TYPE_CHECKING:
    from limbless.search.studies.connection import Connection

COMPONENTS = ("x", "y", "turn")
POINTS, MOST_POINTS = 12, 24
WIDE, HIGH, EDGE = 320.0, 320.0, 34.0  # of the map in its own units, and of the room for labels
PULL = """
const here=()=>{{const at=new DOMPoint(event.clientX,event.clientY).matrixTransform(
  event.currentTarget.getScreenCTM().inverse());return at.x.toFixed(1)+' '+at.y.toFixed(1)}};
const tell=text=>{{
  const field=document.evaluate("//label[@for='{uuid}']/following::input[1]",document,null,9,null).singleNodeValue;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value').set.call(field,text);
  field.dispatchEvent(new Event('input',{{bubbles:true}}))}};
const held=event.buttons&1,now=performance.now();
if(event.type==='pointerdown'){{
  window.limblessPull=event.target.dataset.point;
  window.limblessDrawn=window.limblessPull===undefined?[here()]:undefined;event.preventDefault();return}}
if(held&&now-(window.limblessPulled||0)<40)return;window.limblessPulled=now;
if(window.limblessPull!==undefined){{
  if(held)tell(window.limblessPull+' '+here());else window.limblessPull=undefined}}
else if(window.limblessDrawn){{
  if(held){{window.limblessDrawn.push(here());
    event.currentTarget.querySelector('#drawn').setAttribute('points',window.limblessDrawn.join(' '))}}
  else{{const drawn=window.limblessDrawn;window.limblessDrawn=undefined;
    if(drawn.length>3)tell('draw '+drawn.join(' '))}}}}
"""
"""A point that is dragged writes its number and place into the field below the map, and so does a line that is drawn
beside the points, as if they had been typed: pictures cannot tell Python anything themselves. The page keeps what is
being pulled, so that the picture may be drawn anew meanwhile."""


class LoopEditor:
    """A loop of at most 24 points, each of which can be pulled; between them it is a trigonometric polynomial."""

    def __init__(self, connection: Connection, points: int = POINTS) -> None:
        if connection.count != 2 or not connection.planar:
            raise InputError(
                f"the map is drawn for two shapes of a planar robot; this one has {connection.count} shapes, and its "
                f"base is {connection.scenario.robot.build().base}"
            )
        if not 3 <= points <= MOST_POINTS:
            raise InputError(f"a loop has 3 to {MOST_POINTS} points; got {points}")
        self.connection, self._maps = connection, dict[str, str]()
        self.stroke: Stroke
        self.take(_first(connection), points)

    def take(self, loop: Loop, points: int = POINTS) -> None:
        """Another loop, at so many points."""
        self.points = loop.at(points)[0]
        self.period = loop.period
        self._follow()

    def pull(self, number: int, place: Array) -> Stroke:
        """Move a point to a place (2,) of shapes; it stays in the region."""
        if not 0 <= number < len(self.points):
            raise InputError(f"the loop has the points 0 to {len(self.points) - 1}; got {number}")
        points = self.points.copy()
        points[number] = place
        return self._placed(points)

    def draw(self, line: Array) -> Stroke:
        """Take a line (N, 2) of shapes as the loop, closed, in its direction; it stays in the region."""
        closed = np.concatenate([line, line[:1]])
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
        if len(line) < 3 or not along[-1] > 0.0:
            raise InputError(f"a loop that is drawn has at least three places apart from each other; got {len(line)}")
        evenly = np.arange(POINTS) * along[-1] / POINTS
        return self._placed(np.stack([np.interp(evenly, along, column) for column in closed.T], axis=1))

    def _placed(self, points: Array) -> Stroke:
        """The loop through other points, or the one before where they make none."""
        before, self.points = self.points, np.clip(points, *self.connection.region.T)
        try:
            return self._follow()
        except InputError:
            self.points = before
            raise

    def _follow(self) -> Stroke:
        low, high = self.connection.region.T
        loop = Loop(self.points, self.period)
        reached = np.abs((loop.at(128)[0] - 0.5 * (low + high)) / (0.5 * (high - low))).max()
        if reached > 1.0:  # between the points the curve may swing out: the whole of it is drawn in
            loop = Loop(0.5 * (low + high) + (self.points - 0.5 * (low + high)) / reached, self.period)
        self.stroke = self.connection.around(loop)
        return self.stroke

    # What is drawn

    def from_picture(self, x: float, y: float) -> Array:
        """The shapes at a place of the picture."""
        low, high = self.connection.region.T
        share = np.array([(x - EDGE) / WIDE, 1.0 - y / HIGH])
        return np.asarray(low + share * (high - low))

    def to_picture(self, r: Array) -> Array:
        low, high = self.connection.region.T
        share = (r - low) / (high - low)
        return np.stack([EDGE + WIDE * share[..., 0], HIGH * (1.0 - share[..., 1])], axis=-1)

    def picture(self, component: str = "x", handler: str = "") -> str:
        """The heights of a component with the loop on them, as SVG."""
        curve = self.to_picture(self.stroke.loop.along(np.linspace(0.0, 1.0, 121))[0])
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in curve)
        marks = "".join(
            f"<circle data-point='{k}' cx='{x:.1f}' cy='{y:.1f}' r='7' fill='{'#D55E00' if k == 0 else '#fff'}' "
            "stroke='currentColor' stroke-width='1.5' style='cursor:grab'/>"
            for k, (x, y) in enumerate(self.to_picture(self.points))
        )
        code = escape(" ".join(handler.split()), quote=True)
        events = "".join(f' {name}="{code}"' for name in ("onpointerdown", "onpointermove", "onpointerup") if handler)
        labels = "".join(
            f"<text transform='translate({x:g} {y:g}) rotate({turn})' text-anchor='{anchor}'>{escape(text)}</text>"
            for x, y, turn, anchor, text in self._labels()
        )
        size = f"x='{EDGE:g}' width='{WIDE:g}' height='{HIGH:g}' preserveAspectRatio='none'"
        return (
            f"<svg id='loop' viewBox='0 0 {EDGE + WIDE + 4:g} {HIGH + 20:g}' role='img' aria-label='height of "
            f"{component}, loop' style='width:100%;touch-action:none;font-size:11px;user-select:none'{events}>"
            f"<image href='{self._map(component)}' {size}/><polygon points='{line}' fill='#777' fill-opacity='0.2' "
            "stroke='currentColor' stroke-width='1.5'/><polyline id='drawn' fill='none' stroke='#D55E00' "
            f"stroke-width='2'/>{marks}{labels}</svg>"
        )

    def _labels(self) -> list[tuple[float, float, int, str, str]]:
        """Place, turn, anchor and text of what stands at the axes."""
        (a, b), (c, d) = self.connection.region
        (across, up), unit = self.connection.shapes.names, self.connection.shapes.unit
        below = HIGH + 14.0
        return [
            (EDGE, below, 0, "start", f"{a:.3g}"),
            (EDGE + WIDE, below, 0, "end", f"{b:.3g}"),
            (EDGE + 0.5 * WIDE, below, 0, "middle", f"{across} ({unit})"),
            (EDGE - 4.0, HIGH, 0, "end", f"{c:.3g}"),
            (EDGE - 4.0, 10.0, 0, "end", f"{d:.3g}"),
            (12.0, 0.5 * HIGH, -90, "middle", f"{up} ({unit})"),
        ]

    def _map(self, component: str) -> str:
        """The height function as a picture in the page; white where it is zero."""
        if component not in self._maps:
            from matplotlib import colormaps
            from matplotlib.image import imsave

            from limbless.view.figures.style import DIVERGING

            heights = self.connection.field["curvature"].values[:, :, 0, COMPONENTS.index(component)]
            if self.connection.medium == "wheels":
                heights = np.arctan(4.0 * heights)
            most = float(np.abs(heights).max()) or 1.0
            buffer = io.BytesIO()
            imsave(buffer, colormaps[DIVERGING](0.5 + 0.5 * heights.T[::-1] / most), format="png")
            self._maps[component] = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
        return self._maps[component]

    def way(self, count: int = 6) -> str:
        """The body at some moments of the period, and the way of its frame, as SVG."""
        bodies, track = self.bodies(count)
        everything = np.concatenate([*bodies, track])
        low, size = everything.min(axis=0), np.ptp(everything, axis=0)
        scale = WIDE / max(float(size[0]), 1.2 * float(size[1]), 1e-9)
        wide, high = size * scale + 12.0

        def line(points: Array, colour: str, width: float, opacity: float = 1.0) -> str:
            text = " ".join(f"{x:.1f},{high - y:.1f}" for x, y in (points - low) * scale + 6.0)
            return (
                f"<polyline points='{text}' fill='none' stroke='{colour}' stroke-width='{width:g}' "
                f"stroke-opacity='{opacity:.2f}' stroke-linecap='round' stroke-linejoin='round'/>"
            )

        drawn = "".join(line(body, "#0072B2", 4.0, 0.25 + 0.7 * k / count) for k, body in enumerate(bodies))
        return (
            f"<svg id='way' viewBox='0 0 {wide:.0f} {high:.0f}' role='img' aria-label='the "
            f"body along one period' style='width:100%;max-height:200px'>{drawn}{line(track, '#D55E00', 2.0)}</svg>"
        )

    def bodies(self, count: int) -> tuple[list[Array], Array]:
        """Lines (n, 2) of the body at equal times of one period, m, and the way (N, 2) of the frame."""
        path = self.stroke.path
        rows = np.linspace(0, len(path) - 1, count).astype(int)
        r = self.stroke.loop.at(len(path))[0][rows]
        answer = self.connection._response.at(np.ascontiguousarray(r))
        frame = pose_of(self.connection, r, answer)
        found = []
        for links, seen, there in zip(answer.place, frame, path[rows], strict=True):
            c, s = np.cos(there[2] - seen[2]), np.sin(there[2] - seen[2])
            points = line_of(links, self.connection._response.lengths) - seen[:2]
            found.append(points @ np.array([[c, s], [-s, c]]) + there[:2])
        return found, path[:, :2]

    def rows(self) -> list[tuple[str, str]]:
        """What one turn does: label and number."""
        stroke = self.stroke
        found = [("distance by motion", f"{stroke.distance:.5g} m"), ("turn", f"{stroke.turn:.3g} rad")]
        if stroke.area is not None:
            told = f"{float(np.hypot(*stroke.area[:2])):.5g} m"
            found.append(
                ("distance by area", told + (f" (fitted, misfit {100 * stroke.misfit:.0f} %)" * bool(stroke.misfit)))
            )
        if stroke.efficiency is not None:
            found.append(("efficiency", f"{stroke.efficiency:.4g}"))
        return found


def _first(connection: Connection) -> Loop:
    """That of the gait; where it has none among these shapes a circle half as wide as the region."""
    try:
        return connection.loop("gait")
    except InputError:
        low, high = connection.region.T
        half: Any = 0.25 * (high - low)
        return Loop.of_table(0.5 * (low + high), [[half[0], 0.0]], [[0.0, half[1]]])
