"""The one call of the geometric model: each degree of freedom motion-given or force-given, with one module clamped if need be.

M ẍ + Γ(ẋ, ẋ) - fY = τ + Jᵀ λ, J ẍ + J̇ ẋ = 0 (paper 003, (21)-(26)). Locomotion gives the joints' motion and leaves the base
free, manipulation gives both, torque-driven motion gives none; a clamp on another module than the base adds the rows J.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import get_twist
from limbless.mechanics.algebra.dense import factorise, substitute
from limbless.mechanics.algebra.vectors import dot
from limbless.mechanics.chain.rows import COLUMN
from limbless.mechanics.chain.screws import PLANAR_CHART, PLANAR_GROUP, RATE, SCREW
from limbless.mechanics.compiled.kernel import inline, kernel

SINGULAR = 1e-10                 # pivot over diagonal of the metric: below it a degree of freedom has no inertia of its own to move
FREE_OF_CLAMPS = -1
CLAMP_FAILS = 1_000_000          # returned in place of a degree of freedom when the clamp's rows cannot be met


class Mode(NamedTuple):
    """Which degrees of freedom are motion-given, which body is clamped by rows (its row, or -1), and whether a feedback drives the rest."""

    given: NDArray[np.int64]
    clamped: int
    feedback: bool


class Solver(NamedTuple):
    """Working memory of the dense solution."""

    free: NDArray[np.int64]          # (N,) numbers of the force-given degrees of freedom
    factor: NDArray[np.float64]      # (N, N) of their metric
    short: NDArray[np.float64]       # (N,)
    rows: NDArray[np.float64]        # (6, N) J of the clamp
    row_rates: NDArray[np.float64]   # (6,) J̇ ẋ
    mobility: NDArray[np.float64]    # (6, N) M⁻¹ Jᵀ
    held: NDArray[np.float64]        # (6, 6) factor of J M⁻¹ Jᵀ
    pull: NDArray[np.float64]        # (6,) λ


@inline
def component(base, i, columns, s):
    """The i-th of the components that a clamp holds: three in the plane of a planar base, else six along the world axes."""
    if base == PLANAR_CHART or base == PLANAR_GROUP:
        direction = get_twist(columns, i, SCREW)
        return dot(direction.angular, s.angular) if i == 2 else dot(direction.linear, s.linear)
    return s.linear[i] if i < 3 else s.angular[i - 3]


@kernel
def clamp_rows(chain, base, nb, clamped, work, columns, rows, row_rates):
    """J and J̇ ẋ of the clamped body: its twist at the reference point."""
    last = nb + chain.layout[clamped, COLUMN] if clamped > 0 else nb - 1
    rate = get_twist(work, clamped, RATE)
    for i in range(nb):
        row_rates[i] = component(base, i, columns, rate)
        for a in range(rows.shape[1]):
            s = get_twist(columns, a, SCREW)
            rows[i, a] = component(base, i, columns, s) if a <= last else 0.0


@kernel
def prepare(given, metric, clamp_count, solver):
    """Factors of the free part of the metric and of the clamp's rows. Returns how many are free, and -1 or what is singular."""
    free, factor, rows, mobility, held = solver.free, solver.factor, solver.rows, solver.mobility, solver.held
    count = 0
    for a in range(given.shape[0]):
        if given[a] == 0:
            free[count] = a
            count += 1
    for i in range(count):
        for j in range(i + 1):
            factor[i, j] = metric[free[i], free[j]]
    singular = factorise(factor, count, SINGULAR)
    if singular >= 0:
        return count, free[singular]
    for r in range(clamp_count):
        for i in range(count):
            mobility[r, i] = rows[r, free[i]]
        substitute(factor, count, mobility[r])
    for r in range(clamp_count):
        for k in range(r + 1):
            total = 0.0
            for i in range(count):
                total += rows[k, free[i]] * mobility[r, i]
            held[r, k] = total
    if clamp_count > 0 and factorise(held, clamp_count, 1e-12) >= 0:
        return count, CLAMP_FAILS
    return count, -1


@kernel
def solve_free(metric, forces, target, clamp_count, count, solver, answer):
    """Free part of `answer` from M answer = forces, with the given part already in it, and rows J answer = target if clamped."""
    free, factor, short, rows, mobility, held, pull = (
        solver.free, solver.factor, solver.short, solver.rows, solver.mobility, solver.held, solver.pull)
    for i in range(count):
        answer[free[i]] = 0.0
    for i in range(count):
        total = forces[free[i]]
        for b in range(answer.shape[0]):
            total -= metric[free[i], b] * answer[b]       # the free ones are zero so far
        short[i] = total
    substitute(factor, count, short)
    for i in range(count):
        answer[free[i]] = short[i]
    for r in range(clamp_count):
        total = target[r]
        for a in range(answer.shape[0]):
            total -= rows[r, a] * answer[a]
        pull[r] = total
    if clamp_count > 0:
        substitute(held, clamp_count, pull)
        for r in range(clamp_count):
            for i in range(count):
                answer[free[i]] += mobility[r, i] * pull[r]


@kernel
def efforts(metric, bias, acceleration, clamp_count, solver, effort):
    """τ = M ẍ + bias - Jᵀ λ on every degree of freedom."""
    rows, pull = solver.rows, solver.pull
    for a in range(effort.shape[0]):
        total = bias[a]
        for b in range(effort.shape[0]):
            total += metric[a, b] * acceleration[b]
        for r in range(clamp_count):
            total -= rows[r, a] * pull[r]
        effort[a] = total

