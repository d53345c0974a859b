"""A gait as joint motion of a chain: headings become yaw and pitch of the joints where the body bends."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.errors import InputError
from limbless.robots.base import Motion
from limbless.robots.chain_arrays import REVOLUTE, SPHERICAL, ChainArrays
from limbless.robots.rotations import rotation_vector_motion, yaw_pitch_motion

if TYPE_CHECKING:
    from limbless.gaits.base import Drive, Gait
    from limbless.robots.chain import Chain

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_ALIGNED = 1e-9      # an axis counts as y or z if its other components are smaller
_SAME_PLACE = 1e-9   # m; joints nearer than this share a location
_NO_BEND = 1e-12     # rad; heading differences below are rounding


class ShapeMap(NamedTuple):
    """Which velocity column takes the difference of heading and of elevation over each location, and with which sign.

    Difference i is that from station i to station i + 1, and is *added* to its column. A location without a joint of its own for a
    direction gives its difference to the last such joint before it, so a chain of alternating yaw and pitch joints follows the same
    curve; -1 where there is none (the base then moves with that part of the shape). At a spherical joint the columns are those of its z
    and y components, and its rotation is Rz(yaw) Ry(pitch).
    """

    yaw_column: Integers
    yaw_sign: Array
    pitch_column: Integers
    pitch_sign: Array


def _locations(arrays: ChainArrays) -> tuple[list[Array], list[list[int]]]:
    """Where the body can bend (points at home, in the base frame) and the rows of the joints that bend it there.

    A joint that turns about the length of the body (x) or slides does not bend it and makes no location.
    """
    origins = np.cumsum(arrays.arm, axis=0)
    places: list[Array] = []
    members: list[list[int]] = []
    for row in range(1, len(arrays.joint_kind)):
        along = np.hypot(*arrays.axis[row, 1:]) < _ALIGNED
        if arrays.joint_kind[row] == SPHERICAL or (arrays.joint_kind[row] == REVOLUTE and not along):
            if places and np.linalg.norm(origins[row] - places[-1]) < _SAME_PLACE:
                members[-1].append(row)
            else:
                places.append(origins[row])
                members.append([row])
    return places, members


def stations(chain: Chain) -> Array:
    """(locations + 1,): arc length behind the first joint of every place where the body can bend, then of the tail end, m."""
    arrays, segments = chain.arrays(), chain.segments()
    places, _ = _locations(arrays)
    if not places:
        return np.zeros(0)
    origins = np.cumsum(arrays.arm, axis=0)
    end = origins[-1]
    if segments and segments[-1].body == len(origins) - 1:
        end = end + segments[-1].start + segments[-1].length * segments[-1].frame[:, 0]
    steps = np.linalg.norm(np.diff([*places, end], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def shape_map(chain: Chain) -> ShapeMap:
    """The columns of a chain that follow a shape."""
    arrays = chain.arrays()
    _, members = _locations(arrays)
    found: list[list[tuple[int, float]]] = [[], []]
    for pairs, direction in zip(found, (2, 1), strict=True):
        across = [0, 1] if direction == 2 else [0, 2]
        current = (-1, 0.0)
        for rows in members:
            for row in rows:
                if arrays.joint_kind[row] == SPHERICAL:
                    current = (int(arrays.velocity_column[row]) + direction, 1.0)
                elif np.abs(arrays.axis[row, across]).max() < _ALIGNED:
                    current = (int(arrays.velocity_column[row]), float(np.sign(arrays.axis[row, direction])))
            pairs.append(current)
    (yaw, pitch) = found
    return ShapeMap(
        np.array([column for column, _ in yaw], dtype=np.int64), np.array([sign for _, sign in yaw]),
        np.array([column for column, _ in pitch], dtype=np.int64), np.array([sign for _, sign in pitch]),
    )


def _bend(chain: Chain, drive: Drive) -> list[Array]:
    """The differences of heading and elevation, their rates and accelerations, in the velocity columns of the chain."""
    mapping = chain.shape_map()
    for name, columns, channel in (("heading", mapping.yaw_column, 0), ("elevation", mapping.pitch_column, 1)):
        if np.all(columns < 0) and np.abs(np.diff(drive.value[:, :, channel], axis=1)).max(initial=0.0) > _NO_BEND:
            axis = "z" if channel == 0 else "y"
            raise InputError(
                f"the gait asks for {name}, but chain {chain.name!r} has no joint whose axis at home is {axis}; "
                f"use a gait without {name}, or add joints about {axis}"
            )
    bent = []
    for quantity in (drive.value, drive.rate, drive.acceleration):
        taken = np.zeros((len(quantity), chain.freedoms))
        change = np.diff(quantity, axis=1)
        for channel, (column, sign) in enumerate(((mapping.yaw_column, mapping.yaw_sign), (mapping.pitch_column, mapping.pitch_sign))):
            for location in np.flatnonzero(column >= 0):
                taken[:, column[location]] += sign[location] * change[:, location, channel]
        bent.append(taken)
    return bent


def motion(chain: Chain, gait: Gait, times: Array) -> Motion:
    """A shape gait or a joint gait as joint motion at `times`."""
    times = np.asarray(times, dtype=np.float64)
    arrays = chain.arrays()
    if gait.drives == "shape":
        value, rate, acceleration = _bend(chain, gait.sample(times, chain.stations()))
    elif gait.drives == "joint":
        drive = gait.sample(times, np.arange(chain.freedoms, dtype=np.float64))
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
