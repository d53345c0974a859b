"""How the base of a chain is described: virtual joints (a chart) or a group, and how a pose becomes its coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.core import InputError
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.mechanics.geometry.base_charts import FixedBase, Frame, PlanarChart, PlanarGroup, SpaceChart, SpaceGroup
from limbless.models.geometric import Coordinates, Form
from limbless.robots.chain import Chain

Array = NDArray[np.float64]

AT_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
_FRAMES: dict[tuple[str, str], type[Frame]] = {
    ("fixed", "virtual"): FixedBase,
    ("planar", "virtual"): PlanarChart,
    ("free", "virtual"): SpaceChart,
    ("fixed", "group"): FixedBase,
    ("planar", "group"): PlanarGroup,
    ("free", "group"): SpaceGroup,
}
_NAMES: dict[type[Frame], tuple[str, ...]] = {
    FixedBase: (),
    PlanarChart: ("X", "Y", "yaw"),
    PlanarGroup: ("vx", "vy", "wz"),
    SpaceChart: ("X", "Y", "Z", "yaw", "pitch", "roll"),
    SpaceGroup: ("vx", "vy", "vz", "wx", "wy", "wz"),
}


def frame_of(chain: Chain, coordinates: Coordinates, equations: Form = "full") -> Frame:
    """The description of the base of this chain, whose equations are in full or with (22) as printed."""
    if equations == "printed" and (chain.base != "planar" or coordinates != "virtual"):
        raise InputError(
            "equations 'printed' are those of a planar base on virtual joints, as in the paper; "
            f"got base {chain.base!r} with coordinates {coordinates!r}: use 'full'"
        )
    kind = _FRAMES[chain.base, coordinates]
    speeds = len(_NAMES[kind])
    return kind(speeds, 7 if kind is SpaceGroup else speeds, AT_ORIGIN.copy())


def names_of(frame: Frame) -> tuple[str, ...]:
    """One name for each speed of the base."""
    return _NAMES[type(frame)]


def seat(frame: Frame, position: ArrayLike, orientation: ArrayLike) -> tuple[Array, Array]:
    """Home pose (7) and base coordinates of a base at this pose.

    Virtual joints stand at the world's origin along its axes, as in the paper. A planar base that does not start in a
    horizontal plane has them along the axes of its initial pose; a fixed base has its pose as home and no coordinates.
    """
    position, q = np.asarray(position, dtype=float), np.asarray(orientation, dtype=float)
    R = quaternion_to_matrix(q)
    if isinstance(frame, FixedBase):
        return np.concatenate([position, q]), np.zeros(0)
    if isinstance(frame, SpaceGroup):
        return AT_ORIGIN.copy(), np.concatenate([position, q])
    if isinstance(frame, SpaceChart):
        yaw, pitch, roll = (
            np.arctan2(R[1, 0], R[0, 0]),
            np.arcsin(np.clip(-R[2, 0], -1.0, 1.0)),
            np.arctan2(R[2, 1], R[2, 2]),
        )
        return AT_ORIGIN.copy(), np.array([*position, yaw, pitch, roll])
    level = abs(q[1]) < 1e-15 and abs(q[2]) < 1e-15
    if level:
        return np.array([0.0, 0.0, position[2], 1.0, 0.0, 0.0, 0.0]), np.array(
            [*position[:2], 2.0 * np.arctan2(q[3], q[0])]
        )
    return np.concatenate([position, q]), np.zeros(3)
