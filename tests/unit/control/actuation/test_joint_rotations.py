"""Rotations of joints: quaternion, velocity and acceleration against finite differences and matrix products."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limbless.control.actuation.gait_to_joints import rotation_vector_motion, yaw_pitch_motion
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.robots.rotation_matrices import about_x, about_z, snap


def polynomial(coefficients, t):
    """Value, rate and acceleration of c0 + c1 t + c2 t², one row per time."""
    c0, c1, c2 = coefficients
    t = np.asarray(t)[:, None]
    return c0 + c1 * t + c2 * t**2, c1 + 2 * c2 * t, np.broadcast_to(2 * c2, (len(t), len(c2)))


def check_derivatives(motion_of, coefficients, h=1e-4):
    """The velocity and acceleration at t = 0 against central differences of the quaternion and of the velocity."""
    before, now, after = (motion_of(*polynomial(coefficients, [t])) for t in (-h, 0.0, h))
    R0, R1 = (Rotation.from_quat(m.quaternion[0], scalar_first=True) for m in (before, after))
    np.testing.assert_allclose((R0.inv() * R1).as_rotvec() / (2 * h), now.velocity[0], atol=3e-7)
    np.testing.assert_allclose((after.velocity - before.velocity)[0] / (2 * h), now.acceleration[0], atol=3e-7)


@pytest.mark.parametrize("angle", [0.0, 1e-8, 1e-3, 0.5, 0.999999, 1.000001, 2.0, 3.1, np.pi])
def test_rotation_vector_motion(angle):
    rng = np.random.default_rng(3)
    direction = rng.normal(size=3)
    start = angle * direction / np.linalg.norm(direction)
    coefficients = (start, rng.normal(size=3), rng.normal(size=3))
    turned = rotation_vector_motion(*polynomial(coefficients, [0.0]))
    np.testing.assert_allclose(
        quaternion_to_matrix(turned.quaternion[0]), Rotation.from_rotvec(start).as_matrix(), atol=1e-14
    )
    check_derivatives(rotation_vector_motion, coefficients)


def test_rotation_vector_series_meets_the_closed_form():
    vectors = np.array([[0.6, 0.0, 0.8]]) * np.array([[1 - 1e-13], [1 + 1e-13]])
    rate, acceleration = np.array([[0.3, -1.0, 2.0]] * 2), np.array([[1.0, 0.5, -0.7]] * 2)
    turned = rotation_vector_motion(vectors, rate, acceleration)
    for values in turned:
        np.testing.assert_allclose(values[0], values[1], atol=1e-12)


def test_yaw_pitch_motion():
    rng = np.random.default_rng(4)
    coefficients = tuple(rng.normal(size=(3, 2)))
    turned = yaw_pitch_motion(*polynomial(coefficients, [0.0]))
    expected = Rotation.from_euler("ZY", coefficients[0]).as_matrix()
    np.testing.assert_allclose(quaternion_to_matrix(turned.quaternion[0]), expected, atol=1e-15)
    check_derivatives(yaw_pitch_motion, coefficients)


def test_quarter_turns_are_exact():
    assert np.array_equal(about_x(np.pi / 2), [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert np.array_equal(about_z(-np.pi / 2), [[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    tilted = Rotation.from_rotvec([0.1, 0.2, 0.3]).as_matrix()
    assert np.array_equal(snap(tilted), tilted)
