"""Set-valued friction: the answer obeys Coulomb's law, and is the minimum that SciPy finds for the same problem."""
from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from limbless.mechanics.friction_cones import residual, solve_cones

Array = np.ndarray


def problem(seed: int, contacts: int, freedoms: int) -> tuple[Array, Array]:
    """W = G G^T of low rank, as many wheels on few degrees of freedom have it, and a slip that need not lie in its range."""
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(2 * contacts, freedoms))
    return G @ G.T, rng.normal(size=2 * contacts) * rng.choice([0.1, 1.0, 3.0])


def answer(W: Array, q: Array, joined: bool, start: Array | None = None) -> Array:
    size = len(q)
    u = np.zeros(size) if start is None else start.copy()
    assert solve_cones(W, q, joined, u, np.zeros((size, size)), np.zeros(size), np.zeros(2 * size, dtype=np.int64))
    return u


def cost(W: Array, q: Array, u: Array) -> float:
    return float(0.5 * u @ W @ u + q @ u)


@pytest.mark.parametrize("seed", range(25))
def test_box(seed: int) -> None:
    W, q = problem(seed, 2 + seed % 5, 3 if seed % 2 else 20)
    u = answer(W, q, False)
    gamma = W @ u + q
    assert np.abs(u).max() <= 1.0
    inside = np.abs(u) < 1.0
    assert np.abs(gamma[inside]).max(initial=0.0) < 1e-12
    assert (gamma * u)[~inside].max(initial=-1.0) < 1e-12
    assert residual(W, q, False, np.ones(len(q)), u) < 1e-12
    again = answer(W, q, False, np.random.default_rng(seed).uniform(-1, 1, len(q)))
    assert W @ again == pytest.approx(W @ u, abs=1e-10)                    # the motion is unique, wherever it starts


@pytest.mark.parametrize("seed", range(5))
def test_box_against_least_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(12, 8))
    target = rng.normal(size=12)
    best = lsq_linear(G, target, (-1, 1), tol=1e-14).x
    assert answer(G.T @ G, -G.T @ target, False) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_disks(seed: int) -> None:
    W, q = problem(seed, 4, 20)
    u = answer(W, q, True)
    pairs, gamma = u.reshape(-1, 2), (W @ u + q).reshape(-1, 2)
    sizes = np.linalg.norm(pairs, axis=1)
    assert sizes.max() <= 1.0 + 1e-12
    for pair, size, slip in zip(pairs, sizes, gamma, strict=True):
        if size < 1.0 - 1e-9:
            assert np.abs(slip).max() < 1e-9
        else:
            assert slip == pytest.approx(-np.linalg.norm(slip) * pair, abs=1e-9)
    assert residual(W, q, True, np.ones(len(q)), u) < 1e-9
    limits = [{"type": "ineq", "fun": lambda z, c=c: 1.0 - z[c] ** 2 - z[c + 1] ** 2} for c in range(0, len(q), 2)]
    best = minimize(lambda z: cost(W, q, z), np.zeros(len(q)), jac=lambda z: W @ z + q, constraints=limits, method="SLSQP", tol=1e-12)
    assert cost(W, q, u) <= best.fun + 1e-8


def test_directions_that_nothing_can_move_take_the_edge_against_their_slip() -> None:
    u = answer(np.zeros((4, 4)), np.array([0.2, -0.3, 0.0, 1e-9]), False)
    assert u.tolist() == [-1.0, 1.0, 0.0, -1.0]
    u = answer(np.zeros((2, 2)), np.array([3.0, -4.0]), True)
    assert u == pytest.approx([-0.6, 0.8])
