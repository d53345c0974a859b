"""`Scenario`: everything a run needs, as data. A file or a name gives one; it writes itself
as a complete file again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from limbless.control.actuation import Motion
from limbless.control.controllers import AskedFunction
from limbless.control.controllers.base import ClosedLoop
from limbless.core import (
    Angle,
    Description,
    Field,
    InputError,
    Listed,
    Nested,
    Quantity,
    Quaternion,
    Refusal,
    Vector3,
    checked,
    folder_of,
    located,
    name_of,
    normalised,
    quantity,
    refuse,
    refuse_named,
)
from limbless.models.initial_pose import FOUND_BY_POSTURE, Posture
from limbless.robots.presets.from_file import FromFile
from limbless.scenarios import plausibility
from limbless.scenarios.compatibility import TIMES, disagreements, remarks
from limbless.scenarios.entries import (
    ActuationEntry,
    Controllers,
    EnvironmentEntry,
    GaitEntry,
    ModelEntry,
    RobotEntry,
)
from limbless.scenarios.one_animal import one_animal

Twist = tuple[float, float, float, Angle, Angle, Angle]

_USUAL_MODEL: Any = {"kind": "newton-euler"}
_USUAL_ACTUATION = Motion()
_UNIT = 1e-12
"""A quaternion this near to length 1 is left as it is, so that a saved one comes back unchanged."""
_ROUGHLY_UNIT = 0.01
"""A quaternion farther from length 1 is a mistake rather than a rounded one."""


class Initial(Description):
    """Where a run starts: by default at rest at the origin, with the joints at the gait's angles."""

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
        return normalised(value, length, _UNIT)

    @checked
    def _posture_finds_them(self) -> None:
        if self.posture is None:
            return
        for field in self.given(*FOUND_BY_POSTURE.get(self.posture.kind, ())):
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

    @field_validator("result")
    @classmethod
    def _found(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Loading from a file finds the earlier run and keeps where it is, so that the
        scenario may be saved anywhere.
        """
        looking = value is not None and "folder" in (info.context or {})
        return str(located(value, folder_of(info))) if looking and value else value


class Scenario(Description):
    """Everything that one run needs: robot, gait, environment, model and duration."""

    name: str = Field("untitled", description="short name; names the folder of the run")
    title: str = Field("", description="one line that says what is shown")
    paper: str | None = Field(None, description="citation key of the paper it reproduces (see `limbless cite`)")
    robot: Nested[RobotEntry] = Field(description="what moves")
    gait: Nested[GaitEntry] = Field(description="what it is told; nothing (`still`) if there is a controller")
    environment: Listed[tuple[EnvironmentEntry, ...]] = Field(
        (), description="what pushes back; an empty list is free space"
    )
    actuation: Nested[ActuationEntry] = Field(
        _USUAL_ACTUATION,
        description="how the gait acts on the joints; if absent `motion`, or the servo of a robot file on ground",
    )
    controller: Listed[Controllers] = Field(
        None,
        description="what closes the loop: a controller whose state is a part of the motion, or a list of them, of "
        "which later ones may sense earlier ones",
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
    driven_by: Nested[AskedFunction | None] = Field(
        None, description="a Python function that is asked in every `control_period`, with its arguments"
    )
    task: Literal["path", "inverse", "grid"] | None = Field(
        None, description="statics: what to solve, in place of a duration and a step"
    )
    figures: Listed[tuple[str, ...]] = Field((), description="figures that a run draws")
    _animal: dict[str, Any] = PrivateAttr(default_factory=dict)
    """Robot, gait and start as they were given, where the model sees the robot as another kind."""
    _told: tuple[str, ...] = PrivateAttr(())

    @model_validator(mode="before")
    @classmethod
    def _told_by_its_controller(cls, data: Any) -> Any:
        """A robot with a controller needs no gait."""
        if not isinstance(data, Mapping) or data.get("controller") is None or data.get("gait") is not None:
            return data
        how = data.get("actuation")
        kind = (
            how if isinstance(how, str) else how.get("kind") if isinstance(how, Mapping) else getattr(how, "kind", "")
        )
        given = data["controller"]
        loops = given if isinstance(given, list | tuple) else [given]
        outputs = [loop.get("output") if isinstance(loop, Mapping) else getattr(loop, "output", "") for loop in loops]
        special = {"tendon": "tension", "effort": "effort"}
        usual = "torque" if kind in ("torque", "muscles") else "joint"
        drives = next((special[output] for output in outputs if output in special), usual)
        return {**data, "gait": {"kind": "still", "drives": drives}}

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

    @field_validator("controller")
    @classmethod
    def _some_controllers(cls, value: Any) -> Any:
        """A list of none is none; of one, that one."""
        return value if not isinstance(value, tuple) or len(value) > 1 else value[0] if value else None

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
        absent = tuple(name for name in ("controller", "driven_by") if getattr(self, name) is None)
        unused = (*(("task",) if self.task is None else TIMES), *absent)
        whole = dump(self.model_copy(update=self._animal)) if self._animal else dump(self)
        data = {name: value for name, value in whole.items() if name not in unused}
        if self.task is not None:
            data["initial"] = {name: data["initial"][name] for name in ("position", "orientation")}
        return data

    @model_validator(mode="after")
    def _as_its_model_sees_it(self, info: ValidationInfo) -> Self:
        try:
            seen = one_animal(self.model, self.robot, self.gait, self.initial, self.environment)
        except InputError as error:
            if (info.context or {}).get("saved"):  # the file of its robot may be gone since
                return self
            field, _, told = str(error).partition(": ")
            known = field.split(".")[0] in type(self).model_fields
            refuse([Refusal(tuple(field.split(".")), told) if known else Refusal(("robot",), str(error))])
        else:
            if seen is not None:
                self._animal = {name: getattr(self, name) for name in seen[0]}
                self._told = seen[1]
                self.__dict__.update(seen[0])
        return self

    def changed(self, **fields: Any) -> Self:
        """A copy with some fields replaced, validated again; a robot that is seen as another kind is seen anew."""
        return super().changed(**{**self._animal, **fields})

    @checked
    def _parts_agree(self) -> None:
        parts = {name: getattr(self, name) for name in type(self).model_fields}
        parts["times_given"] = [
            name for name in TIMES if name in self.model_fields_set and getattr(self, name) is not None
        ]
        refuse(disagreements({**parts, "environment": dict(enumerate(self.environment))}))

    def notes(self) -> tuple[str, ...]:
        """The notes of all its parts, in the order of the file."""
        parts = (self.robot, self.gait, *self.environment, self.actuation, *self.loops, self.model)
        together = {"robot": self.robot, "environment": self.environment}
        told = [*self._told, *(note for part in parts for note in part.notes()), *remarks(together)]
        told += plausibility.notes(self)
        return tuple(dict.fromkeys(told))

    def assemble(self) -> Any:
        """The model of its parts."""
        model: Any = self.model.assemble(self.robot.build(), self.environment, self.actuation)
        if self.loops:
            model.close_loop(self.loops, self.step, self.gait)
        return model

    @property
    def loops(self) -> tuple[ClosedLoop, ...]:
        """Its controllers with state."""
        return (
            self.controller
            if isinstance(self.controller, tuple)
            else ()
            if self.controller is None
            else (self.controller,)
        )

    def switches(self, begin: float, end: float, gait: Any = None) -> list[float]:
        """Times in (begin, end) at which a part of it is not smooth, with this gait in place of its own."""
        return [t for part in self.parts(gait) for t in part.breakpoints(begin, end)]

    def parts(self, gait: Any = None) -> list[Any]:
        """What may change in time: its gait (or this one), environments, actuation and controllers."""
        return [self.gait if gait is None else gait, *self.environment, self.actuation, *self.loops]

    def refuse_incomplete(self, asked: bool = True) -> None:
        """Refuse what cannot run as it stands: code that is only named, and, not `asked`, a function in `driven_by`."""
        refuse_named(self)
        if self.driven_by is not None and not asked:
            raise InputError(
                f"driven_by: {name_of(self.driven_by.function)} is asked in Python at every period, and this follows "
                "compiled motions alone; use `ll.run`, `ll.sweep` or `ll.optimise`, or leave `driven_by` out"
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

    def _repr_html_(self) -> str:
        """A table of its parts, and the whole file to open, for notebooks."""
        file = f"<details><summary>scenario.yaml</summary><pre>{escape(self.to_yaml())}</pre></details>"
        return super()._repr_html_() + file

    def save(self, path: str | Path) -> Path:
        """Write `to_yaml()` to a file, which is never seen half written."""
        from limbless.core import write_text

        return write_text(path, self.to_yaml())
