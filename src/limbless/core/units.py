"""Numbers with units, `5 cm` or `2 N/mm`: read where a field has a unit, and told in a sentence where they do not fit.

Angles have a dimension of their own here, so that a torque is not taken for a torque per angle.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

from limbless.core.errors import InputError

Dimension = tuple[int, int, int, int, int]
"""Powers of metre, kilogram, second and radian."""


class UnitValue(NamedTuple):
    """A unit: what one of it is in SI units."""

    size: float
    dimension: Dimension


_NONE: Dimension = (0, 0, 0, 0, 0)
_PREFIXES = {"": 1.0, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9}
_PREFIXED = {
    "m": UnitValue(1.0, (1, 0, 0, 0, 0)),
    "g": UnitValue(1e-3, (0, 1, 0, 0, 0)),
    "s": UnitValue(1.0, (0, 0, 1, 0, 0)),
    "rad": UnitValue(1.0, (0, 0, 0, 1, 0)),
    "N": UnitValue(1.0, (1, 1, -2, 0, 0)),
    "Pa": UnitValue(1.0, (-1, 1, -2, 0, 0)),
    "J": UnitValue(1.0, (2, 1, -2, 0, 0)),
    "W": UnitValue(1.0, (2, 1, -3, 0, 0)),
    "Hz": UnitValue(1.0, (0, 0, -1, 0, 0)),
    "l": UnitValue(1e-3, (3, 0, 0, 0, 0)),
    "L": UnitValue(1e-3, (3, 0, 0, 0, 0)),
    "bar": UnitValue(1e5, (-1, 1, -2, 0, 0)),
    "A": UnitValue(1.0, (0, 0, 0, 0, 1)),
    "V": UnitValue(1.0, (2, 1, -3, 0, -1)),
}
"""Units that take a prefix."""
_WHOLE = {
    "1": UnitValue(1.0, _NONE),
    "%": UnitValue(0.01, _NONE),
    "deg": UnitValue(math.pi / 180.0, (0, 0, 0, 1, 0)),
    "°": UnitValue(math.pi / 180.0, (0, 0, 0, 1, 0)),
    "rev": UnitValue(2.0 * math.pi, (0, 0, 0, 1, 0)),
    "rpm": UnitValue(2.0 * math.pi / 60.0, (0, 0, -1, 1, 0)),
    "min": UnitValue(60.0, (0, 0, 1, 0, 0)),
    "h": UnitValue(3600.0, (0, 0, 1, 0, 0)),
    "t": UnitValue(1e3, (0, 1, 0, 0, 0)),
    "in": UnitValue(0.0254, (1, 0, 0, 0, 0)),
    "ft": UnitValue(0.3048, (1, 0, 0, 0, 0)),
    "kgf": UnitValue(9.80665, (1, 1, -2, 0, 0)),
}
"""Units that take none."""
_TOGETHER = {f"{one}{two}": f"{one} {two}" for one in ("N", "mN", "kN") for two in ("m", "cm", "mm")}
"""Products that are often written as one word."""
_MEANT = {
    "metre": "m",
    "meter": "m",
    "metres": "m",
    "meters": "m",
    "second": "s",
    "seconds": "s",
    "sec": "s",
    "secs": "s",
    "degree": "deg",
    "degrees": "deg",
    "radian": "rad",
    "radians": "rad",
    "gram": "g",
    "grams": "g",
    "kilo": "kg",
    "kilogram": "kg",
    "kilograms": "kg",
    "newton": "N",
    "newtons": "N",
    "pascal": "Pa",
    "hertz": "Hz",
    "percent": "%",
    "minute": "min",
    "minutes": "min",
    "hour": "h",
    "hours": "h",
    "inch": "in",
    "inches": "in",
    "turn": "rev",
    "turns": "rev",
    "millimetre": "mm",
    "millimeter": "mm",
    "centimetre": "cm",
    "centimeter": "cm",
}
"""Words that are no units here, and what is written in their place."""
_NAMES: dict[Dimension, tuple[str, str]] = {
    (1, 0, 0, 0, 0): ("a length", "5 cm"),
    (0, 1, 0, 0, 0): ("a mass", "200 g"),
    (0, 0, 1, 0, 0): ("a time", "20 ms"),
    (0, 0, 0, 1, 0): ("an angle", "30 deg"),
    (0, 0, -1, 1, 0): ("an angular rate", "30 deg/s"),
    (0, 0, -1, 0, 0): ("a frequency", "50 Hz"),
    (1, 0, -1, 0, 0): ("a speed", "5 cm/s"),
    (1, 0, -2, 0, 0): ("an acceleration", "9.81 m/s2"),
    (1, 1, -2, 0, 0): ("a force", "20 mN"),
    (2, 1, -2, 0, 0): ("a torque or an energy", "5 N cm"),
    (2, 1, -2, -1, 0): ("a torque per angle", "0.5 N m/deg"),
    (2, 1, -1, -1, 0): ("a torque per angular rate", "2 N m s/rad"),
    (0, 1, -2, 0, 0): ("a force per length", "2 N/mm"),
    (-1, 1, -2, 0, 0): ("a pressure", "3 kPa"),
    (-3, 1, 0, 0, 0): ("a density", "1.1 g/cm3"),
    (3, 0, 0, 0, 0): ("a volume", "20 cm3"),
    (-1, 0, 0, 0, 0): ("a number per length", "2 1/m"),
    _NONE: ("a ratio", "20 %"),
    (2, 1, 0, 0, 0): ("a moment of inertia", "30 g cm2"),
    (-1, 1, -1, 0, 0): ("a viscosity", "1 mPa s"),
}
"""What a dimension is called, and a number of it."""
_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_WRITTEN = re.compile(rf"\s*({_NUMBER})(?![0-9.])\s*(\S.*?)\s*")  # 2.1 is no 2. times 1
_FACTOR = re.compile(r"([^\W\d_]+|[%°1])(?:(?:\^|\*\*)?(-?\d+))?")
_POWERS = str.maketrans({"²": "2", "³": "3", "·": " ", "*": " ", "μ": "µ"})


class Unknown(ValueError):
    """A word that is no unit; its first argument."""


def spelled_out(value: Any, unit: str) -> Any:
    """A number with its unit as a number in the SI unit that a field has, lists item by item; anything else, and what
    does not fit, as it is: the field's own check refuses it.

    Parameters
    ----------
    unit : as `quantity` says it: `m`, `rad or m`, `m/s, rad/s` (three numbers of each), `s; rad or m` (columns).
    """
    return _read(value, _choices(unit))


def in_unit(value: Any, unit: str, what: str) -> float:
    """An argument that is a number, or a number with its unit, in an SI unit; `InputError` for anything else."""
    found = spelled_out(value, unit)
    try:
        return float(found)
    except (TypeError, ValueError):
        why = refusal(found, unit) if isinstance(found, str) else ""
        raise InputError(f"{what}: {why or f'{value!r} is no number; write for example {example(unit)!r}'}") from None


def _read(value: Any, choices: tuple[tuple[str, ...], ...]) -> Any:
    if isinstance(value, str):
        return _number(value, [one for choice in choices for one in choice])
    if isinstance(value, list | tuple) and any(isinstance(item, str | list | tuple) for item in value):
        rows = [_of_place(choices, number, len(value)) for number in range(len(value))]
        return type(value)(_read(item, row) for item, row in zip(value, rows, strict=True))
    return value


def _of_place(choices: tuple[tuple[str, ...], ...], number: int, count: int) -> tuple[tuple[str, ...], ...]:
    """The units of one item of a list: two stand for two times three numbers, several for as many columns."""
    if len(choices) == count and count > 1:
        return (choices[number],)
    return (choices[number // 3],) if (len(choices), count) == (2, 6) else choices


@cache
def _choices(unit: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(one.strip() for one in part.split(" or ")) for part in re.split("[;,]", unit))


def _number(text: str, units: Sequence[str]) -> Any:
    match = _WRITTEN.fullmatch(text)
    for unit in units if match else ():
        try:
            given = measure(match[2])  # type: ignore[index]
        except Unknown:
            return text
        size = _fits(given, measure(unit))
        if size is not None:
            return float(match[1]) * size  # type: ignore[index]
    return text


def _fits(given: UnitValue, wanted: UnitValue) -> float | None:
    """How many of the wanted unit one of the given is; a frequency also tells an angular rate, in turns."""
    if given.dimension == wanted.dimension:
        return given.size / wanted.size
    turns = given.dimension == (0, 0, -1, 0, 0) and wanted.dimension == (0, 0, -1, 1, 0)
    back = given.dimension == (0, 0, -1, 1, 0) and wanted.dimension == (0, 0, -1, 0, 0)
    return 2.0 * math.pi * given.size if turns else given.size / (2.0 * math.pi) if back else None


@cache
def measure(text: str) -> UnitValue:
    """A unit, a product or a ratio of units: `N m s/rad`, `kg/m^3`, `g/cm3`; `Unknown` for a word that is none."""
    size, powers, sign = 1.0, [0, 0, 0, 0, 0], 1
    rest = text.translate(_POWERS) if "**" not in text else text.replace("**", "^").translate(_POWERS)
    for word in re.findall(r"/|[^\s/()]+", rest):
        if word == "/":
            sign = -1
            continue
        for part in _TOGETHER.get(word, word).split():
            found = _FACTOR.fullmatch(part)
            if found is None:
                raise Unknown(part)
            one, power = _single(found[1]), sign * int(found[2] or 1)
            size *= one.size**power
            powers = [have + power * more for have, more in zip(powers, one.dimension, strict=True)]
        sign = 1
    return UnitValue(size, (powers[0], powers[1], powers[2], powers[3], powers[4]))


def _single(word: str) -> UnitValue:
    if word in _WHOLE:
        return _WHOLE[word]
    for prefix, factor in _PREFIXES.items():
        base = _PREFIXED.get(word.removeprefix(prefix)) if word.startswith(prefix) else None
        if base is not None:
            return UnitValue(factor * base.size, base.dimension)
    raise Unknown(word)


def example(unit: str) -> str:
    """A number with a unit that a field of this unit takes, or nothing."""
    try:
        return _NAMES.get(measure(_choices(unit)[0][0]).dimension, ("", ""))[1]
    except Unknown:
        return ""


def refusal(text: str, unit: str) -> str:
    """Why a text with a number and a unit is no number of a field's unit; nothing where it is not of that form."""
    match = _WRITTEN.fullmatch(text)
    if match is None or not re.match(r"[^\W\d]|[%°/]", match[2]):
        return ""
    wanted = [one for choice in _choices(unit) for one in choice]
    try:
        given = measure(match[2])
    except Unknown as error:
        word = str(error.args[0])
        return f"{word!r} is not a unit; {_suggestion(word, unit)}"
    named, meant = (
        _called(given.dimension, match[2]),
        " or ".join(_called(measure(one).dimension, one) for one in dict.fromkeys(wanted)),
    )
    try_this = _inverse(float(match[1]), given, wanted) or f"write for example {example(unit) or '1 ' + wanted[0]!r}"
    return f"{text.strip()!r} is {named}, and {meant} is wanted; {try_this}"


def _called(dimension: Dimension, unit: str) -> str:
    name = _NAMES.get(dimension, ("", ""))[0]
    return f"{name} ({unit})" if name else f"in {unit}"


def _inverse(number: float, given: UnitValue, wanted: Sequence[str]) -> str:
    """A frequency where a time is wanted, or the other way round."""
    for one in wanted:
        unit = measure(one)
        turned = tuple(-power for power in unit.dimension)
        if number and any(unit.dimension) and given.dimension == turned:
            return f"its inverse is '{1.0 / (number * given.size * unit.size):g} {one}'"
    return ""


def _suggestion(word: str, unit: str) -> str:
    symbols = [f"{prefix}{base}" for base in _PREFIXED for prefix in _PREFIXES if prefix not in ("µ", "d")]
    known = [*_WHOLE, *symbols]
    exact = [symbol for symbol in known if symbol.casefold() == word.casefold()]
    meant = _MEANT.get(word.casefold()) or next(iter([*exact, *get_close_matches(word, known, n=1, cutoff=0.6)]), None)
    told = f"did you mean {meant!r}? " if meant else ""
    return f"{told}write for example '{example(unit) or '1 ' + _choices(unit)[0][0]}'"
