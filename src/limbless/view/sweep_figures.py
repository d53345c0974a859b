"""Pictures of many runs: of a sweep, of a search, of a front. Each is a function under `@picture`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, nearest
from limbless.search import measures
from limbless.search.sweeps.parameter_ranges import unit_of_field
from limbless.view.figures import style
from limbless.view.figures.figure_registry import Drawing, Table

if TYPE_CHECKING:
    from limbless.search.optimisation.best import Best, Front
    from limbless.search.sweeps.sweep import Sweep

_pictures: dict[str, tuple[str, str, Callable[..., Drawing]]] = {}
"""Name -> what it is drawn of (`Sweep`, `Best`, `Front`), what it shows, and how."""


def picture(name: str, of: str, shows: str) -> Callable[[Callable[..., Drawing]], Callable[..., Drawing]]:
    """Register a function `(source, **options) -> (Figure, table)` as a picture."""

    def register(draw_it: Callable[..., Drawing]) -> Callable[..., Drawing]:
        _pictures[name] = of, shows, draw_it
        return draw_it

    return register


def names_for(source: Any) -> list[str]:
    """The pictures that can be drawn of a source, the one that fits best first."""
    kind = type(source).__name__
    if kind != "Sweep":
        return [name for name, (of, _, _) in _pictures.items() if of == kind]
    if source.plan.samples is not None:
        return ["scatter-matrix"]
    long = sum(len(values) > 1 for values in source.plan.over.values())
    return ["lines"] if long == 1 else ["heat-map"] if long >= 2 else []


def draw(source: Any, name: str | None = None, **options: Any) -> Any:
    """One picture: the matplotlib figure."""
    return drawing(source, name, **options)[0]


def drawing(source: Any, name: str | None = None, **options: Any) -> Drawing:
    """One picture, and the numbers in it."""
    fitting = names_for(source)
    if name is None:
        if not fitting:
            raise InputError("there is nothing to draw: no axis of this sweep has two values")
        name = fitting[0]
    known = [key for key, (of, _, _) in _pictures.items() if of == type(source).__name__]
    if name not in known:
        raise InputError(f"unknown picture {name!r}; {nearest(name, known)}")
    if fitting and name not in fitting:
        raise InputError(f"picture {name!r} does not fit here; draw {' or '.join(fitting)}")
    with style.styled():
        return _pictures[name][2](source, **options)


def save(source: Any, name: str, folder: Path, form: str = "png") -> list[Path]:
    """Draw a picture (`form`: png, pdf or svg) into a folder, with its numbers beside it."""
    from limbless.core import write_table

    figure, table = drawing(source, name)
    path = style.save_figure(figure, Path(folder) / f"{name}.{form}")
    return [path, write_table(path.with_suffix(".csv"), table)]


def _measures(sweep: Sweep, measure: str | None) -> list[str]:
    names = sweep.measured
    if measure is not None and measure not in names:
        raise InputError(f"this sweep has no measure {measure!r}; {nearest(measure, names)}")
    return names if measure is None else [measure]


def _label(sweep: Sweep, name: str) -> str:
    unit = sweep.dataset[name].attrs.get("units", "") if name in sweep.dataset else ""
    return style.literal(style.with_unit(name, unit))


def _field(sweep: Sweep, path: str, short: bool = False) -> str:
    """A field that changes, with its unit."""
    unit = unit_of_field(sweep.plan.scenario, path, sweep.plan.point(0)[path])
    return style.literal(style.with_unit(path.rpartition(".")[2] if short else path, unit))


def _measure(name: str) -> str:
    known = measures.known().get(name)
    return style.literal(style.with_unit(name, "" if known is None else known.unit))


def _drawn(values: np.ndarray) -> tuple[np.ndarray, list[str] | None]:
    """Coordinates of an axis: its numbers, or places with labels."""
    if values.dtype.kind == "f":
        return values, None
    return np.arange(len(values), dtype=np.float64), [style.literal(str(value)) for value in values]


@picture("heat-map", "Sweep", "a measure over two fields; the best of any others")
def heat_map(sweep: Sweep, measure: str | None = None) -> Drawing:
    names, data = _measures(sweep, measure), sweep.dataset
    first, second = [path for path in sweep.plan.over if data.sizes[path] > 1][:2]
    sheet, axes = style.panels([45.0] * len(names))
    table: Table = {}
    (y, y_labels), (x, x_labels) = _drawn(data[first].values), _drawn(data[second].values)
    rows, columns = np.meshgrid(y, x, indexing="ij")
    table[first], table[second] = rows.ravel(), columns.ravel()
    for panel, name in zip(axes, names, strict=True):
        values = data[name]
        others = [dim for dim in values.dims if dim not in (first, second)]
        cells = values.max(others).transpose(first, second).values
        mesh = panel.pcolormesh(_edges(x), _edges(y), np.ma.masked_invalid(cells), cmap=style.SEQUENTIAL)
        panel.set_facecolor("#DDDDDD")
        style.colour_bar(panel, mesh)
        panel.set(xlabel=_field(sweep, second), ylabel=_field(sweep, first))
        style.note_above(panel, _label(sweep, name) + (", largest" if others else ""))
        for set_ticks, labels, places in ((panel.set_xticks, x_labels, x), (panel.set_yticks, y_labels, y)):
            if labels is not None:
                set_ticks(places, labels)
        table[_label(sweep, name)] = cells.ravel()
    return sheet, table


def _edges(places: np.ndarray) -> np.ndarray:
    """Borders of cells around places that may be uneven."""
    middle = 0.5 * (places[:-1] + places[1:])
    return np.concatenate([[places[0] - (middle[0] - places[0])], middle, [places[-1] + (places[-1] - middle[-1])]])


@picture("lines", "Sweep", "every measure over the one field that changes")
def lines(sweep: Sweep, measure: str | None = None) -> Drawing:
    names, data = _measures(sweep, measure), sweep.dataset
    path = next(path for path in sweep.plan.over if data.sizes[path] > 1)
    x, labels = _drawn(data[path].values)
    sheet, axes = style.panels([24.0] * len(names), share_time=True)
    table: Table = {path: x}
    for panel, name in zip(axes, names, strict=True):
        values = data[name].values.reshape(-1)
        panel.plot(x, values, color=style.BLUE, marker="o", markersize=2.5)
        panel.set_ylabel(_label(sweep, name))
        panel.margins(x=0.03)
        table[_label(sweep, name)] = values
    axes[-1].set_xlabel(_field(sweep, path))
    if labels is not None:
        axes[-1].set_xticks(x, labels)
    return sheet, table


@picture("scatter-matrix", "Sweep", "every measure against every field, sample by sample")
def scatter_matrix(sweep: Sweep, measure: str | None = None) -> Drawing:
    names, data, paths = _measures(sweep, measure), sweep.dataset, list(sweep.plan.over)
    sheet, rows = style.panels([26.0] * len(names))
    table: Table = {path: data[path].values for path in paths}
    for place, (name, whole) in enumerate(zip(names, rows, strict=True)):
        box = whole.get_position()
        whole.remove()
        values = data[name].values
        table[_label(sweep, name)] = values
        for number, path in enumerate(paths):
            width = box.width / len(paths)
            panel = sheet.add_axes((box.x0 + number * width, box.y0, 0.88 * width, box.height))
            panel.scatter(data[path].values, values, s=3, color=style.BLUE, linewidths=0)
            panel.margins(x=0.05)
            if number:
                panel.tick_params(labelleft=False)
            else:
                panel.set_ylabel(_label(sweep, name))
            if place == len(names) - 1:
                panel.set_xlabel(_field(sweep, path, short=True))
    return sheet, table


@picture("pareto", "Front", "the best trade-offs between two measures")
def pareto(front: Front) -> Drawing:
    large, small = (np.array([point.measures[name] for point in front.points]) for name in (front.large, front.small))
    sheet, (panel,) = style.panels([48.0])
    panel.plot(large, small, color=style.BLUE, marker="o", markersize=3)
    panel.set(xlabel=_measure(front.large), ylabel=_measure(front.small))
    panel.margins(x=0.05)
    return sheet, {front.large: large, front.small: small}


@picture("convergence", "Best", "every evaluation of a search, and the best within its limits so far")
def convergence(best: Best) -> Drawing:
    values = np.array([item["value"] for item in best.history], dtype=np.float64)
    kept = np.array([item["violation"] <= 1e-4 for item in best.history])
    sign = 1.0 if best.goal.startswith("maximise") else -1.0
    shown = np.isfinite(values)
    so_far = sign * np.maximum.accumulate(np.where(kept & shown, sign * values, -np.inf))
    number = np.arange(1, len(values) + 1, dtype=np.float64)
    sheet, (panel,) = style.panels([48.0])
    for mask, colour, label in (
        (kept & shown, style.BLUE, "within its limits"),
        (~kept & shown, style.ORANGE, "beyond a limit"),
    ):
        panel.scatter(number[mask], values[mask], s=4, color=colour, linewidths=0, label=label)
    known = np.isfinite(so_far)
    panel.plot(number[known], so_far[known], color=style.BLACK, label="best so far")
    panel.set(xlabel="evaluation", ylabel=_measure(best.goal.split()[1]))
    style.legend_above(panel, 3)
    return sheet, {"evaluation": number, "value": values, "best so far": so_far}
