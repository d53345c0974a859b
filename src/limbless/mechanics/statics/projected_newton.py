"""A minimum of the energy of a spine between its stops: projected Newton.

How near a posture is to an equilibrium, and how near is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limbless.mechanics.algebra import cholesky, cholesky_solve
from limbless.mechanics.compiled import Array, IntArray, Scalar, func, noinline_func
from limbless.mechanics.statics.potential_energy import energy, energy_gradient, update_posture
from limbless.mechanics.statics.tables import ChainMatrix, SolveStatus, SpineProblem

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
def put_pivot(H: ChainMatrix, held: IntArray, shift: Scalar, i: int) -> None:
    """The block of vertebra i, its `near` and `far`, less what all vertebrae before it answer; held unknowns alone."""
    freedoms, rank, taken = H.block.shape[1], H.near.shape[1], H.sums
    for k in range(freedoms):
        row = freedoms * i + k
        moves = 0.0 if held[row] else 1.0
        for a in range(rank):
            H.free[row, a] = moves * H.far[row, a]
        for a in range(rank):
            taken[k, a] = 0.0
            for b in range(rank):
                taken[k, a] += H.answer[a, b] * H.free[row, b]
            H.turned[row, a] = moves * (H.near[row, a] - taken[k, a])
        for m in range(k + 1):
            H.pivot[i, k, m] = 0.0 if held[row] or held[freedoms * i + m] else H.block[i, k, m]
            for a in range(rank):
                H.pivot[i, k, m] -= H.free[freedoms * i + m, a] * taken[k, a]
        H.pivot[i, k, k] += shift if moves > 0.0 else 1.0


@noinline_func
def factorise(H: ChainMatrix, held: IntArray, shift: Scalar) -> bool:
    """Take H + shift apart from base to tip; False if that is not positive definite.

    What is left when a vertebra is eliminated has the same form: with P the sum of near (block)⁻¹ nearᵀ over the
    vertebrae before, near_i loses P far_i, and block_i loses far_i . P far_i. So the work grows with the vertebrae.
    """
    freedoms, rank = H.block.shape[1], H.near.shape[1]
    H.answer[:] = 0.0
    for i in range(H.block.shape[0]):
        put_pivot(H, held, shift, i)
        if cholesky(H.pivot[i], freedoms, 0.0) >= 0:
            return False
        for b in range(rank):
            for k in range(freedoms):
                H.solved[k] = H.turned[freedoms * i + k, b]
            cholesky_solve(H.pivot[i], freedoms, H.solved)
            for k in range(freedoms):
                for a in range(rank):
                    H.answer[a, b] += H.turned[freedoms * i + k, a] * H.solved[k]
    return True


@noinline_func
def solve_factorised(H: ChainMatrix, b: Array) -> None:
    """Solve with what `factorise` left, in place: from base to tip, and back."""
    v, freedoms, rank, sums = H.block.shape[0], H.block.shape[1], H.near.shape[1], H.sums[0]
    for back in range(2):
        sums[:] = 0.0
        before, behind = (H.turned, H.free) if back else (H.free, H.turned)
        for place in range(v):
            i = v - 1 - place if back else place
            for k in range(freedoms):
                for a in range(rank):
                    b[freedoms * i + k] -= before[freedoms * i + k, a] * sums[a]
                H.solved[k] = b[freedoms * i + k]
            cholesky_solve(H.pivot[i], freedoms, H.solved)
            for k in range(freedoms):
                if back:
                    b[freedoms * i + k] = H.solved[k]
                for a in range(rank):
                    sums[a] += behind[freedoms * i + k, a] * H.solved[k]


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


@func
def hold_at_stops(problem: SpineProblem, q: Array) -> Scalar:
    """Which unknowns rest against a stop. Returns the largest residual of the others."""
    spine, held, r = problem.spine, problem.iteration.held, problem.iteration.residual
    freedoms, largest = q.shape[1], 0.0
    for i in range(len(r)):
        j, k = i // freedoms, i % freedoms
        below, above = q[j, k] <= spine.low[j, k] and r[i] > 0.0, q[j, k] >= spine.high[j, k] and r[i] < 0.0
        held[i] = 1 if problem.method.stops and (below or above) else 0
        if not held[i]:
            largest = max(largest, abs(r[i]))
    return largest


@noinline_func
def search_along(problem: SpineProblem, q: Array, value: Scalar) -> Scalar:
    """The longest of a Newton step's halves that lowers the energy enough (Armijo), taken; returns the energy there."""
    spine, method, posture, iteration = problem.spine, problem.method, problem.posture, problem.iteration
    step, trial, r, freedoms = iteration.step, iteration.trial, iteration.residual, q.shape[1]
    scale, reached = min(1.0, LIMITS.largest_step / largest_of(step)), value
    for _ in range(40):
        gain = 0.0
        for i in range(len(step)):
            a, k = i // freedoms, i % freedoms
            trial[a, k] = q[a, k] + scale * step[i]
            if method.stops:
                trial[a, k] = clipped(trial[a, k], spine.low[a, k], spine.high[a, k])
            gain += r[i] * (trial[a, k] - q[a, k])
        update_posture(spine, trial, posture)
        reached = energy(spine, problem.loads, trial, posture)
        # the second: decrease is lost in rounding
        if reached <= value + 1e-4 * gain or abs(gain) <= 1e-13 * abs(value):
            break
        scale *= 0.5
    q[:] = trial
    return reached


@noinline_func
def minimise(problem: SpineProblem, q: Array) -> tuple[int, int]:
    """Newton on the energy with the exact Hessian; with stops, its minimum between them (projected Newton).

    Returns (outcome, iterations). At the end the residual (at a stop: minus the stop moment) and the Hessian stand in
    memory.
    """
    spine, loads, posture, iteration = problem.spine, problem.loads, problem.posture, problem.iteration
    r, H, held, step, tolerance = (
        iteration.residual,
        iteration.hessian,
        iteration.held,
        iteration.step,
        tolerance_of(spine),
    )
    update_posture(spine, q, posture)
    value = energy(spine, loads, q, posture)
    for number in range(problem.method.limit):
        energy_gradient(spine, loads, q, posture, r, H)
        largest = hold_at_stops(problem, q)
        shift = 0.0
        while not factorise(H, held, shift):
            shift = max(4.0 * shift, 1e-3 * tolerance / LIMITS.precision)
        if largest <= tolerance:
            return (SolveStatus.SOLVED.value if shift == 0.0 else SolveStatus.SADDLE.value), number
        for i in range(len(step)):
            step[i] = 0.0 if held[i] else -r[i]
        solve_factorised(H, step)
        value = search_along(problem, q, value)
        if is_folded(spine, q, posture):
            return SolveStatus.FOLDED.value, number
    return SolveStatus.STUCK.value, problem.method.limit
