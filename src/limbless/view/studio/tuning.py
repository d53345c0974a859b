"""Fields of a scenario that can be tuned: where each is, its value, unit and meaning, and how far a slider should
reach.

Every number of a scenario is reached: alone, as part of a short vector, or in the text of a longer list. Left out are
names, files and functions, and whatever the scenario itself has no use for (a task of statics has no duration).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from limbless.core import Description, quantity, type_of, unit_of
from limbless.scenarios import document, loader
from limbless.scenarios.scenario import Initial, Scenario
from limbless.view.figures.style import with_unit
from limbless.view.scene.surroundings import round_step

MOST_NUMBERS = 7  # of a vector that is offered number by number
_USUAL = {"rad": 0.8, "rad/s": 2.0, "m": 1.0, "m/s": 1.0, "s": 5.0, "N": 5.0, "m/s2": 10.0}
"""How far a slider for a value of zero reaches, by unit."""
_NAMES = "xyz"
_MARKS = ("gt", "ge", "lt", "le")

Kind = Literal["number", "whole", "choice", "truth", "text"]


@dataclass(frozen=True)
class Knob:
    """One thing to tune.

    Attributes
    ----------
    path : of the field, as `limbless run --set` takes it; items of lists by number.
    group : `gait`, `environment: water`, `robot`, `robot: links`, `actuation`, `controller`, `model`, `start`, `run`.
    item : which of a list it belongs to, counted from 1; empty where the group is no list.
    label : name and unit. `value` : what it is now. `meaning` : one line.
    low, high : where a slider ends; None without a sensible range. Fields themselves decide what they refuse.
    limits : beyond which the field itself refuses a number.
    angle : whether it may be written in degrees.
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
    limits: tuple[float, float] = (-math.inf, math.inf)
    item: str = ""
    angle: bool = False

    @property
    def name(self) -> str:
        """What a message calls it: its group, which of a list, and its label."""
        return f"{self.group[:1].upper()}{self.group[1:]}{self.item and ' '}{self.item}, {self.label}"

    def in_degrees(self) -> Knob:
        """The same for a page that shows angles in degrees."""
        if not self.angle:
            return self
        value, low, high = (
            None if one is None else float(f"{math.degrees(one):.6g}") for one in (self.value, self.low, self.high)
        )
        limits = math.degrees(self.limits[0]), math.degrees(self.limits[1])
        if value is not None and low is not None and high is not None:  # ends are multiples of 5 or 15 degrees
            pitch = 15.0 if high - low > 30.0 else 5.0
            low = max(pitch * math.floor(low / pitch + 1e-9), limits[0])
            high = min(pitch * math.ceil(high / pitch - 1e-9), limits[1])
        return replace(self, label=self.label.replace("(rad", "(°"), value=value, low=low, high=high, limits=limits)

    def widened(self, value: float) -> tuple[float, float]:
        """Where a slider ends whose value has come to an end of it: as far again, or as far as a value beyond it,
        unless the field itself ends there.
        """
        low, high = float(self.low or 0.0), float(self.high or 0.0)
        span = high - low
        return (
            max(min(low - span, value), self.limits[0]) if value <= low else low,
            min(max(high + span, value), self.limits[1]) if value >= high else high,
        )

    @property
    def step(self) -> float:
        """Of a slider: a hundredth of its range, rounded to 1, 2 or 5 times a power of ten; never coarser than the
        value is written.
        """
        if self.kind == "whole":
            return 1
        return round_step(((self.high or 0.0) - (self.low or 0.0)) / 200.0)


def knobs(scenario: Scenario) -> list[Knob]:
    """Everything that can be tuned: gait first, then environment, robot, actuation, model, the
    start and the run itself.
    """
    used = scenario.model_dump()
    found = list(_of(scenario.gait, "gait", "gait"))
    for number, item in enumerate(scenario.environment):
        found += _of(item, f"environment.{number}", f"environment: {item.kind}")
    found += _of(scenario.robot, "robot", "robot")
    found += _of(scenario.actuation, "actuation", "actuation")
    alone = not isinstance(scenario.controller, tuple)
    for number, loop in enumerate(scenario.loops):
        place = "controller" if alone else f"controller.{number}"
        found += _of(loop, place, "controller" if alone else f"controller: {loop.kind}")
    found += () if scenario.driven_by is None else _of(scenario.driven_by, "driven_by", "controller")
    found += _of(scenario.model, "model", "model")
    for name in used["initial"]:
        found += _field(scenario.initial, Initial.model_fields[name], name, f"initial.{name}", "start")
    asked = () if scenario.control_period is None else ("control_period",)
    for name in ("duration", "step", "record_every", *asked):
        found += _field(scenario, Scenario.model_fields[name], name, name, "run") if name in used else ()
    return found


@cache
def gait_presets() -> dict[str, dict[str, Any]]:
    """Gaits of the library's scenarios as their files have them: kind -> name of the scenario -> gait."""
    found: dict[str, dict[str, Any]] = {}
    for name in loader.names():
        gait = document.read_file(loader.path_of(name)).data.get("gait")
        if isinstance(gait, dict) and "kind" in gait:
            found.setdefault(gait["kind"], {})[name] = gait
    return found


def _of(description: Description, path: str, group: str) -> Iterator[Knob]:
    for name, field in type(description).model_fields.items():
        if name not in ("kind", "preset", "name"):
            yield from _field(description, field, name, f"{path}.{name}", group)


def _field(owner: Description, field: FieldInfo, name: str, path: str, group: str) -> Iterator[Knob]:
    value, unit, meaning = getattr(owner, name), unit_of(field), field.description or ""
    words = name.replace("_", " ")
    if isinstance(value, Description):
        for knob in _of(value, path, group):
            yield knob if knob.group != group else replace(knob, label=f"{words} {knob.label}")
    elif isinstance(value, tuple) and value and all(isinstance(item, Description) for item in value):
        for number, item in enumerate(value):
            for knob in _of(item, f"{path}.{number}", f"{group}: {words}"):
                within = f"{knob.group.rpartition(': ')[2]} {knob.item}, " if knob.item else ""
                yield replace(knob, group=f"{group}: {words}", item=str(number + 1), label=within + knob.label)
    elif str(value) in (options := _words_of(field.annotation)) and len(options) > 1:
        yield Knob(path, group, words, str(value), meaning, "choice", options=options)
    elif isinstance(value, bool):
        yield Knob(path, group, words, value, meaning, "truth")
    elif isinstance(value, int | float):
        yield _number(path, group, with_unit(words, unit), value, meaning, field)
    elif (
        isinstance(value, tuple)
        and 0 < len(value) <= MOST_NUMBERS
        and all(map(_is_number, value))
        and name != "orientation"
    ):
        units = [text.strip() for text in unit.split(",")]
        for number, part in enumerate(value):
            own = units[number * len(units) // len(value)]
            yield _number(
                f"{path}.{number}", group, with_unit(f"{words} {_place(number, value, own)}", own), part, meaning, field
            )
    elif isinstance(value, dict) and hasattr(owner, "declared"):
        yield from _arguments(value, owner.declared(), path, group)
    elif value is None and _takes_numbers(type_of(field)):
        yield Knob(path, group, with_unit(words, unit), "", f"{meaning} (empty: none)", "text")
    elif isinstance(value, tuple) and _takes_numbers(type_of(field)):
        yield Knob(path, group, with_unit(words, unit), _written(value), f"{meaning}; a list as in a file", "text")


def _words_of(annotation: Any) -> tuple[str, ...]:
    """The words that a field chooses among; those of a field that may be left out too."""
    choices = [annotation, *get_args(annotation)]
    return next((tuple(map(str, get_args(one))) for one in choices if get_origin(one) is Literal), ())


def _arguments(values: dict[str, Any], declared: Any, path: str, group: str) -> Iterator[Knob]:
    """Numbers that a user's function declares in its signature."""
    for name, argument in declared.items():
        field = quantity(argument.default, argument.unit, argument.meaning)
        label = with_unit(name.replace("_", " "), argument.unit)
        yield _number(f"{path}.{name}", group, label, float(values[name]), argument.meaning, field)


def _takes_numbers(words: str) -> bool:
    return "number" in words or "angle" in words


def _written(value: Any) -> str:
    """Numbers and lists of them as a file has them."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_written, value))}]"
    return "null" if value is None else repr(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _place(number: int, value: Sequence[Any], unit: str) -> str:
    """Vectors and screws have a unit and three or six parts; other lists are counted."""
    return _NAMES[number % 3] if len(value) in (3, 6) and unit not in ("", "1") else str(number + 1)


def _number(path: str, group: str, label: str, value: float, meaning: str, field: FieldInfo) -> Knob:
    whole = isinstance(value, int) and "whole" in type_of(field)
    limits = _limits(field)
    low, high = _range(float(value), limits, unit_of(field).split(",")[0])
    if whole:
        low, high = math.floor(low), math.ceil(high)
    angle = not whole and "angle" in type_of(field) and label.endswith(("(rad)", "(rad/s)"))
    knob = Knob(
        path,
        group,
        label,
        value if whole else float(value),
        meaning,
        "whole" if whole else "number",
        low,
        high,
        limits=limits,
        angle=angle,
    )
    excluded = any(getattr(mark, "gt", None) == low for mark in field.metadata)
    return replace(knob, low=min(low + knob.step, value)) if excluded else knob


def _limits(field: FieldInfo) -> tuple[float, float]:
    """Between which a field takes numbers, as it declares."""
    found = {
        name: [float(limit) for mark in field.metadata if (limit := getattr(mark, name, None)) is not None]
        for name in _MARKS
    }
    return max([*found["gt"], *found["ge"]], default=-math.inf), min([*found["lt"], *found["le"]], default=math.inf)


def _range(value: float, limits: tuple[float, float], unit: str) -> tuple[float, float]:
    """Twice the value, or what its unit suggests around zero; cut at the limits of the field."""
    reach = 2.0 * abs(value) if value else _USUAL.get(unit, 1.0)
    low, high = max(-reach if value <= 0.0 else 0.0, limits[0]), min(reach if value >= 0.0 else 0.0, limits[1])
    return (low, high) if high > low else (min(low, value), max(high, value, low + 1.0))
