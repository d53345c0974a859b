"""`clamp`: one module held fast in the world, so that the robot becomes a manipulator (paper 003, (25)-(26))."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Literal

from limbless.core import Field, InputError, checked
from limbless.environments.base import Environment
from limbless.robots.base import Robot


class Clamp(Environment):
    """Holds a module in the pose it has when the clamp closes.

    With `active: [[from, until]]` the robot crawls, is clamped and may be released again. If the module moves when the
    clamp closes, an impulse stops it; the run reports the impulse and the lost energy. A planar robot is held in its
    plane.
    """

    kind: Literal["clamp"] = "clamp"
    role: ClassVar[str] = "clamp"
    module: int = Field(
        0, description="number of the module: 0 is the base (the tail of `wang-snake`), -1 the last one (its head)"
    )

    @checked
    def _windows_apart(self) -> None:
        ordered = sorted(self.active or ())
        for (_, end), (start, _) in pairwise(ordered):
            if start < end:
                raise ValueError(f"active: windows overlap at {start:g} s; the clamp is closed already")

    def row(self, robot: Robot) -> int:
        """The row of the body that carries the clamped module."""
        pieces = robot.segments()
        if not -len(pieces) <= self.module < len(pieces):
            raise InputError(
                f"clamp.module: module {self.module} lies beyond the body; the robot has modules 0 to "
                f"{len(pieces) - 1} (or {-len(pieces)} to -1 counted from the tip)"
            )
        return pieces[self.module].body
