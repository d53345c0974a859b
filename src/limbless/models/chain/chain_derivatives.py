"""Derivatives of a chain's motion along fields of its gait (exact to rounding, forward mode) and along
whatever changes its tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation import shape_map as actuation
from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.mechanics.chain import ChainDrive, bend_joints
from limbless.mechanics.compiled import (
    TANGENTS,
    WORDS,
    aligned_zeros,
    as_duals,
    dual_array,
    pack,
    seed_tangent,
    tangents,
    to_duals,
    values,
)
from limbless.mechanics.integrate import UNLIMITED, new_objective_totals, runge_kutta
from limbless.models import State, refuse_lost
from limbless.models.chain.smooth_problem import afloat

if TYPE_CHECKING:
    from limbless.models.chain.newton_euler_model import NewtonEuler


class PackedChange(NamedTuple):
    """How what is packed changes along one field."""

    # slopes of the tables of a problem, but for its drive, memory and records; None: along the start alone
    problem: Any
    start: Array  # slope of the state at the start
    drive: Callable[[Array], Any]  # slopes of the drive at stages of steps between these knots,
    knots: Callable[[Array], Array]  # and of the knots: those at a kink of the drive go with it


def along_start(start: Array) -> PackedChange:
    """Another start, and else nothing."""
    return PackedChange(None, start, lambda knots: None, np.zeros_like)


class ChainDerivatives:
    """A run of `NewtonEuler` that carries derivatives along up to eight directions.

    Parameters
    ----------
    fields : fields of a gait with a compiled form, which is differentiated itself: the first directions.
    changes : the directions after them.
    """

    def __init__(
        self, model: NewtonEuler, gait: Gait, fields: list[str], start: State, changes: Sequence[PackedChange] = ()
    ) -> None:
        self.model, self.gait, self.first, self.changes = model, gait, len(fields), changes
        self._check()
        self.compiled = bool(fields)
        seeds = np.zeros((len(gait.parameter_fields), TANGENTS))
        for direction, field in enumerate(fields):
            seeds[gait.parameter_fields.index(field), direction] = 1.0
        self.parameters = dual_array(gait.parameters(), seeds) if fields else None
        self.x = dual_array(start.x)
        for direction, change in self._directions():
            tangents(self.x)[:, direction] = change.start
        limit = model.chain.arrays().torque_limit
        limit = np.where(np.isfinite(limit), limit, UNLIMITED)
        self.score = to_duals(new_objective_totals(limit))

    def _directions(self) -> Iterator[tuple[int, PackedChange]]:
        return ((self.first + number, change) for number, change in enumerate(self.changes))

    def _check(self) -> None:
        if self.model._split != 7 + self.model.chain.freedoms:
            raise InputError(
                "sensitivities of a chain with spherical joints are not available; describe them as "
                "three revolute joints"
            )
        if any(item.slot is not None for item in self.model.asked):
            raise InputError("a user's force law gives no derivatives; take differences of runs instead")

    def advance(self, knots: Array, times: Array, record: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Step on; the flat state at the recorded knots (R, x) and its derivatives (R, x, 8). `score` sums on; `kept`
        has all records."""
        problem = afloat(to_duals(self.model.problem(self.model.still(), int(record.sum()), None, None)))
        for direction, change in self._directions():
            for part in ("robot", "forces", "options"):
                seed_tangent(getattr(problem, part), direction, getattr(change.problem, part))
        problem = problem._replace(drive=self._drive(times), memory=problem.memory._replace(tally=self.score))
        failed, _ = runge_kutta.advance_duals(pack(problem), dual_array(knots), record, self.x)
        refuse_lost(failed, values(self.x), knots)
        self.kept = problem.records
        return values(problem.records.x), tangents(problem.records.x)

    def _drive(self, times: Array) -> ChainDrive:
        """The gait with its derivatives, as joint motion or torques."""
        drive = self._compiled_drive(times) if self.compiled else as_duals(self.model.drive(self.gait, times))
        for direction, change in self._directions():
            seed_tangent(drive, direction, change.drive(times[::2]))
        return drive

    def _compiled_drive(self, times: Array) -> ChainDrive:
        """A gait with a compiled form, as joint motion."""
        chain = self.model.chain
        stations, mapping = actuation.stations(chain), actuation.shape_map(chain)
        shape = [aligned_zeros((len(times), len(stations), 2, WORDS)) for _ in range(3)]
        type(self.gait).compiled_duals(self.parameters, times, stations, *shape)  # type: ignore[misc]
        joints = [aligned_zeros((len(times), chain.freedoms, WORDS)) for _ in range(3)]
        for source, target in zip(shape, joints, strict=True):
            bend_joints(source, *mapping, target)
        position, velocity, acceleration = joints
        return ChainDrive(position, velocity, acceleration, aligned_zeros((1, chain.freedoms, WORDS)))
