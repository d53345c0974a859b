"""Muscles in pairs: what activations of both sides of a joint do to it.

torque = α (L^p - R^p) + β (L + R + γ) (q0 - q) - (δ + ε (L + R)) q' (Ekeberg 1993, p = 1; Boyle et al. 2012, p = 2).
Stiffness and damping of the instant are kept, so that implicit steps take them ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.compiled import Array, IntArray, Scalar, noinline_func, version_for
from limbless.mechanics.control.closed_loop import command

if TYPE_CHECKING:
    from limbless.mechanics.chain.tables import ChainMemory, ChainTables


class MusclePairs(NamedTuple):
    """One pair for each degree of freedom."""

    place: IntArray  # (freedoms, 2) where its position and its rate are in a state
    law: Array  # (freedoms, 6) α, β, γ, δ, ε, q0
    power: IntArray  # (1,) p, 1 or 2


@version_for(command, MusclePairs)
@noinline_func
def pull_muscles(controller: MusclePairs, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    muscles, law = memory.muscles, controller.law
    for v in range(law.shape[0]):
        left, right, q, rate = muscles[v, 0], muscles[v, 1], x[controller.place[v, 0]], x[controller.place[v, 1]]
        pull, both = left - right, left + right
        if controller.power[0] == 2:
            pull = pull * both
        muscles[v, 2] = law[v, 1] * (both + law[v, 2])
        muscles[v, 3] = law[v, 3] + law[v, 4] * both
        memory.torque[v] += law[v, 0] * pull + muscles[v, 2] * (law[v, 5] - q) - muscles[v, 3] * rate
        muscles[v, 0] = 0.0
        muscles[v, 1] = 0.0
