"""Set-valued dry friction as a problem in unit cones: what any model with contacts can hand over.

A contact direction c with the largest impulse l_c moves with γ_c = (W u + q)_c, where the rows of W and q are already scaled by l:
p_c = l_c u_c, W = diag(l) G M⁻¹ Gᵀ diag(l), q = diag(l) G v*. Coulomb's law is then the same for every contact:

box       each u_c in [-1, 1]; u_c = -sgn γ_c where it slides, anything inside where it sticks;
ellipse   each pair (u_c, u_c+1) in the unit disk; on its edge, opposite to (γ_c, γ_c+1), where it slides.

Both are the conditions of the least of ½ uᵀ W u + qᵀ u over the cones, so Gauss-Seidel sweeps descend; for the box, an active-set
method then finds the exact answer (loosely converged sweeps show first in the torques).
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.dense import substitute
from limbless.mechanics.kernel import inline, kernel

SWEEPS, DISK_SWEEPS = 2, 5000
BOUND, FREE, DECIDED = np.arange(3)
TINY = 1e-11            # of its own diagonal: a sticking direction whose pivot is smaller is already held by the others
CLOSE = 1e-14           # change of u in a whole sweep at which a disk problem is solved


@inline
def slip(W, q, u, c):
    """γ_c = (W u + q)_c"""
    total = q[c]
    for d in range(u.shape[0]):
        total += W[c, d] * u[d]
    return total


@inline
def clipped(value):
    return min(max(value, -1.0), 1.0)


@kernel
def sweep_box(W, q, u):
    """One Gauss-Seidel sweep; a direction that nothing can move (W_cc = 0) takes the edge against its slip. Returns the largest change."""
    largest = 0.0
    for c in range(u.shape[0]):
        gamma, before = slip(W, q, u, c), u[c]
        if W[c, c] > 0.0:
            u[c] = clipped(u[c] - gamma / W[c, c])
        elif gamma != 0.0:
            u[c] = -1.0 if gamma > 0.0 else 1.0
        else:
            u[c] = 0.0
        largest = max(largest, abs(u[c] - before))
    return largest


@kernel
def factor_free(W, flags, factor, chosen):
    """Cholesky factor of the free directions. Returns how many are in it, and a free one that the others already decide (or -1)."""
    count, decided = 0, -1
    for c in range(W.shape[0]):
        if flags[c] != FREE:
            continue
        total = W[c, c]
        for i in range(count):
            entry = W[c, chosen[i]]
            for k in range(i):
                entry -= factor[count, k] * factor[i, k]
            factor[count, i] = entry / factor[i, i]
            total -= factor[count, i] * factor[count, i]
        if total > TINY * W[c, c]:
            factor[count, count] = total ** 0.5
            chosen[count] = c
            count += 1
        elif decided < 0:
            decided = c
    return count, decided


@kernel
def move_to_bound(u, flags, chosen, count, extra, way, step, farthest):
    """Move the chosen directions by `step` (and `extra` by `way`), but no farther than the first bound. Returns whether one was met."""
    t, met = farthest, -1
    for i in range(count + 1):
        if i == count and extra < 0:
            break
        c, d = (extra, way) if i == count else (chosen[i], step[i])
        room = (1.0 - u[c]) / d if d > 0.0 else ((-1.0 - u[c]) / d if d < 0.0 else farthest)
        if room < t:
            t, met = max(room, 0.0), c
    for i in range(count):
        u[chosen[i]] += t * step[i]
    if extra >= 0:
        u[extra] += t * way
    if met >= 0:
        u[met] = 1.0 if u[met] > 0.0 else -1.0
        flags[met] = BOUND
    return met >= 0


@kernel
def release_worst(W, q, u, flags, tolerance):
    """Free the direction that pulls hardest against its bound. Returns whether there is one."""
    worst, which = tolerance, -1
    for c in range(u.shape[0]):
        if flags[c] == BOUND and W[c, c] > 0.0:
            wrong = slip(W, q, u, c) * u[c]
            if wrong > worst:
                worst, which = wrong, c
    if which >= 0:
        flags[which] = FREE
    return which >= 0


@kernel
def polish_box(W, q, u, factor, step, chosen):
    """From a feasible u to the exact answer: sticking directions solved for γ = 0, bounds met and left one at a time.

    There may be more sticking directions than degrees of freedom to hold; then W is singular on them, and u moves along its null
    direction, which does not move the robot, until a wheel slips. `chosen` has room for 2 C integers, the flags in its second half.
    """
    size, flags = u.shape[0], chosen[u.shape[0]:]
    scale = 0.0
    for c in range(size):
        flags[c] = FREE if abs(u[c]) < 1.0 and W[c, c] > 0.0 else BOUND
        scale = max(scale, abs(q[c]), W[c, c])
    tolerance = 1e-14 * scale
    for _ in range(20 * size + 20):
        count, decided = factor_free(W, flags, factor, chosen)
        for i in range(count):
            step[i] = -slip(W, q, u, chosen[i])
        substitute(factor, count, step)
        if move_to_bound(u, flags, chosen, count, -1, 0.0, step, 1.0):
            continue
        if decided >= 0:
            pull = slip(W, q, u, decided)
            if abs(pull) <= tolerance:
                flags[decided] = DECIDED
                continue
            way = -1.0 if pull > 0.0 else 1.0
            for i in range(count):
                step[i] = -way * W[chosen[i], decided]
            substitute(factor, count, step)
            move_to_bound(u, flags, chosen, count, decided, way, step, 4.0)
        elif not release_worst(W, q, u, flags, tolerance):
            return True
    return False


@inline
def nearest_in_disk(a, b, d, r, s, x, y):
    """The least of ½ zᵀ [[a, b], [b, d]] z + (r, s) z over the unit disk; (x, y) is what stands there now."""
    trace = a + d
    if trace <= 0.0:
        size = (r * r + s * s) ** 0.5
        return (-r / size, -s / size) if size > 0.0 else (0.0 * x, 0.0 * y)
    least = 1e-13 * trace
    det = (a + least) * (d + least) - b * b
    x, y = -((d + least) * r - b * s) / det, -((a + least) * s - b * r) / det
    if x * x + y * y <= 1.0:
        return x, y
    multiplier = 0.0
    for _ in range(60):                                    # Newton on 1/|z| = 1: monotone from the left
        A, D = a + multiplier + least, d + multiplier + least
        det = A * D - b * b
        x, y = -(D * r - b * s) / det, -(A * s - b * r) / det
        size = (x * x + y * y) ** 0.5
        slope = (x * (D * x - b * y) + y * (A * y - b * x)) / det
        step = (size - 1.0) * size * size / slope
        multiplier += step
        if abs(step) <= 1e-15 * (trace + multiplier):
            break
    return x / size, y / size


@kernel
def sweep_disks(W, q, u):
    """One Gauss-Seidel sweep over pairs. Returns the largest change."""
    largest = 0.0
    for c in range(0, u.shape[0], 2):
        x, y = u[c], u[c + 1]
        a, b, d = W[c, c], W[c, c + 1], W[c + 1, c + 1]
        r, s = slip(W, q, u, c) - a * x - b * y, slip(W, q, u, c + 1) - b * x - d * y
        u[c], u[c + 1] = nearest_in_disk(a, b, d, r, s, x, y)
        largest = max(largest, abs(u[c] - x), abs(u[c + 1] - y))
    return largest


@kernel
def solve_cones(W, q, joined, u, factor, trial, chosen):
    """Find u from the start that it holds; `joined` takes pairs in disks. Returns whether it converged.

    Scratch: factor (C, C), trial (C,), chosen (2 C,) of integers.
    """
    if joined:
        for _ in range(DISK_SWEEPS):
            if sweep_disks(W, q, u) <= CLOSE:
                return True
        return False
    for _ in range(SWEEPS):
        sweep_box(W, q, u)
    return polish_box(W, q, u, factor, trial, chosen)


@kernel
def residual(W, q, joined, limit, u):
    """By how much the answer breaks the law: largest slip (m/s) that friction does not oppose as it must."""
    worst = 0.0
    for c in range(0, u.shape[0], 2):
        for d in range(c, c + 2):
            if limit[d] > 0.0:
                gamma = slip(W, q, u, d) / limit[d]
                if joined:
                    size = (u[c] * u[c] + u[c + 1] * u[c + 1]) ** 0.5
                    if size < 1.0 - 1e-9:
                        worst = max(worst, abs(gamma))
                elif abs(u[d]) < 1.0:
                    worst = max(worst, abs(gamma))
                else:
                    worst = max(worst, gamma * np.sign(u[d]))
        if joined:
            size = (u[c] * u[c] + u[c + 1] * u[c + 1]) ** 0.5
            if size >= 1.0 - 1e-9:
                r, s = slip(W, q, u, c), slip(W, q, u, c + 1)
                along = -(r * u[c] + s * u[c + 1])
                across = abs(r * u[c + 1] - s * u[c])
                worst = max(worst, max(across, -along) / max(limit[c], limit[c + 1]))
    return worst
