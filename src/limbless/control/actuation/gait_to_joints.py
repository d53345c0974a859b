"""A gait as joint motion of a chain: headings become yaw and pitch of the joints where the body bends.

Rotations of joints over many times at once, in NumPy: quaternions (scalar first), angular velocity and acceleration.

Angular velocities and accelerations are those of the rotated (child) frame relative to the parent, in the axes of the
child frame.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbless.control.actuation.shape_map import locations, shape_map, stations, turns
from limbless.control.gaits.base import Drive, Gait
from limbless.core import Array, InputError
from limbless.mechanics.algebra import rotation_vector_to_quaternion
from limbless.mechanics.chain import bend_joints
from limbless.robots import SPHERICAL, Chain, ChainArrays

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


_NO_BEND = 1e-12  # rad; heading differences below are rounding


class JointMotion(NamedTuple):
    """Joint motion at T times. A spherical joint has 4 position columns (quaternion, scalar
    first) and 3 of velocity.
    """

    position: Array  # (T, positions)   rad or m
    velocity: Array  # (T, joints)      rad/s or m/s
    acceleration: Array  # (T, joints)


def joint_motion(chain: Chain, gait: Gait, times: Array) -> JointMotion:
    """A gait as the motion of a chain's joints at `times`.

    A shape gait gives heading and elevation at the `stations` of the chain; their differences become yaw and pitch, and
    Rz(yaw) Ry(pitch) at a spherical joint. A joint gait gives one value per degree of freedom; the three values of a
    spherical joint are a rotation vector.
    """
    times = np.asarray(times, dtype=np.float64)
    if gait.drives == "shape":
        value, rate, acceleration = _bend(chain, gait.sample(times, stations(chain)))
    elif gait.drives == "joint":
        drive = gait.sample_joints(times, turns(chain))
        value, rate, acceleration = drive.value, drive.rate, drive.acceleration
        if value.shape != (len(times), chain.freedoms):
            raise InputError(
                f"the gait gives {value.shape[-1]} joint positions, but {chain.name!r} has "
                f"{chain.freedoms} joint columns"
            )
    else:
        raise InputError(f"a chain follows gaits that drive a shape or joints, not {gait.drives!r}")
    return _with_quaternions(chain.arrays(), gait.drives == "shape", value, rate, acceleration)


def _crossed(chain: Chain) -> list[str]:
    """Joints at one place with another, where some axis of the chain lies between y and z: how they share a bend is not
    known. Found once, because controllers ask for a drive at every call."""
    if all(turn != "skew" for turn, _ in turns(chain)):
        return []
    arrays = chain.arrays()
    crowded = [rows for rows in locations(arrays)[1] if len(rows) > 1 or arrays.joint_kind[rows[0]] == SPHERICAL]
    return [chain.joint_names[int(arrays.velocity_column[rows[0]])] for rows in crowded]


def _bend(chain: Chain, drive: Drive) -> list[Array]:
    """The differences of heading and elevation, their rates and accelerations, in the velocity columns of the chain."""
    mapping = shape_map(chain)
    crossed = chain.once(_crossed)
    if crossed:
        raise InputError(
            f"a gait of headings and elevations drives joints about z and y at home, or single joints about axes "
            f"between them; joint {crossed[0]!r} of chain {chain.name!r} stands at the place of another: give a gait "
            "that drives joints, or axes within 3 deg of x, y or z"
        )
    for name, columns, channel in (("heading", mapping.yaw_column, 0), ("elevation", mapping.pitch_column, 1)):
        asked = drive.value[:, :, channel]
        if (columns < 0).all() and asked.any() and np.abs(np.diff(asked, axis=1)).max(initial=0.0) > _NO_BEND:
            axis = "z" if channel == 0 else "y"
            raise InputError(
                f"the gait asks for {name}, but chain {chain.name!r} has no joint whose axis at home is {axis}; "
                f"use a gait without {name}, or add joints about {axis}"
            )
    bent = []
    for quantity in (drive.value, drive.rate, drive.acceleration):
        taken = np.empty((len(quantity), chain.freedoms))
        bend_joints(quantity[..., None], *mapping, taken[..., None])
        bent.append(taken)
    return bent


def _with_quaternions(arrays: ChainArrays, shape: bool, value: Array, rate: Array, acceleration: Array) -> JointMotion:
    """Joint motion in which the three columns of each spherical joint have become a quaternion
    and child-frame velocities.
    """
    kinds = arrays.joint_kind[1:]
    if not (kinds == SPHERICAL).any():
        return JointMotion(value, rate, acceleration)
    velocity, second = rate.copy(), acceleration.copy()
    position = np.zeros((len(value), len(kinds) + 3 * int(np.sum(kinds == SPHERICAL))))
    for kind, p, v in zip(kinds, arrays.position_column[1:], arrays.velocity_column[1:], strict=True):
        if kind != SPHERICAL:
            position[:, p] = value[:, v]
            continue
        columns = [v + 2, v + 1] if shape else [v, v + 1, v + 2]
        turned = yaw_pitch_motion if shape else rotation_vector_motion
        turn = turned(value[:, columns], rate[:, columns], acceleration[:, columns])
        position[:, p : p + 4], velocity[:, v : v + 3], second[:, v : v + 3] = turn
    return JointMotion(position, velocity, second)
