"""Robots of one world, eight side by side through one control period."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.core import Array
from limbless.interop.learning.controlled_run import ControlledRun
from limbless.mechanics.chain import AccelerationFeedback, ChainBatch, advance_batch
from limbless.mechanics.compiled import LANES, aligned_zeros, pack, stack_lanes


class RobotLanes:
    """Memory of eight robots whose torques are actions."""

    def __init__(self, world: ControlledRun, count: int) -> None:
        self.world, self.problem = world, stack_lanes([world.problem])
        self._knots, self._record = aligned_zeros((world.steps + 1, LANES)), np.zeros(world.steps + 1, dtype=bool)
        self._x = aligned_zeros((world.model._size, LANES))  # type: ignore[attr-defined]
        self._stuck, self._packed = np.zeros(count, dtype=bool), pack(self.problem)
        self._knows_time = any(item.moving for item in world.scenario.environment)

    @classmethod
    def of(cls, world: ControlledRun, count: int) -> RobotLanes | None:
        """None where robots do not go side by side: other models and actions, laws of a user, feedback that answers to
        accelerations.
        """
        asks = any(item.slot is not None for item in world.model.asked)
        if not world.lean or world.actions != "torque" or asks:
            return None
        actuation = getattr(world.model, "_options").actuation  # noqa: B009
        return None if isinstance(actuation, AccelerationFeedback) else cls(world, count)

    def can_go(self, times: Array) -> bool:
        """Where the medium moves, eight share their time."""
        return not self._knows_time or bool((times == times[0]).all())

    def go(self, values: Array, times: Array, actions: Array) -> Any:
        """Move all robots by one control period, in place; returns which of them did not move, because one of their
        eight has a joint that is locked.
        """
        step, torque = self.world.step, self.problem.drive.torque
        crew = ChainBatch(values, np.rint(times / step).astype(np.int64), actions * self.world.scale, self._stuck)
        advance_batch(self._packed, self._knots, self._record, self._x, torque, crew, step)
        return self._stuck
