"""The lean door to the dynamics of one instant: arrays to fill, one call, arrays to read."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import evaluation as kernels
from limbless.mechanics.chain.tables import Base, Body, Link, Robot
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.models.force_elements import water_of

Array = NDArray[np.float64]


class Evaluation:
    """Dynamics of one chain with fixed roles of its joints, without checks: a few microseconds per call.

    Fill `position`, `velocity` and, where motion-given, `acceleration`, where torque-given, `torque`; call; read the
    rest.

    Attributes
    ----------
    position : base position (3), base quaternion (4, scalar first), joint positions (a spherical joint: quaternion).
    velocity : base twist in the base frame (6), joint velocities.
    acceleration : rate of the components of the base twist (6), joint accelerations. The classical acceleration has ω x
        v more.
    torque : what acts along the joint axes: actuators and passive torques together.
    power : (1,) of the environment.
    pushed, held : wrench of the environment on the whole robot (6), wrench that holds the base (6); about the base,
        world axes.
    bodies : `Body`, the motion of every body.
    wrench : (bodies, 6) of the environment on each body, about its origin, world axes.
    """

    def __init__(self, robot: Robot, base: int, forces: tuple[Any, ...]) -> None:
        bodies, n = len(robot.links.codes), len(robot.freedoms)
        split = int(Link.of(robot.links).velocity[0])
        self.robot, self._base, self._forces = robot, base, forces
        where = self._where = kernels.parts(bodies, n, split + 6 + n, water_of(forces))
        flat = self._flat = aligned_zeros(where.end)
        self.position, self.velocity = flat[:split], flat[split:][:6 + n]
        now = Base.of(flat[where.base:][:Base.width].reshape(1, Base.width))
        self.power, self.pushed, self.held = now.power, now.pushed[0], now.held[0]
        # the last of `Base`, and those of the joints
        self.acceleration = flat[where.base + Base.width - 6:][:6 + n]
        self.torque, self.passive = flat[where.torque:][:n], flat[where.passive:][:n]
        self.bodies = flat[where.bodies:][:Body.columns * bodies].reshape(bodies, Body.columns)
        self.wrench = Body.of(self.bodies).wrench
        self.axes = flat[where.axes:][:kernels.WIDTHS.axis * n].reshape(n, kernels.WIDTHS.axis)
        self.position[3] = 1.0

    @property
    def arguments(self) -> tuple:
        """What `mechanics.chain.evaluation.evaluate` takes: for compiled loops of your own, on a robot in free space.
        """
        return (self.robot.kinds, *self.robot.links, self.robot.freedoms, self._base, self._where, self._flat)

    def locked(self) -> int:
        """Row of a torque-given joint that had no inertia to move, or 0."""
        return int(kernels.locked(*self.arguments))

    def __call__(self, time: float = 0.0) -> None:
        """Solve; `time` (s) matters to environments that are switched on and off."""
        if self._forces:
            kernels.evaluate_among(*self.arguments[:-1], self._forces, time, self._flat)
        else:
            kernels.evaluate(*self.arguments)
