"""The dynamics of one instant, called from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.chain import forward_kinematics, hybrid_dynamics, singular_joint
from limbless.mechanics.compiled import Array, Scalar, kernel, unpack
from limbless.mechanics.forces import push_all

if TYPE_CHECKING:
    from limbless.mechanics.chain.tables import ChainMemory, ChainTables


class ChainInstant(NamedTuple):
    """A chain in one state. It is packed once, for an array that is handed over by itself costs a call a tenth of a
    microsecond."""

    robot: ChainTables
    base: int  # how the base is held: see `BASES`
    forces: tuple  # of elements
    x: Array  # position and velocity
    memory: ChainMemory


@kernel
def evaluate(instant: ChainInstant, time: Scalar) -> None:
    """Accelerations and torques at `time` (s), which matters to forces that are switched on and off."""
    robot, base, forces, x, memory = unpack(instant)
    forward_kinematics(robot, x, memory)
    push_all(forces, time, time, robot, memory)
    hybrid_dynamics(robot, base, memory)


@kernel
def locked(instant: ChainInstant) -> int:
    """Row of a torque-given joint that had no inertia to move, or 0."""
    now = unpack(instant)
    return singular_joint(now.robot, now.memory)
