"""Measures: one number of a run or of a steady motion, by name; one file each, found by being in this folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from limbless.core import InputError, nearest
from limbless.search.measures.measure_registry import Lean, Measure, entries, measure

__all__ = ["Lean", "Measure", "find", "known", "leanly_measured", "measure", "measured"]

_visited: list[str] = []


def known() -> dict[str, Measure]:
    """All measures by name."""
    if not _visited:
        _visited.append(__name__)
        for module in pkgutil.iter_modules(__path__):
            importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(entries.items()))


def find(wanted: str | Callable[[Any], Any] | Measure) -> Measure:
    """A measure by its name, or a function `f(result) -> float | dict` as one."""
    if isinstance(wanted, Measure):
        return wanted
    if callable(wanted):
        name = getattr(wanted, "__name__", type(wanted).__name__)
        return Measure(name if name.isidentifier() else "measure", "", "a function of yours", wanted)
    if wanted not in known():
        raise InputError(f"unknown measure {wanted!r}; {nearest(wanted, known())}; or give a function of a result")
    return known()[wanted]


def measured(measures: list[Measure], source: Any) -> dict[str, float]:
    """Numbers of a result or of a steady motion; what makes no sense for it is NaN."""
    found: dict[str, float] = {}
    for item in measures:
        value = item.function(source)
        if isinstance(value, Mapping):
            found |= {f"{item.name}.{key}": _number(item.name, part) for key, part in value.items()}
        else:
            found[item.name] = _number(item.name, value)
    return found


def leanly_measured(measures: Sequence[Measure], run: Lean) -> dict[str, float]:
    """Numbers of a run that kept little, of measures that are content with it."""
    return {item.name: _number(item.name, item.lean(run)) for item in measures if item.lean is not None}


def _number(name: str, value: Any) -> float:
    try:
        return float("nan") if value is None else float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"measure {name!r} gave {value!r:.60}; a measure gives a number, or a mapping of numbers"
        ) from None
