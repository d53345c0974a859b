"""A chain as flat arrays for compiled code: primitive joints, and bodies in frames parallel to the base
when all joints are at zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.mechanics.chain import Prismatic, Revolute, Spherical
from limbless.robots import PER_FREEDOM, Bodies, Link, Segment, snap, symmetric_matrix, upper_triangle

if TYPE_CHECKING:
    from limbless.robots.chain import Chain

Integers = NDArray[np.int64]

BASE = 0
REVOLUTE, PRISMATIC, SPHERICAL = Revolute.code, Prismatic.code, Spherical.code
_NONE = {"torque_limit": np.inf, "lower": -np.inf, "upper": np.inf}
ALIGNED = 0.05
"""Sine of the angle (3 deg) within which a joint's axis counts as the x, y or z that it is near: rounding, or a robot
as it was built.
"""


def axis_number(axis: Array) -> int | None:
    """0, 1 or 2: the axis at home along which this one lies, either way; None if it lies between them."""
    number = int(np.abs(axis).argmax())
    return number if np.linalg.norm(np.delete(axis, number)) < ALIGNED * np.linalg.norm(axis) else None


class ChainArrays(NamedTuple):
    """Row k = 0 is the base body, rows 1..n are the primitive joints, each with the body it carries.

    A universal joint makes two revolute rows with a massless body between them. Kernel frames have their origin at the
    link origin and are parallel to the base frame at zero joint positions. For a revolute joint R_k = R_(k-1) rot(axis,
    q), for a spherical one R_k = R_(k-1) R(quaternion), and origin_k = origin_(k-1) + R_(k-1) arm; a prismatic joint
    keeps R and adds R_(k-1) axis q to the origin.
    """

    joint_kind: Integers  # (n+1,)      0 base, 1 revolute, 2 prismatic, 3 spherical
    # (n+1, 3)    in the kernel frame of the previous body (zero for base and spherical)
    axis: Array
    # (n+1, 3)    from the previous origin to this one at zero position, in the previous kernel frame, m
    arm: Array
    has_arm: NDArray[np.bool_]  # (n+1,)
    # (n+1,)      has mass or inertia, or a piece of body on which a fluid acts
    has_body: NDArray[np.bool_]
    mass: Array  # (n+1,)      kg
    moment: Array  # (n+1, 3)    kg m
    inertia: Array  # (n+1, 6)    xx, xy, xz, yy, yz, zz about the origin, kg m2
    # (n+1,)      first column in joint positions (4 for a spherical joint); -1 for the base
    position_column: Integers
    # (n+1,)      first column in joint velocities (3 for a spherical joint); -1 for the base
    velocity_column: Integers
    rotor_inertia: Array  # (freedoms,) these eleven: one per velocity column
    coulomb_friction: Array
    breakaway_friction: Array
    stribeck_rate: Array
    viscous_friction: Array
    stiffness: Array
    rest: Array
    damping: Array
    torque_limit: Array  # inf where there is none
    lower: Array  # range of the joint position, infinite where there is none
    upper: Array
    size: Array  # (n+1,)      a number of the joint's kind, where it has one
    home: Array  # (n+1, 3, 3) link vector v -> home @ v in the kernel frame


class JointColumns(NamedTuple):
    """One primitive joint and the body it carries (None: massless, between the two axes of a universal joint)."""

    kind: int
    axis: Array
    arm: Array
    home: Array
    link: int
    carries: bool
    size: float = 0.0


def _rows_of_link(number: int, link: Link, previous_home: Array) -> list[JointColumns]:
    """The primitive rows of a link that has a joint; `previous_home` takes vectors of the previous link to the base
    frame at home.
    """
    home = snap(previous_home @ link.rotation())
    arm = previous_home @ link.translation() + 0.0
    joint = link.joint
    if joint is None:
        raise ValueError(f"link {number} has no joint")
    axis = home @ np.array(joint.axis) + 0.0
    if joint.kind == "spherical":
        return [JointColumns(SPHERICAL, np.zeros(3), arm, home, number, True)]
    if joint.kind == "universal":
        offset = home @ np.array(joint.offset)
        second = home @ np.array(joint.second_axis) + 0.0
        return [
            JointColumns(REVOLUTE, axis, arm - offset, home, number, False),
            JointColumns(REVOLUTE, second, offset + 0.0, home, number, True),
        ]
    return [JointColumns(REVOLUTE if joint.kind == "revolute" else PRISMATIC, axis, arm, home, number, True)]


def primitive_rows(chain: Chain) -> list[JointColumns]:
    """All rows of a chain, the base first."""
    rows = [JointColumns(BASE, np.zeros(3), np.zeros(3), np.eye(3), 0, True)]
    for number, link in enumerate(chain.links[1:], start=1):
        rows += _rows_of_link(number, link, rows[-1].home)
    return rows


def pack_bodies(chain: Chain) -> Bodies:
    """Mass properties of every row in its kernel frame."""
    bodies = Bodies(*(np.zeros((len(chain.rows), *shape)) for shape in ((), (3,), (3, 3), (), (3,))))
    for k, row in enumerate(chain.rows):
        if row.carries:
            own, R = chain.links[row.link].mass_properties(), row.home
            bodies.mass[k], bodies.volume[k] = own.mass, own.volume
            bodies.moment[k], bodies.volume_moment[k] = R @ own.moment + 0.0, R @ own.volume_moment + 0.0
            bodies.inertia[k] = symmetric_matrix(upper_triangle(R @ own.inertia @ R.T)) + 0.0
    return bodies


def pack_segments(chain: Chain) -> list[Segment]:
    """The pieces of body in the kernel frames of their rows."""
    found = []
    for k, row in enumerate(chain.rows):
        body = chain.links[row.link].body
        if row.carries and body is not None:
            start, frame = row.home @ np.array(body.position) + 0.0, row.home @ body.frame + 0.0
            found.append(Segment(k, start, frame, body.length, body.half_width, body.half_height))
    return found


def pack(chain: Chain) -> ChainArrays:
    """The arrays of a chain."""
    rows, bodies = chain.rows, chain.bodies()
    kinds = {primitive.code: primitive for primitive in (Revolute, Prismatic, Spherical)}
    widths = np.array([(0, 0), *((kinds[row.kind].positions, kinds[row.kind].freedoms) for row in rows[1:])])
    position_column, velocity_column = (np.cumsum(widths, axis=0) - widths).T.copy()
    position_column[0] = velocity_column[0] = -1
    joints = [link.joint for link in chain.links if link.joint is not None]
    columns = {field: [value for joint in joints for value in joint.per_freedom(field)] for field in PER_FREEDOM}
    for field, none in _NONE.items():
        columns[field] = [none if limit is None else limit for limit in columns[field]]
    arm = np.array([row.arm for row in rows])
    wet = np.array([row.carries and chain.links[row.link].body is not None for row in rows])
    heavy = (bodies.mass != 0) | np.any(bodies.moment != 0, axis=1) | np.any(bodies.inertia != 0, axis=(1, 2))
    return ChainArrays(
        joint_kind=np.array([row.kind for row in rows], dtype=np.int64),
        axis=np.array([row.axis for row in rows]),
        arm=arm,
        has_arm=np.any(arm != 0, axis=1),
        has_body=wet | heavy,
        mass=bodies.mass,
        moment=bodies.moment,
        inertia=np.ascontiguousarray(upper_triangle(bodies.inertia)),
        position_column=position_column,
        velocity_column=velocity_column,
        size=np.array([row.size for row in rows]),
        home=np.array([row.home for row in rows]),
        **{field: np.array(values, dtype=np.float64) for field, values in columns.items()},
    )
