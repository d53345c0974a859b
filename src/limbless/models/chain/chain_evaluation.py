"""The lean door to the dynamics of one instant: arrays to fill, one call, arrays to read.

What the dynamics of one instant give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from limbless.core import Array
from limbless.mechanics.chain import (
    ActuatorLimit,
    Axis,
    Base,
    Body,
    ChainMemory,
    ChainTables,
    HeldBody,
    LinkRow,
    one_instant as kernels,
)
from limbless.mechanics.compiled import aligned_zeros, pack
from limbless.models.force_elements import water_of


class ChainEvaluator:
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
    instant : what `mechanics.chain.evaluation.evaluate` takes, for compiled loops of your own.
    """

    def __init__(self, robot: ChainTables, base: int, forces: tuple[Any, ...], clamp: HeldBody | None = None) -> None:
        bodies, n = len(robot.links.codes), len(robot.freedoms)
        split, nothing = int(LinkRow.of(robot.links).velocity[0]), np.zeros(0)
        x, held = aligned_zeros(split + 6 + n), aligned_zeros(Base.width + n)
        self.position, self.velocity = x[:split], x[split:]
        # the accelerations of the joints stand behind that of the base, the last of `Base`
        self.acceleration = held[Base.width - 6 :]
        self.torque, self.passive = aligned_zeros(n), aligned_zeros(n)
        row = held[: Base.width].reshape(1, Base.width)
        now = Base.of(row)
        self.power, self.pushed, self.held = now.power, now.pushed[0], now.held[0]
        self.robot, self.bodies, self.axes = robot, Body.zeros(bodies), Axis.zeros(n)
        self.wrench = Body.of(self.bodies).wrench
        self.position[3] = 1.0
        memory = ChainMemory(
            self.bodies,
            self.axes,
            row,
            held[Base.width :],
            self.torque,
            self.passive,
            ActuatorLimit.zeros(n),
            wishes=nothing,
            powers=nothing,
            law_powers=nothing,
            tally=nothing,
            state=nothing,
            slope=nothing,
            total=nothing,
            cells=None,
            muscles=np.zeros((0, 4)),
            touch=np.zeros((0, 3)),
            water=water_of(forces),
            clamp=clamp,
        )  # an instant has no steps
        self.instant = pack(kernels.ChainInstant(robot, base, forces, x, memory))

    def locked(self) -> int:
        """Row of a torque-given joint that had no inertia to move, or 0."""
        return int(kernels.locked(self.instant))

    def __call__(self, time: float = 0.0) -> None:
        """Solve; `time` (s) matters to environments that are switched on and off."""
        kernels.evaluate(self.instant, float(time))


@dataclass(frozen=True)
class ChainSolution:
    """Accelerations and efforts of one instant.

    Attributes
    ----------
    base_acceleration : (6,) classical acceleration of the base origin and angular acceleration, base axes (m/s2,
        rad/s2).
    joint_acceleration : (freedoms,) rad/s2 or m/s2; a spherical joint has three, along axes fixed to the child that are
        parallel to the base's when all joints are at zero.
    joint_torque : (freedoms,) what the actuators give, N m or N; positive when it drives (power = torque times
        velocity).
    base_reaction : (6,) wrench that holds a planar or fixed base, about its origin, base axes (N, N m); zero for a free
        one.
    """

    base_acceleration: Array
    joint_acceleration: Array
    joint_torque: Array
    base_reaction: Array
