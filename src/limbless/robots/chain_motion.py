"""A gait as joint motion of a chain: headings become yaw and pitch of the joints where the body bends."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from limbless.errors import InputError
from limbless.mechanics.chain.shape import bend_joints
from limbless.robots import chain_shape
from limbless.robots.base import Motion
from limbless.robots.chain_arrays import SPHERICAL, ChainArrays
from limbless.robots.rotations import rotation_vector_motion, yaw_pitch_motion

if TYPE_CHECKING:
    from limbless.gaits.base import Drive, Gait
    from limbless.robots.chain import Chain

Array = NDArray[np.float64]

_NO_BEND = 1e-12   # rad; heading differences below are rounding


def _bend(chain: Chain, drive: Drive) -> list[Array]:
    """The differences of heading and elevation, their rates and accelerations, in the velocity columns of the chain."""
    mapping, turns = chain.shape_map(), chain_shape.turns(chain.arrays())
    skew = [name for name, (turn, _) in zip(chain.joint_names, turns, strict=True) if turn == "skew"]
    if skew:
        raise InputError(f"a gait of headings and elevations drives joints about z and y at home; joint {skew[0]!r} of chain "
                         f"{chain.name!r} turns about an axis between them: give a gait that drives joints, or axes within "
                         "3 deg of x, y or z")
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


def motion(chain: Chain, gait: Gait, times: Array) -> Motion:
    """A shape gait or a joint gait as joint motion at `times`."""
    times = np.asarray(times, dtype=np.float64)
    arrays = chain.arrays()
    if gait.drives == "shape":
        value, rate, acceleration = _bend(chain, gait.sample(times, chain.stations()))
    elif gait.drives == "joint":
        drive = gait.sample_joints(times, chain_shape.turns(arrays))
        value, rate, acceleration = drive.value, drive.rate, drive.acceleration
        if value.shape != (len(times), chain.freedoms):
            raise InputError(f"the gait gives {value.shape[-1]} joint positions, but {chain.name!r} has {chain.freedoms} joint columns")
    else:
        raise InputError(f"a chain follows gaits that drive a shape or joints, not {gait.drives!r}")
    return _with_quaternions(arrays, gait.drives == "shape", value, rate, acceleration)


def _with_quaternions(arrays: ChainArrays, shape: bool, value: Array, rate: Array, acceleration: Array) -> Motion:
    """Joint motion in which the three columns of each spherical joint have become a quaternion and child-frame velocities."""
    kinds = arrays.joint_kind[1:]
    if not np.any(kinds == SPHERICAL):
        return Motion(value, rate, acceleration)
    velocity, second = rate.copy(), acceleration.copy()
    position = np.zeros((len(value), len(kinds) + 3 * int(np.sum(kinds == SPHERICAL))))
    for kind, p, v in zip(kinds, arrays.position_column[1:], arrays.velocity_column[1:], strict=True):
        if kind != SPHERICAL:
            position[:, p] = value[:, v]
            continue
        columns = [v + 2, v + 1] if shape else [v, v + 1, v + 2]
        turn = (yaw_pitch_motion if shape else rotation_vector_motion)(value[:, columns], rate[:, columns], acceleration[:, columns])
        position[:, p:p + 4], velocity[:, v:v + 3], second[:, v:v + 3] = turn
    return Motion(position, velocity, second)
