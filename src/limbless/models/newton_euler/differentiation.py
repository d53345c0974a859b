"""Derivatives of a chain's motion with respect to the parameters of its gait, exact to rounding (forward mode)."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from limbless.actuation import shape as actuation
from limbless.errors import InputError, nearest
from limbless.gaits.base import Gait
from limbless.mechanics.chain.tables import Drive
from limbless.mechanics.chain.tangents import bend_dual_joints
from limbless.mechanics.compiled.scalars import TANGENTS, WORDS, aligned_zeros, dual_array, tangents, values
from limbless.mechanics.compiled.widening import as_duals
from limbless.mechanics.integrate import runge_kutta
from limbless.mechanics.integrate.tally import Uncounted
from limbless.models.base import State
from limbless.models.newton_euler.tables import afloat

if TYPE_CHECKING:
    from limbless.models.newton_euler.model import NewtonEuler

Array = NDArray[np.float64]


class Tangents:
    """A run of `NewtonEuler` that carries derivatives along up to eight fields of its gait."""

    def __init__(self, model: NewtonEuler, gait: Gait, fields: list[str], start: State) -> None:
        self.model, self.gait = model, gait
        self._check(fields)
        seeds = np.zeros((len(gait.parameter_fields), TANGENTS))
        for direction, field in enumerate(fields):
            seeds[gait.parameter_fields.index(field), direction] = 1.0
        self.parameters = dual_array(gait.parameters(), seeds)
        self.x = dual_array(start.x)

    def _check(self, fields: list[str]) -> None:
        if self.gait.compiled_duals is None or self.gait.drives != "shape":
            raise InputError(f"gait {self.gait.kind!r} has no compiled form to differentiate; take differences of "
                             "runs instead")
        unknown = [field for field in fields if field not in self.gait.parameter_fields]
        if unknown:
            raise InputError(f"gait field {unknown[0]!r} cannot be differentiated; "
                             f"{nearest(unknown[0], self.gait.parameter_fields)}")
        if self.model._split != 7 + self.model.chain.freedoms:
            raise InputError("sensitivities of a chain with spherical joints are not available; describe them as "
                             "three revolute joints")
        if any(getattr(item, "slot", None) is not None for item in self.model.environment):
            raise InputError("a user's force law gives no derivatives; take differences of runs instead")

    def advance(self, knots: Array, times: Array, record: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Step on; the flat state at the recorded knots (R, x) and its derivatives (R, x, 8)."""
        still = Drive(*(np.zeros((1, self.model.chain.freedoms)) for _ in Drive._fields))
        problem = afloat(as_duals(self.model.problem(still, int(record.sum()), Uncounted(),
                                                     Uncounted()))._replace(drive=self._drive(times)))
        runge_kutta.advance_duals(problem, knots, record, self.x)
        return values(problem.records.x), tangents(problem.records.x)

    def _drive(self, times: Array) -> Drive:
        """The gait with its derivatives, as joint motion."""
        chain = self.model.chain
        stations, mapping = actuation.stations(chain), actuation.shape_map(chain)
        shape = [aligned_zeros((len(times), len(stations), 2, WORDS)) for _ in range(3)]
        type(self.gait).compiled_duals(self.parameters, times, stations, *shape)         # type: ignore[misc]
        joints = [aligned_zeros((len(times), chain.freedoms, WORDS)) for _ in range(3)]
        for source, target in zip(shape, joints, strict=True):
            bend_dual_joints(source, *mapping, target)
        position, velocity, acceleration = joints
        return Drive(position, velocity, acceleration, aligned_zeros((1, chain.freedoms, WORDS)))
