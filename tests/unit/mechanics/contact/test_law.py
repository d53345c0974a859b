"""The laws of one contact, from plain Python: projections, linearisations and what they must never do."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from limbless.mechanics.algebra.columns import get_twist
from limbless.mechanics.algebra.inertia import Twist
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.contact import law

numbers = st.floats(-3.0, 3.0)
E, RHO = 1.5e-3, 0.3


def contact(rng: np.random.Generator, **columns: float) -> np.ndarray:
    """A contact with a random frame, impulse and memory."""
    row = np.zeros((1, law.CONTACT_COLUMNS))
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    row[0, law.NORMAL:law.NORMAL + 3], row[0, law.TANGENT:law.TANGENT + 3] = Q[0], Q[1]
    row[0, law.ARM:law.ARM + 3], row[0, law.RADIUS] = rng.normal(size=3) * 0.1, 0.05
    row[0, law.FORWARD:law.FORWARD + 4] = 0.3, 0.3, 0.6, 0.02
    row[0, law.LOAD:law.LOAD + 5] = np.abs(rng.normal()), *rng.normal(size=4) * 0.4
    row[0, law.SHEAR_BEFORE:law.SHEAR_BEFORE + 4] = rng.normal(size=4) * 0.4
    row[0, law.SHIFT] = rng.normal() * 0.1
    for name, value in columns.items():
        row[0, getattr(law, name)] = value
    return row


@njit
def law_block(row):
    return law.law_block(row, 0)


@njit
def contact_wrench(row):
    return law.contact_wrench(row, 0)


@njit
def put_rates(row, u):
    law.put_rates(row, 0, Twist(Vector(u[0], u[1], u[2]), Vector(u[3], u[4], u[5])))


def at(row: np.ndarray, u: np.ndarray) -> None:
    put_rates(row, u)


def solved(row: np.ndarray, mobility: float) -> np.ndarray:
    """A body of isotropic mobility against one contact: Newton's iteration with the linearised law, on the velocity of its origin."""
    u = np.array([0.3, -0.2, -0.5, 0.1, 0.4, -0.3])
    free, one = u.copy(), np.array([0])
    for _ in range(60):
        at(row, u)
        law.linearise(row, one, 1, E, RHO, False)
        block, wrench = law_block(row)
        M = np.eye(6) / mobility
        K = np.block([[np.array(block.A), np.array(block.B)], [np.array(block.C), np.array(block.D)]])
        u = np.linalg.solve(M + K, M @ free + np.concatenate([wrench.force, wrench.torque]))
        at(row, u)
        law.put_answer(row, 0)
        if np.sqrt(law.mismatch(row, 0, E, RHO, 1.0 / RHO)[1]) < 1e-12:
            break
    answer = contact_wrench(row)
    assert M @ (u - free) == pytest.approx(np.concatenate([answer.force, answer.torque]), abs=1e-9)     # the dynamics hold
    return u


@settings(derandomize=True, max_examples=60)
@given(numbers, numbers, st.floats(0.0, 2.0))
def test_projection_is_the_nearest_point(x: float, y: float, z: float) -> None:
    p = np.array(law.project(False, x, y, z))
    assert np.hypot(*p) <= z + 1e-12
    angles = np.linspace(0, 2 * np.pi, 181)
    disc = z * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    inside = np.hypot(x, y) <= z
    assert not inside or p == pytest.approx([x, y])
    assert inside or np.hypot(*(p - [x, y])) <= np.linalg.norm(disc - [x, y], axis=1).min() + 1e-12
    assert law.project(True, x, y, z) == (min(max(x, -z), z), min(max(y, -z), z))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shape", [{}, {"BOX": 1.0}, {"BACKWARD": 0.5}])
def test_a_solved_contact_obeys_complementarity_cone_and_slip_law(seed: int, shape: dict[str, float]) -> None:
    """Nothing of the law is used to check it: written out from the definition of the normal cone."""
    rng = np.random.default_rng(seed)
    row = contact(rng, **shape)
    row[0, law.SHEAR_BEFORE:law.SHEAR_BEFORE + 4] = 0.0
    row[0, law.LOAD:law.LOAD + 5] = 0.0
    u = solved(row, 1.5)
    n, t = row[0, law.NORMAL:law.NORMAL + 3], row[0, law.TANGENT:law.TANGENT + 3]
    v = u[:3] + np.cross(u[3:], row[0, law.ARM:law.ARM + 3])
    N, shift = row[0, law.LOAD], row[0, law.SHIFT]
    assert N >= 0.0 and n @ v + shift + E * N >= -1e-10 and abs(N * (n @ v + shift + E * N)) < 1e-10
    x1 = row[0, law.SHEAR]
    mu = np.array([row[0, law.FORWARD] if x1 <= 0 else row[0, law.BACKWARD], row[0, law.LATERAL]])
    slip, force = np.array([t @ v, np.cross(n, t) @ v]), mu * row[0, law.SHEAR:law.SHEAR + 2]
    if shape.get("BOX"):
        assert (np.abs(force) <= mu * N + 1e-12).all()
        return
    assert np.hypot(*(force / mu)) <= N * (1 + 1e-9) + 1e-12
    if N > 1e-6 and np.hypot(*slip) > 1e-2:
        assert force == pytest.approx(-N * mu**2 * slip / np.hypot(*(mu * slip)), rel=2e-2, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_block_is_the_derivative_of_the_linearised_wrench(seed: int) -> None:
    rng = np.random.default_rng(seed)
    row, u = contact(rng), rng.normal(size=6)
    at(row, u)
    law.linearise(row, np.array([0]), 1, E, RHO, False)
    block, wrench = law_block(row)
    K = np.block([[np.array(block.A), np.array(block.B)], [np.array(block.C), np.array(block.D)]])
    at(row, u)
    sign = row[0, law.SHEAR]
    law.put_answer(row, 0)
    if np.sign(sign) == np.sign(row[0, law.SHEAR]) or row[0, law.FORWARD] == row[0, law.BACKWARD]:
        answer = contact_wrench(row)
        linear = np.concatenate([wrench.force, wrench.torque]) - K @ u
        assert linear == pytest.approx(np.concatenate([answer.force, answer.torque]), abs=1e-8)


def test_a_given_load_is_kept() -> None:
    """A wheel under a known load: friction alone is solved."""
    row = contact(np.random.default_rng(1), GIVEN=1.0, LOAD=0.2, BOX=1.0)
    row[0, law.SHEAR_BEFORE:law.SHEAR_BEFORE + 4] = 0.0
    solved(row, 1.5)
    assert row[0, law.LOAD] == 0.2
    assert np.abs(row[0, law.SHEAR:law.SHEAR + 2]).max() == pytest.approx(0.2)
    assert law.state_of(row, 0) == law.SLIP


def test_twists_are_read_as_they_are_stored() -> None:
    twist = np.arange(6.0)[None]
    assert get_twist(twist, 0, 0) == Twist(Vector(0.0, 1.0, 2.0), Vector(3.0, 4.0, 5.0))
