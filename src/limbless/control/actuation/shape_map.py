"""Where a chain can bend, and which of its joints follow the heading and the elevation of a shape."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.robots import REVOLUTE, SPHERICAL, Chain, ChainArrays, axis_number

Integers = NDArray[np.int64]

_SAME_PLACE = 1e-9  # m; joints nearer than this share a location


class ShapeMap(NamedTuple):
    """Which velocity column takes the difference of heading and of elevation over each location, and with which sign.

    Difference i is that from station i to station i + 1, and is *added* to its column. A location without a joint of
    its own for a direction gives its difference to the last such joint before it, so a chain of alternating yaw and
    pitch joints follows the same curve; -1 where there is none (the base then moves with that part of the shape). At a
    spherical joint the columns are those of its z and y components, and its rotation is Rz(yaw) Ry(pitch).
    """

    yaw_column: Integers
    yaw_sign: Array
    pitch_column: Integers
    pitch_sign: Array


def locations(arrays: ChainArrays) -> tuple[list[Array], list[list[int]]]:
    """Where the body can bend (points at home, in the base frame) and the rows of the joints that bend it there.

    A joint that turns about the length of the body (x) or slides does not bend it and makes no location.
    """
    origins = np.cumsum(arrays.arm, axis=0)
    places: list[Array] = []
    members: list[list[int]] = []
    for row in range(1, len(arrays.joint_kind)):
        along = axis_number(arrays.axis[row]) == 0
        if arrays.joint_kind[row] == SPHERICAL or (arrays.joint_kind[row] == REVOLUTE and not along):
            if places and np.linalg.norm(origins[row] - places[-1]) < _SAME_PLACE:
                members[-1].append(row)
            else:
                places.append(origins[row])
                members.append([row])
    return places, members


def stations(chain: Chain) -> Array:
    """(locations + 1,): arc length behind the first joint of every place where the body can bend, then of the tail
    end, m."""
    return chain.once(_stations)


def shape_map(chain: Chain) -> ShapeMap:
    """The columns of a chain that follow a shape."""
    return chain.once(_shape_map)


def turns(chain: Chain) -> tuple[tuple[str, float], ...]:
    """What each velocity column does and with which sign: roll, pitch or yaw about x, y, z at home, slide, or skew
    about another axis, with its angle from y towards z, rad."""
    return chain.once(_turns)


def _stations(chain: Chain) -> Array:
    arrays, segments = chain.arrays(), chain.segments()
    places, _ = locations(arrays)
    if not places:
        return np.zeros(0)
    origins = np.cumsum(arrays.arm, axis=0)
    end = origins[-1]
    if segments and segments[-1].body == len(origins) - 1:
        end = end + segments[-1].start + segments[-1].length * segments[-1].frame[:, 0]
    steps = np.linalg.norm(np.diff([*places, end], axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _skew_shares(arrays: ChainArrays, members: list[list[int]]) -> Array:
    """(rows, 3) by how much each joint turns for what the body bends at its place, about y and z, where axes lie
    between them: with N joints about unit axes a (across the body), Σ a a' b = N b, as a' (Σ a a' / N)^-1 b has it.
    """
    across = arrays.axis * np.array([0.0, 1.0, 1.0])
    across /= np.linalg.norm(across, axis=1, keepdims=True) + 1e-300
    own = across[[rows[-1] for rows in members]]
    return across @ np.linalg.pinv(own.T @ own / len(own), rcond=1e-3)


def _shape_map(chain: Chain) -> ShapeMap:
    arrays = chain.arrays()
    _, members = locations(arrays)
    found: list[list[tuple[int, float]]] = [[], []]
    if any(turn == "skew" for turn, _ in turns(chain)):
        shares = _skew_shares(arrays, members)
        columns = [int(arrays.velocity_column[rows[-1]]) for rows in members]
        rows = [rows[-1] for rows in members]
        return ShapeMap(
            np.array(columns, dtype=np.int64), shares[rows, 2], np.array(columns, dtype=np.int64), shares[rows, 1]
        )
    for pairs, direction in zip(found, (2, 1), strict=True):
        current = (-1, 0.0)
        for rows in members:
            for row in rows:
                if arrays.joint_kind[row] == SPHERICAL:
                    current = (int(arrays.velocity_column[row]) + direction, 1.0)
                elif axis_number(arrays.axis[row]) == direction:
                    current = (int(arrays.velocity_column[row]), float(np.sign(arrays.axis[row, direction])))
            pairs.append(current)
    (yaw, pitch) = found
    return ShapeMap(
        np.array([column for column, _ in yaw], dtype=np.int64),
        np.array([sign for _, sign in yaw]),
        np.array([column for column, _ in pitch], dtype=np.int64),
        np.array([sign for _, sign in pitch]),
    )


def _turns(chain: Chain) -> tuple[tuple[str, float], ...]:
    arrays = chain.arrays()
    names, found = ("roll", "pitch", "yaw"), []
    for kind, axis in zip(arrays.joint_kind[1:], arrays.axis[1:], strict=True):
        number = axis_number(axis) if kind == REVOLUTE else None
        if kind == SPHERICAL:
            found += [(name, 1.0) for name in names]
        elif number is not None:
            found.append((names[number], float(np.sign(axis[number]))))
        else:
            found.append(("skew", math.atan2(axis[2], axis[1])) if kind == REVOLUTE else ("slide", 1.0))
    return tuple(found)
