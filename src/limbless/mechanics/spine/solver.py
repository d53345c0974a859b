"""Equilibria of a tendon-driven spine: projected Newton on the energy, Newton on any residual, and postures of many loads.

Stops are bounds on q with a complementary moment. A kernel returns a code: SOLVED, or why it stopped; `q` then holds its last posture.
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.compiled.kernel import inline, kernel
from limbless.mechanics.spine.equilibrium import energy, forces, moments, posture, stretch_energy

SOLVED, SADDLE, FOLDED, STUCK, OUT_OF_REACH = np.array([0, 1, 2, 3, 4])
LARGEST_STEP = 0.3          # rad: keeps a full Newton step inside the part of the energy that looks like its quadratic model
PRECISION = 1e-12           # of the largest stiffness: residuals (N m) below it are rounding
DIFFERENCE = 1e-8           # rad: far below what takes a tendon from stick to slip, far above rounding
SHORTEST = 0.02             # of the length of a vertebra: disks would touch long before a tendon is as short as that between them
SLACK = 1e-9                # N: a tendon with less has no friction to speak of
_DECREASE = 1e-4            # Armijo


@kernel
def factor(H, shift, L):
    """Lower Cholesky factor of H + shift; False if that is not positive definite."""
    n = H.shape[0]
    for i in range(n):
        for j in range(i + 1):
            value = H[i, j]
            for k in range(j):
                value -= L[i, k] * L[j, k]
            if i == j:
                value += shift
                if value <= 0.0:
                    return False
                L[i, i] = np.sqrt(value)
            else:
                L[i, j] = value / L[j, j]
    return True


@kernel
def back_substitute(L, x):
    """x <- (L Lᵀ)⁻¹ x."""
    n = len(x)
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@inline
def clipped(value, low, high):
    return min(max(value, low), high)


@kernel
def is_folded(spine, q, work):
    """Whether a vertebra is bent by more than π, where the description of an arc ends, or until two holes of a tendon meet."""
    for i in range(q.shape[0]):
        if q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1] > np.pi * np.pi:
            return True
        for c in range(len(spine.end)):
            if i < spine.end[c] and work.chord[i, c] < SHORTEST * spine.length[i]:
                return True
    return False


@kernel
def freeze(H, r, held):
    """Take the held unknowns out of a Newton system: identity rows, no step."""
    for i in range(len(r)):
        if held[i]:
            for j in range(len(r)):
                H[i, j], H[j, i] = 0.0, 0.0
            H[i, i] = 1.0
            r[i] = 0.0


@kernel
def minimise(spine, loads, stops, q, work, r, H, L, limit):
    """Newton on the energy with the exact Hessian; with `stops`, its minimum between them (projected Newton).

    Returns (code, iterations). At the end r holds the residual (at a stop: minus the stop moment) and H the Hessian.
    """
    v, freedoms = q.shape
    n = v * freedoms
    low, high = spine.low, spine.high
    step, trial, held = np.zeros(n), np.zeros((v, freedoms)), np.zeros(n, np.bool_)
    kept_r, kept_H = np.zeros(n), np.zeros((n, n))
    tolerance = PRECISION * np.max(spine.stiffness)
    posture(spine, q, work)
    value = energy(spine, loads, q, work)
    for iteration in range(limit):
        forces(spine, loads, q, work, r, H)
        largest = 0.0
        for i in range(n):
            j, k = i // freedoms, i % freedoms
            held[i] = stops and ((q[j, k] <= low[j, k] and r[i] > 0.0) or (q[j, k] >= high[j, k] and r[i] < 0.0))
            if not held[i]:
                largest = max(largest, abs(r[i]))
        kept_r[:] = r
        kept_H[:, :] = H
        freeze(H, r, held)
        shift = 0.0
        while not factor(H, shift, L):
            shift = max(4.0 * shift, 1e-3 * np.max(spine.stiffness))
        if largest <= tolerance:
            r[:] = kept_r
            H[:, :] = kept_H
            return (SOLVED if shift == 0.0 else SADDLE), iteration
        for i in range(n):
            step[i] = -r[i]
        back_substitute(L, step)
        scale = min(1.0, LARGEST_STEP / np.max(np.abs(step)))
        for _ in range(40):
            gain = 0.0
            for i in range(n):
                a, k = i // freedoms, i % freedoms
                trial[a, k] = q[a, k] + scale * step[i]
                if stops:
                    trial[a, k] = clipped(trial[a, k], low[a, k], high[a, k])
                gain += kept_r[i] * (trial[a, k] - q[a, k])
            posture(spine, trial, work)
            reached = energy(spine, loads, trial, work)
            if reached <= value + _DECREASE * gain or abs(gain) <= 1e-13 * abs(value):      # the second: decrease is lost in rounding
                break
            scale *= 0.5
        q[:, :] = trial
        value = reached
        if is_folded(spine, q, work):
            return FOLDED, iteration
    return STUCK, limit


@kernel
def settle(spine, loads, stops, q, work, r, H, L, limit):
    """`minimise`, and at its end the energy without the tendons (J) and the largest unbalanced moment (N m)."""
    code, iterations = minimise(spine, loads, stops, q, work, r, H, L, limit)
    stored = energy(spine, loads, q, work)
    for c in range(len(work.total)):
        if loads.elastic[c] > 0.0:
            stored -= stretch_energy(loads.elastic[c], loads.stiffening[c], work.total[c] - loads.command[c])
        else:
            stored -= loads.command[c] * work.total[c]
    return code, iterations, stored, natural(spine, stops, q, r, L[0])


@kernel
def residual(spine, loads, form, drop_axial, q, work, r, H):
    """Residual of the chosen form (0: energy, 1: moment) at q."""
    posture(spine, q, work)
    if form == 0:
        forces(spine, loads, q, work, r, H)
    else:
        moments(spine, loads, q, work, drop_axial, r)


@kernel
def jacobian(spine, loads, form, drop_axial, q, work, r, H, J):
    """Derivative of the residual by central differences: for forms and friction laws that have no energy."""
    freedoms = q.shape[1]
    above = np.zeros(len(r))
    for j in range(len(r)):
        i, k = j // freedoms, j % freedoms
        here = q[i, k]
        q[i, k] = here + DIFFERENCE
        residual(spine, loads, form, drop_axial, q, work, above, H)
        q[i, k] = here - DIFFERENCE
        residual(spine, loads, form, drop_axial, q, work, r, H)
        q[i, k] = here
        for row in range(len(r)):
            J[row, j] = (above[row] - r[row]) / (2.0 * DIFFERENCE)


@kernel
def natural(spine, stops, q, r, miss):
    """How far q is from q - r/K brought between the stops, in N m: zero exactly at an equilibrium with stops."""
    freedoms = q.shape[1]
    size = 0.0
    for j in range(len(r)):
        i, k = j // freedoms, j % freedoms
        K = spine.stiffness[i, k]
        aim = q[i, k] - r[j] / K
        if stops:
            aim = clipped(aim, spine.low[i, k], spine.high[i, k])
        miss[j] = K * (q[i, k] - aim)
        size = max(size, abs(miss[j]))
    return size


@kernel
def slip_miss(spine, loads, work, miss):
    """How far each tendon is from its law of stick and slip, as a change of `slip`; zero where slip is given.

    A tendon keeps the length it had, with a slip between -1 and 1, or slides: it shortens with slip 1, lengthens with slip -1. In one line:
    slip = slip + (before - length)/scale brought between -1 and 1. One without tension has no friction and no slip.
    """
    scale = 0.1 * np.sum(spine.length)          # long: a state changes by one at a time, never from sliding one way to the other
    size = 0.0
    for c in range(len(miss)):
        miss[c] = 0.0
        if loads.sticking and work.tension[0, c] > SLACK:
            miss[c] = loads.slip[c] - clipped(loads.slip[c] + (loads.before[c] - work.total[c]) / scale, -1.0, 1.0)
        size = max(size, abs(miss[c]))
    return size


@kernel
def slip_columns(spine, loads, form, drop_axial, q, work, H, J):
    """The columns of the augmented matrix for the slips (differences), and the rows of the tendons that stick (exact)."""
    n, m = q.size, len(loads.slip)
    scale = 0.1 * np.sum(spine.length)          # long: a state changes by one at a time, never from sliding one way to the other
    above, below = np.zeros(n), np.zeros(n)
    for c in range(m):
        here = loads.slip[c]
        stuck = False
        if loads.sticking and work.tension[0, c] > SLACK:
            aim = here + (loads.before[c] - work.total[c]) / scale
            stuck = -1.0 < aim < 1.0
            J[n + c, n + c] = 1.0
            if not stuck:
                loads.slip[c] = clipped(aim, -1.0, 1.0)            # slides: taken over at once, no step is left
                continue
            loads.slip[c] = here + 1e-6
            residual(spine, loads, form, drop_axial, q, work, above, H)
            loads.slip[c] = here - 1e-6
            residual(spine, loads, form, drop_axial, q, work, below, H)
            loads.slip[c] = here
            if np.max(np.abs(above - below)) <= PRECISION * 2e-6 * np.max(spine.stiffness):
                continue                                           # a straight tendon does not rub: its slip has no effect
            J[n + c, n + c] = 0.0
            for row in range(n):
                J[row, n + c] = (above[row] - below[row]) / 2e-6
                J[n + c, row] = work.lever[row, c]
        else:
            J[n + c, n + c] = 1.0


@kernel
def balance(spine, loads, form, drop_axial, stops, q, work, r, H, limit):
    """Newton on the residual, with primal-dual active sets for the stops and for tendons that stick. Returns (code, iterations).

    With `loads.sticking` the slips are unknowns too; `loads.slip` is where they start and where they are found.
    """
    v, freedoms = q.shape
    n, m = v * freedoms, len(loads.slip)
    miss, before, right, slips = np.zeros(n), np.zeros((v, freedoms)), np.zeros(n + m), np.zeros(m)
    wrong = np.zeros(m)
    J = np.zeros((n + m, n + m))
    tolerance = PRECISION * np.max(spine.stiffness)
    for iteration in range(limit):
        residual(spine, loads, form, drop_axial, q, work, r, H)
        size = natural(spine, stops, q, r, miss)
        if size <= tolerance and slip_miss(spine, loads, work, wrong) <= 1e-9:
            return SOLVED, iteration
        J[:, :] = 0.0
        right[:] = 0.0
        slip_columns(spine, loads, form, drop_axial, q, work, H, J)
        jacobian(spine, loads, form, drop_axial, q, work, miss, H, J)
        residual(spine, loads, form, drop_axial, q, work, r, H)
        for c in range(m):
            if J[n + c, n + c] == 0.0:
                right[n + c] = loads.before[c] - work.total[c]
        for j in range(n):
            i, k = j // freedoms, j % freedoms
            aim = q[i, k] - r[j] / spine.stiffness[i, k]
            right[j] = -r[j]
            if stops and (aim < spine.low[i, k] or aim > spine.high[i, k]):
                J[j, :] = 0.0
                J[j, j] = 1.0
                right[j] = clipped(aim, spine.low[i, k], spine.high[i, k]) - q[i, k]
        step = np.linalg.solve(J, right)
        scale = min(1.0, LARGEST_STEP / max(np.max(np.abs(step[:n])), 1e-300))
        before[:, :] = q
        slips[:] = loads.slip
        best = natural(spine, stops, q, r, miss)
        for _ in range(25):
            for j in range(n):
                i, k = j // freedoms, j % freedoms
                q[i, k] = before[i, k] + scale * step[j]
                if stops:
                    q[i, k] = clipped(q[i, k], spine.low[i, k], spine.high[i, k])
            for c in range(m):
                loads.slip[c] = clipped(slips[c] + scale * step[n + c], -1.1, 1.1)      # beyond 1 it will slide in the next step
            if loads.sticking:
                break                                              # lengths may have to move first: residuals then grow on the way
            residual(spine, loads, form, drop_axial, q, work, r, H)
            size = natural(spine, stops, q, r, miss)
            if size < best or size <= tolerance:
                break
            scale *= 0.5
        if is_folded(spine, q, work):
            return FOLDED, iteration
    return STUCK, limit


@kernel
def scan(spine, loads, stops, commands, q, tips, code, work, r, H, L, limit):
    """`minimise` for each row of `commands`, each from the posture before; fills q (P, v, freedoms), tips (P, 3) and code (P,)."""
    for point in range(len(commands)):
        if point > 0:
            q[point] = q[point - 1]
        loads.command[:] = commands[point]
        code[point], _ = minimise(spine, loads, stops, q[point], work, r, H, L, limit)
        tips[point] = work.origin[-1]
