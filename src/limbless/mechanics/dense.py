"""Small dense symmetric systems in place: Cholesky factors and solutions, without allocation."""
from __future__ import annotations

from limbless.mechanics.kernel import kernel


@kernel
def factorise(A, size, smallest):
    """Cholesky factor L of the leading `size` rows of A, in its lower triangle; A = L Lᵀ.

    Returns -1, or the first row whose pivot is at most `smallest` of its diagonal: the matrix is singular (or not positive) there.
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
                A[i, i] = total ** 0.5
    return -1


@kernel
def substitute(L, size, b):
    """Solve L Lᵀ x = b in place, with the factor that `factorise` left."""
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
