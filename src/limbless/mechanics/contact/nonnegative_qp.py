"""The smallest forces with a given resultant where some can only push: a quadratic programme of few unknowns, solved
exactly.

min |x|² / 2 with V x = c and x_i >= 0 for some i, where the rows of V are orthonormal. Goldfarb and Idnani's dual
method: begin with the smallest forces of any sign, and set those that pull to zero one after another, letting go of
earlier ones where that is better. With the set F of forces that are not held at zero, x_F = V_Fᵀ y and V_F V_Fᵀ y = c:
all systems have as many unknowns as the resultant, six at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.mechanics.algebra import cholesky, cholesky_solve, copy, fill
from limbless.mechanics.compiled import BEYOND, Array, Scalar, array_kernel, func

if TYPE_CHECKING:
    from limbless.mechanics.rod.constraints import HeldSections

PULL = 1e-12  # of the resultant: a force that pulls less than this does not pull
LEVER = 1e-10  # of a force's own lever: below this the others cannot do without it


@func
def along(V: Array, i: int, y: Array):
    """v_iᵀ y of column i."""
    total = 0.0
    for j in range(V.shape[0]):
        total += V[j, i] * y[j]
    return total


@func
def normal_matrix(V: Array, off: Array, H: Array):
    """Cholesky factor of V_F V_Fᵀ, from the columns that are not held at zero; whether there is one."""
    n, count = V.shape
    for a in range(n):
        for b in range(a + 1):
            total = 0.0
            for i in range(count):
                if not off[i]:
                    total += V[a, i] * V[b, i]
            H[a, b] = total
    return cholesky(H, n, 1e-14) < 0


@func
def most_pulling(V: HeldSections, sided: Array, off: Array, y: Any, least: Any):
    """The force that pulls most, or -1."""
    worst, found = -least, -1
    for i in range(V.shape[1]):
        if sided[i] and not off[i]:
            force = along(V, i, y)
            if force < worst:
                worst, found = force, i
    return found


@func
def first_to_let_go(V: HeldSections, off: Array, y: Any, z: Scalar):
    """How far one may go along -z until a force that is held at zero wants to push, and which."""
    nearest, found = BEYOND, -1
    for k in range(V.shape[1]):
        if off[k]:
            slope = along(V, k, z)
            if slope < -1e-14:
                way = max(along(V, k, y) / slope, 0.0)  # what presses it, -v_kᵀ y, is used up
                if way < nearest:
                    nearest, found = way, k
    return nearest, found


@array_kernel
def solve_active_set(V: Array, c: Array, sided: Any, off: Array, H: Any, y: Array, z: Array):
    """The smallest x = v_iᵀ y (0 where `off`) of one system; False where no forces that push have the resultant c.

    While force i is brought to zero, u is what presses it: (V_F V_Fᵀ) y + u v_i = c.
    """
    n, count = V.shape
    size = 0.0
    for j in range(n):
        size += c[j] * c[j]
    fill(off, False)
    for _ in range(20 * count + 20):
        if not normal_matrix(V, off, H):
            return False
        copy(c, y)
        cholesky_solve(H, n, y)
        i = most_pulling(V, sided, off, y, PULL * np.sqrt(size))
        if i < 0:
            return True
        u = 0.0
        for _ in range(count + 1):
            for j in range(n):
                z[j] = V[j, i]
            cholesky_solve(H, n, z)
            lever = 1.0 - along(V, i, z)
            whole = -(along(V, i, y) + u) / lever if lever > LEVER else BEYOND
            part, k = first_to_let_go(V, off, y, z)
            way = min(whole, part)
            if way >= BEYOND:
                return False
            u += way
            for j in range(n):
                y[j] -= way * z[j]
            if whole <= part:
                off[i] = True
                break
            off[k] = False
            if not normal_matrix(V, off, H):
                return False
    return False


@array_kernel
def nonnegative_least_norm(V: Array, c: Array, sided: Array, forces: Array, solved: Array) -> None:
    """Forces (R, N) of R systems: V (R, n, N) with orthonormal rows, c (R, n), sided (R, N) where only x_i >= 0 will
    do.

    `solved` (R,) says whether there are any.
    """
    n, count = V.shape[1:]
    off, H, y, z = np.zeros(count, dtype=np.bool_), np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for r in range(V.shape[0]):
        solved[r] = solve_active_set(V[r], c[r], sided[r], off, H, y, z)
        for i in range(count):
            force = 0.0 if off[i] or not solved[r] else along(V[r], i, y)
            forces[r, i] = max(force, 0.0) if sided[r, i] else force
