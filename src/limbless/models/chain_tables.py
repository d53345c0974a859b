"""A chain, its environment and its actuation as the arrays that `mechanics.chain.row_motion` takes."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from limbless.actuation import Actuation, ProportionalDerivative
from limbless.environments.base import Environment
from limbless.errors import InputError
from limbless.mechanics.chain import row_motion as chain_motion
from limbless.mechanics.chain import rows as kernels
from limbless.mechanics.chain.row_saturation import WISH_ROWS
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.forces.rows import Laws
from limbless.models.row_laws import assemble_laws
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
BASES = {"free": int(kernels.FREE), "planar": int(kernels.PLANAR), "fixed": int(kernels.FIXED)}


def pack_environment(chain: Chain, environment: Sequence[Environment]) -> tuple[Laws, Array]:
    """All force laws, and the added inertia (bodies, 21) of all environments together."""
    packs = [item.pack(chain) for item in environment]
    added = np.zeros((len(chain.arrays().joint_kind), 21))
    for pack in packs:
        if pack.added_inertia is not None:
            added += pack.added_inertia
    return assemble_laws([pack.laws for pack in packs]), added


def chain_table(chain: Chain, added: Array, breakaway: bool = False) -> kernels.ChainTable:
    """The chain in three arrays; every joint motion-given, no gains. `breakaway`: whether the model knows Stribeck's friction."""
    arrays = chain.arrays()
    if not breakaway and (arrays.breakaway_friction > arrays.coulomb_friction).any():
        raise InputError("breakaway_friction (Stribeck) of the joints acts in the non-smooth model only; leave it out, "
                         "or set model.kind to non-smooth")
    bodies = len(arrays.joint_kind)
    links = aligned_zeros((bodies, kernels.LINK_COLUMNS))
    links[:, kernels.LINK_AXIS:][:, :3], links[:, kernels.LINK_ARM:][:, :3] = arrays.axis, arrays.arm
    links[:, kernels.LINK_MASS], links[:, kernels.LINK_MOMENT:][:, :3] = arrays.mass, arrays.moment
    links[:, kernels.LINK_INERTIA:][:, :6] = arrays.inertia
    wet = np.any(added != 0.0, axis=1)
    links[:, kernels.LINK_WET:][:, :21] = wet[:, None] * (added + rigid_inertia(arrays.mass, arrays.moment, arrays.inertia))
    layout = np.zeros((bodies, kernels.LAYOUT_COLUMNS), dtype=np.int64)
    layout[:, kernels.KIND], layout[:, kernels.POSITION], layout[:, kernels.COLUMN] = (
        arrays.joint_kind, arrays.position_column, arrays.velocity_column)
    layout[:, kernels.HAS_ARM], layout[:, kernels.HAS_BODY] = arrays.has_arm, arrays.has_body
    layout[:, kernels.WET], layout[1:, kernels.GIVEN] = wet, 1
    layout[0, kernels.LAYOUT_POSITIONS] = chain.freedoms + (arrays.joint_kind == kernels.SPHERICAL).sum()
    for axis in range(3):
        layout[(arrays.axis == np.eye(3)[axis]).all(axis=1), kernels.ALIGNED] = axis + 1
    joints = np.zeros((chain.freedoms, kernels.JOINT_COLUMNS))
    for column, values in ((kernels.ROTOR, arrays.rotor_inertia), (kernels.COULOMB, arrays.coulomb_friction),
                           (kernels.VISCOUS, arrays.viscous_friction), (kernels.STIFFNESS, arrays.stiffness),
                           (kernels.REST, arrays.rest), (kernels.DAMPING, arrays.damping),
                           (kernels.BREAKAWAY, arrays.breakaway_friction), (kernels.STRIBECK, arrays.stribeck_rate)):
        joints[:, column] = values
    joints[:, kernels.SATURATION] = np.inf
    return kernels.ChainTable(links, layout, joints)


def rigid_inertia(mass: Array, moment: Array, inertia: Array) -> Array:
    """The 21 numbers (M, H, J) of rigid bodies: M = m 1, H = [moment]."""
    zero, (x, y, z) = np.zeros_like(mass), moment.T
    return np.column_stack([mass, zero, zero, mass, zero, mass, zero, -z, y, z, zero, -x, -y, x, zero, inertia])


def mark_given(table: kernels.ChainTable, given: NDArray[np.bool_]) -> kernels.ChainTable:
    """The table with the joints of these degrees of freedom motion-given; a spherical joint goes all one way."""
    layout = table.layout.copy()
    for row in range(1, len(layout)):
        width = 3 if layout[row, kernels.KIND] == kernels.SPHERICAL else 1
        columns = given[layout[row, kernels.COLUMN]:][:width]
        if columns.any() != columns.all():
            raise InputError(f"joint {row}: the three degrees of freedom of a spherical joint are motion-given together or not at all")
        layout[row, kernels.GIVEN] = columns[0]
    return table._replace(layout=layout)


def given_columns(table: kernels.ChainTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Position and velocity columns of the motion-given joints."""
    rows = [row for row in table.layout[1:] if row[kernels.GIVEN]]
    widths = [(4, 3) if row[kernels.KIND] == kernels.SPHERICAL else (1, 1) for row in rows]
    positions = [row[kernels.POSITION] + i for row, (width, _) in zip(rows, widths, strict=True) for i in range(width)]
    velocities = [row[kernels.COLUMN] + i for row, (_, width) in zip(rows, widths, strict=True) for i in range(width)]
    return np.array(positions, dtype=np.int64), np.array(velocities, dtype=np.int64)


def actuate(table: kernels.ChainTable, actuation: Actuation, inertia: Callable[[], Array]) -> tuple[kernels.ChainTable, bool]:
    """The table under an actuation, and whether torque-given joints follow the gait by feedback; `inertia` of each joint, if asked for."""
    freedoms = len(table.joints)
    if actuation.kind == "motion":
        return table, False
    given = np.zeros(freedoms, dtype=bool)
    joints = table.joints.copy()
    if isinstance(actuation, ProportionalDerivative):
        wrong = [joint for joint in actuation.motion_joints if not 0 <= joint < freedoms]
        if wrong:
            raise InputError(f"actuation.motion_joints: no joint {wrong[0]}; the robot has joints 0 to {freedoms - 1}")
        given[list(actuation.motion_joints)] = True
        gains = feedback_gains(actuation, freedoms, inertia)
        joints[:, kernels.GAIN], joints[:, kernels.RATE_GAIN], joints[:, kernels.INERTIA_GAIN] = gains
        joints[given, kernels.INERTIA_GAIN] = 0.0
        if actuation.saturation is not None:
            joints[:, kernels.SATURATION] = one_each(actuation.saturation, freedoms, "saturation")
    return mark_given(table._replace(joints=joints), given), isinstance(actuation, ProportionalDerivative)


def feedback_gains(actuation: ProportionalDerivative, freedoms: int, inertia: Callable[[], Array]) -> tuple[Array, Array, Array]:
    """Gains on position, rate and acceleration, as stated; what is not stated follows from the inertia J of each joint.

    Neither stated: 2ω²J, 4ωJ and J, so that a joint that has its J to turn obeys ë + 2ω ė + ω² e = 0. One of the two stated: the other
    makes the damping critical, K J = (D/2)².
    """
    stiffness, damping = actuation.stiffness, actuation.damping
    K = None if stiffness is None else one_each(stiffness, freedoms, "stiffness")
    D = None if damping is None else one_each(damping, freedoms, "damping")
    if K is not None and D is not None:
        return K, D, np.zeros(freedoms)
    J = inertia()
    if K is not None:
        return K, 2.0 * np.sqrt(K * J), np.zeros(freedoms)
    if D is not None:
        return np.divide(0.25 * D**2, J, out=np.zeros(freedoms), where=J > 0.0), D, np.zeros(freedoms)
    return 2.0 * actuation.bandwidth**2 * J, 4.0 * actuation.bandwidth * J, J


def refuse_feedforward(actuation: Actuation, model: str) -> None:
    """Inverse dynamics within a step are at hand in one model only."""
    if getattr(actuation, "feedforward", False):
        raise InputError(f"actuation.feedforward: the {model} model adds no torques of inverse dynamics; leave it out, or set "
                         "model.kind to newton-euler")


def one_each(values: float | tuple[float, ...], count: int, name: str) -> Array:
    gains = np.atleast_1d(np.array(values, dtype=np.float64))
    if len(gains) == 0 or count % len(gains):
        raise InputError(f"actuation.{name}: give one number, {count} (one per joint), or a pattern that repeats along them; "
                         f"got {len(gains)}")
    if (gains < 0).any() or (name == "saturation" and (gains == 0).any()):
        must = "must be positive" if name == "saturation" else "gains must not be negative"
        raise InputError(f"actuation.{name}: {must}; got {gains.min():g}")
    return np.tile(gains, count // len(gains))


def scratch(table: kernels.ChainTable, size: int) -> chain_motion.Scratch:
    """Working memory for a chain whose flat state has `size` numbers."""
    bodies, freedoms = len(table.layout), len(table.joints)
    return chain_motion.Scratch(*(aligned_zeros(shape) for shape in (
        (bodies, kernels.WORK_COLUMNS), (bodies, 6), chain_motion.PUSH, 6 + freedoms, freedoms, freedoms, size, size, size,
        (WISH_ROWS, freedoms), (4, freedoms), freedoms)))


def records(table: kernels.ChainTable, size: int, count: int) -> chain_motion.Records:
    """Room for `count` records."""
    bodies, freedoms = len(table.layout), len(table.joints)
    return chain_motion.Records(
        np.zeros((count, size)), np.zeros((count, 6 + freedoms)), np.zeros((count, freedoms)), np.zeros((count, 3)),
        np.zeros((count, bodies, 9)), np.zeros((count, bodies, 3)), np.zeros((count, bodies, 6)), np.zeros((count, bodies, 6)),
        np.zeros((count, bodies, 6)), np.zeros((count, 6)))


def check_twist(base: str, name: str, twist: Array) -> None:
    """Refuse a base velocity that a planar or fixed base cannot have."""
    if base == "planar" and np.any(twist[[2, 3, 4]] != 0.0):
        raise InputError(f"a planar base moves in its own x-y plane: entries 2, 3 and 4 of {name} must be 0; got {twist.tolist()}")
    if base == "fixed" and np.any(twist != 0.0):
        raise InputError(f"a fixed base does not move: {name} must be 0; got {twist.tolist()}")
