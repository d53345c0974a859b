"""Fields of a scenario that can be tuned: where each is, its value, unit and meaning, and how far a slider should reach."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from limbless.description import Description
from limbless.scenarios.fields import type_of, unit_of
from limbless.scenarios.scenario import Scenario

MOST_NUMBERS = 7       # of a vector that is offered number by number
_USUAL = {"rad": 0.8, "rad/s": 2.0, "m": 1.0, "m/s": 1.0, "s": 5.0, "N": 5.0, "m/s2": 10.0}
"""How far a slider for a value of zero reaches, by unit."""
_NAMES = "xyz"

Kind = Literal["number", "whole", "choice", "truth", "text"]


@dataclass(frozen=True)
class Knob:
    """One thing to tune.

    Attributes
    ----------
    path : of the field, as `limbless run --set` takes it; items of lists by number.
    group : `gait`, `environment: water`, `robot`, `actuation`, `run`.
    label : name and unit. `value` : what it is now. `meaning` : one line.
    low, high : where a slider ends; None without a sensible range. Fields themselves decide what they refuse.
    options : of a choice.
    """

    path: str
    group: str
    label: str
    value: Any
    meaning: str
    kind: Kind
    low: float | None = None
    high: float | None = None
    options: tuple[str, ...] = ()

    @property
    def step(self) -> float:
        """Of a slider: a hundredth of its range, rounded to 1, 2 or 5 times a power of ten; never coarser than the value is written."""
        if self.kind == "whole":
            return 1
        span = ((self.high or 0.0) - (self.low or 0.0)) / 200.0
        power = 10.0 ** math.floor(math.log10(span))
        return min((digit * power for digit in (1.0, 2.0, 5.0, 10.0)), key=lambda step: abs(step - span))


def knobs(scenario: Scenario) -> list[Knob]:
    """Everything that can be tuned: gait first, then environment, robot, actuation, model and the run itself."""
    found = list(_of(scenario.gait, "gait", "gait"))
    for number, item in enumerate(scenario.environment):
        found += _of(item, f"environment.{number}", f"environment: {getattr(item, 'kind', number)}")
    found += _of(scenario.robot, "robot", "robot")
    found += _of(scenario.actuation, "actuation", "actuation")
    found += _of(scenario.model, "model", "model")
    for name in ("duration", "step"):
        found += _field(scenario, Scenario.model_fields[name], name, name, "run")
    return found


def _of(description: Description, path: str, group: str) -> Iterator[Knob]:
    for name, field in type(description).model_fields.items():
        if name not in ("kind", "preset", "active", "name"):
            yield from _field(description, field, name, f"{path}.{name}", group)


def _field(owner: Description, field: FieldInfo, name: str, path: str, group: str) -> Iterator[Knob]:
    value, unit, meaning = getattr(owner, name), unit_of(field), field.description or ""
    words = name.replace("_", " ")
    if isinstance(value, Description):
        yield from _of(value, path, group)
    elif get_origin(field.annotation) is Literal and len(get_args(field.annotation)) > 1:
        yield Knob(path, group, words, str(value), meaning, "choice", options=tuple(map(str, get_args(field.annotation))))
    elif isinstance(value, bool):
        yield Knob(path, group, words, value, meaning, "truth")
    elif isinstance(value, int | float):
        yield _number(path, group, _labelled(words, unit), value, meaning, field)
    elif isinstance(value, tuple) and 0 < len(value) <= MOST_NUMBERS and all(_is_number(part) for part in value):
        units = [text.strip() for text in unit.split(",")]
        for number, part in enumerate(value):
            own = units[number * len(units) // len(value)]
            yield _number(f"{path}.{number}", group, _labelled(f"{words} {_place(number, value, own)}", own), part, meaning, field)
    elif value is None and _takes_a_number(type_of(field)):
        yield Knob(path, group, _labelled(words, unit), "", f"{meaning} (empty: none)", "text")


def _takes_a_number(words: str) -> bool:
    return ("number" in words or "angle" in words) and "list" not in words


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _place(number: int, value: Sequence[Any], unit: str) -> str:
    """Vectors have a unit and three parts; other lists are counted."""
    return _NAMES[number] if len(value) == 3 and unit not in ("", "1") else str(number + 1)


def _labelled(words: str, unit: str) -> str:
    return f"{words} ({unit})" if unit not in ("", "1") else words


def _number(path: str, group: str, label: str, value: float, meaning: str, field: FieldInfo) -> Knob:
    whole = isinstance(value, int) and "whole" in type_of(field)
    low, high = _range(float(value), field, unit_of(field).split(",")[0])
    if whole:
        low, high = math.floor(low), math.ceil(high)
    return Knob(path, group, label, value if whole else float(value), meaning, "whole" if whole else "number", low, high)


def _range(value: float, field: FieldInfo, unit: str) -> tuple[float, float]:
    """Twice the value, or what its unit suggests around zero; cut at the limits that the field itself declares."""
    reach = 2.0 * abs(value) if value else _USUAL.get(unit, 1.0)
    low, high = (-reach if value <= 0.0 else 0.0), (reach if value >= 0.0 else 0.0)
    for mark in field.metadata:
        least = next((limit for limit in (getattr(mark, "gt", None), getattr(mark, "ge", None)) if limit is not None), None)
        most = next((limit for limit in (getattr(mark, "lt", None), getattr(mark, "le", None)) if limit is not None), None)
        low, high = (low if least is None else max(low, float(least))), (high if most is None else min(high, float(most)))
    return (low, high) if high > low else (min(low, value), max(high, value, low + 1.0))
