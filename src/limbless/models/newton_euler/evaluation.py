"""The lean door to the dynamics of one instant: arrays to fill, one call, arrays to read."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import rows as kernels
from limbless.mechanics.chain.evaluation import evaluate, evaluate_among
from limbless.mechanics.chain.row_motion import PUSH
from limbless.mechanics.forces.rows import Laws

Array = NDArray[np.float64]


class Evaluation:
    """Dynamics of one chain with fixed roles of its joints, without checks: a few microseconds per call.

    Fill `position`, `velocity` and, where motion-given, `acceleration`, where torque-given, `torque`; call; read the rest.

    Attributes
    ----------
    position : base position (3), base quaternion (4, scalar first), joint positions (a spherical joint: quaternion).
    velocity : base twist in the base frame (6), joint velocities.
    acceleration : rate of the components of the base twist (6), joint accelerations. The classical acceleration has ω x v more.
    torque : what acts along the joint axes: actuators and passive torques together.
    push : power of the environment, its wrench on the whole robot (6), wrench that holds the base (6); about the base, world axes.
    wrench : (bodies, 6) of the environment on each body, about its origin, world axes.
    """

    def __init__(self, table: kernels.ChainTable, base: int, laws: Laws) -> None:
        bodies, n = len(table.layout), len(table.joints)
        positions = 7 + int(table.layout[0, kernels.LAYOUT_POSITIONS])
        sizes = (positions, 6 + n, 6 + n, n, PUSH, 6 * bodies, kernels.WORK_COLUMNS * bodies)
        self.table, self._base, self._laws = table, base, laws
        self._memory = np.zeros(sum(sizes))
        parts = np.split(self._memory, np.cumsum(sizes)[:-1])
        self.position, self.velocity, self.acceleration, self.torque, self.push, wrench, work = parts
        self.wrench, self.work = wrench.reshape(bodies, 6), work.reshape(bodies, kernels.WORK_COLUMNS)
        self.position[3] = 1.0

    @property
    def arguments(self) -> tuple:
        """What `mechanics.chain.evaluation.evaluate` takes: for compiled loops of your own, on a robot in free space."""
        return (*self.table, self._base, self._memory)

    def __call__(self, time: float = 0.0) -> None:
        """Solve; `time` (s) matters to environments that are switched on and off."""
        if len(self._laws.rows):
            evaluate_among(*self.table, self._base, self._laws, time, self._memory)
        else:
            evaluate(*self.arguments)
