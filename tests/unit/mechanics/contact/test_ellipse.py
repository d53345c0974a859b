"""The nearest point of an ellipse and its rounded form: definition, derivatives by differences, slender ellipses."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from limbless.mechanics.contact import arc_length

Array = np.ndarray
nearest, drift_share, growth_share = arc_length.nearest, arc_length.drift_share, arc_length.growth_share


@njit
def everything(a1, a2, y1, y2, t):
    """Point, derivatives by y, by log sqrt(t) and by the logarithm of the size, multiplier."""
    at = nearest(a1, a2, y1, y2, t)
    fall, growth = (drift_share(at, t) if t > 0.0 else 0.0), (growth_share(at, a1, a2) if at.root > 0.0 else 0.0)
    return np.array(
        [at.p1, at.p2, at.j11, at.j12, at.j22, -at.v1 * fall, -at.v2 * fall, at.v1 * growth, at.v2 * growth, at.root]
    )


def cases(count: int, soft: bool) -> list[tuple[Array, Array, float]]:
    rng = np.random.default_rng(4)
    return [
        (
            10.0 ** rng.uniform(-4, 2, 2),
            rng.normal(size=2) * 10.0 ** rng.uniform(-4, 2),
            10.0 ** rng.uniform(-20, 0) * soft,
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("soft", [True, False])
def test_the_point_obeys_its_definition(soft: bool) -> None:
    """y - p = multiplier p / a^2 with a multiplier >= 0, and on the edge, or as far within it
    as the rounding keeps it.
    """
    for a, y, t in cases(400, soft):
        p1, p2, *_, root = everything(*a, *y, t)
        p = np.array([p1, p2])
        inside = 1.0 - np.sum((p / a) ** 2)
        assert np.abs(y - p - root * p / a**2).max() <= 1e-13 * np.abs(y).max()
        assert (
            inside == pytest.approx(t / root if root > 0.0 else inside, abs=1e-13) and inside >= -1e-13 and root >= 0.0
        )


def test_derivatives_are_differences() -> None:
    for a, y, t in cases(200, True):
        at, h, q = everything(*a, *y, t), 1e-6 * max(np.abs(y).min(), 1e-8), 1e-5
        by_first = (everything(*a, y[0] + h, y[1], t) - everything(*a, y[0] - h, y[1], t))[:2] / (2 * h)
        by_second = (everything(*a, y[0], y[1] + h, t) - everything(*a, y[0], y[1] - h, t))[:2] / (2 * h)
        assert np.concatenate([by_first, by_second]) == pytest.approx(at[[2, 3, 3, 4]], abs=1e-7)
        by_log = (everything(*a, *y, t * np.exp(2 * q)) - everything(*a, *y, t * np.exp(-2 * q)))[:2] / (2 * q)
        by_size = (everything(*a * np.exp(q), *y, t) - everything(*a * np.exp(-q), *y, t))[:2] / (2 * q)
        assert by_log == pytest.approx(at[5:7], abs=1e-7 * np.abs(at[:2]).max())
        assert by_size == pytest.approx(at[7:9], abs=1e-5 * np.abs(at[:2]).max())


def test_a_point_inside_stays() -> None:
    assert everything(0.006, 0.67, 0.003, -0.2, 0.0)[:5].tolist() == [0.003, -0.2, 1.0, 0.0, 1.0]
    assert everything(1.0, 1.0, 3.0, 4.0, 0.0)[:2] == pytest.approx([0.6, 0.8], abs=1e-15)
