"""A user's own force law in plain Python (or compiled) against the built-in it imitates; time
windows of any environment.
"""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.environments.user_law import compiled_law
from limbless.mechanics.compiled.function_pointer import CompiledCallback
from limbless.mechanics.forces import Buffer

GAIT = ll.BodyWave(ramp=0.5)


def linear_drag(t: float, position: np.ndarray, axes: np.ndarray, velocity: np.ndarray, rate: np.ndarray) -> Any:
    """The built-in `drag`, with a roll moment."""
    return -np.array([1.0, 8.0, 6.0]) * velocity, np.array([-0.05 * rate[0], 0.0, 0.0])


def swim(environment: Any, duration: float = 0.5, **options: Any) -> ll.Result:
    eel = ll.KhalilEel(spherical_joints=3)
    return ll.simulate(
        eel, GAIT.changed(dive=0.1), environment, duration=duration, step=0.01, record_every=0.1, **options
    )


BUILT_IN = ll.Drag(along=1.0, lateral=8.0, vertical=6.0, roll=0.05)


def assert_same(ours: ll.Result, theirs: ll.Result, tolerance: float) -> None:
    for name in ("base_position", "base_twist", "joint_torque", "fluid_force", "environment_power"):
        np.testing.assert_allclose(ours.dataset[name].values, theirs.dataset[name].values, rtol=0, atol=tolerance)


def test_plain_python_law_is_the_built_in() -> None:
    assert_same(swim(ll.ForceLaw(law=linear_drag)), swim(BUILT_IN), 1e-12)


def test_a_law_is_compiled_where_nothing_outside_it_can_change() -> None:
    """A law of numbers and NumPy is compiled and answers as Python does, with arguments, link and abscissa; one that
    keeps a list, draws numbers or is no plain function stays in Python.
    """

    def law(t, position, axes, velocity, rate, link, abscissa, c: float = 2.0):
        return c * velocity - link * position, np.array([abscissa, t, axes[0, 1]])

    calls: list[float] = []

    def counting(t, position, axes, velocity, rate, link, abscissa, c: float = 2.0):
        calls.append(t)
        return c * velocity - link * position, np.array([abscissa, t, axes[0, 1]])

    def shaken(t, position, axes, velocity, rate):
        return np.random.random() * velocity

    answers = []
    for one, compiled in ((law, True), (counting, False)):
        slot = ll.ForceLaw(law=one, arguments={"c": 3.0}).slot
        buffer = Buffer.zeros(1)[0]
        buffer[:] = np.linspace(0.1, 2.0, len(buffer))
        Buffer.of(buffer).link[...] = 4.0
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(slot.address)(buffer.ctypes.data)
        answers.append(buffer)
        assert isinstance(slot, CompiledCallback) == compiled and slot.error is None
        told = " ".join(ll.ForceLaw(law=one, arguments={"c": 3.0}).notes())
        assert ("Python is asked at every point, which takes most of a run; limbless.compiled_law" in told) != compiled
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-15)
    assert len(calls) == 1 and Buffer.of(answers[0]).moment[1] == answers[0][0] == 0.1
    for one in (shaken, functools.partial(linear_drag)):
        assert not isinstance(ll.ForceLaw(law=one).slot, CompiledCallback)


def test_compiled_law_is_the_built_in() -> None:
    """The raw buffer: time, position (3), velocity (3), rotation rate (3), axes (9), then force (3) and
    moment (3) as the answer.
    """

    def law(buffer):  # compiled: no annotations of NumPy types
        buffer[19] = -1.0 * buffer[4]
        buffer[20] = -8.0 * buffer[5]
        buffer[21] = -6.0 * buffer[6]
        buffer[22] = -0.05 * buffer[7]
        buffer[23] = 0.0
        buffer[24] = 0.0

    assert_same(swim(ll.ForceLaw(law=compiled_law(law))), swim(BUILT_IN), 1e-12)


def test_a_law_may_return_the_force_alone() -> None:
    force_only = ll.ForceLaw(law=lambda t, p, e, v, w: -np.array([1.0, 8.0, 6.0]) * v)
    assert_same(swim(force_only), swim(BUILT_IN.changed(roll=0.0)), 1e-12)


def test_a_law_of_place_and_time() -> None:
    """Weight written as a law: force per length along the slice's axes from the world's; `axes` has the
    slice's axes in its rows.
    """
    body = ll.UniformChain(links=1, length=0.4)
    per_length = math.pi * 0.02**2 * 1000.0
    seen = []

    def weight(t: float, position: np.ndarray, axes: np.ndarray, velocity: np.ndarray, rate: np.ndarray) -> np.ndarray:
        seen.append((t, position.copy()))
        return axes @ np.array([0.0, 0.0, -9.81 * per_length])

    start = {"orientation": (0.8, 0.6, 0.0, 0.0), "position": (1.0, 2.0, 3.0), "twist": (0.0, 0.0, 0.0, 0.3, 0.5, 0.0)}
    ours, theirs = (
        ll.simulate(body, GAIT, item, duration=0.5, step=0.01, initial=start)
        for item in (ll.ForceLaw(law=weight), ll.Gravity())
    )
    # Inside a step quaternions are not of unit length, so that the way into the slice's axes and back is not quite
    # none: 2e-10 here
    np.testing.assert_allclose(
        ours.dataset.base_position.values, theirs.dataset.base_position.values, rtol=0, atol=1e-9
    )
    times = np.array([t for t, _ in seen])
    assert times.min() == 0.0 and times.max() == pytest.approx(0.5, abs=1e-12)
    nodes = 0.2 * (np.polynomial.legendre.leggauss(4)[0] + 1.0)
    first = np.array([position for _, position in seen[:4]])
    np.testing.assert_allclose(first, [1.0, 2.0, 3.0] + nodes[:, None] * [1.0, 0.0, 0.0], rtol=0, atol=1e-15)


def test_a_law_works_one_state_at_a_time_and_in_a_run_with_others() -> None:
    model = ll.NewtonEuler(ll.KhalilEel(spherical_joints=3), [ll.ForceLaw(law=linear_drag), ll.Gravity()])
    other = ll.NewtonEuler(ll.KhalilEel(spherical_joints=3), [BUILT_IN, ll.Gravity()])
    rng = np.random.default_rng(0)
    q, qd, qdd = 0.2 * rng.normal(size=(3, 9))
    np.testing.assert_allclose(
        model.inverse(q, qd, qdd, rng.normal(size=6)).joint_torque,
        other.inverse(q, qd, qdd, np.random.default_rng(0).normal(size=33)[-6:]).joint_torque,
        rtol=0,
        atol=1e-12,
    )


MAY_BE_INFINITE = {"joint_limit", "limit_time"}  # joints without a limit, which was never passed


def not_finite(data: Any) -> set[str]:
    """Names of variables that hold more than finite numbers: infinities where they are meant, and never nan."""
    assert not any(np.isnan(data[name].values).any() for name in data.data_vars)
    return {str(name) for name in data.data_vars if not np.isfinite(data[name].values).all()}


def test_a_law_that_raises_keeps_the_run() -> None:
    """The exception comes out with its time; records up to the block before are kept; the
    law's own error is the cause.
    """

    def fragile(t: float, *rest: np.ndarray) -> np.ndarray:
        if t > 3.0:
            raise ZeroDivisionError("no water left")
        return -rest[2]

    body = ll.UniformChain(links=2)
    with pytest.raises(ll.SimulationError, match="ZeroDivisionError: no water left") as caught:
        ll.simulate(body, GAIT, ll.ForceLaw(law=fragile), duration=5.0, step=0.01)
    kept = caught.value.result
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert kept.status.startswith("failed: the force law fragile failed with ZeroDivisionError")
    assert 2.0 < kept.dataset.time.values[-1] <= 3.01
    assert not_finite(kept.dataset) <= MAY_BE_INFINITE


def test_a_law_that_returns_nan_is_a_divergence() -> None:
    def broken(t: float, *rest: np.ndarray) -> np.ndarray:
        return np.full(3, np.nan) if t > 0.2 else -rest[2]

    with pytest.raises(ll.SimulationError) as caught:
        ll.simulate(ll.UniformChain(links=2), GAIT, ll.ForceLaw(law=broken), duration=1.0, step=0.01)
    data = caught.value.result.dataset
    assert not_finite(data) <= MAY_BE_INFINITE
    assert data.time.values[-1] <= 0.21


@pytest.mark.parametrize("answer", [np.zeros(2), (np.zeros(3), np.zeros(2)), 1.0, np.zeros((3, 1))])
def test_a_law_of_the_wrong_shape_is_refused(answer: Any) -> None:
    model = ll.NewtonEuler(ll.UniformChain(links=1), ll.ForceLaw(law=lambda t, p, e, v, w: answer))
    with pytest.raises(ll.InputError, match="must return a force of 3 numbers"):
        model.inverse([], [], [])


def test_a_raised_error_is_not_remembered() -> None:
    """After a failure the same model works again."""
    trouble = [True]

    def law(t: float, *rest: np.ndarray) -> np.ndarray:
        if trouble[0]:
            raise RuntimeError("once")
        return np.array([0.0, 1.0, 0.0])

    model = ll.NewtonEuler(ll.UniformChain(links=1), ll.ForceLaw(law=law))
    with pytest.raises(RuntimeError, match="once"):
        model.inverse([], [], [])
    trouble[0] = False
    assert model.inverse([], [], []).base_acceleration[1] != 0.0


# Time windows


def test_gravity_for_a_while() -> None:
    """Free, falling from 0.25 to 0.75 s, free again: exact for RK4, because steps end where the window does (0.1 does
    not divide it).
    """
    body = ll.UniformChain(links=1)
    data = ll.simulate(
        body, GAIT.changed(amplitude=0.0), ll.Gravity(active=((0.25, 0.75),)), duration=1.0, step=0.1
    ).dataset
    t = data.time.values
    fallen = np.clip(t - 0.25, 0.0, 0.5)
    height = -9.81 * (fallen**2 / 2 + 0.5 * np.maximum(t - 0.75, 0.0))
    np.testing.assert_allclose(data.base_position.values[:, 2], height, rtol=0, atol=1e-14)
    np.testing.assert_allclose(data.base_twist.values[:, 2], -9.81 * fallen, rtol=0, atol=1e-14)


def test_two_windows_and_two_environments() -> None:
    """Gravity up and down in turn: each window counts for itself."""
    down, up = (
        ll.Gravity(active=((0.0, 0.2), (0.6, 0.8))),
        ll.Gravity(acceleration=(0.0, 0.0, 9.81), active=((0.3, 0.5),)),
    )
    data = ll.simulate(
        ll.UniformChain(links=1), GAIT.changed(amplitude=0.0), [down, up], duration=1.0, step=0.04
    ).dataset
    assert data.base_twist.values[-1, 2] == pytest.approx(-9.81 * 0.2, abs=1e-14)


def test_windows_that_follow_each_other_leave_no_gap() -> None:
    once, twice = (
        ll.simulate(ll.UniformChain(links=3), GAIT, ll.Drag(active=active), duration=0.5, step=0.01).dataset
        for active in (None, ((-1.0, 0.2), (0.2, 9.0)))
    )
    np.testing.assert_array_equal(once.base_position.values, twice.base_position.values)


def test_a_law_of_seven_arguments_knows_its_link_and_abscissa() -> None:
    """A push on the third link alone, at its points along the body."""
    asked = []

    def law(t, position, axes, velocity, rate, link, abscissa):
        asked.append((link, abscissa))
        return np.array([0.0, 0.0, 1.0 if link == 2 else 0.0])

    chain = ll.UniformChain(links=4, length=0.1, base="fixed")
    held = ll.NewtonEuler(chain, ll.ForceLaw(law=law, points=2)).inverse(np.zeros(3), np.zeros(3), np.zeros(3))
    assert held.base_reaction[2] == pytest.approx(-0.1)
    assert held.base_reaction[4] == pytest.approx(0.1 * 0.25)
    nodes = 0.05 * (1.0 + np.array([-1.0, 1.0]) / np.sqrt(3.0))
    expected = [(link, 0.1 * link + node) for link in range(4) for node in nodes]
    np.testing.assert_allclose(asked, expected, atol=1e-12)
