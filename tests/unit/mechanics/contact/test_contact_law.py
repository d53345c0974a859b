"""The laws of one contact, from plain Python: projections, linearisations and what they must never do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from limbless.mechanics.algebra.spatial import Twist
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.contact import contact_law
from limbless.mechanics.contact.scene import ContactRow, FrictionCoefficients, Impulse, Pair

numbers = st.floats(-3.0, 3.0)
E, RHO, ROLL = 1.5e-3, 0.3, 30.0


def contact(rng: np.random.Generator, **fields: float) -> np.ndarray:
    """A contact with a random frame, impulse and memory."""
    table = ContactRow.zeros(1)
    row = ContactRow(table, 0)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    row.normal, row.tangent = Vector(*Q[0]), Vector(*Q[1])
    row.arm, row.radius = Vector(*(rng.normal(size=3) * 0.1)), 0.05
    row.friction = FrictionCoefficients(0.3, fields.pop("backward", 0.3), 0.6, 0.02)
    row.load = abs(rng.normal())
    row.shear, row.twist = Pair(*(rng.normal(size=2) * 0.4)), Pair(*(rng.normal(size=2) * 0.4))
    row.shear_before, row.twist_before = Pair(*(rng.normal(size=2) * 0.4)), Pair(*(rng.normal(size=2) * 0.4))
    row.shift = rng.normal() * 0.1
    for name, value in fields.items():
        setattr(row, name, value)
    return table


def forget(row: ContactRow) -> None:
    row.shear_before = row.twist_before = Pair(0.0, 0.0)


def at(row: ContactRow, u: np.ndarray) -> None:
    contact_law.put_rates(row, Twist(Vector(*u[:3]), Vector(*u[3:])))


def flat(wrench) -> np.ndarray:
    return np.concatenate([wrench.force, wrench.torque])


def matrix(linear) -> np.ndarray:
    return np.block([[np.array(linear.A), np.array(linear.B)], [np.array(linear.C), np.array(linear.D)]])


def solved(table: np.ndarray, mobility: float) -> np.ndarray:
    """A body of isotropic mobility against one contact: Newton's iteration with the linearised law, on the velocity
    of its origin.
    """
    u = np.array([0.3, -0.2, -0.5, 0.1, 0.4, -0.3])
    row, free, one, M = ContactRow(table, 0), u.copy(), np.array([0]), np.eye(6) / mobility
    for _ in range(60):
        at(row, u)
        contact_law.linearise(table, one, 1, E, RHO, ROLL, 0.0)
        linear, wrench = contact_law.law_matrix6(row)
        u = np.linalg.solve(M + matrix(linear), M @ free + flat(wrench))
        at(row, u)
        contact_law.put_law_impulse(row)
        if np.sqrt(contact_law.natural_map(row, E, RHO, 1.0 / RHO)) < 1e-12:
            break
    # the dynamics hold
    assert M @ (u - free) == pytest.approx(flat(contact_law.contact_wrench(row)), abs=1e-9)
    return u


@settings(derandomize=True, max_examples=60)
@given(numbers, numbers, st.floats(0.0, 2.0))
def test_projection_is_the_nearest_point(x: float, y: float, z: float) -> None:
    p = np.array(contact_law.project(False, Pair(x, y), z))
    assert np.hypot(*p) <= z + 1e-12
    angles = np.linspace(0, 2 * np.pi, 181)
    disc = z * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    inside = np.hypot(x, y) <= z
    assert not inside or p == pytest.approx([x, y])
    assert inside or np.hypot(*(p - [x, y])) <= np.linalg.norm(disc - [x, y], axis=1).min() + 1e-12
    assert contact_law.project(True, Pair(x, y), z) == (min(max(x, -z), z), min(max(y, -z), z))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shape", [{}, {"box": 1.0}, {"backward": 0.5}])
def test_a_solved_contact_obeys_complementarity_cone_and_slip_law(seed: int, shape: dict[str, float]) -> None:
    """Nothing of the law is used to check it: written out from the definition of the normal cone."""
    rng = np.random.default_rng(seed)
    table = contact(rng, **shape)
    row = ContactRow(table, 0)
    forget(row)
    contact_law.put_impulse(row, Impulse(0.0, Pair(0.0, 0.0), Pair(0.0, 0.0)))
    u = solved(table, 1.5)
    n, t = np.array(row.normal), np.array(row.tangent)
    v = u[:3] + np.cross(u[3:], np.array(row.arm))
    N, shift = row.load, row.shift
    assert N >= 0.0 and n @ v + shift + E * N >= -1e-10 and abs(N * (n @ v + shift + E * N)) < 1e-10
    mu = np.array([row.friction.forward if row.shear.along <= 0 else row.friction.backward, row.friction.lateral])
    slip, force = np.array([t @ v, np.cross(n, t) @ v]), mu * np.array(row.shear)
    if shape.get("box"):
        assert (np.abs(force) <= mu * N + 1e-12).all()
        return
    assert np.hypot(*(force / mu)) <= N * (1 + 1e-9) + 1e-12
    if N > 1e-6 and np.hypot(*slip) > 1e-2:
        assert force == pytest.approx(-N * mu**2 * slip / np.hypot(*(mu * slip)), rel=2e-2, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_matrix_is_the_derivative_of_the_linearised_wrench(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, u = contact(rng), rng.normal(size=6)
    row = ContactRow(table, 0)
    at(row, u)
    contact_law.linearise(table, np.array([0]), 1, E, RHO, ROLL, 0.0)
    linear, wrench = contact_law.law_matrix6(row)
    at(row, u)
    contact_law.put_law_impulse(row)
    assert flat(wrench) - matrix(linear) @ u == pytest.approx(flat(contact_law.contact_wrench(row)), abs=1e-8)


def test_a_given_load_is_kept() -> None:
    """A wheel under a known load: friction alone is solved."""
    table = contact(np.random.default_rng(1), given=1.0, load=0.2, cone=1.0)
    row = ContactRow(table, 0)
    forget(row)
    solved(table, 1.5)
    assert row.load == 0.2
    assert np.abs(np.array(row.shear)).max() == pytest.approx(0.2)
    assert contact_law.state_of(row) == contact_law.STATES.slip
