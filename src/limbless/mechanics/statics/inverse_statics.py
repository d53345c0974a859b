"""Tensions for given places and directions of the tip: Newton on posture and tensions together, point after point.

Tendons work in groups of antagonists, of which one is always slack: pairs (49)-(50), or three around the axis. A group
of g tendons has g - 1 unknowns u, the tensions less that of its last tendon: T_c = u_c - min(u, 0), the last one's is
-min(u, 0).
"""

from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra import gauss_solve
from limbless.mechanics.compiled import Array, IntArray, Scalar, func, kernel, noinline_func, unpack
from limbless.mechanics.statics.potential_energy import energy_gradient, tip_components, update_posture
from limbless.mechanics.statics.projected_newton import (
    LIMITS,
    clipped,
    factorise,
    is_folded,
    solve_factorised,
    tolerance_of,
    whole_length,
)
from limbless.mechanics.statics.tables import Iteration, SolveStatus, SpineProblem, TipTarget


@noinline_func
def share_out(aim: TipTarget, u: Array, command: Array, rate: Array) -> None:
    """Tensions (tendons,) of groups and their derivatives `rate` (tendons, unknowns) by u. Where two could be slack,
    the later one is.
    """
    first, member = aim.first, aim.member
    rate[:] = 0.0
    for a in range(len(first) - 1):
        begin, last = first[a], first[a + 1] - 1
        lowest, slack = 0.0, last
        for place in range(last - 1, begin - 1, -1):
            if u[place - a] < lowest:
                lowest, slack = u[place - a], place
        for place in range(begin, last + 1):
            c = member[place]
            command[c] = abs((u[place - a] if place < last else 0.0) - lowest)  # never -0
            if place < last:
                rate[c, place - a] += 1.0
            if slack < last:
                rate[c, slack - a] -= 1.0


@noinline_func
def keep_within(aim: TipTarget, command: Array, u: Array) -> bool:
    """Shorten the unknowns of every group until no tension is beyond the largest (T grows in
    proportion); whether any had to be.
    """
    first, member, beyond = aim.first, aim.member, False
    for a in range(len(first) - 1):
        largest = 0.0
        for place in range(first[a], first[a + 1]):
            largest = max(largest, command[member[place]])
        if largest > aim.largest:
            beyond = True
            for place in range(first[a], first[a + 1] - 1):
                u[place - a] *= aim.largest / largest
    return beyond


@func
def put_right_sides(problem: SpineProblem, m: int, q: Array) -> Scalar:
    """What the posture must answer to: its own residual, and a unit of each of m unknown tensions. Returns
    the largest of the first.
    """
    spine, method, iteration = problem.spine, problem.method, problem.iteration
    X, r, held, rate, freedoms = iteration.answers, iteration.residual, iteration.held, iteration.rate, q.shape[1]
    size = 0.0
    for j in range(len(r)):
        i, k = j // freedoms, j % freedoms
        goal = q[i, k] - r[j] / spine.stiffness[i, k]
        stopped = method.stops and (goal < spine.low[i, k] or goal > spine.high[i, k])
        held[j] = 1 if stopped else 0
        X[0, j] = q[i, k] - clipped(goal, spine.low[i, k], spine.high[i, k]) if stopped else r[j]
        size = max(size, abs(X[0, j]) * (spine.stiffness[i, k] if stopped else 1.0))
        for p in range(m):
            X[p + 1, j] = 0.0
            if not stopped:
                for c in range(len(problem.loads.command)):
                    X[p + 1, j] += rate[c, p] * problem.posture.lever[j, c]
    return size


@func
def put_miss(problem: SpineProblem, aim: TipTarget, target: Array) -> Scalar:
    """What remains to the target, in the last column of `tips`. Returns its largest part,
    places as shares of the length.
    """
    tips, value, rows, miss, m = problem.iteration.tips, problem.iteration.component, aim.rows, 0.0, len(aim.rows)
    turn = 2.0 * np.pi
    for p in range(m):
        apart = value[rows[p]] - target[p]
        if rows[p] >= 3:  # an angle: the shorter way round
            apart -= turn * np.rint(apart / turn)
        tips[p, m] = apart
        miss = max(miss, abs(apart) / (1.0 if rows[p] >= 3 else whole_length(problem.spine)))
    return miss


@noinline_func
def solve_tips(iteration: Iteration, rows: IntArray) -> bool:
    """Changes of the unknown tensions, in the last column of `tips`. Returns False where these cannot
    move the tip as they should.
    """
    A, J, X = iteration.tips, iteration.component_rate, iteration.answers
    m, n, largest, determinant = len(rows), len(iteration.step), 0.0, 1.0
    for a in range(m):
        for j in range(n):
            A[a, m] -= J[rows[a], j] * X[0, j]
        for p in range(m):
            A[a, p] = 0.0
            for j in range(n):
                A[a, p] += J[rows[a], j] * X[p + 1, j]
            largest = max(largest, abs(A[a, p]))
    gauss_solve(A, m)
    for a in range(m):
        determinant *= abs(A[a, a])  # elimination leaves the pivots there
    return determinant > 1e-9 * largest**m


@noinline_func
def take_step(problem: SpineProblem, aim: TipTarget, q: Array, u: Array) -> bool:
    """A Newton step of posture and tensions, at most so long that its quadratic model holds. Whether
    tensions had to be shortened.
    """
    spine, loads, method, iteration = problem.spine, problem.loads, problem.method, problem.iteration
    X, m, freedoms, longest = iteration.answers, len(aim.rows), q.shape[1], 1e-300
    for j in range(len(iteration.step)):
        for p in range(m):
            X[0, j] += X[p + 1, j] * iteration.tips[p, m]
        longest = max(longest, abs(X[0, j]))
    scale = min(1.0, LIMITS.largest_step / longest)
    for p in range(m):
        u[p] += scale * iteration.tips[p, m]
    share_out(aim, u, loads.command, iteration.rate)
    for j in range(len(iteration.step)):
        i, k = j // freedoms, j % freedoms
        q[i, k] -= scale * X[0, j]
        if method.stops:
            q[i, k] = clipped(q[i, k], spine.low[i, k], spine.high[i, k])
    return keep_within(aim, loads.command, u)


@noinline_func
def solve_tip(problem: SpineProblem, aim: TipTarget, target: Array, q: Array, u: Array) -> int:
    """Newton on posture and unknown tensions together until the components `aim.rows` of the tip are at `target`.

    Returns the `SolveStatus`; OUT_OF_REACH where a tension beyond the largest would be needed or the target
    is at the edge of the workspace.
    """
    spine, loads, posture, iteration = problem.spine, problem.loads, problem.posture, problem.iteration
    H, tolerance, outside = iteration.hessian, tolerance_of(spine), 0
    for _ in range(problem.method.limit):
        share_out(aim, u, loads.command, iteration.rate)
        update_posture(spine, q, posture)
        energy_gradient(spine, loads, q, posture, iteration.residual, H)
        tip_components(q, posture, iteration.component, iteration.component_rate)
        size = put_right_sides(problem, len(u), q)
        miss = put_miss(problem, aim, target)
        if size <= tolerance and miss <= 1e-13:
            return SolveStatus.SOLVED.value
        if not factorise(H, iteration.held, 0.0):
            return SolveStatus.STUCK.value
        for p in range(len(u) + 1):
            solve_factorised(H, iteration.answers[p])
        if not solve_tips(iteration, aim.rows):
            return SolveStatus.OUT_OF_REACH.value
        outside = outside + 1 if take_step(problem, aim, q, u) else 0
        if outside > 3:
            return SolveStatus.OUT_OF_REACH.value
        if is_folded(spine, q, posture):
            return SolveStatus.FOLDED.value
    return SolveStatus.STUCK.value


@kernel
def solve_inverse(problem: SpineProblem, aim: TipTarget, targets: Array, q: Array, u: Array) -> int:
    """`solve_tip` for each row of `targets`, each from the answer before; fills q (P, v, freedoms) and u (P, unknowns).

    Called from Python. Stops at the first point that it cannot answer; returns how many it did.
    """
    case, asked, wanted, postures, pulls = unpack(problem), unpack(aim), unpack(targets), unpack(q), unpack(u)
    for point in range(wanted.shape[0]):
        if point > 0:
            postures[point][:] = postures[point - 1]
            pulls[point][:] = pulls[point - 1]
        if solve_tip(case, asked, wanted[point], postures[point], pulls[point]) != SolveStatus.SOLVED.value:
            return point
    return wanted.shape[0]


@kernel
def share_tensions(aim: TipTarget, u: Array, command: Array, rate: Array) -> None:
    """`share_out`, called from Python."""
    share_out(unpack(aim), unpack(u), unpack(command), unpack(rate))
