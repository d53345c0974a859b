"""Why a soft body could not go on, in a sentence that says where and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.mechanics.chain import ChainMemory, ChainProblem
from limbless.mechanics.forces import MorisonLaw
from limbless.models import UNSOLVED, Status, packed_rows
from limbless.models.chain import slow_motion

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_model import Soft

INERTIA_LESS = 1e3
"""Times that drag stops a body within a step, from which on stages of a step have nothing to hold on to."""


def _cell_of(body: Soft, freedom: int) -> int:
    """Number of the cell that a freedom belongs to, from 1."""
    return next(number for number, own in enumerate(body.plan.freedoms, 1) if freedom < own.stop)


def lost(body: Soft, time: float, problem: ChainProblem) -> Status:
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


def stopped(body: Soft, time: float, step: float) -> Status:
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


def singular(body: Soft, row: int, time: float) -> Status:
    """What `singular_cell` found."""
    kind, cell = divmod(row, len(body.plan.cells) + 1)
    if kind > 2:
        return Status(slow_motion.UNSETTLED, time)
    place = f"{body.part} {cell}"
    if kind == 0:
        cure = "no inertia to move: give it mass" if body.settings.inertia else "nothing that resists it: give it drag"
        return Status(f"{place} has {cure}", time, place)
    if kind == 2:
        return Status(
            f"{place} is pressed to a stretch of nothing: its stiffness along itself is too small for "
            "what acts; give the rod more robot.stiffness (the first number) or youngs_modulus",
            time,
            place,
        )
    if body.part == "vertebra":
        return Status(
            f"{place} bends by more than 180 degrees: it is too soft for what pulls; give it more "
            "stiffness or stops, or smaller tensions",
            time,
            place,
        )
    if body.part == "joint":
        return Status(
            f"{place} turns by more than 360 degrees: it is too soft for what pulls; give it more "
            "stiffness, or smaller tensions",
            time,
            place,
        )
    return Status(
        f"{place} turns by more than 1 rad between two of its stations, too far for its polynomials: "
        f"set model.cells to {2 * len(body.plan.cells)} or more",
        time,
        place,
    )


def unsolved(body: Soft, time: float, memory: ChainMemory) -> Status:
    """Where and of what kind the forces are that an implicit stage could not follow."""
    forces = {"springs and dampers": np.abs(memory.passive), "tendons and muscles": np.abs(memory.torque)}
    kind = max(forces, key=lambda name: float(np.nan_to_num(forces[name]).max(initial=0.0)))
    worst = int(np.nan_to_num(forces[kind]).argmax())
    row = _cell_of(body, worst)
    return Status(
        f"{UNSOLVED}; the largest forces are those of {kind} at {body.part} {row}; try a shorter step, "
        "or give the body a damping_time",
        time,
        f"{body.part} {row}",
    )
