"""Smallest forces that only push, against every subset tried one by one, and against scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls

from limbless.core.errors import InputError
from limbless.mechanics.contact.nonnegative_qp import nonnegative_least_norm
from limbless.models.rod.constraint_forces import one_sided


def solve(A: np.ndarray, b: np.ndarray, sided: np.ndarray) -> np.ndarray | None:
    left, singular, right = np.linalg.svd(A, full_matrices=False)
    forces, solved = np.zeros((1, A.shape[1])), np.zeros(1, dtype=bool)
    nonnegative_least_norm(right[None].copy(), (left.T @ b / singular)[None], sided[None].copy(), forces, solved)
    return forces[0] if solved[0] else None


def tried_one_by_one(A: np.ndarray, b: np.ndarray, sided: np.ndarray) -> np.ndarray | None:
    """The smallest solution has the least norm on the forces that it uses: so it is among these."""
    best: np.ndarray | None = None
    for pattern in itertools.product((False, True), repeat=int(sided.sum())):
        used = ~sided
        used[sided] = pattern
        x = np.zeros(len(used))
        x[used] = np.linalg.lstsq(A[:, used], b, rcond=1e-10)[0] if used.any() else 0.0
        reached = np.linalg.norm(A @ x - b) < 1e-9 * max(1.0, float(np.linalg.norm(b)))
        if reached and x[sided].min(initial=0.0) > -1e-10 and (best is None or x @ x < best @ best):
            best = x
    return best


def test_forces_that_push_are_the_smallest() -> None:
    """Random systems of up to three rows and seven forces, some of which may pull: same answers, and the same systems
    have none."""
    random, none, better = np.random.default_rng(7), 0, 0
    for trial in range(150):
        rows = int(random.integers(1, 4))
        A = random.normal(size=(rows, int(random.integers(rows, 8))))
        sided = random.random(A.shape[1]) > 0.2
        b = A @ np.abs(random.normal(size=A.shape[1])) if trial % 3 else random.normal(size=rows)
        mine, exact = solve(A, b, sided), tried_one_by_one(A, b, sided)
        assert (mine is None) == (exact is None)
        if mine is None or exact is None:
            none += 1
            continue
        assert mine == pytest.approx(exact, abs=1e-8 * max(1.0, float(np.abs(exact).max())))
        assert mine[sided].min(initial=0.0) >= 0.0
        if sided.all():
            any_pushes, _ = nnls(A, b)  # some that push, but not the smallest
            assert mine @ mine <= any_pushes @ any_pushes * (1.0 + 1e-12)
            better += bool(mine @ mine < 0.99 * any_pushes @ any_pushes)
    assert none > 5 and better > 5, "both kinds of systems were met"


def test_more_forces_than_can_be_tried_are_optimal() -> None:
    """Six rows, forty forces: x = max(0, Aᵀ y) for some y is what makes a feasible x the smallest (the conditions of
    Kuhn and Tucker)."""
    random = np.random.default_rng(3)
    for _ in range(20):
        A = random.normal(size=(6, 40))
        b = A @ np.maximum(random.normal(size=40), 0.0)
        x = solve(A, b, np.ones(40, dtype=bool))
        assert x is not None and np.abs(A @ x - b).max() < 1e-9 * np.abs(b).max()
        y = np.linalg.lstsq(A[:, x > 0.0].T, x[x > 0.0], rcond=None)[0]
        assert x == pytest.approx(np.maximum(A.T @ y, 0.0), abs=1e-9)


def test_sides_and_refusal() -> None:
    """Two forces along one line: the one whose side it is carries all; none where both sides are wrong."""
    V, c = np.array([[[0.6, 0.8]]]), np.array([[2.0]])
    assert one_sided(V, c, np.array([[1.0, -1.0]]), np.zeros(1))[0] == pytest.approx([2.0 / 0.6, 0.0])
    assert one_sided(V, c, np.array([[0.0, 1.0]]), np.zeros(1))[0] == pytest.approx([1.2, 1.6])
    with pytest.raises(InputError, match=r"cannot carry the body at t = 3 s"):
        one_sided(V, c, np.array([[-1.0, -1.0]]), np.full(1, 3.0))
