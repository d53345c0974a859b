"""Entries that name a kind (`gait: {kind: body-wave, ...}`): the class that each asks for, and
refusals at their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError, ValidationInfo
from pydantic_core import InitErrorDetails, PydanticCustomError

from limbless.core import registry
from limbless.core.errors import InputError

Place = tuple[str | int, ...]
"""Where in a scenario: field names and numbers in lists."""


class Family(NamedTuple):
    """Marks a field that holds a description of one family, whatever its kind."""

    name: str


class Refusal(NamedTuple):
    """Something wrong at a place of a scenario."""

    path: Place
    message: str
    value: Any = None


def refuse(refusals: Iterable[Refusal]) -> None:
    """Raise them all at once, each at its own place; raised inside a validator, pydantic puts them below that field."""
    errors = [
        InitErrorDetails(type=PydanticCustomError("refused", message), loc=path, input=value)
        for path, message, value in refusals
    ]
    if errors:
        raise ValidationError.from_exception_data("scenario", errors)


def class_of(family: str, entry: Mapping[str, Any]) -> Any:
    """The class that an entry asks for by its `kind` (or, for a robot, its `preset`)."""
    tag, where = ("preset", "preset") if family == "robot" and entry.get("preset") is not None else ("kind", family)
    if tag not in entry:
        known = ", ".join(registry.kinds(family))
        ready = f", or a `preset`: {', '.join(registry.kinds('preset'))}" if family == "robot" else ""
        refuse([Refusal((tag,), f"missing; the {family} needs a `kind`: {known}{ready}", dict(entry))])
    try:
        return registry.find(where, entry[tag])
    except (InputError, TypeError) as error:  # TypeError: a list or mapping where a name belongs
        names = f"must be the name of a {where}: {', '.join(registry.kinds(where))}"
        refuse([Refusal((tag,), str(error) if isinstance(error, InputError) else names, entry[tag])])
        raise  # never reached: refuse() raised


def from_word(family: str, word: str) -> dict[str, Any]:
    """`model: newton-euler` is short for `model: {kind: newton-euler}`; a robot may be named by its preset."""
    return {"preset": word} if family == "robot" and word in registry.kinds("preset") else {"kind": word}


def reader(family: str, classes: tuple[type, ...]) -> Callable[[Any, ValidationInfo], Any]:
    """What reads an entry of a family: an object of its classes, the word of a kind, or a mapping with a `kind`."""

    def read(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, classes):
            if "kind" not in getattr(type(value), "model_fields", {}) and not hasattr(type(value), "kind"):
                raise ValueError(
                    f"{type(value).__name__} has no `kind`; add a line such as  kind: "
                    f"Literal['my-{family}'] = 'my-{family}'"
                )
            return value
        entry = from_word(family, value) if isinstance(value, str) else value
        if not isinstance(entry, Mapping):
            raise ValueError(
                f"must be a mapping with a `kind`, such as {{kind: {next(iter(registry.kinds(family)), 'name')}}}"
            )
        return class_of(family, entry).model_validate(dict(entry), context=info.context)

    return read
