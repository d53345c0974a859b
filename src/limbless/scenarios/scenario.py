"""`Scenario`: everything a run needs, as data. A file or a name gives one; it writes itself
as a complete file again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from limbless.control.actuation import Motion
from limbless.core import Angle, Description, Field, InputError, Listed, Nested, Quantity, Quaternion, Vector3, quantity
from limbless.core.functions.callables import folder_of, located, refuse_named
from limbless.core.kinds import refuse
from limbless.models.initial_pose import FOUND_BY_POSTURE, Posture
from limbless.robots.presets.from_file import FromFile
from limbless.scenarios import plausibility
from limbless.scenarios.compatibility import TIMES, disagreements, remarks
from limbless.scenarios.entries import ActuationEntry, EnvironmentEntry, GaitEntry, ModelEntry, RobotEntry

Twist = tuple[float, float, float, Angle, Angle, Angle]

_USUAL_MODEL: Any = {"kind": "newton-euler"}
_USUAL_ACTUATION = Motion()
_UNIT = 1e-12
"""A quaternion this near to length 1 is left as it is, so that a saved one comes back unchanged."""
_ROUGHLY_UNIT = 0.01
"""A quaternion farther from length 1 is a mistake rather than a rounded one."""


class Initial(Description):
    """Where a run starts: at rest at the world's origin, the joints where the gait has them, unless said otherwise."""

    position: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m", "base position, world frame")
    orientation: Listed[Quaternion] = quantity(
        (1.0, 0.0, 0.0, 0.0), "1", "base orientation, body to world, quaternion with the scalar first"
    )
    twist: Listed[Twist] = quantity((0.0,) * 6, "m/s, rad/s", "base twist, body frame, linear then angular")
    joint_position: Listed[tuple[Angle, ...] | None] = quantity(
        None, "rad or m", "joint positions; the gait's if absent"
    )
    joint_velocity: Listed[tuple[Angle, ...] | None] = quantity(
        None, "rad/s or m/s", "joint velocities; the gait's if absent"
    )
    posture: Nested[Posture | None] = Field(
        None,
        description="how the robot is laid down: on a slope, in a pipe, around a pole (model non-smooth), or at rest "
        "under its loads (`equilibrium`, model soft); its pose is then found",
    )
    result: str | None = Field(
        None, description="folder or result.nc of an earlier run to continue from, in place of the state above"
    )

    @field_validator("orientation")
    @classmethod
    def _length_one(cls, value: Quaternion) -> Quaternion:
        length = math.hypot(*value)
        if abs(length - 1) > _ROUGHLY_UNIT:
            raise ValueError(
                f"must be a quaternion of length 1, scalar first (no rotation is [1, 0, 0, 0]), not of "
                f"length {length:.6g}"
            )
        if abs(length - 1) <= _UNIT:
            return value
        w, x, y, z = (part / length for part in value)
        return w, x, y, z

    @model_validator(mode="after")
    def _posture_finds_them(self) -> Initial:
        if self.posture is None:
            return self
        for field in FOUND_BY_POSTURE.get(self.posture.kind, ()):
            if getattr(self, field) != type(self).model_fields[field].default:
                raise ValueError(
                    f"{field}: the posture {self.posture.kind!r} finds it; leave it out, or leave `posture` out"
                )
        if self.posture.kind == "lay" and self.position[2] != 0.0:
            raise ValueError(
                f"position: the posture 'lay' finds the height at which the robot just touches; give 0 as "
                f"its third number, not {self.position[2]:g}"
            )
        for field in ("twist", "joint_velocity") if self.posture.settle else ():
            if any(getattr(self, field) or ()):
                raise ValueError(
                    f"{field}: a robot that settles ({self.posture.settle:g} s) is at rest when its run "
                    "begins; leave it out, or leave `settle` out of the posture"
                )
        return self

    @field_validator("result")
    @classmethod
    def _found(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Loading from a file finds the earlier run and keeps where it is, so that the
        scenario may be saved anywhere.
        """
        looking = value is not None and "folder" in (info.context or {})
        return str(located(value, folder_of(info))) if looking and value else value


class Scenario(Description):
    """A robot, a gait and an environment, the equations that join them, and for how long: all that one run needs."""

    name: str = Field("untitled", description="short name; names the folder of the run")
    title: str = Field("", description="one line that says what is shown")
    paper: str | None = Field(None, description="citation key of the paper it reproduces (see `limbless cite`)")
    robot: Nested[RobotEntry] = Field(description="what moves")
    gait: Nested[GaitEntry] = Field(description="what it is told")
    environment: Listed[tuple[EnvironmentEntry, ...]] = Field(
        (), description="what pushes back; an empty list is free space"
    )
    actuation: Nested[ActuationEntry] = Field(
        _USUAL_ACTUATION,
        description="how the gait acts on the joints; if absent `motion`, or the servo of a robot file on ground",
    )
    initial: Nested[Initial] = Field(Initial(), description="where it starts")
    model: Nested[ModelEntry] = Field(_USUAL_MODEL, description="the equations and their options")
    duration: Quantity[float] = quantity(10.0, "s", "simulated time", gt=0)
    step: Quantity[float] = quantity(0.01, "s", "integration step", gt=0)
    record_every: Quantity[float] = quantity(
        None, "s", "interval between records, a whole multiple of the step; every step if absent", gt=0
    )
    control_period: Quantity[float | None] = quantity(
        None, "s", "interval between calls of a controller; every step if absent", gt=0
    )
    controller: str | None = Field(
        None,
        description="written by a run that a Python controller drove, which no file holds: its name. Such a scenario "
        "runs with a controller alone (`ll.run(.., controller=..)`)",
    )
    task: Literal["path", "inverse", "grid"] | None = Field(
        None, description="statics: what to solve, in place of a duration and a step"
    )
    figures: Listed[tuple[str, ...]] = Field((), description="figures that a run draws")

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, value: str) -> str:
        if not re.fullmatch(r"\w[\w.-]*", value):
            raise ValueError("must be one word of letters, digits, '-', '_' and '.': it names the folder of the run")
        return value

    @field_validator("title")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if "\n" in value.strip():
            raise ValueError("must be one line")
        return value.strip()

    @field_validator("environment", mode="before")
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        return () if value is None else value

    @field_validator("actuation", mode="before")
    @classmethod
    def _servo_of_a_file(cls, value: Any, info: ValidationInfo) -> Any:
        """Where nothing is said, a robot from a file has its own servo among hard things: a motion that is imposed
        would need any torque there."""
        robot, items = info.data.get("robot"), info.data.get("environment") or ()
        on_ground = any(item.role in ("contact", "friction") for item in items)
        return robot.read.servo if value is _USUAL_ACTUATION and on_ground and isinstance(robot, FromFile) else value

    @field_validator("record_every", mode="before")
    @classmethod
    def _every_step(cls, value: Any, info: ValidationInfo) -> Any:
        return info.data.get("step", 1.0) if value is None else value

    @model_serializer(mode="wrap")
    def _without_what_does_not_apply(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A task has no time; a motion has no task."""
        unused = (*(("task",) if self.task is None else TIMES), *(("controller",) if self.controller is None else ()))
        data = {name: value for name, value in dump(self).items() if name not in unused}
        if self.task is not None:
            data["initial"] = {name: data["initial"][name] for name in ("position", "orientation")}
        return data

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        parts = {name: getattr(self, name) for name in type(self).model_fields}
        parts["times_given"] = [
            name for name in TIMES if name in self.model_fields_set and getattr(self, name) is not None
        ]
        refuse(disagreements({**parts, "environment": dict(enumerate(self.environment))}))
        return self

    def notes(self) -> tuple[str, ...]:
        """The notes of all its parts, in the order of the file."""
        parts = (self.robot, self.gait, *self.environment, self.actuation, self.model)
        together = {"robot": self.robot, "environment": self.environment}
        likely = plausibility.notes(self)
        return tuple(dict.fromkeys([*(note for part in parts for note in part.notes()), *remarks(together), *likely]))

    def refuse_incomplete(self, controlled: bool = False) -> None:
        """Refuse what cannot run as it stands: code that is only named, and a run that had a controller, unless one is
        given now (`controlled`).
        """
        refuse_named(self)
        if self.controller is not None and not controlled:
            raise InputError(
                f"controller: {self.name} was driven by the Python controller {self.controller}, which its file does "
                "not hold: without it this would be another motion. Run it from Python with `ll.run(.., "
                "controller=..)`, or take the field `controller` out to run its gait alone"
            )

    @classmethod
    def load(
        cls,
        source: str | Path | Mapping[str, Any] | Scenario,
        changes: Mapping[str, Any] | None = None,
        *,
        allow_code: bool = False,
    ) -> Scenario:
        """A scenario by its name or from a file, with some fields changed.

        Parameters
        ----------
        source : name of a built-in scenario, path of a `.yaml`, a mapping with the same content, or a scenario.
        changes : path -> value, such as `{"gait.amplitude": 0.08, "environment.water.current": [0.1, 0, 0]}`. Items of
            a list are named by their number or, if only one has it, by their kind. Every field can be reached, written
            in the file or not.
        allow_code : whether Python code that the scenario names is loaded, which runs it. Without it such a scenario
            can be looked at, not run. Functions that are given as objects need no permission.

        Raises
        ------
        InputError : with everything that is wrong, each with file, line and path.
        """
        from limbless.scenarios.loader import load

        return load(source, changes or {}, allow_code)

    @classmethod
    def from_yaml(cls, text: str, where: str = "scenario", *, allow_code: bool = False) -> Scenario:
        """A scenario from the text of a file, such as `to_yaml` gives; `allow_code` as for `load`."""
        from limbless.scenarios.loader import from_text

        return from_text(text, where, allow_code)

    def to_yaml(self) -> str:
        """The text of a complete file: every field, defaults included; loading it gives an equal scenario."""
        from limbless.scenarios.document import written

        return written(self.model_dump(mode="json"))

    def save(self, path: str | Path) -> Path:
        """Write `to_yaml()` to a file, which is never seen half written."""
        from limbless.core import write_text

        return write_text(path, self.to_yaml())
