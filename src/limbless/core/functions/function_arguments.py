"""Numbers that a user's function declares in its signature: names, defaults and units of its further arguments.

`def ripple(t, s, amplitude: Annotated[float, "rad", "heading amplitude"] = 0.3)` has one, in radians.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, NamedTuple, get_args, get_origin

from pydantic import ValidationInfo, field_validator

from limbless.core import Angle, Description, InputError, NamedFunction, name_of, nearest, units

_PLACES = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Argument(NamedTuple):
    """One of them; the default is in the unit."""

    name: str
    default: float
    unit: str
    meaning: str


def arguments_of(function: Callable[..., Any], given: int) -> dict[str, Argument]:
    """The numbers that a function declares after the `given` arguments with which it is called; none of a function
    that is only named, or whose signature nobody knows.
    """
    if isinstance(function, NamedFunction) or hasattr(function, "address"):
        return {}
    try:
        declared = list(inspect.signature(function).parameters.values())[given:]
    except (TypeError, ValueError):
        return {}
    return {
        one.name: _argument(function, one)
        for one in declared
        if one.kind in _PLACES and isinstance(one.default, int | float | str) and not isinstance(one.default, bool)
    }


def _argument(function: Callable[..., Any], declared: inspect.Parameter) -> Argument:
    """The unit and the meaning are the texts of `Annotated`; the default may be written with a unit."""
    words = [text for text in get_args(_hint(function, declared)) if isinstance(text, str)]
    unit = words[0] if words else "rad" if _hint(function, declared) == Angle else ""
    default = units.spelled_out(declared.default, unit) if unit else declared.default
    if isinstance(default, str):
        raise InputError(
            f"argument {declared.name!r} of {name_of(function)}: its default {declared.default!r} is no "
            f"number{f' ({unit})' if unit else ''}; {units.refusal(default, unit) if unit else _FORM}"
        )
    return Argument(declared.name, float(default), unit, words[1] if len(words) > 1 else "")


_FORM = 'a unit is declared as  amplitude: Annotated[float, "rad"] = 0.3'


def _hint(function: Callable[..., Any], declared: inspect.Parameter) -> Any:
    """An annotation that was written as text (`from __future__ import annotations`) is looked up."""
    if not isinstance(declared.annotation, str):
        return declared.annotation
    try:  # the other annotations may name what is not there
        found = eval(declared.annotation, getattr(inspect.unwrap(function), "__globals__", {}))
    except Exception:
        return None
    return found if get_origin(found) is Annotated else None


class WithArguments(Description):
    """A description with a user's function, and with `arguments`: numbers for those that the function declares."""

    takes: ClassVar[tuple[str, int]]
    """The field of the function, which comes before `arguments`, and how many others the function is called with."""

    @field_validator("arguments", mode="before", check_fields=False)
    @classmethod
    def _of_the_function(cls, value: Any, info: ValidationInfo) -> Any:
        field, given = cls.takes
        return filled(info.data[field], given, value) if field in info.data else value

    def declared(self) -> dict[str, Argument]:
        """The numbers that the function declares in its signature, which `arguments` sets."""
        field, given = self.takes
        return arguments_of(getattr(self, field), given)


def filled(function: Callable[..., Any], given: int, values: Any) -> dict[str, Any]:
    """All numbers that a function declares, the values that are given for some of them in their units.

    Raises
    ------
    ValueError : a name that it does not declare, or a value that is no number of its unit.
    """
    if not isinstance(values, Mapping):
        raise ValueError("must be a mapping from names of arguments to numbers")
    known = arguments_of(function, given)
    if isinstance(function, NamedFunction) or (not known and not values):
        return dict(values)
    made: dict[str, Any] = {name: argument.default for name, argument in known.items()}
    for name, value in values.items():
        if name not in known:
            told = nearest(name, known) if known else "it declares none after those it is called with"
            raise ValueError(f"{name!r} is no argument of {name_of(function)} with a number as its default; {told}")
        unit = known[name].unit
        number = units.spelled_out(value, unit) if unit else value
        if not isinstance(number, int | float) or isinstance(number, bool):
            wrong = units.refusal(value, unit) if unit and isinstance(value, str) else ""
            raise ValueError(
                f"{name}: must be a number{f' ({unit})' if unit else ''}"
                f"{f': {wrong}' if wrong else f'; received {value!r:.60}'}"
            )
        made[name] = float(number)
    return made
