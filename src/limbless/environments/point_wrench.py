"""`point-wrench`: a given force and torque at a point of one body."""
from __future__ import annotations

from typing import Literal

from pydantic import Field

from limbless.description import Vector3, quantity
from limbless.environments.base import Environment, Pack
from limbless.environments.packing import in_windows, law_row
from limbless.errors import InputError
from limbless.mechanics import laws
from limbless.robots.base import Robot


class PointWrench(Environment):
    """A constant force and torque on one body, their directions kept in the world or in the body.

    The frame of a body has its origin at the joint that carries it and is parallel to the base's at zero joint positions.
    """

    kind: Literal["point-wrench"] = "point-wrench"
    body: int = Field(-1, description="number of the body that carries it; -1 is the last one")
    point: Vector3 = quantity((0.0, 0.0, 0.0), "m", "where it acts, in the frame of the body")
    force: Vector3 = quantity((0.0, 0.0, 0.0), "N", "force")
    torque: Vector3 = quantity((0.0, 0.0, 0.0), "N m", "torque")
    frame: Literal["world", "body"] = Field("world", description="axes in which force and torque are constant")

    def pack(self, robot: Robot) -> Pack:
        carriers = [k for k, mass in enumerate(robot.bodies().mass) if mass > 0.0]
        if not -len(carriers) <= self.body < len(carriers):
            raise InputError(f"point-wrench: body {self.body} does not exist; the robot has bodies 0 to {len(carriers) - 1}")
        row = law_row(int(laws.POINT), carriers[self.body], [*self.force, *self.torque, float(self.frame == "world")])
        row[laws.START:laws.START + 3] = self.point
        return Pack(in_windows(self, [row]))
