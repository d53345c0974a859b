"""How the base of a chain is described: virtual joints (a chart) or a group; the chain in tables on it."""

from __future__ import annotations

import numpy as np

from limbless.core import InputError
from limbless.mechanics.chain import Base, Body, ChainTables, LinkRow, known_kinds
from limbless.mechanics.geometry.base_charts import (
    FixedBase,
    Frame,
    GeometricMemory,
    JointScrew,
    PlanarChart,
    PlanarGroup,
    Solver,
    SpaceChart,
    SpaceGroup,
    Spatial,
)
from limbless.mechanics.geometry.screws import cross_joint
from limbless.models.geometric import Coordinates, Form
from limbless.robots.chain import Chain

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


def robot_on(frame: Frame, robot: ChainTables) -> ChainTables:
    """The robot with its joints where they stand among coordinates (base, then joints) and speeds."""
    codes, joints = robot.links.codes.copy(), len(robot.freedoms)
    link = LinkRow.of(robot.links._replace(codes=codes))
    link.positions[0], link.freedoms[0], link.velocity[0] = frame.coordinates, frame.speeds, frame.coordinates + joints
    link.position[1:] = frame.coordinates + link.column[1:]
    link.velocity[1:] = frame.coordinates + joints + frame.speeds + link.column[1:]
    kinds = (
        robot.kinds if len(robot.kinds) == 1 else tuple(kind() for kind in known_kinds if kind in cross_joint.versions)
    )
    return ChainTables(kinds, robot.links._replace(codes=codes), robot.freedoms)


def memory_of(bodies: int, N: int) -> GeometricMemory:
    """Working memory for N degrees of freedom."""
    solver = Solver(
        free=np.zeros(N, dtype=np.int64),
        factor=np.zeros((N, N)),
        short=np.zeros(N),
        rows=np.zeros((6, N)),
        row_rates=np.zeros(6),
        target=np.zeros(6),
        mobility=np.zeros((6, N)),
        held=np.zeros((6, 6)),
        pull=np.zeros(6),
    )
    metric, bias, rates, forces, effort = np.zeros((N, N)), *np.zeros((4, N))
    tables = Body.zeros(bodies), Spatial.zeros(bodies), JointScrew.zeros(N), Base.zeros(1)
    return GeometricMemory(*tables, metric, bias, rates, forces, effort, solver)
