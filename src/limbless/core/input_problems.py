"""Everything that is wrong with a scenario, in sentences: what was received, what is allowed,
what may have been meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from limbless.core import units
from limbless.core.errors import InputError, nearest
from limbless.core.fields import description_at, field_at, type_of, unit_of
from limbless.core.kinds import Place

_NOTHING: Any = object()
_LONGEST = 60
"""Characters of a received value that a message repeats."""
_MOST = 500
"""Errors that are looked at, and the number of them that are shown: a damaged table has an error in every cell."""
_SHOWN = 40
_NUMBERS = {"float_type", "float_parsing", "int_type", "int_parsing", "int_from_float", "finite_number"}
_LISTS = {"tuple_type", "list_type", "missing"}  # missing: an item of a list of fixed length


class InputProblem(NamedTuple):
    """One thing that is wrong, and where."""

    path: Place
    message: str


def dotted(path: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in path)


def leaves(data: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """What stands in nested descriptions, mappings and lists, each with its place."""
    if isinstance(data, BaseModel):
        data = {name: getattr(data, name) for name in type(data).model_fields}  # and nothing that is kept beside them
    if not isinstance(data, Mapping | list | tuple):
        yield path, data
        return
    for key, part in data.items() if isinstance(data, Mapping) else enumerate(data):
        yield from leaves(part, (*path, key))


def problems_of(error: ValidationError, root: type[BaseModel], data: Mapping[str, Any]) -> list[InputProblem]:
    """The errors that pydantic found in `data`, each once, at paths that exist in `data`.

    Pydantic puts the names of alternatives into its paths and reports one error for each alternative of a value: the
    names are taken out, and what is said of one value becomes one sentence.
    """
    said: dict[Place, list[str]] = {}
    # that a description is no list is said last, and only where nothing else is wrong with it
    for item in sorted(error.errors(include_url=False)[:_MOST], key=_is_no_list):
        path = _in_data(item["loc"], data, item["type"])
        if _is_no_list(item) and any(other[: len(path)] == path for other in said):
            continue
        messages = said.setdefault(path, [])
        message = _message(item, path, root, data)
        if message not in messages:
            messages.append(message)
    around = {path[:length] for path in said for length in range(len(path))}
    inner = {path for path in said if path in around and _is_list(path, data)}
    return [InputProblem(path, "; or ".join(messages)) for path, messages in said.items() if path not in inner]


def _is_no_list(item: Any) -> bool:
    return item["type"] in ("tuple_type", "list_type") and isinstance(item["input"], Mapping)


def report(problems: Iterable[InputProblem], where: str, place: Callable[[Place], str]) -> InputError:
    """One error that says all of them, a line each.

    Parameters
    ----------
    where : the name of the whole.
    place : path -> what a line begins with (`file.yaml:12`).
    """
    lines = list(dict.fromkeys(_line(place(path), path, message) for path, message in problems))
    if len(lines) == 1:
        return InputError(lines[0])
    many = len(lines) > _SHOWN
    shown = "\n".join(f"  {line}" for line in lines[:_SHOWN])
    count = f"more than {_SHOWN} errors, of which these are the first" if many else f"{len(lines)} errors"
    return InputError(f"{where}: {count}\n{shown}")


def _line(place: str, path: Place, message: str) -> str:
    shown = dotted(path)
    return f"{place}: {message}" if not shown or f" {shown}=" in place else f"{place}: {shown}: {message}"


def _in_data(location: Sequence[str | int], data: Any, kind: str) -> Place:
    """A location without the names of alternatives: only steps that `data` can make, and at the
    end a field that is missing.
    """
    path: list[str | int] = []
    for number, part in enumerate(location):
        last = number == len(location) - 1
        inside = _inside(data, part)
        if inside is not _NOTHING:
            data = inside
        elif not (last and isinstance(part, str) and _names_an_absent_field(part, data, kind)):
            continue
        path.append(part)
    return tuple(path)


def _names_an_absent_field(part: str, data: Any, kind: str) -> bool:
    wrong = isinstance(data, Mapping) and kind == "value_error" and part.isidentifier()
    return wrong or kind in ("missing", "refused")


def _is_list(path: Place, data: Any) -> bool:
    for part in path:
        data = _inside(data, part)
    return isinstance(data, list | tuple)


def _inside(data: Any, part: str | int) -> Any:
    """What stands at a name or number of a mapping, description or list, or nothing."""
    if isinstance(data, BaseModel):
        data = dict(data)
    if isinstance(data, Mapping):
        return data.get(part, _NOTHING)
    return data[part] if isinstance(data, list | tuple) and isinstance(part, int) and part < len(data) else _NOTHING


def _message(item: Any, path: Place, root: type[BaseModel], data: Mapping[str, Any]) -> str:
    kind, received = item["type"], item["input"]
    field = field_at(root, data, path) if path else None
    unit = f" ({unit_of(field)})" if field and unit_of(field) else ""
    if kind == "extra_forbidden":
        owner = description_at(root, data, path[:-1])
        return f"unknown field; {nearest(path[-1], owner.model_fields)}" if owner else "unknown field"
    if kind == "missing" and isinstance(item["loc"][-1], str):
        meaning = f": {field.description}" if field and field.description else ""
        return f"missing; give {_article(type_of(field))}{unit}{meaning}" if field else "missing"
    if told := _wrong_unit(item, path, root, data):
        return told
    if field and (kind in _LISTS or (kind == "too_long" and re.search(r"list (of \d|\()", type_of(field)))):
        return with_received(f"must be {_article(type_of(field))}{unit}", received)
    if kind in _LISTS:  # a row of a table
        wanted = f"have more than {len(received)} items" if kind == "missing" else "be a list"
        return with_received(f"must {wanted}", received)
    if kind in _NUMBERS:
        return with_received(
            f"must be a {'whole ' if 'int' in kind else ''}number{unit}{_with_unit(field, received)}", received
        )
    if kind == "literal_error":
        return with_received(f"must be {item['ctx']['expected']}", received)
    message = re.sub(r"^(Input|Tuple|List|String) should", "must", item["msg"].removeprefix("Value error, "))
    message = message.replace(" after validation", "")
    return with_received(message if kind in ("refused", "value_error") else message + unit, received)


def _wrong_unit(item: Any, path: Place, root: type[BaseModel], data: Mapping[str, Any]) -> str:
    """The sentence for a number whose unit is unknown or does not fit; nothing for anything else."""
    names = [number for number, part in enumerate(path) if isinstance(part, str)]
    field = field_at(root, data, path[: names[-1] + 1]) if names else None
    unfit = isinstance(item["input"], str) and item["type"] in _NUMBERS | _LISTS
    if field is None or not unit_of(field) or not unfit:
        return ""
    told = units.refusal(item["input"], unit_of(field))
    return told and f"must be a number ({unit_of(field)}): {told}"


def with_received(message: str, value: Any) -> str:
    """A message with the value that was received, unless it says it already."""
    text = repr(value)
    shown = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    said = len(shown) > 3 and shown in message  # a digit is in many messages
    return message if value is None or said else f"{message}; received {shown}"


def _article(words: str) -> str:
    return words if words.startswith(("'", "text")) else f"{'an' if words[0] in 'aeio' else 'a'} {words}"


def _with_unit(field: Any, received: Any) -> str:
    """That a number may be written with a unit, and how: for who wrote a text."""
    wanted = unit_of(field) if field is not None and isinstance(received, str) else ""
    shown = units.example(wanted) if wanted not in ("", "1") else ""
    what = "an angle" if "rad" in wanted.split("/")[0] else "one with a unit"
    return f", or {what} such as '{shown}'" if shown else ""
