"""Derivatives of a soft body's motion along whatever changes its tables, its drive or its start.

The same kernels run on duals. A stage of an implicit step is a fixed point, which its derivatives reach as its numbers
do: two evaluations more are made for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.mechanics.chain import BodyRecord
from limbless.mechanics.compiled import as_duals, dual_array, pack, seed_tangent, tangents, to_duals, values
from limbless.mechanics.forces import FreeSurfaceStations
from limbless.mechanics.integrate import dirk, runge_kutta
from limbless.models import State, refuse_lost, touches
from limbless.models.chain.chain_derivatives import PackedChange

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_model import Soft

ORIGIN = BodyRecord.fields["origin"].column


class SoftDerivatives:
    """A run of `Soft` that carries derivatives along up to eight directions; `score` sums on, `kept` is what the last
    block recorded."""

    def __init__(self, model: Soft, gait: Gait, start: State, changes: Sequence[PackedChange]) -> None:
        self.model, self.gait, self.changes = model, gait, changes
        refuse_kinks(model)
        self.x = dual_array(start.x)
        for direction, change in enumerate(changes):
            tangents(self.x)[:, direction] = change.start
        self.score = as_duals(model.fresh_score())
        self.scratch: Any = None if model.steps is None else as_duals(model.steps.scratch())

    def advance(self, knots: Array, times: Array, record: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Step on; the flat state, the tip and the centre of mass at the recorded knots (R, x + 6), and their
        derivatives (R, x + 6, 8).
        """
        model = self.model
        problem: Any = to_duals(model.problem(model.still(), int(record.sum()), None, None))
        drive, moments = as_duals(model.drive(self.gait, times)), dual_array(knots)
        for direction, change in enumerate(self.changes):
            if change.problem is None:
                continue
            for part in ("robot", "forces", "options"):
                seed_tangent(getattr(problem, part), direction, getattr(change.problem, part))
            own = problem.memory.cells
            seed_tangent(own, direction, change.problem.memory.cells._replace(kept=np.zeros(own.kept.shape[:-1])))
            seed_tangent(drive, direction, change.drive(knots))
            tangents(moments)[:, direction] = change.knots(knots)
        problem = problem._replace(drive=drive, memory=problem.memory._replace(tally=self.score))
        packed = pack(problem)
        if model.steps is None:
            failed, _ = runge_kutta.advance_duals(packed, moments, record, self.x)
        else:
            failed, _ = dirk.advance_duals(packed, model.steps.method, self.scratch, moments, record, self.x)
        refuse_lost(failed, values(self.x), knots)
        self.kept = kept = problem.records
        share = problem.memory.cells.weigh
        places = kept.bodies[:, :, ORIGIN : ORIGIN + 3]
        tip = places[:, len(model.plan.cells)]
        middle = np.einsum("b,rbi->ri", values(share), values(places))
        drift = np.einsum("b,rbij->rij", values(share), tangents(places)) + np.einsum(
            "bj,rbi->rij", tangents(share), values(places)
        )
        return (
            np.concatenate([values(kept.x), values(tip), middle], axis=1),
            np.concatenate([tangents(kept.x), tangents(tip), drift], axis=1),
        )


def has_kinks(model: Soft) -> bool:
    """Whether tendons go slack or stick, or the body touches something."""
    return bool(model.strung.elastic or model.strung.rubs or touches(model.environment))


def is_plain(model: Soft) -> bool:
    """Whether something knows plain numbers alone: a law of a user's own, or a balance of forces without inertia."""
    own = model.lawful.law is not None or any(item.slot is not None for item in model.asked)
    return own or not model.settings.inertia


def refuse_kinks(model: Soft) -> None:
    """Refuse what has kinks, or knows plain numbers only."""
    if touches(model.environment):
        raise InputError(
            "environment: motion among contacts has kinks and jumps, and no slopes; `limbless.optimise` searches it "
            "with CMA-ES, and `limbless.steady` lets it settle"
        )
    if has_kinks(model):
        raise InputError(
            "robot.tendons: tendons that stretch go slack, and those that rub stick: their motion has no "
            "slopes everywhere; give tensions without `stiffness` and `friction`, or take differences of "
            "runs"
        )
    if is_plain(model):
        what = "a law of a user's own" if model.settings.inertia else "model.inertia: motion without inertia"
        raise InputError(f"{what} gives no derivatives; take differences of runs instead")
    if any(isinstance(force, FreeSurfaceStations) for force in model.forces):
        raise InputError(
            "environment.water.surface: soft bodies at a surface give no derivatives; leave it out, or "
            "take differences of runs"
        )
