"""How near a posture is to an equilibrium, and how near is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limbless.mechanics.algebra import cholesky
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func

if TYPE_CHECKING:
    from limbless.mechanics.statics.tables import Spine, SpineState


class EquilibriumLimits(NamedTuple):
    """How far and how finely equilibria are looked for."""

    # rad: keeps a full Newton step where the energy is like its quadratic model
    largest_step: float = 0.3
    precision: float = 1e-12  # of the largest stiffness: residuals (N m) below it are rounding
    # rad: far below what takes a tendon from stick to slip, far above rounding
    difference: float = 1e-8
    # of the length of a vertebra: disks would touch long before a tendon is as short as that between them
    shortest: float = 0.02
    slack: float = 1e-9  # N: a tendon with less has no friction to speak of


LIMITS = EquilibriumLimits()


@func
def factorise_shifted(H: Array, shift: Scalar, L: Array) -> bool:
    """Lower Cholesky factor of H + shift; False if that is not positive definite."""
    n = H.shape[0]
    for i in range(n):
        for j in range(i + 1):
            L[i, j] = H[i, j]
        L[i, i] += shift
    return cholesky(L, n, 0.0) < 0


@func
def clipped(value: Scalar, low: Scalar, high: Scalar) -> Scalar:
    return min(max(value, low), high)


@func
def largest_of(array: Array) -> Scalar:
    """The largest size in an array of one axis."""
    found = 0.0
    for j in range(len(array)):
        found = max(found, abs(array[j]))
    return found


@func
def tolerance_of(spine: Spine) -> Scalar:
    """Residuals below it are rounding, N m."""
    stiffest = 0.0
    for i in range(spine.stiffness.shape[0]):
        stiffest = max(stiffest, largest_of(spine.stiffness[i]))
    return LIMITS.precision * stiffest


@func
def whole_length(spine: Spine) -> Scalar:
    total = 0.0
    for i in range(len(spine.length)):
        total += spine.length[i]
    return total


@func
def copy_rows(source: Array, target: Array) -> None:
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@noinline_func
def is_folded(spine: Spine, q: Array, posture: SpineState) -> bool:
    """Whether a vertebra is bent by more than π, where the description of an arc ends, or until
    two holes of a tendon meet.
    """
    for i in range(q.shape[0]):
        if q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1] > np.pi * np.pi:
            return True
        for c in range(len(spine.end)):
            if i < spine.end[c] and posture.chord[i, c] < LIMITS.shortest * spine.length[i]:
                return True
    return False


@noinline_func
def natural_residual(spine: Spine, stops: bool, q: Array, r: Array, miss: Array) -> Scalar:
    """How far q is from q - r/K brought between the stops, in N m: zero exactly at an equilibrium with stops."""
    freedoms = q.shape[1]
    for j in range(len(r)):
        i, k = j // freedoms, j % freedoms
        K = spine.stiffness[i, k]
        aim = q[i, k] - r[j] / K
        if stops:
            aim = clipped(aim, spine.low[i, k], spine.high[i, k])
        miss[j] = K * (q[i, k] - aim)
    return largest_of(miss)
