"""The standing problem of a soft body, and why one could not go on: where, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array
from limbless.mechanics.chain import ChainMemory, ChainProblem
from limbless.mechanics.forces import MorisonLaw
from limbless.mechanics.integrate import dirk
from limbless.models import UNSOLVED, Records, Status, packed_rows
from limbless.models.chain import slow_motion
from limbless.models.chain.standing_chain import StandingSmooth
from limbless.models.recording.body_recorder import kept_arrays

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_body import SoftBody
    from limbless.models.chain.soft.soft_model import Soft


LAST_TENDONS = "last_tendons"
"""In the memory of a state: the `TendonState` of the last step."""


INERTIA_LESS = 1e3
"""Times that drag stops a body within a step, from which on stages of a step have nothing to hold on to."""


def _cell_of(body: SoftBody, freedom: int) -> int:
    """Number of the cell that a freedom belongs to, from 1."""
    return next(number for number, own in enumerate(body.plan.freedoms, 1) if freedom < own.stop)


def lost(body: SoftBody, time: float, problem: ChainProblem) -> Status:
    """Where a user's material law gave what is no number."""
    rows = np.flatnonzero(~np.isfinite(problem.memory.passive))
    if body.lawful.law is None or not len(rows):
        return Status()
    cell = _cell_of(body, int(rows[0]))
    return Status(
        f"robot.material: the law gives a number that is not finite, in cell {cell}; let it answer to all strains",
        time,
        f"{body.part} {cell}",
    )


def stopped(body: SoftBody, time: float, step: float) -> Status:
    """Drag that stops the body in a small part of a step: nothing else is the cause then."""
    rows = packed_rows(body.packs, MorisonLaw)
    drag = float(sum(row.length * max(row.linear) for row in rows)) if body.settings.inertia else 0.0
    if not drag > 0.0 or (stops := body.robot.total_mass / drag) * INERTIA_LESS > step:
        return Status()
    return Status(
        f"drag stops this body in {stops:.2g} s (mass over drag), and a step has {step:.2g} s: it moves without "
        "inertia; set model.inertia to false",
        time,
    )


def singular(body: SoftBody, row: int, time: float) -> Status:
    """What `singular_cell` found."""
    kind, cell = divmod(row, len(body.plan.cells) + 1)
    if kind > 2:
        return Status(slow_motion.UNSETTLED, time)
    bent = {
        "vertebra": "bends by more than 180 degrees: it is too soft for what pulls; give it more stiffness or stops, "
        "or smaller tensions",
        "joint": "turns by more than 360 degrees: it is too soft for what pulls; give it more stiffness, or smaller "
        "tensions",
        "cell": "turns by more than 1 rad between two of its stations, too far for its polynomials: set model.cells to "
        f"{2 * len(body.plan.cells)} or more",
    }
    told = (
        "has no inertia to move: give it mass"
        if body.settings.inertia
        else "has nothing that resists it: give it drag",
        bent[body.part],
        "is pressed to a stretch of nothing: its stiffness along itself is too small for what acts; give the rod more "
        "robot.stiffness (the first number) or youngs_modulus",
    )
    place = f"{body.part} {cell}"
    return Status(f"{place} {told[kind]}", time, place)


def unsolved(body: SoftBody, time: float, memory: ChainMemory) -> Status:
    """Where and of what kind the forces are that an implicit stage could not follow."""
    forces = {"springs and dampers": np.abs(memory.passive), "tendons and muscles": np.abs(memory.torque)}
    kind = max(forces, key=lambda name: float(np.nan_to_num(forces[name]).max(initial=0.0)))
    place = f"{body.part} {_cell_of(body, int(np.nan_to_num(forces[kind]).argmax()))}"
    return Status(
        f"{UNSOLVED}; the largest forces are those of {kind} at {place}; try a shorter step, "
        "or give the body a damping_time",
        time,
        place,
    )


class StandingSoft(StandingSmooth):
    model: Soft

    def _build(self, drive: Any, records: int) -> tuple[Any, ...]:
        problem = self.model.problem(drive, records, self._tally, self._totals.records(records))
        self._kept = kept_arrays(problem.records) | {"tendons": problem.memory.cells.kept}
        self._live = {LAST_TENDONS: np.asarray(problem.memory.cells.pulls)} if self.model.tendons else {}
        return self._engaged(problem)

    def _records(self, count: int, times: Array) -> Records:
        implicit = self.implicit is not None
        evaluations = float(self._scratch.counts[0] / max(self._scratch.counts[1], 1)) if implicit else 4.0
        return Records({**super()._records(count, times), "iterations": np.full(count, evaluations)})

    def _take(self, last: int) -> None:
        given, row = self.model._given, 4 * (last - self._origin)
        if len(given):
            self._x[7 + given] = self._asked.position[row]
            self._x[self.model._split + 6 + given] = self._asked.velocity[row]

    def _status(self, found: int, done: float, records: Records) -> Status:
        if not found:
            return Status()
        model, memory = self.model, self.problem.memory
        likely = (lost(model, done, self.problem), stopped(model, done, float(self._knots[1] - self._knots[0])))
        last = unsolved(model, done, memory) if found == dirk.UNSOLVED else singular(model, found, done)
        return next(status for status in (*likely, last) if status.failure)
