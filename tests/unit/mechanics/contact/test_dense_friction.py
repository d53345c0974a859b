"""Set-valued friction on a dense mobility: the answer obeys Coulomb's law, and is the minimum that SciPy
finds for the same problem.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from limbless.mechanics.contact.dense_friction import Dense, solve_friction
from scipy.optimize import lsq_linear, minimize

from limbless.mechanics.contact.homotopy import make_homotopy
from limbless.mechanics.contact.scene import ContactRow

Array = np.ndarray


def problem(seed: int, contacts: int, freedoms: int) -> tuple[Array, Array]:
    """D = G G^T of low rank, as many wheels on few degrees of freedom have it, and a slip that
    need not lie in its range.
    """
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(2 * contacts, freedoms))
    return G @ G.T, rng.normal(size=2 * contacts) * rng.choice([0.1, 1.0, 3.0])


def answer(
    D: Array,
    slip: Array,
    box: bool,
    friction: tuple[float, float] = (1.0, 1.0),
    start: Array | None = None,
    tolerance: float = 1e-12,
    load: float = 1.0,
) -> tuple[Array, float]:
    """Friction over its load in all directions, and the residual."""
    count = len(slip) // 2
    table = ContactRow.zeros(count)
    rows = ContactRow.of(table)
    rows.friction[:, :3] = friction[0], friction[0], friction[1]
    rows.given[:], rows.load[:], rows.cone[:] = load, load, box
    if start is not None:
        rows.shear[:] = start.reshape(-1, 2)
    dense = Dense(
        D.copy(),
        slip.copy(),
        np.zeros((2 * count, 2 * count + 1)),
        np.zeros(2 * count, dtype=np.int64),
        make_homotopy(2 * count),
    )
    rho = 1.0 / max(float(np.diag(D).mean()), 1e-6)
    _, worst = solve_friction(table, np.arange(count), count, dense, rho, tolerance)
    return rows.shear.ravel() / load, worst


@pytest.mark.parametrize("box", [True, False])
@pytest.mark.parametrize("friction", [(0.01, 0.5), (0.006, 0.67), (2.0, 2.0), (0.01, 100.0), (0.001, 1000.0)])
def test_any_coefficients_and_loads(friction: tuple[float, float], box: bool, nearest_point: Any) -> None:
    """Slender ellipses, friction of 2 and of 100, loads of a ten-thousandth: the natural map of the
    impulses, written once more.
    """
    for seed in range(60):
        rng = np.random.default_rng(seed)
        D, slip = problem(seed, int(rng.integers(2, 12)), int(rng.choice([3, 7, 20])))
        load, rho = float(rng.choice([1e-4, 5e-3, 0.3, 3.0])), 1.0 / np.diag(D).mean()
        x, worst = answer(D, slip, box, friction, tolerance=1e-13, load=load)
        axes = load * np.array(friction)
        impulse = (x.reshape(-1, 2) * axes).ravel()
        trial = (impulse - rho * (D @ impulse + slip)).reshape(-1, 2)
        left = impulse.reshape(-1, 2) - [nearest_point(y, axes, box) for y in trial]
        assert np.abs(left).max() / rho < 1e-8 and worst < 1e-9, seed


def test_directions_that_hardly_move_are_solved_too() -> None:
    """A straight snake on its wheels: its modules move along it against each other by second order alone, and torques
    are weak.

    What remains of the slip is less than any friction, and almost nothing can stop it: the whole of friction against
    it.
    """
    G = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 7e-7], [0.0, 0.0]])
    x, worst = answer(G @ G.T, np.array([2e-11, 0.0, 1e-11, 0.0, -2e-11, 0.0]), True, (0.01, 2.0), load=5e-3)
    assert worst < 1e-10 and np.abs(x).max() <= 1.0


@pytest.mark.parametrize("friction", [(1.0, 1.0), (0.02, 1.0)])
@pytest.mark.parametrize("seed", range(25))
def test_box(seed: int, friction: tuple[float, float]) -> None:
    """From the definition: inside it sticks, on the edge it opposes the slip; the motion is unique, wherever the
    iteration starts.
    """
    D, slip = problem(seed, 2 + seed % 5, 3 if seed % 2 else 20)
    mu = np.tile(friction, len(slip) // 2)
    x, worst = answer(D, slip, True, friction)
    gamma = D @ (mu * x) + slip
    assert worst < 1e-10 and np.abs(x).max() <= 1.0 + 1e-12
    inside = np.abs(x) < 1.0
    assert np.abs(gamma[inside]).max(initial=0.0) < 1e-10
    assert (gamma * x)[~inside].max(initial=-1.0) < 1e-10
    again, _ = answer(D, slip, True, friction, np.random.default_rng(seed).uniform(-1, 1, len(slip)))
    assert D @ (mu * again) == pytest.approx(D @ (mu * x), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_box_against_least_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(12, 8))
    target = rng.normal(size=12)
    best = lsq_linear(G, target, (-1, 1), tol=1e-14).x
    assert answer(G.T @ G, -G.T @ target, True)[0] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("friction", [(1.0, 1.0), (0.1, 1.0)])
@pytest.mark.parametrize("seed", range(8))
def test_ellipses(seed: int, friction: tuple[float, float]) -> None:
    """On the edge friction is opposite to the slip scaled by the coefficients; SciPy finds no lower minimum."""
    D, slip = problem(seed, 4, 3 if seed % 2 else 20)
    mu = np.tile(friction, len(slip) // 2)
    x, worst = answer(D, slip, False, friction)
    pairs, scaled = x.reshape(-1, 2), (mu * (D @ (mu * x) + slip)).reshape(-1, 2)
    sizes = np.linalg.norm(pairs, axis=1)
    assert worst < 1e-9 and sizes.max() <= 1.0 + 1e-10
    for pair, size, w in zip(pairs, sizes, scaled, strict=True):
        if size < 1.0 - 1e-9:
            assert np.abs(w).max() < 1e-9
        else:
            assert w == pytest.approx(-np.linalg.norm(w) * pair, abs=1e-9)

    def cost(z: Array) -> float:
        return float(0.5 * (mu * z) @ D @ (mu * z) + slip @ (mu * z))

    limits = [{"type": "ineq", "fun": lambda z, c=c: 1.0 - z[c] ** 2 - z[c + 1] ** 2} for c in range(0, len(slip), 2)]
    best = minimize(
        cost,
        np.zeros(len(slip)),
        jac=lambda z: mu * (D @ (mu * z) + slip),
        constraints=limits,
        method="SLSQP",
        tol=1e-12,
    )
    assert cost(x) <= best.fun + 1e-8


@pytest.mark.parametrize("box", [True, False])
def test_the_fallback_solves_what_newton_cycles_in(box: bool) -> None:
    """Twenty directions on three degrees of freedom, from a start without friction: all of 60
    problems, whatever it takes.
    """
    for seed in range(1, 121, 2):
        D, slip = problem(seed, 10, 3)
        assert answer(D, slip, box)[1] < 1e-10


def test_directions_that_nothing_can_move_take_the_edge_against_their_slip() -> None:
    x, _ = answer(np.zeros((4, 4)), np.array([0.2, -0.3, 0.0, 1e-9]), True)
    assert x.tolist() == [-1.0, 1.0, 0.0, -1.0]
    x, _ = answer(np.zeros((2, 2)), np.array([3.0, -4.0]), False)
    assert x == pytest.approx([-0.6, 0.8])


def test_friction_that_need_not_change_does_not() -> None:
    """Two equal wheels hold one push together: any split that does is an answer, and one that stands there is kept."""
    G = np.array([[1.0], [0.0], [1.0], [0.0]])
    start = np.array([-0.1, 0.0, -0.7, 0.0])
    kept, _ = answer(G @ G.T, np.array([0.8, 0.0, 0.8, 0.0]), True, start=start)
    assert kept == pytest.approx(start, abs=1e-10)  # the slip's rounding over the proximal term of 1e-5
    x, worst = answer(G @ G.T, np.array([0.8, 0.0, 0.8, 0.0]), True)
    assert worst < 1e-12 and x[[0, 2]] == pytest.approx([-0.4, -0.4], abs=1e-9)
