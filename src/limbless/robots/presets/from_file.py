"""`file`: a robot that somebody described elsewhere, in URDF, SDF, MJCF or xacro."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationInfo, field_validator, model_validator

from limbless.core import Field, Listed, Quantity, folder_of, located, quantity
from limbless.robots import Base, Chain, Preset

if TYPE_CHECKING:
    from limbless.interop.robots.robot_file import RobotFile


def _of_a_saved_run(info: ValidationInfo) -> bool:
    """Whether a run that was made is being loaded: its file may be gone."""
    return bool((info.context or {}).get("saved"))


class FromFile(Preset):
    """A robot from a URDF, SDF, MJCF or xacro file: its trunk as a chain, with notes on what was read, changed and
    lost.

    The trunk is the heaviest path through the tree; what hangs on its sides is refused, welded at zero or dropped.
    Link 0 is the end nearer the file's root. Base axes: x along the body from first to last joint, z up.
    """

    by_its_fields = False  # the file may have changed
    kind: Literal["chain"] = "chain"
    preset: Literal["file"] = "file"
    file: str = Field(description="path of the description, .urdf, .sdf, .xml (MJCF) or .xacro")
    branches: Literal["refuse", "weld", "drop"] = Field(
        "refuse", description="what becomes of side branches: refused, welded rigidly at zero, or dropped"
    )
    trunk: Listed[tuple[str, str] | None] = Field(
        None, description="names of the first and the last link of the trunk; found by mass if absent"
    )
    freeze: Listed[tuple[str, ...]] = Field((), description="names of joints that are held at zero")
    reverse: bool = Field(False, description="whether link 0 is the end farther from the file's root")
    head: Literal["base", "tip"] | None = Field(
        None, description="which end is the head; the base if absent, with a note"
    )
    base: Base | None = Field(
        None, description="how link 0 can move: free, planar or fixed; as the file has it if absent"
    )
    density: Quantity[float | None] = quantity(
        None, "kg/m3", "density of links without mass, made from their shapes", gt=0
    )
    base_armature: Literal["fold", "drop"] = Field(
        "fold", description="rotor inertia of the base joints (MJCF): folded into link 0, or left out"
    )

    @field_validator("file")
    @classmethod
    def _found(cls, value: str, info: ValidationInfo) -> str:
        return value if _of_a_saved_run(info) else str(located(value, folder_of(info)))

    @model_validator(mode="after")
    def _readable(self, info: ValidationInfo) -> FromFile:
        """A scenario says at once what is wrong with the file that it names."""
        if info.context is not None and not _of_a_saved_run(info):
            self.build()
        return self

    @cached_property
    def read(self) -> RobotFile:
        """The file as it was read: chain, notes, actuation and environment that it asks for."""
        from limbless.interop.robots.robot_file import RobotFile

        return RobotFile(self)

    def notes(self) -> tuple[str, ...]:
        return (*super().notes(), *(f"robot: {note}" for note in self.read.notes), *self.build().notes())

    def build(self) -> Chain:
        """The chain."""
        return self.read.chain()
