"""Small dense systems in place, without allocation: Cholesky factors and their solutions, and elimination with row
exchanges, whose factors serve again or not.
"""

from __future__ import annotations

from limbless.mechanics.compiled import Array, IntArray, Scalar, array_kernel, func, noinline_func


@array_kernel
def cholesky(A: Array, size: int, smallest: Scalar) -> int:
    """Cholesky factor L of the leading `size` rows of A, in its lower triangle; A = L Lᵀ.

    Returns -1, or the first row whose pivot is at most `smallest` of its diagonal: the matrix is singular (or not
    positive) there.
    """
    for i in range(size):
        whole = A[i, i]
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if j < i:
                A[i, j] = total / A[j, j]
            elif total <= smallest * whole:
                return i
            else:
                A[i, i] = total**0.5
    return -1


@array_kernel
def cholesky_solve(L: Array, size: int, b: Array) -> None:
    """Solve L Lᵀ x = b in place, with the factor that `cholesky` left."""
    for i in range(size):
        total = b[i]
        for k in range(i):
            total -= L[i, k] * b[k]
        b[i] = total / L[i, i]
    for i in range(size - 1, -1, -1):
        total = b[i]
        for k in range(i + 1, size):
            total -= L[k, i] * b[k]
        b[i] = total / L[i, i]


@func
def pivot_row(A: Array, j: int, size: int) -> int:
    """The row, from j on, with the largest number in column j."""
    p = j
    for i in range(j + 1, size):
        if abs(A[i, j]) > abs(A[p, j]):
            p = i
    return p


@array_kernel
def gauss_solve(A: Array, size: int) -> None:
    """Solve a general system in place with row exchanges; its right side is column `size` of A, and so is the answer.

    A column without any pivot leaves its unknown at zero.
    """
    for j in range(size):
        p = pivot_row(A, j, size)
        if p != j:
            for c in range(j, size + 1):
                A[j, c], A[p, c] = A[p, c], A[j, c]
        if A[j, j] == 0.0:
            continue
        for i in range(j + 1, size):
            factor = A[i, j] / A[j, j]
            for c in range(j + 1, size + 1):
                A[i, c] -= factor * A[j, c]
    for j in range(size - 1, -1, -1):
        value = A[j, size]
        for c in range(j + 1, size):
            value -= A[j, c] * A[c, size]
        A[j, size] = value / A[j, j] if A[j, j] != 0.0 else 0.0


@noinline_func
def lu_factorise(A: Array, size: int, order: IntArray) -> None:
    """A = L U with row exchanges, in place: L below the diagonal, and on it one over the pivots. Row i of the factors
    was row `order[i]` of A. A column without any pivot has 0 there, which leaves its unknown at zero.
    """
    for i in range(size):
        order[i] = i
    for j in range(size):
        p = pivot_row(A, j, size)
        if p != j:
            order[j], order[p] = order[p], order[j]
            for c in range(size):
                A[j, c], A[p, c] = A[p, c], A[j, c]
        A[j, j] = 1.0 / A[j, j] if A[j, j] != 0.0 else 0.0
        for i in range(j + 1, size):
            factor = A[i, j] * A[j, j]
            A[i, j] = factor
            for c in range(j + 1, size):
                A[i, c] -= factor * A[j, c]


@func
def lu_solve(A: Array, size: int, order: IntArray, right: Array, x: Array) -> None:
    """Solve with these factors: the answer to `right`, numbers or lanes, is put into x."""
    for i in range(size):
        total = right[order[i]]
        for k in range(i):
            total -= A[i, k] * x[k]
        x[i] = total
    for i in range(size - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, size):
            total -= A[i, k] * x[k]
        x[i] = A[i, i] * total
