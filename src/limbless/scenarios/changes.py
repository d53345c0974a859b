"""Changes of a scenario by path: `gait.amplitude`, `environment.0.density`, `environment.water.current`."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from limbless.core import (
    Description,
    Family,
    InputProblem,
    dotted,
    field_at,
    from_word,
    holders,
    nearest,
)
from limbless.scenarios.document import DEEPEST, Place


class Changes:
    """Data with changes made to it.

    Attributes
    ----------
    data : the changed data; the original stays as it is.
    made : where each change went (kinds in lists turned into numbers) -> its text for messages.
    problems : changes that could not be made.
    """

    def __init__(self, root: type[Description], data: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
        self.data: dict[str, Any] = copy.deepcopy(dict(data)) if changes else dict(data)
        self.made: dict[Place, str] = {}
        self.problems: list[InputProblem] = []
        self._root = root
        self._created: set[Place] = set()
        for path, value in changes.items():
            self._make(path, _plain(value))

    def source(self, path: Place) -> str | None:
        """The change that an error at `path` comes from (the last one that touched it), or None."""

        def touches(place: Place) -> bool:
            return path[: len(place)] == place or (path in self._created and place[: len(path)] == path)

        return next((text for place, text in reversed(self.made.items()) if touches(place)), None)

    def _make(self, path: str, value: Any) -> None:
        text = f"--set {path!s:.100}={_shown(value)}"
        names = path.split(".") if isinstance(path, str) else []
        if not names or not all(names) or len(names) > DEEPEST:
            place: Place = (f"{path!s:.100}",)
            self.made[place] = text
            self.problems.append(
                InputProblem(
                    place, "is no path; a path is made of names with dots between them, such as gait.amplitude"
                )
            )
            return
        place, here = (), self.data
        for number, name in enumerate(names):
            last = number == len(names) - 1
            key, problem = self._key(here, name, place, last)
            if problem:
                place = (*place, name)
                self.made[place] = text
                self.problems.append(InputProblem(place, problem))
                return
            place = (*place, key)
            if last:
                _put(here, key, value)
            else:
                here = self._enter(here, key, place)
        self.made = {other: shown for other, shown in self.made.items() if other[: len(place)] != place}
        self.made[place] = text

    def _key(self, here: Any, name: str, place: Place, last: bool) -> tuple[str | int, str | None]:
        """The key that a name means in a mapping or a list, or what is wrong with it."""
        if isinstance(here, dict):
            return name, None
        if not isinstance(here, list):
            return name, f"{dotted(place)} is {_shown(here)}; it has no part {name!r}"
        if name.isdigit():
            number = int(name)
            if number < len(here) or (number == len(here) and place == ("environment",)):
                return number, None
            return name, f"{dotted(place)} has {len(here)} items, counted from 0"
        kinds = [item.get("kind") if isinstance(item, Mapping) else getattr(item, "kind", item) for item in here]
        found = [number for number, kind in enumerate(kinds) if kind == name]
        if len(found) == 1:
            return found[0], None
        if found:
            return name, (
                f"{dotted(place)} has {len(found)} items of kind {name!r}; use a number: {', '.join(map(str, found))}"
            )
        words = [kind for kind in kinds if isinstance(kind, str)]
        known = nearest(name, words) if words else "use a number, counted from 0"
        return name, f"{dotted(place)} has no item of kind {name!r}; {known}"

    def _enter(self, here: Any, key: Any, place: Place) -> Any:
        """The mapping or list at a key, made from the field's default where nothing is written."""
        named = here.get(key) if isinstance(here, dict) else None
        inside = here[key] if isinstance(here, list) and key < len(here) else named
        if inside is None:
            inside = self._default(place)
            self._created.add(place)
        if isinstance(inside, Description):
            tags = {tag: getattr(inside, tag) for tag in ("kind", "preset") if tag in type(inside).model_fields}
            inside = {**tags, **inside.model_dump(exclude_unset=True)}
        if isinstance(inside, str) and (family := self._family(place)):
            inside = from_word(family, inside)
        if isinstance(inside, tuple):
            inside = list(inside)
        if isinstance(inside, dict | list):
            _put(here, key, inside)
        return inside

    def _default(self, place: Place) -> Any:
        field = field_at(self._root, self.data, place)
        default = None if field is None or field.is_required() else field.get_default(call_default_factory=True)
        return {} if default is None else copy.deepcopy(default)

    def _family(self, place: Place) -> str | None:
        """The family of the description that stands here, so that a word (`model: newton-euler`)
        stands for one of its kinds.
        """
        named = place[:-1] if isinstance(place[-1], int) else place
        field = field_at(self._root, self.data, named)
        return next((holder.name for holder in holders(field) if isinstance(holder, Family)), None) if field else None


def _put(here: Any, key: Any, value: Any) -> None:
    if isinstance(here, list) and key == len(here):
        here.append(value)
    else:
        here[key] = value


def _plain(value: Any) -> Any:
    """NumPy arrays and numbers as Python ones; tuples as lists, so that a later change can reach into them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _shown(value: Any) -> str:
    if isinstance(value, Description):
        return type(value).__name__
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
