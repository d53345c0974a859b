"""`point-wrench`: a given force and torque at a point of one body."""
from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from limbless.description import Vector3, quantity
from limbless.environments.base import Array, Environment, Pack
from limbless.environments.packing import in_windows, law_row
from limbless.errors import InputError
from limbless.mechanics import laws
from limbless.robots.base import Robot


class PointWrench(Environment):
    """A constant force and torque on one body, their directions kept in the world or in the body.

    The frame of a body has its origin at the joint that carries it and is parallel to the base's at zero joint positions.
    """

    kind: Literal["point-wrench"] = "point-wrench"
    also: ClassVar[tuple[str, ...]] = ("load",)
    body: int = Field(-1, description="number of the body that carries it; -1 is the last one")
    abscissa: float | None = quantity(None, "m", "where along a rod it acts, in place of `body`; an end of the rod is 0 or its length",
                                      ge=0)
    point: Vector3 = quantity((0.0, 0.0, 0.0), "m", "where it acts, in the frame of the body")
    force: Vector3 = quantity((0.0, 0.0, 0.0), "N", "force")
    torque: Vector3 = quantity((0.0, 0.0, 0.0), "N m", "torque")
    frame: Literal["world", "body"] = Field("world", description="axes in which force and torque are constant")

    def pack(self, robot: Robot) -> Pack:
        if self.abscissa is not None:
            if not hasattr(robot, "node_at"):
                raise InputError("point-wrench: `abscissa` is a place along a rod; name the `body` of a chain by its number")
            return Pack(in_windows(self, [self._row(robot.node_at(self.abscissa))]))
        carriers = [k for k, mass in enumerate(robot.bodies().mass) if mass > 0.0]
        if not -len(carriers) <= self.body < len(carriers):
            raise InputError(f"point-wrench: body {self.body} does not exist; the robot has bodies 0 to {len(carriers) - 1}")
        return Pack(in_windows(self, [self._row(carriers[self.body])]))

    def _row(self, carrier: int) -> Array:
        row = law_row(int(laws.POINT), carrier, [*self.force, *self.torque, float(self.frame == "world")])
        row[laws.START:laws.START + 3] = self.point
        return row
