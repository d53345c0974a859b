"""Entries of a scenario that name a kind (`gait: {kind: body-wave, ...}`): found in the registry, checked by their own class."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import PlainValidator, SerializeAsAny, ValidationError, ValidationInfo
from pydantic_core import InitErrorDetails, PydanticCustomError

from limbless import registry
from limbless.actuation import Actuation
from limbless.description import Description
from limbless.environments.base import Environment
from limbless.errors import InputError
from limbless.gaits.base import Gait
from limbless.models.base import ModelSettings
from limbless.robots.base import Preset, Robot


class Room(NamedTuple):
    """Marks a field that holds a description of one room, whatever its kind."""

    name: str


class Refusal(NamedTuple):
    """Something wrong at a place of a scenario."""

    path: tuple[str | int, ...]
    message: str
    value: Any = None


def refuse(refusals: Iterable[Refusal]) -> None:
    """Raise them all at once, each at its own place; raised inside a validator, pydantic puts them below that field."""
    errors = [InitErrorDetails(type=PydanticCustomError("refused", message), loc=path, input=value) for path, message, value in refusals]
    if errors:
        raise ValidationError.from_exception_data("scenario", errors)


def kind_of(description: Description) -> str:
    """The kind that a description registered under."""
    return str(getattr(description, "kind", type(description).__name__))


def class_of(room: str, entry: Mapping[str, Any]) -> type[Description]:
    """The class that an entry asks for by its `kind` (or, for a robot, its `preset`)."""
    tag, where = ("preset", "preset") if room == "robot" and entry.get("preset") is not None else ("kind", room)
    if tag not in entry:
        known = ", ".join(registry.kinds(room))
        ready = f", or a `preset`: {', '.join(registry.kinds('preset'))}" if room == "robot" else ""
        refuse([Refusal((tag,), f"missing; the {room} needs a `kind`: {known}{ready}", dict(entry))])
    try:
        return registry.find(where, entry[tag])
    except (InputError, TypeError) as error:   # TypeError: a list or mapping where a name belongs
        message = str(error) if isinstance(error, InputError) else f"must be the name of a {where}: {', '.join(registry.kinds(where))}"
        refuse([Refusal((tag,), message, entry[tag])])
        raise   # never reached: refuse() raised


def from_word(room: str, word: str) -> dict[str, Any]:
    """`model: newton-euler` is short for `model: {kind: newton-euler}`; a robot may be named by its preset."""
    return {"preset": word} if room == "robot" and word in registry.kinds("preset") else {"kind": word}


def _reader(room: str, classes: tuple[type[Description], ...]) -> Callable[[Any, ValidationInfo], Description]:
    def read(value: Any, info: ValidationInfo) -> Description:
        if isinstance(value, classes):
            if not isinstance(getattr(value, "kind", None), str):
                raise ValueError(f"{type(value).__name__} has no `kind`; add a line such as  kind: Literal['my-{room}'] = 'my-{room}'")
            return value
        entry = from_word(room, value) if isinstance(value, str) else value
        if not isinstance(entry, Mapping):
            raise ValueError(f"must be a mapping with a `kind`, such as {{kind: {next(iter(registry.kinds(room)), 'name')}}}")
        return class_of(room, entry).model_validate(dict(entry), context=info.context)
    return read


RobotEntry = Annotated[SerializeAsAny[Robot | Preset], PlainValidator(_reader("robot", (Robot, Preset))), Room("robot")]
GaitEntry = Annotated[SerializeAsAny[Gait], PlainValidator(_reader("gait", (Gait,))), Room("gait")]
EnvironmentEntry = Annotated[SerializeAsAny[Environment], PlainValidator(_reader("environment", (Environment,))), Room("environment")]
ActuationEntry = Annotated[SerializeAsAny[Actuation], PlainValidator(_reader("actuation", (Actuation,))), Room("actuation")]
ModelEntry = Annotated[SerializeAsAny[ModelSettings], PlainValidator(_reader("model", (ModelSettings,))), Room("model")]
