"""Rotations of joints over many times at once, in NumPy: quaternions (scalar first), angular velocity and acceleration.

Angular velocities and accelerations are those of the rotated (child) frame relative to the parent, in the axes of the
child frame.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra import rotation_vector_to_quaternion

Array = NDArray[np.float64]

# square of the angle; ten terms of the series are exact to rounding here, the closed forms lose four digits at 0.1
_SERIES_BELOW = 1.0
_TERMS = range(10)


class RotationMotion(NamedTuple):
    """A rotation that moves: quaternion (T, 4), angular velocity (T, 3) and acceleration (T, 3) in
    the axes of the child frame.
    """

    quaternion: Array
    velocity: Array
    acceleration: Array


def yaw_pitch_motion(angle: Array, rate: Array, acceleration: Array) -> RotationMotion:
    """The rotation Rz(yaw) Ry(pitch); each argument is (T, 2), yaw then pitch."""
    (yaw, pitch), (yaw1, pitch1), (yaw2, pitch2) = angle.T, rate.T, acceleration.T
    cz, sz, cy, sy = np.cos(yaw / 2), np.sin(yaw / 2), np.cos(pitch / 2), np.sin(pitch / 2)
    c, s = np.cos(pitch), np.sin(pitch)
    quaternion = np.stack([cz * cy, -sz * sy, cz * sy, sz * cy], axis=1)
    velocity = np.stack([-s * yaw1, pitch1, c * yaw1], axis=1)
    return RotationMotion(
        quaternion, velocity, np.stack([-s * yaw2 - c * pitch1 * yaw1, pitch2, c * yaw2 - s * pitch1 * yaw1], axis=1)
    )


def _jacobian_coefficients(x: Array) -> tuple[Array, Array, Array, Array]:
    """a = (1 - cos θ)/θ², b = (θ - sin θ)/θ³ and their derivatives with respect to x = θ²; by series near zero."""
    # the closed forms are evaluated everywhere but used only away from zero
    angle = np.sqrt(np.maximum(x, _SERIES_BELOW))
    c, s = np.cos(angle), np.sin(angle)
    closed = (
        (1 - c) / angle**2,
        (angle - s) / angle**3,
        (angle * s - 2 * (1 - c)) / (2 * angle**4),
        (angle * (1 - c) - 3 * (angle - s)) / (2 * angle**5),
    )
    a = [(-1) ** k / math.factorial(2 * k + 2) for k in _TERMS]
    b = [(-1) ** k / math.factorial(2 * k + 3) for k in _TERMS]
    polynomials = [np.polynomial.Polynomial(p) for p in (a, b)]
    polynomials += [p.deriv() for p in polynomials]
    near = x < _SERIES_BELOW
    first, second, third, fourth = (
        np.where(near, p(np.where(near, x, 0.0)), v) for p, v in zip(polynomials, closed, strict=True)
    )
    return first, second, third, fourth


def rotation_vector_motion(vector: Array, rate: Array, acceleration: Array) -> RotationMotion:
    """The rotation exp(hat(φ)) of a rotation vector φ(t); each argument is (T, 3).

    ω = φ' - a φ x φ' + b φ x (φ x φ'), with a = (1 - cos θ)/θ², b = (θ - sin θ)/θ³, θ = |φ| (right Jacobian of SO(3)).
    """
    x = np.einsum("ti,ti->t", vector, vector)
    x_rate = 2 * np.einsum("ti,ti->t", vector, rate)[:, None]
    a, b, a_slope, b_slope = (coefficient[:, None] for coefficient in _jacobian_coefficients(x))
    once, twice = np.cross(vector, rate), np.cross(vector, np.cross(vector, rate))
    once1 = np.cross(vector, acceleration)
    twice1 = np.cross(rate, once) + np.cross(vector, once1)
    velocity = rate - a * once + b * twice
    change = acceleration - a * once1 + b * twice1 + x_rate * (b_slope * twice - a_slope * once)
    return RotationMotion(rotation_vector_to_quaternion(vector), velocity, change)
