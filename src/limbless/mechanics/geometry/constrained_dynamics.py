"""The one call of the geometric model: each degree of freedom motion-given or force-given, with one module clamped if
need be.

M ẍ + Γ(ẋ, ẋ) - fY = τ + Jᵀ λ, J ẍ + J̇ ẋ = 0 (paper 003, (21)-(26)). Locomotion gives the joints' motion and leaves the
base free, manipulation gives both, torque-driven motion gives none; a clamp on another module than the base adds the
rows J.
"""

from __future__ import annotations

from enum import IntEnum

from limbless.mechanics.algebra import cholesky, cholesky_solve
from limbless.mechanics.chain import ChainTables, LinkRow
from limbless.mechanics.compiled import Array, IntArray, noinline_func
from limbless.mechanics.geometry.base_charts import Frame, GeometricMemory, JointScrew, Solver, Spatial, component

# pivot over diagonal of the metric: below it a degree of freedom has no inertia of its own to move
SINGULAR = 1e-10


class Trouble(IntEnum):
    """What cannot be solved; a smaller number is one more than that of a degree of freedom without inertia."""

    CLAMP = 1_000_000  # the clamp's rows cannot be met
    LOCK = 2_000_000  # gimbal lock of the virtual joints


@noinline_func
def put_clamp_rows(body: int, robot: ChainTables, frame: Frame, memory: GeometricMemory) -> int:
    """J and J̇ ẋ of the clamped body: its twist at the reference point. Returns how many rows there are; none where
    `body` is negative.
    """
    if body < 0:
        return 0
    nb, screws, solver = frame.speeds, memory.screws, memory.solver
    last = nb + LinkRow(robot.links, body).column if body > 0 else nb - 1
    rate = Spatial(memory.spatial, body).known
    for i in range(nb):
        solver.row_rates[i] = component(frame, i, screws, rate)
        for a in range(solver.rows.shape[1]):
            solver.rows[i, a] = component(frame, i, screws, JointScrew(screws, a).twist) if a <= last else 0.0
    return nb


@noinline_func
def prepare(given: IntArray, metric: Array, clamp_count: int, solver: Solver) -> tuple[int, int]:
    """Factors of the free part of the metric and of the clamp's rows. Returns how many are
    free, and 0 or the `Trouble`.
    """
    free, factor, rows, mobility, held = solver.free, solver.factor, solver.rows, solver.mobility, solver.held
    count = 0
    for a in range(given.shape[0]):
        if given[a] == 0:
            free[count] = a
            count += 1
    for i in range(count):
        for j in range(i + 1):
            factor[i, j] = metric[free[i], free[j]]
    singular = cholesky(factor, count, SINGULAR)
    if singular >= 0:
        return count, free[singular] + 1
    for r in range(clamp_count):
        for i in range(count):
            mobility[r, i] = rows[r, free[i]]
        cholesky_solve(factor, count, mobility[r])
    for r in range(clamp_count):
        for k in range(r + 1):
            total = 0.0
            for i in range(count):
                total += rows[k, free[i]] * mobility[r, i]
            held[r, k] = total
    if clamp_count > 0 and cholesky(held, clamp_count, 1e-12) >= 0:
        return count, Trouble.CLAMP.value
    return count, 0


@noinline_func
def solve_free(metric: Array, forces: Array, clamp_count: int, count: int, solver: Solver, answer: Array) -> None:
    """Free part of `answer` from M answer = forces, with the given part already in it, and rows J
    answer = target if clamped.
    """
    free, short, rows, pull = solver.free, solver.short, solver.rows, solver.pull
    for i in range(count):
        answer[free[i]] = 0.0
    for i in range(count):
        total = forces[free[i]]
        for b in range(answer.shape[0]):
            total -= metric[free[i], b] * answer[b]  # the free ones are zero so far
        short[i] = total
    cholesky_solve(solver.factor, count, short)
    for i in range(count):
        answer[free[i]] = short[i]
    for r in range(clamp_count):
        total = solver.target[r]
        for a in range(answer.shape[0]):
            total -= rows[r, a] * answer[a]
        pull[r] = total
    if clamp_count > 0:
        cholesky_solve(solver.held, clamp_count, pull)
        for r in range(clamp_count):
            for i in range(count):
                answer[free[i]] += solver.mobility[r, i] * pull[r]


@noinline_func
def efforts(metric: Array, bias: Array, acceleration: Array, clamp_count: int, solver: Solver, effort: Array) -> None:
    """τ = M ẍ + bias - Jᵀ λ on every degree of freedom."""
    rows, pull = solver.rows, solver.pull
    for a in range(effort.shape[0]):
        total = bias[a]
        for b in range(effort.shape[0]):
            total += metric[a, b] * acceleration[b]
        for r in range(clamp_count):
            total -= rows[r, a] * pull[r]
        effort[a] = total
