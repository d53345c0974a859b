"""Tensions for given places and directions of the tip: Newton on posture and tensions together, point after point.

Tendons work in groups of antagonists, of which one is always slack: pairs (49)-(50), or three around the axis. A group of g tendons has
g - 1 unknowns u, the tensions less that of its last tendon: T_c = u_c - min(u, 0), the last one's is -min(u, 0).
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.compiled.kernel import kernel
from limbless.mechanics.spine.equilibrium import forces, posture, tip_components
from limbless.mechanics.spine.solver import (
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

TURN = 2.0 * np.pi


@kernel
def share_out(first, member, u, command, rate):
    """Tensions (tendons,) of groups and their derivatives `rate` (tendons, unknowns) by u.

    Group a has the tendons member[first[a]] ... member[first[a + 1] - 1]. Where two could be slack, the later one is.
    """
    rate[:, :] = 0.0
    for a in range(len(first) - 1):
        begin, last = first[a], first[a + 1] - 1
        lowest, slack = 0.0, last
        for place in range(last - 1, begin - 1, -1):
            if u[place - a] < lowest:
                lowest, slack = u[place - a], place
        for place in range(begin, last + 1):
            c = member[place]
            command[c] = abs((u[place - a] if place < last else 0.0) - lowest)         # never -0
            if place < last:
                rate[c, place - a] += 1.0
            if slack < last:
                rate[c, slack - a] -= 1.0


@kernel
def keep_within(first, member, bound, command, u):
    """Shorten the unknowns of every group until no tension is beyond `bound` (T grows in proportion); whether any had to be."""
    beyond = False
    for a in range(len(first) - 1):
        largest = 0.0
        for place in range(first[a], first[a + 1]):
            largest = max(largest, command[member[place]])
        if largest > bound:
            beyond = True
            for place in range(first[a], first[a + 1] - 1):
                u[place - a] *= bound / largest
    return beyond


@kernel
def reach(spine, loads, stops, first, member, rows, target, bound, q, u, work, r, H, L, J, limit):
    """Newton on posture and unknown tensions together until the components `rows` of the tip (`tip_components`) are at `target`.

    Returns (code, iterations); OUT_OF_REACH where a tension beyond `bound` would be needed or the target is at the edge of the workspace.
    """
    v, freedoms = q.shape
    n, m = v * freedoms, len(u)
    low, high = spine.low, spine.high
    held, X = np.zeros(n, np.bool_), np.zeros((m + 1, n))
    A, right = np.zeros((m, m)), np.zeros(m)
    value, rate = np.zeros(6), np.zeros((len(loads.command), m))
    tolerance, near = PRECISION * np.max(spine.stiffness), 1e-13
    outside = 0
    for iteration in range(limit):
        share_out(first, member, u, loads.command, rate)
        posture(spine, q, work)
        forces(spine, loads, q, work, r, H)
        tip_components(q, work, value, J)
        size, miss = 0.0, 0.0
        for j in range(n):
            i, k = j // freedoms, j % freedoms
            aim = q[i, k] - r[j] / spine.stiffness[i, k]
            held[j] = stops and (aim < low[i, k] or aim > high[i, k])
            X[0, j] = q[i, k] - clipped(aim, low[i, k], high[i, k]) if held[j] else r[j]
            size = max(size, abs(X[0, j]) * (spine.stiffness[i, k] if held[j] else 1.0))
            for p in range(m):
                X[p + 1, j] = 0.0
                if not held[j]:
                    for c in range(len(loads.command)):
                        X[p + 1, j] += rate[c, p] * work.lever[j, c]
        for p in range(m):
            right[p] = value[rows[p]] - target[p]
            if rows[p] >= 3:                                         # an angle: the shorter way round
                right[p] -= TURN * np.rint(right[p] / TURN)
            miss = max(miss, abs(right[p]) / (1.0 if rows[p] >= 3 else np.sum(spine.length)))
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
        for p in range(m):
            u[p] += scale * change[p]
        share_out(first, member, u, loads.command, rate)
        outside = outside + 1 if keep_within(first, member, bound, loads.command, u) else 0
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
def follow(spine, loads, stops, first, member, rows, targets, bound, q, u, code, work, r, H, L, J, limit):
    """`reach` for each row of `targets`, each from the answer before; fills q (P, v, freedoms), u (P, unknowns) and code (P,).

    Stops at the first point that it cannot answer; returns how many it did.
    """
    for point in range(len(targets)):
        if point > 0:
            q[point] = q[point - 1]
            u[point] = u[point - 1]
        code[point], _ = reach(spine, loads, stops, first, member, rows, targets[point], bound, q[point], u[point], work, r, H, L,
                               J, limit)
        if code[point] != SOLVED:
            return point
    return len(targets)
