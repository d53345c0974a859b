"""The dynamics of one instant, called from Python."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.chain.dynamics import hybrid_dynamics, singular_joint
from limbless.mechanics.chain.kinematics import forward_kinematics
from limbless.mechanics.compiled.flat_array import unpack
from limbless.mechanics.compiled.kernel import kernel
from limbless.mechanics.forces.force_element import push_all


class ChainInstant(NamedTuple):
    """A chain in one state. It is packed once, for an array that is handed over by itself costs a call a tenth of a
    microsecond."""

    robot: Any  # Robot
    base: int  # how the base is held: see `BASES`
    forces: tuple  # of elements
    x: Any  # position and velocity
    memory: Any  # Memory


@kernel
def evaluate(instant, time):
    """Accelerations and torques at `time` (s), which matters to forces that are switched on and off."""
    robot, base, forces, x, memory = unpack(instant)
    forward_kinematics(robot, x, memory)
    push_all(forces, time, time, robot, memory)
    hybrid_dynamics(robot, base, memory)


@kernel
def locked(instant):
    """Row of a torque-given joint that had no inertia to move, or 0."""
    now = unpack(instant)
    return singular_joint(now.robot, now.memory)
