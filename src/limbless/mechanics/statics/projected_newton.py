"""A minimum of the energy of a spine between its stops: projected Newton."""

from __future__ import annotations

from limbless.mechanics.algebra import cholesky_solve
from limbless.mechanics.compiled import Array, IntArray, Scalar, func, noinline_func
from limbless.mechanics.statics.convergence import (
    LIMITS,
    clipped,
    copy_rows,
    factorise_shifted,
    is_folded,
    largest_of,
    tolerance_of,
)
from limbless.mechanics.statics.potential_energy import energy, energy_gradient, update_posture
from limbless.mechanics.statics.tables import SolveStatus, SpineProblem


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


@func
def eliminate_held(H: Array, r: Array, held: IntArray) -> None:
    """Take the held unknowns out of a Newton system: identity rows, no step."""
    for i in range(len(r)):
        if held[i]:
            for j in range(len(r)):
                H[i, j] = 0.0
                H[j, i] = 0.0
            H[i, i] = 1.0
            r[i] = 0.0


@noinline_func
def search_along(problem: SpineProblem, q: Array, value: Scalar) -> Scalar:
    """The longest of a Newton step's halves that lowers the energy enough (Armijo), taken; returns the energy there."""
    spine, loads, method, posture = problem.spine, problem.loads, problem.method, problem.posture
    iteration = problem.iteration
    step, trial, kept, freedoms = iteration.step, iteration.trial, iteration.kept, q.shape[1]
    scale, reached = min(1.0, LIMITS.largest_step / largest_of(step)), value
    for _ in range(40):
        gain = 0.0
        for i in range(len(step)):
            a, k = i // freedoms, i % freedoms
            trial[a, k] = q[a, k] + scale * step[i]
            if method.stops:
                trial[a, k] = clipped(trial[a, k], spine.low[a, k], spine.high[a, k])
            gain += kept[i] * (trial[a, k] - q[a, k])
        update_posture(spine, trial, posture)
        reached = energy(spine, loads, trial, posture)
        # the second: decrease is lost in rounding
        if reached <= value + 1e-4 * gain or abs(gain) <= 1e-13 * abs(value):
            break
        scale *= 0.5
    copy_rows(trial, q)
    return reached


@noinline_func
def minimise(problem: SpineProblem, q: Array) -> tuple[int, int]:
    """Newton on the energy with the exact Hessian; with stops, its minimum between them (projected Newton).

    Returns (outcome, iterations). At the end the residual (at a stop: minus the stop moment) and the Hessian stand in
    memory.
    """
    spine, loads, posture, iteration = problem.spine, problem.loads, problem.posture, problem.iteration
    r, H, kept, kept_H, step = (
        iteration.residual,
        iteration.hessian,
        iteration.kept,
        iteration.kept_hessian,
        iteration.step,
    )
    tolerance, n = tolerance_of(spine), len(iteration.step)
    update_posture(spine, q, posture)
    value = energy(spine, loads, q, posture)
    for number in range(problem.method.limit):
        energy_gradient(spine, loads, q, posture, r, H)
        largest = hold_at_stops(problem, q)
        for i in range(n):
            kept[i] = r[i]
        copy_rows(H, kept_H)
        eliminate_held(H, r, iteration.held)
        shift = 0.0
        while not factorise_shifted(H, shift, iteration.factor):
            shift = max(4.0 * shift, 1e-3 * tolerance / LIMITS.precision)
        if largest <= tolerance:
            for i in range(n):
                r[i] = kept[i]
            copy_rows(kept_H, H)
            return (SolveStatus.SOLVED.value if shift == 0.0 else SolveStatus.SADDLE.value), number
        for i in range(n):
            step[i] = -r[i]
        cholesky_solve(iteration.factor, n, step)
        value = search_along(problem, q, value)
        if is_folded(spine, q, posture):
            return SolveStatus.FOLDED.value, number
    return SolveStatus.STUCK.value, problem.method.limit
