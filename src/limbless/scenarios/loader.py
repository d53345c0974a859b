"""From a name, a file or data to a checked `Scenario`; whatever is wrong is said at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from limbless.core import (
    TRUTH,
    InputError,
    InputProblem,
    as_word,
    field_at,
    leaves,
    named_in,
    nearest,
    problems_of,
    report,
    type_of,
    with_received,
)
from limbless.interop.robots.first_run import first_scenario, medium_in
from limbless.interop.robots.robot_file import is_robot_file, options_in
from limbless.scenarios.changes import Changes
from limbless.scenarios.compatibility import disagreements
from limbless.scenarios.document import Document, read_file, read_text
from limbless.scenarios.entries import (
    ActuationEntry,
    Controllers,
    EnvironmentEntry,
    GaitEntry,
    ModelEntry,
    RobotEntry,
)
from limbless.scenarios.one_animal import left_out, one_animal
from limbless.scenarios.plausibility import computable
from limbless.scenarios.scenario import Initial, Scenario

_HOME = Path(__file__).parent
_TIME: TypeAdapter[float] = TypeAdapter(Annotated[float, Field(gt=0, allow_inf_nan=False)])
_READERS: dict[str, TypeAdapter[Any]] = {
    "robot": TypeAdapter(RobotEntry),
    "gait": TypeAdapter(GaitEntry),
    "actuation": TypeAdapter(ActuationEntry),
    "controller": TypeAdapter(Controllers),
    "model": TypeAdapter(ModelEntry),
    "initial": TypeAdapter(Initial),
    "duration": _TIME,
    "step": _TIME,
    "record_every": _TIME,
    "task": TypeAdapter(Literal["path", "inverse", "grid"] | None),
}
_ENVIRONMENT: TypeAdapter[Any] = TypeAdapter(EnvironmentEntry)


def names() -> list[str]:
    """The built-in scenarios: the YAML files of this folder."""
    return sorted(path.stem for path in _HOME.glob("*.yaml"))


def path_of(name: str) -> Path:
    """The file of a built-in scenario."""
    return _HOME / f"{name}.yaml"


def load(source: str | Path | Mapping[str, Any] | Scenario, changes: Mapping[str, Any], allow_code: bool) -> Scenario:
    """See `Scenario.load`."""
    if isinstance(source, Scenario):
        as_it_is = not changes and not (allow_code and named_in(source))
        return (
            source
            if as_it_is
            else _checked(Document("scenario", source.model_dump()), changes, {"allow_code": allow_code})
        )
    if isinstance(source, Mapping):
        return _checked(Document("scenario", source), changes, {"folder": None, "allow_code": allow_code})
    document = _document(source, changes)
    return _checked(document, changes, {"folder": document.folder, "allow_code": allow_code})


def from_text(text: str, where: str, allow_code: bool, saved: bool = False) -> Scenario:
    """See `Scenario.from_yaml`; `saved` is the text of a run that was made: its functions are not looked for."""
    return _checked(read_text(text, where), {}, {"allow_code": allow_code, "saved": saved})


def _document(source: str | Path, changes: Mapping[str, Any]) -> Document:
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"a scenario is given by its name, the path of a .yaml or a mapping, not by {source!r}")
    if source in names():
        return read_file(path_of(str(source)), f"{source}.yaml")
    path = Path(source).expanduser()
    known = path.suffix in (".yaml", ".yml") or is_robot_file(path)
    if isinstance(source, str) and not (known or os.sep in source or "/" in source or path.exists()):
        raise InputError(
            f"unknown scenario {source!r}; {nearest(source, names(), 'list scenarios')}; a file is given by a path "
            "that ends in .yaml, a robot by one that ends in .urdf, .sdf, .xml or .xacro"
        )
    if is_robot_file(path):
        return Document(str(path), first_scenario(path, options_in(changes), medium_in(changes)), path.parent.resolve())
    document = read_file(path, folder=path.parent.resolve())
    document.data.setdefault("name", as_word(path.stem))
    return document


def _checked(document: Document, changes: Mapping[str, Any], context: dict[str, Any]) -> Scenario:
    """Data with its changes as a scenario, or one error that says everything that is wrong."""
    data, changes = _opened(document.data, changes, context)
    changed = Changes(Scenario, data, changes)
    given = {str(place[1]) for place in changed.made if place[0] == "model" and len(place) > 1}
    told = left_out(data.get("model"), changed.data, given) if given else []
    problems, scenario = list(changed.problems), None
    try:
        with computable(changed.data):
            scenario = Scenario.model_validate(changed.data, context=context)
    except ValidationError as error:
        problems += problems_of(error, Scenario, changed.data)
        with computable(changed.data):
            apart = disagreements(_readable(changed.data, context))
        said = {path for path, _ in problems}
        problems += [
            InputProblem(path, with_received(message, value)) for path, message, value in apart if path not in said
        ]
    problems += _truths_for_numbers(changed.data)
    if scenario is not None and not problems:
        scenario._told = (*told, *scenario._told)
        return scenario
    problems.sort(key=lambda problem: (changed.source(problem.path) is not None, document.line(problem.path) or 0))
    raise report(problems, document.where, lambda path: changed.source(path) or document.place(path))


def _opened(
    data: Mapping[str, Any], changes: Mapping[str, Any], context: dict[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Where changes reach into what a preset builds (`robot.links.3.mass` of `preset: file`), the robot that it builds
    in its place; changes of the preset's own fields are made before."""
    robot = data.get("robot")
    own = {path: value for path, value in changes.items() if str(path).startswith("robot.")}
    first = {path: value for path, value in own.items() if path.split(".")[1] not in ("links", "skin", "tendons")}
    if not isinstance(robot, Mapping) or "preset" not in robot or len(first) == len(own):
        return data, changes
    with suppress(ValidationError, AttributeError), computable(data):
        preset = _READERS["robot"].validate_python(Changes(Scenario, data, first).data["robot"], context=context)
        inner = {path.split(".")[1] for path in own} - set(type(preset).model_fields)
        if inner and inner <= set(type(built := preset.build()).model_fields):
            rest = {path: value for path, value in changes.items() if path not in first}
            return {**data, "robot": built.model_dump()}, rest
    return data, changes


def _readable(data: Mapping[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """The parts that are right by themselves, so that whether they go together can be said
    beside what is wrong elsewhere.
    """
    parts: dict[str, Any] = {"environment": {}}
    for name, reader in _READERS.items():
        with suppress(ValidationError):
            parts[name] = reader.validate_python(data.get(name, Scenario.model_fields[name].default), context=context)
    items = data.get("environment")
    for number, item in enumerate(items if isinstance(items, list | tuple) else ()):
        with suppress(ValidationError):
            parts["environment"][number] = _ENVIRONMENT.validate_python(item, context=context)
    if all(name in parts for name in ("model", "robot", "gait", "initial")):
        with suppress(InputError):
            around = parts["environment"]
            seen = one_animal(parts["model"], parts["robot"], parts["gait"], parts["initial"], tuple(around.values()))
            parts |= {} if seen is None else seen[0]
            if parts["environment"] is not around:
                parts["environment"] = dict(zip(around, parts["environment"], strict=True))
    return parts


def _truths_for_numbers(data: Mapping[str, Any]) -> Iterator[InputProblem]:
    """Pydantic takes `true` for 1.0; in a scenario that is a slip."""
    for path, value in leaves(data):
        if isinstance(value, bool):
            names = [number for number, part in enumerate(path) if isinstance(part, str)]
            field = field_at(Scenario, data, path[: names[-1] + 1])
            if field and "number" in type_of(field) and TRUTH not in type_of(field):
                yield InputProblem(path, f"must be a number; received {str(value).lower()}")
