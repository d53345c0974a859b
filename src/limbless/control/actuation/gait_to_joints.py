"""A gait as joint motion of a chain: headings become yaw and pitch of the joints where the body bends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation.joint_rotations import rotation_vector_motion, yaw_pitch_motion
from limbless.control.actuation.shape_map import locations, shape_map, stations, turns
from limbless.control.gaits.base import Drive, Gait
from limbless.core import InputError
from limbless.mechanics.chain import bend_joints
from limbless.robots.chain import Chain
from limbless.robots.chain_arrays import SPHERICAL, ChainArrays

Array = NDArray[np.float64]

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
        if np.all(columns < 0) and np.abs(np.diff(drive.value[:, :, channel], axis=1)).max(initial=0.0) > _NO_BEND:
            axis = "z" if channel == 0 else "y"
            raise InputError(
                f"the gait asks for {name}, but chain {chain.name!r} has no joint whose axis at home is {axis}; "
                f"use a gait without {name}, or add joints about {axis}"
            )
    bent = []
    for quantity in (drive.value, drive.rate, drive.acceleration):
        taken = np.empty((len(quantity), chain.freedoms))
        bend_joints(quantity, *mapping, taken)
        bent.append(taken)
    return bent


def _with_quaternions(arrays: ChainArrays, shape: bool, value: Array, rate: Array, acceleration: Array) -> JointMotion:
    """Joint motion in which the three columns of each spherical joint have become a quaternion
    and child-frame velocities.
    """
    kinds = arrays.joint_kind[1:]
    if not np.any(kinds == SPHERICAL):
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
