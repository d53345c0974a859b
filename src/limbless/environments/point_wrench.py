"""`point-wrench`: a given force and torque at a point of one body."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from limbless.core import Field, Function, InputError, Listed, Nested, Quantity, Vector3, checked, quantity
from limbless.environments.base import Array, Environment, Pack
from limbless.environments.law_packing import body_rows, in_windows, put_force
from limbless.mechanics.compiled import PythonCallback
from limbless.mechanics.forces import Buffer, PackedLaws, PointLaw, TimedPointLaw
from limbless.robots.base import Robot

if TYPE_CHECKING:
    from limbless.robots.rod import Rod


class PointWrench(Environment):
    """A force and torque on one body, constant or a function of time.

    Their directions are fixed in the world or in the body (`frame`). The frame of a body has its origin at the joint
    that carries it, and is parallel to the base's frame at zero joint positions. `law(t)` takes the time (s) and
    returns the force (3 numbers, N), or (force, torque (3, N m)), in the axes of `frame`. The end wrench F_plus(t) of a
    rod is a law at its last arc length. If the law jumps, split it in two with `active`, so that a step ends there.
    """

    kind: Literal["point-wrench"] = "point-wrench"
    also: ClassVar[tuple[str, ...]] = ("load",)
    body: int = Field(-1, description="number of the body that carries it; -1 is the last one")
    abscissa: Quantity[float | None] = quantity(
        None, "m", "where along a rod it acts, in place of `body`; an end of the rod is 0 or its length", ge=0
    )
    point: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m", "where it acts, in the frame of the body")
    force: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "N", "force")
    torque: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "N m", "torque")
    frame: Literal["world", "body"] = Field("world", description="axes in which force and torque are given")
    law: Nested[Function | None] = Field(
        None,
        description="force and torque as a function of time, in place of `force` and `torque`: the function, or "
        "`package.module:name`, or `file.py:name`",
    )

    @checked
    def _one_law(self) -> None:
        if self.law is not None and (any(self.force) or any(self.torque)):
            raise ValueError("law: it takes the place of `force` and `torque`; give one of them")

    @cached_property
    def slot(self) -> Any:
        """The address behind which compiled code finds the law, and an exception that it raised; None without a law."""
        return None if self.law is None else PythonCallback(self._call, Buffer.width)

    def _call(self, buffer: Array) -> None:
        law, given = self.law, Buffer.of(buffer)
        answer = law(float(given.time)) if law is not None else np.zeros(3)
        put_force(given, answer, f"point-wrench: law {getattr(law, '__name__', '?')}", "torque")

    def varies(self, level: bool) -> str | None:
        return "it pushes with a direction of its own"

    def pack(self, robot: Robot) -> Pack:
        if self.abscissa is not None:
            if self.body != -1:
                raise InputError(
                    f"point-wrench.body: `abscissa` says where it acts; leave body out, or abscissa (body "
                    f"is {self.body})"
                )
            if not hasattr(robot, "node_at"):
                raise InputError(
                    "point-wrench: `abscissa` is a place along a rod; name the `body` of a chain by its number"
                )
            return Pack(in_windows(self, self._row(robot.node_at(self.abscissa))))
        heavy = np.flatnonzero(robot.bodies().mass > 0.0).tolist()
        carriers = robot.carriers() if hasattr(robot, "carriers") else heavy
        if not -len(carriers) <= self.body < len(carriers):
            raise InputError(
                f"point-wrench: body {self.body} does not exist; the robot has bodies 0 to {len(carriers) - 1}"
            )
        return Pack(in_windows(self, self._row(carriers[self.body])))

    def _row(self, carrier: int) -> PackedLaws:
        in_world = self.frame == "world"
        if self.slot is not None:
            return body_rows(
                TimedPointLaw(Buffer.zeros(1)),
                [carrier],
                start=self.point,
                in_world=in_world,
                address=self.slot.address,
            )
        return body_rows(
            PointLaw(), [carrier], start=self.point, force=self.force, torque=self.torque, in_world=in_world
        )


def breaks_of(rod: Rod, environment: Sequence[Environment], more: tuple[float, ...]) -> tuple[float, ...]:
    """Where panels must end: at point wrenches, at rows of a section law, between pieces, where the user says so."""
    length = rod.length
    points = [item.abscissa for item in environment if isinstance(item, PointWrench) and item.abscissa is not None]
    # one beyond the body is refused by its own name, in `Slices.node_at`
    found = [*more, *(x for x in points if 0.0 < x < length), *rod.kinks]
    return tuple(sorted(set(found)))
