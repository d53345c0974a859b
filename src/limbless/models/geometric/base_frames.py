"""How the base of a chain is described: virtual joints (a chart) or a group, and how a pose becomes its coordinates."""
from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.errors import InputError
from limbless.mechanics.algebra.rotations import quaternion_to_matrix
from limbless.mechanics.chain import screws
from limbless.mechanics.geometric.motion import Frame
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
Coordinates = Literal["virtual", "group"]
Form = Literal["full", "printed"]

_FRAMES = {
    ("fixed", "virtual"): Frame(int(screws.FIXED_BASE), 0, 0), ("fixed", "group"): Frame(int(screws.FIXED_BASE), 0, 0),
    ("planar", "virtual"): Frame(int(screws.PLANAR_CHART), 3, 3), ("planar", "group"): Frame(int(screws.PLANAR_GROUP), 3, 3),
    ("free", "virtual"): Frame(int(screws.SPACE_CHART), 6, 6), ("free", "group"): Frame(int(screws.SPACE_GROUP), 6, 7),
}
_NAMES = {
    int(screws.FIXED_BASE): (), int(screws.PLANAR_CHART): ("X", "Y", "yaw"), int(screws.PLANAR_GROUP): ("vx", "vy", "wz"),
    int(screws.SPACE_CHART): ("X", "Y", "Z", "yaw", "pitch", "roll"), int(screws.SPACE_GROUP): ("vx", "vy", "vz", "wx", "wy", "wz"),
}
AT_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def frame_of(chain: Chain, coordinates: Coordinates, equations: Form = "full") -> Frame:
    """The description of the base of this chain, with its equations in full or with (22) as printed."""
    if coordinates not in ("virtual", "group"):
        raise InputError(f"coordinates must be 'virtual' (the paper's virtual joints) or 'group' (SE(2) or SE(3)); got {coordinates!r}")
    if equations not in ("full", "printed"):
        raise InputError(f"equations must be 'full' or 'printed' ((22) of the paper without its mixed terms); got {equations!r}")
    if equations == "printed" and (chain.base != "planar" or coordinates != "virtual"):
        raise InputError("equations 'printed' are those of a planar base on virtual joints, as in the paper; "
                         f"got base {chain.base!r} with coordinates {coordinates!r}: use 'full'")
    return _FRAMES[chain.base, coordinates]._replace(printed=equations == "printed")


def names_of(frame: Frame) -> tuple[str, ...]:
    """One name for each speed of the base."""
    return _NAMES[frame.base]


def seat(frame: Frame, position: ArrayLike, orientation: ArrayLike) -> tuple[Array, Array]:
    """Home pose (7) and base coordinates of a base at this pose.

    Virtual joints stand at the world's origin along its axes, as in the paper. A planar base that does not start in a horizontal
    plane has them along the axes of its initial pose; a fixed base has its pose as home and no coordinates.
    """
    position, q = np.asarray(position, dtype=float), np.asarray(orientation, dtype=float)
    R = quaternion_to_matrix(q)
    if frame.base == screws.FIXED_BASE:
        return np.concatenate([position, q]), np.zeros(0)
    if frame.base == screws.SPACE_GROUP:
        return AT_ORIGIN.copy(), np.concatenate([position, q])
    if frame.base == screws.SPACE_CHART:
        yaw, pitch, roll = np.arctan2(R[1, 0], R[0, 0]), np.arcsin(np.clip(-R[2, 0], -1.0, 1.0)), np.arctan2(R[2, 1], R[2, 2])
        return AT_ORIGIN.copy(), np.array([*position, yaw, pitch, roll])
    level = abs(q[1]) < 1e-15 and abs(q[2]) < 1e-15
    if level:
        return np.array([0.0, 0.0, position[2], 1.0, 0.0, 0.0, 0.0]), np.array([*position[:2], 2.0 * np.arctan2(q[3], q[0])])
    return np.concatenate([position, q]), np.zeros(3)
