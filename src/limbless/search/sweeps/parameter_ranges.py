"""What a parameter takes in a sweep or a search: a list, a range, or the bounds between which one looks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Any, NamedTuple

import numpy as np

from limbless.core import InputError, description_at, nearest, refusal, spelled_out, unit_at
from limbless.scenarios.changes import Changes
from limbless.scenarios.document import Place, parse_value
from limbless.scenarios.scenario import Scenario

MOST = 10_000_000
"""Runs that one plan may have."""
_KEYS = ("from", "to", "count", "scale")
_FORMS = "a list such as [1.5, 2.0], or a range such as {from: 0.02, to: 0.1, count: 9}"


class Bounds(NamedTuple):
    """Where a parameter may lie."""

    low: float
    high: float
    scale: str = "linear"

    def at(self, share: Any) -> Any:
        """The value at a share from 0 to 1 of the way."""
        if self.scale == "log":
            return np.exp(np.log(self.low) + share * (np.log(self.high) - np.log(self.low)))
        return self.low + share * (self.high - self.low)

    def data(self) -> dict[str, Any]:
        """As a file has them."""
        return {"from": self.low, "to": self.high, "scale": self.scale}

    def share(self, value: float) -> float:
        """How far along a value lies."""
        if self.scale == "log":
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)


def spelled(scenario: Scenario, path: str, value: Any) -> Any:
    """A number that is written with its unit as the field at a path has it; anything else as it is."""
    if not isinstance(value, str):
        return value
    changes = Changes(Scenario, scenario.model_dump(), {path: value})
    place = next(iter(changes.made))
    unit = "" if changes.problems else unit_at(Scenario, changes.data, place)
    if not unit:
        if changes.problems or not _is_field(changes.data, place):
            Scenario.load(scenario, {path: value})  # an unknown path is refused in its own words
        return value
    if isinstance(place[-1], int):  # of a list: its units may differ from place to place
        here: Any = reduce(getitem, place[:-1], changes.data)  # type: ignore[arg-type]  # of any depth
        return spelled_out(list(here), unit)[place[-1]]
    found = spelled_out(value, unit)
    why = refusal(found, unit) if isinstance(found, str) else ""
    if why:
        raise InputError(f"over.{path}: {why}")
    return found


def unit_of_field(scenario: Scenario, path: str, value: Any) -> str:
    """The unit of the field that takes a value; empty where it has none."""
    changes = Changes(Scenario, scenario.model_dump(), {path: value})
    return "" if changes.problems else unit_at(Scenario, changes.data, next(iter(changes.made)))


def _is_field(data: Any, place: Place) -> bool:
    """Whether a path names a field, or something within one that has no fields of its own."""
    owner = description_at(Scenario, data, place[:-1])
    return owner is None or isinstance(place[-1], int) or place[-1] in owner.model_fields


def values_of(path: str, given: Any, scenario: Scenario) -> tuple[Any, ...]:
    """All values of an axis of a grid."""
    if isinstance(given, Mapping):
        bounds, count = bounds_of(path, given, scenario, with_count=True), _count(path, given)
        return tuple(float(value) for value in bounds.at(np.linspace(0.0, 1.0, count)))
    if hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(f"over.{path}: {given!r:.60} is one value; give {_FORMS} (a single value belongs to `set`)")
    if not len(given):
        raise InputError(f"over.{path}: the list is empty; give {_FORMS}")
    values = tuple(value.item() if isinstance(value, np.generic) else spelled(scenario, path, value) for value in given)
    for place, value in enumerate(values):
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"over.{path}: entry {place} is {value}, which is no number")
        if value in values[:place]:
            raise InputError(f"over.{path}: {value!r:.40} is listed twice; each value is one run")
    return values


def bounds_of(path: str, given: Any, scenario: Scenario, with_count: bool = False) -> Bounds:
    """The bounds of a parameter: a pair (low, high), or a mapping with `from`, `to` and
    `scale`; numbers may have units.
    """
    if isinstance(given, Bounds):
        given = given.data()
    if not isinstance(given, Mapping):
        pair = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
        if len(pair) != 2:
            raise InputError(
                f"over.{path}: give two bounds, such as (0.005, 0.3), or "
                f"{{from: 0.005, to: 0.3, scale: log}}; got {given!r:.60}"
            )
        given = {"from": pair[0], "to": pair[1]}
    unknown = [str(key) for key in given if key not in _KEYS]
    if unknown:
        raise InputError(f"over.{path}: a range has no {unknown[0]!r}; {nearest(unknown[0], _KEYS)}")
    if "count" in given and not with_count:
        raise InputError(f"over.{path}: count: bounds have no count; a grid has one, a search and samples do not")
    low, high = (_end(path, key, given, scenario) for key in ("from", "to"))
    scale = given.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise InputError(f"over.{path}: scale: must be linear or log; got {scale!r}")
    if scale == "log" and min(low, high) <= 0.0:
        raise InputError(f"over.{path}: scale: log needs bounds above 0; got {low:g} to {high:g}")
    if not low < high:
        raise InputError(f"over.{path}: the range is empty: from {low:g} to {high:g}; `from` must be below `to`")
    return Bounds(low, high, str(scale))


def _end(path: str, key: str, given: Mapping[str, Any], scenario: Scenario) -> float:
    if key not in given:
        raise InputError(f"over.{path}: the range has no `{key}`; give {_FORMS}")
    value = spelled(scenario, path, given[key])
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"over.{path}: {key}: must be a number; got {given[key]!r:.60}")
    return float(value)


def _count(path: str, given: Mapping[str, Any]) -> int:
    count = given.get("count")
    if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= MOST:
        raise InputError(
            f"over.{path}: count: a grid needs the number of its values, 2 to {MOST}, as the 9 in 0.02:0.10:9; got "
            f"{'none' if count is None else repr(count)} (for random points between bounds give `samples`)"
        )
    return count


def from_words(text: str) -> tuple[str, Any]:
    """`PATH=VALUES` of a command line: `0.02:0.10:9`, `1.5,2,2.5`, `0.005..0.3`, or YAML."""
    path, equals, words = (part.strip() for part in text.partition("="))
    if not path or not equals or not words:
        raise InputError(
            f"--over {text}: give path=values, such as gait.amplitude=0.02:0.10:9, gait.period=1.5,2,2.5 "
            "or gait.growth=0..2.5"
        )
    where = f"--over {text}"
    if words[0] in "[{":
        return path, parse_value(words, where)
    for mark, keys in (("..", ("from", "to", "scale")), (":", ("from", "to", "count", "scale"))):
        parts = [part.strip() for part in words.split(mark)]
        if len(parts) > 1:
            if mark == "..":
                parts = [*parts[:-1], *parts[-1].split(":")]
            if len(parts) > len(keys):
                raise InputError(f"{where}: a range is {mark.join(keys[:2])}" + (":count" if mark == ":" else ""))
            return path, {key: parse_value(part, where) for key, part in zip(keys, parts, strict=False)}
    return path, [parse_value(part, where) for part in words.split(",")]
