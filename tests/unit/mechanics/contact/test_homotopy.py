"""The path of smoothed contact laws on random systems with unknown loads: every one ends in a
solution of the sharp laws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from limbless.mechanics.contact import arc_length, homotopy as paths
from limbless.mechanics.contact.homotopy import HomotopyRow, HomotopyState
from limbless.mechanics.contact.scene import ContactRow

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
    table = ContactRow.zeros(count)
    rows = ContactRow.of(table)
    rows.friction[:, :3] = rng.uniform(0.1, strongest, (3, count)).T
    rows.friction[:, 1], rows.friction[:, 3] = rows.friction[:, 0], 0.05
    rows.shift[:], rows.cone[:] = rng.uniform(-0.2, 0.2, count), rng.random(count) < 0.2
    return table


def solve(D: Array, free: Array, table: Array) -> tuple[Array, Array]:
    """Impulses in newton seconds and velocities at the end of the path."""
    count, rho = len(table), 1.0 / np.diag(D).mean()
    path = paths.make_homotopy(5 * count)
    rows = paths.put_contacts(path, table, np.arange(count), count, E, rho)
    place, directions = path.place[:rows], HomotopyRow.of(path.directions[:rows])
    path.coupling[:rows, :rows] = D[np.ix_(place, place)]
    directions.slip[:] = free[place] + np.where(place % 5 == 0, ContactRow.of(table).shift[place // 5], 0.0)
    assert arc_length.start_arc(path, rows, rho)
    while arc_length.follow_arc(path, rows):
        pass
    # it went all the way
    assert path.x[rows] < HomotopyState.of(path.progress).start[0] - arc_length.LIMITS.below
    impulse = np.zeros(5 * count)
    impulse[place] = directions.answer
    return impulse, D @ impulse + free


@pytest.mark.parametrize("strongest", [0.5, 2.0])
@pytest.mark.parametrize("seed", range(12))
def test_the_end_of_the_path_obeys_the_laws(seed: int, strongest: float, nearest_point: Any) -> None:
    """The natural map of the impulses themselves: loads that push, friction in ellipses and boxes
    that grow with them, rolling.
    """
    rng, count = np.random.default_rng(seed), 2 + seed % 5
    (D, free), table = system(seed, count), contacts(rng, count, strongest)
    impulse, velocity = solve(D, free, table)
    for i, (own, speed) in enumerate(zip(impulse.reshape(-1, 5), velocity.reshape(-1, 5), strict=True)):
        row, N = ContactRow(table, i), own[0]
        assert abs(N - max(N - (speed[0] + row.shift + E * N), 0.0)) < 1e-8
        mu = np.array([row.friction.forward, row.friction.lateral])
        soft = E * max(mu.min(), 0.01 * mu.max()) ** 2 / mu**2
        axes = np.maximum(mu * N, 1e-300)
        assert own[1:3] == pytest.approx(
            nearest_point(own[1:3] - speed[1:3] - soft * own[1:3], axes, row.cone == 1.0), abs=1e-8
        )
        axes = np.maximum(row.friction.rolling * np.array([N, N]), 1e-300)
        assert own[3:] == pytest.approx(nearest_point(own[3:] - speed[3:] - E * own[3:], axes, False), abs=1e-8)


def test_nothing_that_pushes_has_no_path() -> None:
    path = paths.make_homotopy(5)
    assert not arc_length.start_arc(path, paths.put_contacts(path, ContactRow.zeros(1), np.arange(1), 1, E, 1.0), 1.0)
