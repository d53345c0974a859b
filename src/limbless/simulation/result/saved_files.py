"""What a data file and the summary beside it hold, read with care: whoever wrote them may have meant no good."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, refuse_pipe

if TYPE_CHECKING:
    import xarray as xr

    from limbless.scenarios.scenario import Scenario

_log = logging.getLogger("limbless")


def scenario_in(text: str | None) -> Scenario | None:
    """The scenario of a saved result, or None if this installation does not know all that it names
    (a user's own gait, say).
    """
    if text is None:
        return None
    from limbless.scenarios.loader import from_text

    try:
        return from_text(text, "scenario", allow_code=False, saved=True)  # whoever looks at a result runs nothing
    except InputError as error:
        _log.warning("the scenario in the result cannot be built here: %s", error)
        return None


SORTS: dict[str, type] = {
    "scenario_name": str,
    "model": str,
    "task": str,
    "step": float,
    "gait_period": float,
    "total_mass": float,
    "towing_quadratic": float,
    "towing_linear": float,
}
"""What the attributes of a data file are, beside those of its variables."""


def as_sort(sort: type, value: Any) -> Any:
    """A text, or a finite number, that a file holds; None for anything else: whoever wrote
    it may have meant no good.
    """
    if sort is str:
        return value if isinstance(value, str) else None
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf
    return float(value) if good else None


def sentences(text: Any) -> tuple[str, ...]:
    """The notes or doubts of a data file."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return ()
    return tuple(str(one) for one in found) if isinstance(found, list) else ()


def error_bars_in(found: Any) -> dict[str, Any] | None:
    """Error bars of a summary; None where they are not as `limbless.error_bars` writes them."""

    def good(bar: Any) -> bool:
        inside = bar.values() if isinstance(bar, dict) else bar if isinstance(bar, list) else None
        return bar is None or as_sort(float, bar) is not None if inside is None else all(map(good, inside))

    sorts = {"total": dict, "sources": dict, "notes": list}
    whole = isinstance(found, dict) and all(isinstance(found.get(name), sort) for name, sort in sorts.items())
    return found if whole and good(found["total"]) else None


def refuse_times(dataset: xr.Dataset, file: Path) -> None:
    """Refuse a data file whose clocks do not go forwards: no balance would notice, for most compare the two ends."""
    for name in ("time", "look"):
        times = np.asarray(dataset[name].values) if name in dataset.coords else np.zeros(0)
        good = times.dtype.kind in "fiu" and np.isfinite(times).all() and (np.diff(times) >= 0.0).all()
        if times.size and not good:
            raise InputError(f"cannot load a result: {str(file)!r} is damaged: its {name} does not go forwards")


def read_summary(summary: Path) -> dict[str, Any]:
    """The summary beside a data file, for what the data do not hold; empty where there is none."""
    refuse_pipe(summary)
    try:
        found = json.loads(summary.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def plain(value: Any) -> Any:
    """Only what JSON knows: numbers that are not finite become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
