"""Fields of descriptions: with a unit, at a path of a scenario, and in words (type, unit, default, meaning)."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import pydantic
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from limbless.core import registry, units
from limbless.core.kinds import Family, class_of, from_word

Kept = TypeVar("Kept")
Taken = TypeVar("Taken")

# Fields take more than they keep: `5 cm` for a number, a list for a tuple, a mapping for a description. A type checker
# learns both from a descriptor (PEP 681 makes what it takes an argument of the constructor, and reading gives what it
# keeps), with no plugin; pydantic sees the type that is kept, and nothing else.
if TYPE_CHECKING:

    class _Field(Generic[Kept, Taken]):
        def __get__(self, description: object, owner: Any) -> Kept: ...
        def __set__(self, description: object, value: Taken) -> None: ...

    Quantity = _Field[Kept, Kept | str]
    """A number, also as text with a unit."""
    Listed = _Field[Kept, Kept | Sequence[Any]]
    """A tuple, or numbers of which there may be one or several: also as a list, its items as text or mappings."""
    Nested = _Field[Kept, Kept | str | Mapping[str, Any]]
    """A description or a function: also as the word for it, or as a mapping of its fields."""
else:

    class Quantity:
        def __class_getitem__(cls, kept: Any) -> Any:
            return kept

    Listed = Nested = Quantity

Field: Any = pydantic.Field
"""pydantic's own. Checkers that know it as that take a field for required unless its default is a keyword."""


def quantity(default: Any, unit: str, description: str, **limits: Any) -> Any:
    """A pydantic field with a unit: the unit appears in `limbless describe`, in the
    documentation and beside sliders.
    """
    return Field(default, description=description, json_schema_extra={"unit": unit}, **limits)


class _AngleMark:
    """Marks numbers that are angles: those of a field without a unit are in radians."""


Angle = Annotated[float, _AngleMark()]
"""An angle in radians, or an angular rate in rad/s. Like every number with a unit it may be written with another one:
`30 deg`, `15 deg/s`.
"""

Vector3 = tuple[float, float, float]
"""Three numbers: components along x, y and z."""
Quaternion = tuple[float, float, float, float]

_ANGLE = get_args(Angle)[1]
Numbers = TypeVar("Numbers", bound=tuple[float, ...])


def normalised(value: Numbers, length: float, close: float = 1e-15) -> Numbers:
    """A vector or quaternion over its length; as it is where that is 1 but for rounding."""
    return value if abs(length - 1.0) < close else type(value)(part / length for part in value)


Holder = type[BaseModel] | Family
TRUTH = "true or false"
_SCALARS: dict[Any, str] = {
    float: "number",
    int: "whole number",
    bool: TRUTH,
    str: "text",
    type(None): "null",
    Any: "anything",
}


def html_table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of plain text as a table of HTML, the first column as headings."""
    left = "style='text-align:left'"
    lines = (
        f"<tr><th {left}>{escape(first)}</th>{''.join(f'<td {left}>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    return f"<table>{''.join(lines)}</table>"


class FieldRow(NamedTuple):
    """A field in words."""

    name: str
    type: str
    unit: str
    default: str
    meaning: str


def unit_of(field: FieldInfo) -> str:
    """The unit that `quantity` gave a field, or nothing."""
    extra = field.json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def without_units(description: type[BaseModel], data: Any) -> Any:
    """What is given for the fields of a description, numbers with units (`5 cm`) as numbers in the fields' own."""
    if not isinstance(data, Mapping):
        return data
    written = {
        name: units.spelled_out(value, unit)
        for name, unit in _units(description).items()
        if type(value := data.get(name)) is not float and isinstance(value, str | list | tuple)
    }
    return {**data, **written} if written else data


@cache
def _units(description: type[BaseModel]) -> dict[str, str]:
    """The fields that have units; angles without one are in radians."""
    named = {
        name: unit_of(field) or ("rad" if _ANGLE in field.metadata else "")
        for name, field in description.model_fields.items()
    }
    return {name: unit for name, unit in named.items() if unit}


def unit_at(root: type[BaseModel], data: Any, path: Sequence[str | int]) -> str:
    """The unit of the field that a path names, or nothing; of an item of a list that of the list."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    owner = description_at(root, data, path[:-1]) if path else None
    return "" if owner is None else _units(owner).get(str(path[-1]), "")


def holders(field: FieldInfo) -> list[Holder]:
    """The descriptions (or the families they come from) that a field may hold, in lists and alternatives too."""
    marks: list[Holder] = [mark for mark in field.metadata if isinstance(mark, Family)]
    return marks or list(_inside(field.annotation))


def _inside(annotation: Any) -> Iterator[Holder]:
    if isinstance(annotation, type) and get_origin(annotation) is None and issubclass(annotation, BaseModel):
        yield annotation
        return
    marks = [part for part in get_args(annotation) if isinstance(part, Family)]
    for part in marks or get_args(annotation):
        if isinstance(part, Family):
            yield part
        else:
            yield from _inside(part)


def field_at(root: type[BaseModel], data: Any, path: Sequence[str | int]) -> FieldInfo | None:
    """The field that a path names, or None. `data` tells which kind of description stands where there is a choice."""
    owner = description_at(root, data, path[:-1])
    return owner.model_fields.get(str(path[-1])) if owner and path else None


def description_at(root: type[BaseModel], data: Any, path: Sequence[str | int]) -> type[BaseModel] | None:
    """The description class whose fields are the names right below `path`, or None if there is no such place."""
    choices: list[Holder] = [root]
    for part in path:
        if isinstance(part, int):
            data = data[part] if isinstance(data, Sequence) and not isinstance(data, str) and part < len(data) else None
            continue
        owner = _choose(choices, data)
        if owner is None or part not in owner.model_fields:
            return None
        choices = holders(owner.model_fields[part])
        found = data.get(part) if isinstance(data, Mapping) else None
        data = getattr(data, part, None) if isinstance(data, BaseModel) else found
    return _choose(choices, data)


def _choose(choices: Sequence[Holder], data: Any) -> type[BaseModel] | None:
    """The one among several descriptions that fits the tags (`kind`, `preset`: fields with one allowed
    value) written in `data`.
    """
    if isinstance(data, BaseModel):
        return type(data)
    if not choices:
        return None
    if isinstance(choices[0], Family):
        entry = from_word(choices[0].name, data) if isinstance(data, str) else data
        try:
            return class_of(choices[0].name, entry if isinstance(entry, Mapping) else {})
        except ValidationError:
            return None
    classes = [choice for choice in choices if not isinstance(choice, Family)]
    if len(classes) == 1 or not isinstance(data, Mapping):
        return classes[0] if len(classes) == 1 else None
    return max(
        classes, key=lambda choice: sum(1 if data.get(tag) == value else -1 for tag, value in _tags(choice).items())
    )


def _tags(description: type[BaseModel]) -> dict[str, Any]:
    return {
        name: field.default
        for name, field in description.model_fields.items()
        if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1
    }


def rows(description: type[BaseModel]) -> list[FieldRow]:
    """All fields of a description, in words."""
    return [_row(name, field) for name, field in description.model_fields.items()]


def nested(description: type[BaseModel]) -> list[type[BaseModel]]:
    """The descriptions that its fields hold (not those of other families), and that those hold, each once."""
    found: list[type[BaseModel]] = []
    queue = [description]
    while queue:
        for field in queue.pop(0).model_fields.values():
            new = [
                item
                for item in holders(field)
                if not isinstance(item, Family) and item not in found and item is not description
            ]
            found += new
            queue += new
    return found


def _row(name: str, field: FieldInfo) -> FieldRow:
    return FieldRow(name, type_of(field), unit_of(field), _default(field), field.description or "")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=False)
    if value is PydanticUndefined or value is None:
        return "none" if value is None else ""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {item}" for key, item in value.items()) + "}"
    return str(list(value)) if isinstance(value, tuple) else str(value)


def type_of(field: FieldInfo) -> str:
    """The type of a field in words, with its limits: `number > 0`, `list of 3 numbers`, `'half' or 'full'`."""
    if families := [mark for mark in field.metadata if isinstance(mark, Family)]:
        return _in_words(families[0])
    limits = [
        f"{sign} {value:g}"
        for sign, attribute in ((">", "gt"), (">=", "ge"), ("<", "lt"), ("<=", "le"))
        for value in (getattr(mark, attribute, None) for mark in field.metadata)
        if value is not None
    ]
    return " ".join(["angle" if _ANGLE in field.metadata else _in_words(field.annotation), *limits])


def _in_words(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, Family):
        presets = f"; preset: {', '.join(registry.kinds('preset'))}" if annotation.name == "robot" else ""
        return f"{annotation.name} (kind: {', '.join(registry.kinds(annotation.name))}{presets})"
    if origin is Annotated:
        return next(
            (_in_words(part) for part in parts if isinstance(part, Family)),
            "angle" if _ANGLE in parts else _in_words(parts[0]),
        )
    if origin is Literal:
        return " or ".join(repr(part) if isinstance(part, str) else str(part) for part in parts)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_in_words(part) for part in parts if part is not type(None)))
    if origin in (tuple, list):
        return _list_in_words(parts)
    if origin is dict or annotation is dict:
        return "mapping"
    if origin is Callable or annotation is Callable:
        return "Python function"
    return _SCALARS.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _list_in_words(parts: tuple[Any, ...]) -> str:
    words = [_in_words(part) for part in parts if part is not Ellipsis]
    if parts and parts[-1] is Ellipsis:
        return f"list of {_plural(words[0])}"
    return f"list of {len(words)} {_plural(words[0])}" if len(set(words)) == 1 else f"list ({', '.join(words)})"


def _plural(words: str) -> str:
    return f"({words})" if " or " in words or words.startswith(("list", "true")) or words.endswith(")") else f"{words}s"
