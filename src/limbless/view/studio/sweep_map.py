"""The map of a sweep: a cell or a point for every run, coloured or placed by a measure, as a
picture that can be clicked.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.view.figures import style

if TYPE_CHECKING:
    from limbless.search.sweeps.sweep import Sweep

MOST = 4000
"""Cells or points of a map: a page with more of them answers slowly."""
_WIDTH, _HEIGHT = 340.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 10.0, 8.0, 36.0
_LABELS = 6  # along an axis
_MISSING, _FAILED = "#E8E8E8", "#8a2500"
_DOT = 3.5  # radius


@dataclass(frozen=True)
class Choice:
    """What a map shows: a measure over one field, or over two."""

    measure: str
    across: str
    up: str | None = None


@dataclass(frozen=True)
class Mark:
    """A run in the map: where (0 to 1, from the left and from below), how large (cells alone), and what came out."""

    run: int
    x: float
    y: float
    value: float  # NaN: failed, or not there yet
    status: str  # as in its row; empty while it is missing
    width: float = 0.0
    height: float = 0.0


def fields_of(sweep: Sweep) -> list[str]:
    """The fields that change, those with one value alone only where there is no other."""
    if sweep.plan.samples is not None:
        return list(sweep.plan.over)
    return [path for path, values in sweep.plan.over.items() if len(values) > 1] or list(sweep.plan.over)[:1]


def first_choice(sweep: Sweep) -> Choice:
    """A map over the first two fields of a grid; samples and lines over one field."""
    fields = fields_of(sweep)
    grid = sweep.plan.samples is None and len(fields) > 1
    return Choice(sweep.measured[0], fields[1 if grid else 0], fields[0] if grid else None)


def first_run(sweep: Sweep) -> int:
    """The run that is shown first: the largest of the first measure, or the first run while there is none."""
    known = {run: row.values.get(sweep.measured[0], np.nan) for run, row in sweep.rows.items()}
    return max((run for run, value in known.items() if np.isfinite(value)), key=lambda run: known[run], default=0)


def marks_of(sweep: Sweep, choice: Choice) -> tuple[list[Mark], str]:
    """The marks of a map, and in words what of the sweep it leaves out."""
    return _points(sweep, choice) if choice.up is None else _cells(sweep, choice, choice.up)


def _cells(sweep: Sweep, choice: Choice, up: str) -> tuple[list[Mark], str]:
    """A cell for each pair of values; where other fields change too, the largest of their runs."""
    shape = tuple(len(values) for values in sweep.plan.over.values())
    front, data = [list(sweep.plan.over).index(path) for path in (up, choice.across)], sweep.dataset
    cells: list[NDArray[Any]] = [
        np.moveaxis(array.reshape(shape), front, (0, 1)).reshape(*(shape[dim] for dim in front), -1)
        for array in (np.arange(sweep.plan.runs), data[choice.measure].values, data["status"].values)
    ]
    rows, columns, each = cells[0].shape
    every = next(step for step in itertools.count(1) if -(-rows // step) * -(-columns // step) <= MOST)
    runs, values, status = (array[::every, ::every] for array in cells)
    high, wide = runs.shape[:2]
    found = []
    for i, j in np.ndindex(high, wide):
        best = i, j, _shown(values[i, j], status[i, j])
        x, y = (j + 0.5) / wide, (i + 0.5) / high
        found.append(Mark(int(runs[best]), x, y, float(values[best]), str(status[best]), 1.0 / wide, 1.0 / high))
    left_out = [] if each == 1 else [f"a cell is the largest of its {each} runs"]
    left_out += [] if every == 1 else [f"one in {every} values of both fields is shown"]
    return found, "; ".join(left_out)


def _shown(values: NDArray[np.float64], status: NDArray[Any]) -> int:
    """Which of the runs of a cell it stands for: the largest, else one that failed, else the first."""
    if np.isfinite(values).any():
        return int(np.argmax(np.where(np.isfinite(values), values, -np.inf)))
    return int(np.argmax(status != ""))


def _points(sweep: Sweep, choice: Choice) -> tuple[list[Mark], str]:
    """A point for each run that has the measure, and for each that failed, at the lower edge."""
    known = [(run, sweep.rows[run]) for run in sorted(sweep.rows)[:MOST]]
    points = [sweep.plan.point(run)[choice.across] for run, _ in known]
    values = np.array([row.values.get(choice.measure, np.nan) for _, row in known])
    places = zip(_placed(points, sweep.dataset[choice.across].values), _placed(values.tolist(), values), strict=True)
    found = [
        Mark(run, float(x), float(y) if np.isfinite(value) else 0.0, float(value), row.status)
        for (run, row), (x, y), value in zip(known, places, values, strict=True)
    ]
    return found, f"the first {MOST} of {len(sweep.rows)} runs are shown" if len(sweep.rows) > MOST else ""


def _placed(values: Sequence[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Places from 0 to 1 between the ends of an axis; words in their order."""
    if whole.dtype.kind not in "fiu":
        order = {str(value): number for number, value in enumerate(dict.fromkeys(map(str, whole)))}
        return np.array([(order[str(value)] + 0.5) / len(order) for value in values])
    low, high = _ends(whole)
    return (np.array(values, dtype=np.float64) - low) / (high - low)


def _ends(values: NDArray[Any]) -> tuple[float, float]:
    """Lowest and highest, with a little room."""
    sound = values[np.isfinite(values)]
    low, high = (float(sound.min()), float(sound.max())) if len(sound) else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
    return low - room, high + room


# As a picture


def drawn(sweep: Sweep, choice: Choice, marks: Sequence[Mark], shown: int | None, click: str) -> str:
    """The map as SVG; `click` is what the page does when a mark is clicked, which has its run as `data-run`."""
    values = np.array([mark.value for mark in marks])
    low, high = (float(np.nanmin(values)), float(np.nanmax(values))) if np.isfinite(values).any() else (0.0, 1.0)
    body = "".join(_drawn(mark, low, high, mark.run == shown, rows_of(sweep, mark.run)) for mark in marks)
    return (
        f"<svg id='sweep-map' role='img' aria-label='{escape(choice.measure)} of every run' "
        f"viewBox='0 0 {_WIDTH:g} {_HEIGHT:g}' style='width:100%;cursor:pointer' onclick=\"{escape(click)}\">"
        f"<rect x='{_LEFT:g}' y='{_TOP:g}' width='{_across(1.0) - _LEFT:g}' height='{_down(0.0) - _TOP:g}' "
        f"fill='none' stroke='#999'/>{body}{_axes(sweep, choice, values)}</svg>"
        + (_legend(sweep, choice.measure, low, high) if choice.up is not None else "")
    )


def _across(x: float) -> float:
    return _LEFT + x * (_WIDTH - _LEFT - _RIGHT)


def _down(y: float) -> float:
    return _HEIGHT - _BOTTOM - y * (_HEIGHT - _TOP - _BOTTOM)


def _drawn(mark: Mark, low: float, high: float, chosen: bool, told: list[tuple[str, str]]) -> str:
    """A cell as a rectangle, a point as a disc, a run that failed as a cross; with its numbers as the browser shows
    them when the mouse rests there."""
    x, y = _across(mark.x), _down(mark.y)
    line = " stroke='#000' stroke-width='2'" if chosen else ""
    words = "\n".join(map(": ".join, told))
    title = f"<title>{escape(words)}</title>"
    failed = mark.status not in ("", "completed")
    if not mark.width:
        if failed:
            return (
                f"<path d='M{x - _DOT:.1f} {y - _DOT:.1f}l{2 * _DOT:g} {2 * _DOT:g}m0 {-2 * _DOT:g}l{-2 * _DOT:g} "
                f"{2 * _DOT:g}' stroke='{_FAILED}' stroke-width='{3 if chosen else 1.5:g}' "
                f"data-run='{mark.run}'>{title}</path>"
            )
        if not np.isfinite(mark.value):
            return ""
        return (
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{_DOT:g}' fill='{style.BLUE}'{line} "
            f"data-run='{mark.run}'>{title}</circle>"
        )
    width, height = mark.width * (_WIDTH - _LEFT - _RIGHT), mark.height * (_HEIGHT - _TOP - _BOTTOM)
    fill = _FAILED if failed else _colour(mark.value, low, high)
    return (
        f"<rect x='{x - 0.5 * width:.2f}' y='{y - 0.5 * height:.2f}' width='{width:.2f}' height='{height:.2f}' "
        f"fill='{fill}'{line} data-run='{mark.run}'>{title}</rect>"
    )


def _colour(value: float, low: float, high: float) -> str:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    if not np.isfinite(value):
        return _MISSING
    return str(to_hex(colormaps[style.SEQUENTIAL](0.5 if high <= low else (value - low) / (high - low))))


def _axes(sweep: Sweep, choice: Choice, values: NDArray[np.float64]) -> str:
    """Ticks and names of both axes."""
    data = sweep.dataset
    across = _ticks(data[choice.across].values, choice.up is not None)
    up = _ticks(values, False) if choice.up is None else _ticks(data[choice.up].values, True)
    text = "font-size='10' fill='currentColor'"
    name = _named(sweep, choice.measure) if choice.up is None else choice.up
    return "".join(
        [
            *(
                f"<text x='{_across(x):.1f}' y='{_down(0.0) + 12:.1f}' {text} "
                f"text-anchor='middle'>{escape(label)}</text>"
                for x, label in across
            ),
            *(
                f"<text x='{_LEFT - 4:g}' y='{_down(y) + 3:.1f}' {text} text-anchor='end'>{escape(label)}</text>"
                for y, label in up
            ),
            f"<text x='{_across(0.5):.1f}' y='{_HEIGHT - 6:g}' font-size='11' fill='currentColor' "
            f"text-anchor='middle'>{escape(choice.across)}</text>",
            f"<text transform='translate(10 {_down(0.5):.1f}) rotate(-90)' font-size='11' fill='currentColor' "
            f"text-anchor='middle'>{escape(name)}</text>",
        ]
    )


def _ticks(values: NDArray[Any], cells: bool) -> list[tuple[float, str]]:
    """Places and labels: of cells their own values, of a scale its ends and its middle."""
    if cells or values.dtype.kind not in "fiu":
        names = list(dict.fromkeys(_short(value) for value in values))
        every = -(-len(names) // _LABELS)
        return [((number + 0.5) / len(names), name) for number, name in enumerate(names) if number % every == 0]
    if not np.isfinite(values).any():
        return []
    low, high = _ends(values)
    return [(share, _short(low + share * (high - low))) for share in (0.04, 0.5, 0.96)]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | int | np.floating) else str(value)[:12]


def _named(sweep: Sweep, measure: str) -> str:
    return style.with_unit(measure, sweep.dataset[measure].attrs.get("units", ""))


def _legend(sweep: Sweep, measure: str, low: float, high: float) -> str:
    """Which colour is how much."""
    stops = ", ".join(_colour(value, low, high) for value in np.linspace(low, high, 9))
    return (
        f"<div class='dim' style='padding:0 12px;font-size:12px'>{escape(_named(sweep, measure))}<div "
        f"style='height:8px;margin:2px 0;background:linear-gradient(to right, {stops})'></div><div "
        f"style='display:flex;justify-content:space-between'><span>{low:.5g}</span><span><span "
        f"style='color:{_FAILED}'>&#9632;</span> failed <span style='color:#c0c0c0'>&#9632;</span> not yet "
        f"run</span><span>{high:.5g}</span></div></div>"
    )


def rows_of(sweep: Sweep, run: int) -> list[tuple[str, str]]:
    """A run in words: its number, its point, its measures or why it has none."""
    row = sweep.rows.get(run)
    found = [("run", str(run)), *((path, _written(value)) for path, value in sweep.plan.point(run).items())]
    if row is None:
        return [*found, ("status", "not yet run")]
    found += [(name, f"{value:.6g}") for name, value in row.values.items()]
    return found if row.status == "completed" else [*found, ("status", row.status)]


def _written(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
