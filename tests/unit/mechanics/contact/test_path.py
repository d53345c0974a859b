"""The path of smoothed contact laws on random systems with unknown loads: every one ends in a solution of the sharp laws."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from limbless.mechanics.contact import law
from limbless.mechanics.contact import path as paths

Array = np.ndarray
E = 1e-3


def system(seed: int, count: int) -> tuple[Array, Array]:
    """D = J M^-1 J^T of contacts on fewer degrees of freedom than impulses, and velocities that press most of them."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(5 * count, 4 * count))
    D, free = J @ J.T / (4 * count), rng.normal(size=5 * count)
    free[::5] = -np.abs(free[::5]) * rng.choice([1.0, -0.3], count, p=[0.8, 0.2])
    return D, free


def contacts(rng: np.random.Generator, count: int, strongest: float) -> Array:
    table = np.zeros((count, law.CONTACT_COLUMNS))
    table[:, law.FORWARD], table[:, law.BACKWARD], table[:, law.LATERAL] = rng.uniform(0.1, strongest, (3, count))
    table[:, law.BACKWARD] = table[:, law.FORWARD]
    table[:, law.ROLLING], table[:, law.SHIFT], table[:, law.BOX] = 0.05, rng.uniform(-0.2, 0.2, count), rng.random(count) < 0.2
    return table


def solve(D: Array, free: Array, table: Array) -> tuple[Array, Array]:
    """Impulses in newton seconds and velocities at the end of the path."""
    count, rho = len(table), 1.0 / np.diag(D).mean()
    path = paths.make_path(5 * count)
    rows = paths.put_contacts(path, table, np.arange(count), count, E, rho)
    place = path.where[:rows, 0]
    path.coupling[:rows, :rows] = D[np.ix_(place, place)]
    path.slip[:rows] = free[place] + np.where(place % 5 == 0, table[place // 5, law.SHIFT], 0.0)
    assert paths.begin(path, rows, rho)
    while paths.follow(path, rows):
        pass
    assert path.x[rows] < path.progress[2] - paths.BELOW                # it went all the way
    impulse = np.zeros(5 * count)
    impulse[place] = path.answer[:rows]
    return impulse, D @ impulse + free


@pytest.mark.parametrize("strongest", [0.5, 2.0])
@pytest.mark.parametrize("seed", range(12))
def test_the_end_of_the_path_obeys_the_laws(seed: int, strongest: float, nearest_point: Any) -> None:
    """The natural map of the impulses themselves: loads that push, friction in ellipses and boxes that grow with them, rolling."""
    rng, count = np.random.default_rng(seed), 2 + seed % 5
    (D, free), table = system(seed, count), contacts(rng, count, strongest)
    impulse, velocity = solve(D, free, table)
    for own, speed, row in zip(impulse.reshape(-1, 5), velocity.reshape(-1, 5), table, strict=True):
        N, shift = own[0], row[law.SHIFT]
        assert abs(N - max(N - (speed[0] + shift + E * N), 0.0)) < 1e-8
        mu = row[[law.FORWARD, law.LATERAL]]
        soft = E * max(mu.min(), 0.01 * mu.max()) ** 2 / mu**2
        axes = np.maximum(mu * N, 1e-300)
        assert own[1:3] == pytest.approx(nearest_point(own[1:3] - speed[1:3] - soft * own[1:3], axes, bool(row[law.BOX])), abs=1e-8)
        axes = np.maximum(row[law.ROLLING] * np.array([N, N]), 1e-300)
        assert own[3:] == pytest.approx(nearest_point(own[3:] - speed[3:] - E * own[3:], axes, False), abs=1e-8)


def test_nothing_that_pushes_has_no_path() -> None:
    path = paths.make_path(5)
    assert not paths.begin(path, paths.put_contacts(path, np.zeros((1, law.CONTACT_COLUMNS)), np.arange(1), 1, E, 1.0), 1.0)
