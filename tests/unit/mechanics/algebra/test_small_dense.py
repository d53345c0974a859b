"""Small dense systems: factors that serve again."""

from __future__ import annotations

import numpy as np
import pytest

from limbless.mechanics.algebra.small_dense import lu_factorise, lu_solve
from limbless.mechanics.compiled.decorators import kernel
from limbless.mechanics.compiled.flat_array import unpack


@kernel
def solved(A, order, right, x):
    own, rows = unpack(A), unpack(order)
    lu_factorise(own, own.shape[0], rows)
    lu_solve(own, own.shape[0], rows, unpack(right), unpack(x))


@pytest.mark.parametrize("seed", range(3))
def test_factors_with_exchanged_rows_solve_what_numpy_solves(seed: int) -> None:
    """Nearly singular leading blocks: without the exchanges nothing would be left of the answer."""
    rng = np.random.default_rng(seed)
    A, right, x = rng.normal(size=(6, 6)), rng.normal(size=6), np.zeros(6)
    A[0, 0], A[2, 2] = 1e-18, 0.0
    factors, order = A.copy(), np.zeros(6, dtype=np.int64)
    solved(factors, order, right, x)
    np.testing.assert_allclose(x, np.linalg.solve(A, right), rtol=1e-11)
    assert sorted(order) == list(range(6))


def test_a_column_without_pivot_leaves_its_unknown_at_zero() -> None:
    A, right, x = np.diag([2.0, 0.0, 4.0]), np.array([2.0, 1.0, 8.0]), np.ones(3)
    solved(A, np.zeros(3, dtype=np.int64), right, x)
    np.testing.assert_array_equal(x, [1.0, 0.0, 2.0])
