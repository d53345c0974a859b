"""Figures of a result, by name. One file per family; a function under `@figure(..)` is found by being present in this
folder.

In a clone of the repository, the folder `validation/figures` belongs to this package too: the figures of published
papers, each for its own scenarios. Matplotlib is imported when something is drawn, not before: the names alone are
cheap.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING

from limbless.core import InputError, nearest, registry
from limbless.view.figures.figure_registry import Drawing, Entry, entries, figure

if TYPE_CHECKING:
    from limbless.simulation.result import Result

__all__ = ["Drawing", "Entry", "draw", "figure", "find", "finite", "known", "names_for", "save"]

_CLONE = Path(__file__).parents[4]
if (_CLONE / "pyproject.toml").is_file():
    __path__.append(str(_CLONE / "validation" / "figures"))
_DRAWABLE = 1e12  # larger numbers are those of a run that diverged


def known() -> dict[str, Entry]:
    """All figures by name, those of every run first."""
    registry.visit(__name__)
    return dict(sorted(entries.items(), key=lambda item: (not item[1].every_run, item[0])))


def find(name: str, result: Result | None = None) -> Entry:
    """The figure of that name, or an `InputError` that names the nearest known one, of those of a result."""
    if name not in known():
        among = known() if result is None else names_for(result)
        raise InputError(f"unknown figure {name!r}; {nearest(name, among)}")
    return known()[name]


def names_for(result: Result) -> list[str]:
    """The figures of a run: those drawn for every run, or for its scenario, that recorded what they need, then those
    that its scenario lists.
    """
    scenario = getattr(result.scenario, "name", None)
    unasked = [
        name
        for name, entry in known().items()
        if (entry.every_run or scenario in entry.scenarios) and not entry.missing(result)
    ]
    listed = getattr(result.scenario, "figures", None) or ()
    return list(dict.fromkeys([*unasked, *(find(name).name for name in listed)]))


def draw(result: Result, name: str) -> Drawing:
    """Draw one figure: the matplotlib `Figure`, and the arrays in it as columns with their units."""
    entry = find(name, result)
    missing = entry.missing(result)
    if missing:
        raise InputError(f"figure {name!r} needs {', '.join(missing)}, which this run did not record")
    drawable = _literal(finite(result))
    sizes = drawable.dataset.sizes
    records = next((sizes[dim] for dim in ("time", "point", "tension_lateral", "combination") if dim in sizes), 0)
    if records < 2:
        raise InputError(f"figure {name!r} needs at least two records; this run has {records}")
    from limbless.view.figures.style import styled

    with styled():
        return entry.draw(drawable)


def finite(result: Result) -> Result:
    """The result without the records in which a run that failed left numbers that cannot be drawn."""
    import numpy as np

    data = result.dataset
    good = np.ones(data.sizes.get("time", 0), dtype=bool)
    for variable in data.data_vars.values():
        if variable.dims[:1] == ("time",) and variable.dtype.kind == "f":
            good &= (np.abs(variable.values) < _DRAWABLE).all(axis=tuple(range(1, variable.ndim)))
    if good.all():
        return result
    shown = copy.copy(result)
    shown.dataset = data.isel(time=good)
    return shown


def _literal(result: Result) -> Result:
    """The result with labels that are drawn as they are written: between two dollar signs matplotlib sees a formula."""
    import numpy as np

    from limbless.view.figures.style import literal

    data = result.dataset
    texts = {
        name: (
            labels.dims,
            np.reshape([literal(str(one)) for one in labels.values.ravel()], labels.shape),
            labels.attrs,
        )
        for name, labels in data.coords.items()
        if labels.dtype.kind in "UO" and any("$" in str(label) for label in labels.values.ravel())
    }
    if not texts:
        return result
    shown = copy.copy(result)
    shown.dataset = data.assign_coords(texts)
    return shown


def save(result: Result, name: str, folder: str | Path, form: str = "png") -> list[Path]:
    """Draw one figure into `folder/<name>.png` (`form`: png, pdf or svg), and the arrays in it into
    `folder/<name>.csv`.
    """
    from limbless.core import write_table
    from limbless.view.figures.style import save_figure

    drawing, table = draw(result, name)
    picture = save_figure(drawing, Path(folder) / f"{name}.{form}")
    return [picture, write_table(picture.with_suffix(".csv"), table)]
