"""The one solution of the geometric model: each degree of freedom motion-given or force-given, with one module clamped
if need be.

M ẍ + Γ(ẋ, ẋ) - fY = τ + Jᵀ λ, J ẍ + J̇ ẋ = 0 (paper 003, (21)-(26)). Locomotion gives the joints' motion and leaves the
base free, manipulation gives both, torque-driven motion gives none; a clamp on another module than the base adds the
rows J.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, SimulationError

SINGULAR = 1e-10
"""Pivot over diagonal of the metric: below it a degree of freedom has no inertia of its own to move."""


def solve_free(
    metric: Array,
    names: Sequence[str],
    free: NDArray[np.bool_],
    known: Array,
    right: Array,
    J: Array,
    target: Array,
    time: float | None = None,
) -> tuple[Array, Array]:
    """The rates: `known`, and the free ones by M rates = right + Jᵀ λ under J rates = target; and λ. The `names` of
    all degrees of freedom and the `time` (s) are for the sentence that says what cannot be solved.
    """
    rates = np.where(free, 0.0, known)
    M = metric[np.ix_(free, free)]
    singular = _weak_pivot(M, SINGULAR)
    if singular is not None:
        name = names[np.flatnonzero(free)[singular]]
        raise SimulationError(
            f"the metric is singular: nothing moves with degree of freedom {name!r} but massless links; give the links "
            "beyond it mass and inertia, or the joint a rotor_inertia",
            time,
        )
    mobility = np.linalg.solve(M, J[:, free].T)
    rates[free] = np.linalg.solve(M, (right - metric @ rates)[free])
    held = J[:, free] @ mobility
    if _weak_pivot(held, 1e-12) is not None:
        raise SimulationError(
            "the clamp cannot be closed: the motion-given joints leave the base no way to follow; release a joint or "
            "the base",
            time,
        )
    pull: Array = np.asarray(np.linalg.solve(held, target - J @ rates), dtype=np.float64)
    rates[free] += mobility @ pull
    return rates, pull


def _weak_pivot(matrix: Array, least: float) -> int | None:
    """Number of the first pivot of a symmetric matrix that is no larger than `least` times its diagonal."""
    left = matrix.copy()
    for k in range(len(left)):
        if left[k, k] <= least * matrix[k, k]:
            return k
        left[k + 1 :] -= np.outer(left[k + 1 :, k] / left[k, k], left[k])
    return None
