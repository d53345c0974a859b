"""Measures: one number of a run or of a steady motion, by name; found by being in a file of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from limbless.core import InputError, nearest, registry
from limbless.search.measures.measure_registry import Lean, Measure, entries, leanly, measure
from limbless.simulation.analysis import energy_use, speed
from limbless.simulation.result import Result

__all__ = ["Lean", "Measure", "find", "known", "leanly_measured", "measure", "measured"]


def known() -> dict[str, Measure]:
    """All measures by name."""
    registry.visit(__name__)
    return dict(sorted(entries.items()))


def find(wanted: str | Callable[[Any], Any] | Measure) -> Measure:
    """A measure by its name, or a function `f(result) -> float | dict` as one."""
    if isinstance(wanted, Measure):
        return wanted
    if callable(wanted):
        name = getattr(wanted, "__name__", type(wanted).__name__)
        return Measure(name if name.isidentifier() else "measure", "", "a function of yours", wanted)
    if "@" in wanted:
        return _directed(wanted)
    if wanted not in known():
        told = nearest(wanted, known(), "list measures")
        raise InputError(f"unknown measure {wanted!r}; {told}; or give a function of a result")
    return known()[wanted]


def _directed(wanted: str) -> Measure:
    """`mean_speed@x`: a measure along a direction."""
    name, _, direction = wanted.partition("@")
    base, vector = find(name), speed.direction_of(direction)
    if base.along is None:
        those = ", ".join(item for item, entry in known().items() if entry.along is not None)
        raise InputError(f"measure {name!r} has no direction; those that have one: {those}")
    where = "towards the head" if direction == "head" else f"along {direction}"
    return Measure(
        wanted,
        base.unit,
        f"{base.meaning}; of the way {where}",
        partial(_along, base, direction),
        lean=None if vector is None else partial(leanly, base.along, base.transport, vector),
        wants=base.wants,
    )


def _along(base: Measure, direction: str, result: Result) -> float | None:
    data, way = result.dataset, speed.way_along(result.looks, direction)
    if base.along is None or way is None or (base.transport and speed.no_transport(data)):
        return None
    return base.along(way, speed.duration(data), energy_use.positive_work(data) or 0.0, result.mass or 0.0)


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
