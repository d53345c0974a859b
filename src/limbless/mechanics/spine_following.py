"""Tensions of antagonist pairs for given tip positions: Newton on posture and tensions together, point after point."""
from __future__ import annotations

import numpy as np

from limbless.mechanics.kernel import kernel
from limbless.mechanics.spine_equilibrium import forces, posture, tip_rates
from limbless.mechanics.spine_solver import (
    FOLDED,
    LARGEST_STEP,
    OUT_OF_REACH,
    PRECISION,
    SOLVED,
    STUCK,
    back_substitute,
    clipped,
    factor,
    is_folded,
)


@kernel
def command_pairs(pairs, u, command):
    """Tensions of antagonist pairs: the first tendon of a pair pulls for u > 0, the second for u < 0, the other is slack (49)-(50)."""
    for p in range(len(u)):
        command[pairs[p, 0]] = max(u[p], 0.0)
        command[pairs[p, 1]] = max(-u[p], 0.0)


@kernel
def reach(spine, loads, stops, pairs, rows, target, bound, q, u, work, r, H, L, J, limit):
    """Newton on posture and pair tensions together until tip components `rows` (of disk 0's axes) are at `target`.

    Returns (code, iterations); OUT_OF_REACH where a tension beyond `bound` would be needed or the target is at the edge of the workspace.
    """
    v, freedoms = q.shape
    n, m = v * freedoms, len(u)
    low, high = spine.low, spine.high
    held, X = np.zeros(n, np.bool_), np.zeros((m + 1, n))
    A, right = np.zeros((m, m)), np.zeros(m)
    tolerance, near = PRECISION * np.max(spine.stiffness), 1e-13 * np.sum(spine.length)
    outside = 0
    for iteration in range(limit):
        command_pairs(pairs, u, loads.command)
        posture(spine, q, work)
        forces(spine, loads, q, work, r, H)
        tip_rates(q, work, J)
        size, miss = 0.0, 0.0
        for j in range(n):
            i, k = j // freedoms, j % freedoms
            aim = q[i, k] - r[j] / spine.stiffness[i, k]
            held[j] = stops and (aim < low[i, k] or aim > high[i, k])
            X[0, j] = q[i, k] - clipped(aim, low[i, k], high[i, k]) if held[j] else r[j]
            size = max(size, abs(X[0, j]) * (spine.stiffness[i, k] if held[j] else 1.0))
            for p in range(m):
                side = 0 if u[p] >= 0.0 else 1
                X[p + 1, j] = 0.0 if held[j] else (1.0 - 2.0 * side) * work.lever[j, pairs[p, side]]
        for p in range(m):
            miss = max(miss, abs(work.origin[v, rows[p]] - target[p]))
        if size <= tolerance and miss <= near:
            return SOLVED, iteration
        for j in range(n):
            if held[j]:
                H[j, :] = 0.0
                H[:, j] = 0.0
                H[j, j] = 1.0
        if not factor(H, 0.0, L):
            return STUCK, iteration
        for p in range(m + 1):
            back_substitute(L, X[p])
        for a in range(m):
            right[a] = work.origin[v, rows[a]] - target[a]
            for j in range(n):
                right[a] -= J[rows[a], j] * X[0, j]
            for p in range(m):
                A[a, p] = 0.0
                for j in range(n):
                    A[a, p] += J[rows[a], j] * X[p + 1, j]
        if abs(np.linalg.det(A)) <= 1e-9 * np.max(np.abs(A)) ** m:
            return OUT_OF_REACH, iteration
        change = np.linalg.solve(A, right)
        largest = 0.0
        for j in range(n):
            for p in range(m):
                X[0, j] += X[p + 1, j] * change[p]
            largest = max(largest, abs(X[0, j]))
        scale = min(1.0, LARGEST_STEP / max(largest, 1e-300))
        beyond = False
        for p in range(m):
            wanted = u[p] + scale * change[p]
            u[p] = clipped(wanted, -bound[p, 1], bound[p, 0])
            beyond = beyond or u[p] != wanted
        outside = outside + 1 if beyond else 0
        if outside > 3:
            return OUT_OF_REACH, iteration
        for j in range(n):
            i, k = j // freedoms, j % freedoms
            q[i, k] -= scale * X[0, j]
            if stops:
                q[i, k] = clipped(q[i, k], low[i, k], high[i, k])
        if is_folded(spine, q, work):
            return FOLDED, iteration
    return STUCK, limit


@kernel
def follow(spine, loads, stops, pairs, rows, targets, bound, q, u, code, work, r, H, L, J, limit):
    """`reach` for each row of `targets`, each from the answer before; fills q (P, v, freedoms), u (P, pairs) and code (P,).

    Stops at the first point that it cannot answer; returns how many it did.
    """
    for point in range(len(targets)):
        if point > 0:
            q[point] = q[point - 1]
            u[point] = u[point - 1]
        code[point], _ = reach(spine, loads, stops, pairs, rows, targets[point], bound, q[point], u[point], work, r, H, L, J, limit)
        if code[point] != SOLVED:
            return point
    return len(targets)
