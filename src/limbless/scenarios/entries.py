"""Entries of a scenario that name a kind (`gait: {kind: body-wave, ...}`): found in the registry, checked by their own
class.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import PlainValidator, SerializeAsAny, ValidationInfo

from limbless import registry
from limbless.actuation import Actuation
from limbless.description import Description
from limbless.environments.base import Environment
from limbless.gaits.base import Gait
from limbless.kinds import Family, class_of, from_word
from limbless.models.base import ModelSettings
from limbless.robots.base import Preset, Robot


def _reader(family: str, classes: tuple[type[Description], ...]) -> Callable[[Any, ValidationInfo], Description]:
    def read(value: Any, info: ValidationInfo) -> Description:
        if isinstance(value, classes):
            if "kind" not in type(value).model_fields and not hasattr(type(value), "kind"):
                raise ValueError(f"{type(value).__name__} has no `kind`; add a line such as  kind: "
                                 f"Literal['my-{family}'] = 'my-{family}'")
            return value
        entry = from_word(family, value) if isinstance(value, str) else value
        if not isinstance(entry, Mapping):
            raise ValueError(f"must be a mapping with a `kind`, such as "
                             f"{{kind: {next(iter(registry.kinds(family)), 'name')}}}")
        return class_of(family, entry).model_validate(dict(entry),
                                                    context=info.context)         # type: ignore[no-any-return]
    return read


RobotEntry = Annotated[SerializeAsAny[Robot | Preset], PlainValidator(_reader("robot", (Robot, Preset))),
                       Family("robot")]
GaitEntry = Annotated[SerializeAsAny[Gait], PlainValidator(_reader("gait", (Gait,))), Family("gait")]
EnvironmentEntry = Annotated[SerializeAsAny[Environment], PlainValidator(_reader("environment", (Environment,))),
                             Family("environment")]
ActuationEntry = Annotated[SerializeAsAny[Actuation], PlainValidator(_reader("actuation", (Actuation,))),
                           Family("actuation")]
ModelEntry = Annotated[SerializeAsAny[ModelSettings], PlainValidator(_reader("model", (ModelSettings,))),
                       Family("model")]
