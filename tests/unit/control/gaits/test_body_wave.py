"""The body wave (63)-(66): values, derivatives, slope, smooth start and what the eel makes of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation.gait_to_joints import joint_motion

STATIONS = 0.14 * np.arange(13)
TIMES = np.array([0.0, 0.3, 0.9, 1.7, 1.999, 2.0, 2.6, 7.3])
FULL = ll.BodyWave(turn=0.03, dive=0.05, x_first=0.1)


def start(t: float) -> float:
    """(64)"""
    u = min(t / 2.0, 1.0)
    return 10 * u**3 - 15 * u**4 + 6 * u**5


def wave(s: float, t: float) -> float:
    """(63)"""
    return start(t) * 0.06 * math.exp(1.2 * s) * math.sin(2 * math.pi * (s / 1.8 - t / 2.0))


def test_heading_and_elevation() -> None:
    drive = FULL.sample(TIMES, STATIONS)
    heading = [[wave(0.1 + s, t) + 0.03 * s / 0.14 for s in STATIONS] for t in TIMES]
    elevation = [[start(t) * 0.05 * s / 0.14 for s in STATIONS] for t in TIMES]
    np.testing.assert_allclose(drive.value[:, :, 0], heading, rtol=0, atol=1e-14)
    np.testing.assert_allclose(drive.value[:, :, 1], elevation, rtol=0, atol=1e-14)


def test_rates_and_accelerations_are_derivatives() -> None:
    """Central differences of sixth order; away from the end of the ramp, where the third derivative jumps."""
    times, h = np.array([0.4, 1.1, 1.6, 2.5, 9.9]), 1e-2
    samples = [FULL.sample(times + k * h, STATIONS) for k in range(-3, 4)]
    first, second = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60, np.array([2, -27, 270, -490, 270, -27, 2]) / 180
    rate, acceleration = (
        sum(c * sample.value for c, sample in zip(row, samples, strict=True)) for row in (first, second)
    )
    np.testing.assert_allclose(FULL.sample(times, STATIONS).rate, rate / h, rtol=0, atol=1e-9)
    np.testing.assert_allclose(FULL.sample(times, STATIONS).acceleration, acceleration / h**2, rtol=0, atol=1e-7)


def test_slope_is_the_derivative_along_the_body() -> None:
    stations, h = np.array([0.2, 0.7, 1.4]), 1e-2
    samples = [FULL.sample(TIMES, stations + k * h) for k in range(-3, 4)]
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60
    slope = FULL.slope(TIMES, stations)
    for ours, name in zip(slope, ("value", "rate", "acceleration"), strict=True):
        differences = sum(c * getattr(sample, name) for c, sample in zip(first, samples, strict=True)) / h
        np.testing.assert_allclose(ours, differences, rtol=0, atol=1e-9)


def test_it_starts_from_rest_and_its_ramp_is_smooth() -> None:
    """Value, rate and acceleration are 0 at t = 0 and continuous where the ramp ends."""
    gait = ll.BodyWave(dive=0.1)
    for part in gait.sample(np.zeros(1), STATIONS):
        np.testing.assert_array_equal(part, 0.0)
    before, after = (gait.sample(np.array([2.0 + side * 1e-9]), STATIONS) for side in (-1, 1))
    # times the next derivative, about 50
    for name, tolerance in (("value", 1e-8), ("rate", 1e-7), ("acceleration", 1e-6)):
        np.testing.assert_allclose(getattr(before, name), getattr(after, name), rtol=0, atol=tolerance)


def test_no_ramp() -> None:
    gait = ll.BodyWave(ramp=0.0)
    np.testing.assert_allclose(
        gait.sample(np.array([0.0]), np.array([0.45])).value[0, 0, 0], 0.06 * math.exp(1.2 * 0.45), rtol=1e-14
    )
    assert gait.breakpoints(0.0, 10.0) == []


def test_breakpoints_are_inside() -> None:
    gait = ll.BodyWave(ramp=2.0)
    assert gait.breakpoints(0.0, 10.0) == [2.0]
    assert gait.breakpoints(2.0, 10.0) == gait.breakpoints(0.0, 2.0) == gait.breakpoints(3.0, 4.0) == []
    assert gait.cycle == 2.0


def test_joint_angles_of_the_eel_are_differences_of_heading() -> None:
    """(65) with the number of the spherical joint, X_i = 0.14 (i - 1); the literal index of the
    paper would give q = 0 always.
    """
    motion = joint_motion(ll.KhalilEel().build(), ll.BodyWave(dive=0.07), TIMES)
    X = 0.14 * np.arange(13)
    expected = np.zeros((len(TIMES), 36))
    for i in range(12):
        expected[:, 3 * i] = [wave(X[i + 1], t) - wave(X[i], t) for t in TIMES]
        expected[:, 3 * i + 1] = [0.07 * start(t) for t in TIMES]
    np.testing.assert_allclose(motion.position, expected, rtol=0, atol=1e-14)
    assert np.abs(expected[:, 0::3]).max() > 0.1


def test_turning_and_diving_bend_each_joint_alike() -> None:
    """`turn` and `dive` are the offsets of (65) and (66): radians per joint of an eel whose links are 0.14 m long."""
    motion = joint_motion(ll.KhalilEel().build(), ll.BodyWave(amplitude=0.0, turn=0.02, dive=-0.03), np.array([5.0]))
    np.testing.assert_allclose(motion.position.reshape(12, 3), np.tile([0.02, -0.03, 0.0], (12, 1)), rtol=0, atol=1e-14)


def test_dive_goes_down_and_turn_goes_left() -> None:
    """Positive dive bends the tip to -z, positive turn bends it to +y."""
    tip = {}
    for name in ("turn", "dive"):
        bent = ll.BodyWave(amplitude=0.0, ramp=0.0, **{name: 0.05})
        data = ll.simulate(ll.KhalilEel(base="fixed"), bent, [], duration=0.1, step=0.1).dataset
        tip[name] = data.position.values[-1, -1]
    assert tip["turn"][1] > 0.3 and tip["turn"][2] == pytest.approx(0.0, abs=1e-15)
    assert tip["dive"][2] < -0.3 and tip["dive"][1] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"wavelength": 0.0}, "wavelength"),
        ({"period": -1.0}, "period"),
        ({"ramp": -0.1}, "ramp"),
        ({"amplitude": math.nan}, "amplitude"),
        ({"amplitued": 1.0}, "amplitude"),
        ({"amplitude": "30 degrees"}, "amplitude"),
    ],
)
def test_bad_fields_are_refused(fields: dict, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.BodyWave(**fields)


def test_angles_in_degrees() -> None:
    assert ll.BodyWave(amplitude="30 deg").amplitude == pytest.approx(math.pi / 6)
