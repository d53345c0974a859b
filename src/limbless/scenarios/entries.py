"""Entries of a scenario that name a kind (`gait: {kind: body-wave, ...}`): found in the registry,
checked by their own class.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator, SerializeAsAny

from limbless.control.actuation import Actuation
from limbless.control.controllers.base import ClosedLoop
from limbless.control.gaits.base import Gait
from limbless.core.kinds import Family, reader
from limbless.environments.base import Environment
from limbless.models.base import ModelSettings
from limbless.robots.base import Preset, Robot

RobotEntry = Annotated[
    SerializeAsAny[Robot | Preset], PlainValidator(reader("robot", (Robot, Preset))), Family("robot")
]
GaitEntry = Annotated[SerializeAsAny[Gait], PlainValidator(reader("gait", (Gait,))), Family("gait")]
EnvironmentEntry = Annotated[
    SerializeAsAny[Environment], PlainValidator(reader("environment", (Environment,))), Family("environment")
]
ActuationEntry = Annotated[
    SerializeAsAny[Actuation], PlainValidator(reader("actuation", (Actuation,))), Family("actuation")
]
ControllerEntry = Annotated[
    SerializeAsAny[ClosedLoop], PlainValidator(reader("controller", (ClosedLoop,))), Family("controller")
]
Controllers = ControllerEntry | tuple[ControllerEntry, ...] | None
"""One, several, or none."""
ModelEntry = Annotated[
    SerializeAsAny[ModelSettings], PlainValidator(reader("model", (ModelSettings,))), Family("model")
]
