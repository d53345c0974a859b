"""The serpenoid gait: (29), Hirose's curve, true derivatives, the passage to a target, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.serpenoid import Serpenoid

JOINTS = np.arange(4.0)


def test_equation_29() -> None:
    """x^i = alpha sin(omega t + (i - 3) beta) + gamma, i = 4..7; x^4(0) = 0.4, not zero."""
    times = np.array([0.0, 0.7, 2.0])
    value = Serpenoid(offset=0.1, frequency=1.3).sample(times, JOINTS).value
    i = np.arange(4, 8)
    assert value == pytest.approx(0.4 * np.sin(1.3 * times[:, None] + (i - 3) * np.pi / 2) + 0.1)
    assert Serpenoid().sample(np.zeros(1), JOINTS).value[0] == pytest.approx([0.4, 0.0, -0.4, 0.0], abs=1e-15)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"ramp": 2.0},
        {"stop": 1.0, "settle": 1.5, "target": (0.3, -0.2, 0.1, 0.5)},
        {"driven": (1, 3), "posture": (0.1, 0.2, 0.3, 0.4), "phase_step": 0.7},
    ],
)
def test_rates_are_derivatives_of_the_value(fields: dict[str, Any]) -> None:
    gait = Serpenoid(**fields)
    times = np.linspace(0.1, 3.9, 23)
    # refuses wrong derivatives
    ll.FunctionGait(function=lambda t, s: tuple(gait.sample(t, s)), drives="joint").sample(times, JOINTS)


def test_it_arrives_at_its_target_and_stays() -> None:
    gait = Serpenoid(stop=1.0, settle=0.5, target=(0.3, -0.2, 0.1, 0.5))
    late = gait.sample(np.array([1.5, 4.0]), JOINTS)
    assert late.value == pytest.approx(np.array([gait.target, gait.target]), abs=1e-15)
    assert np.abs(late.rate).max() < 1e-15 and np.abs(late.acceleration).max() < 1e-13
    assert gait.breakpoints(0.0, 5.0) == [1.0, 1.5]
    assert gait.sample(np.array([0.9]), JOINTS).value == pytest.approx(
        Serpenoid().sample(np.array([0.9]), JOINTS).value
    )


def test_hirose_curve_becomes_joints() -> None:
    """theta(s) = a cos(b s), links of length 1/n at headings theta((i - 1/2)/n): their differences are sines of
    amplitude 2 a sin(b/2n).
    """
    a, b, n = 0.6, 2.0 * np.pi, 8
    heading = a * np.cos(b * (np.arange(n) + 0.5) / n)
    gait = Serpenoid.from_curve(a, b, n)
    assert gait.amplitude == pytest.approx(2 * a * np.sin(b / (2 * n))) and gait.phase_step == pytest.approx(b / n)
    joints = gait.sample(np.zeros(1), np.arange(n - 1.0)).value[0]
    assert joints == pytest.approx(-np.diff(heading), abs=1e-14)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Serpenoid(target=(0.1,)), "stop"),
        (lambda: Serpenoid(frequency=0.0), "frequency"),
        (lambda: Serpenoid(posture=(0.1,)).sample(np.zeros(1), JOINTS), "give 4 angles"),
        (lambda: Serpenoid(driven=(0, 4)).sample(np.zeros(1), JOINTS), "entry 1 is 4"),
        (lambda: Serpenoid(driven=(2, 2)).sample(np.zeros(1), JOINTS), "both name 2"),
        (lambda: Serpenoid.from_curve(0.5, 6.0, 1), "at least 2"),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        make()
