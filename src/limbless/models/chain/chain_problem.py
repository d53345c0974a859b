"""A chain, its environment and its actuation as the tables of a `ChainProblem`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation import Actuation, Motor, ProportionalDerivative
from limbless.control.actuation.feedback import feedback_gains, one_each
from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.mechanics.chain import (
    BASES,
    INTEGRALS,
    AccelerationFeedback,
    ActuatorLimit,
    ActuatorRequest,
    Axis,
    AxisRecord,
    Base,
    BaseRecord,
    Body,
    BodyRecord,
    ChainMemory,
    ChainRecords,
    ChainTables,
    DofRow,
    LinkRow,
    MixedActuation,
    PrescribedMotion,
    Spherical,
    known_kinds,
)
from limbless.mechanics.compiled import aligned_zeros
from limbless.mechanics.integrate.running_totals import UNLIMITED
from limbless.models.chain.chain_evaluation import ChainEvaluator
from limbless.models.force_elements import filled, forces_of, fresh_element
from limbless.robots import Chain, ChainArrays, symmetric_matrix


def pack_environment(chain: Chain, environment: Sequence[Environment]) -> tuple[tuple[Any, ...], Array, Any]:
    """All forces, the added inertia (bodies, 21) of all environments together, and what each of them packed."""
    packs = [item.pack(chain) for item in environment]
    added = np.zeros((len(chain.arrays().joint_kind), 21))
    for pack in packs:
        if pack.added_inertia is not None:
            added += pack.added_inertia
    return forces_of(packs, len(added)), added, packs


def robot_of(chain: Chain, added: Array, breakaway: bool = False) -> ChainTables:
    """The chain in tables; every joint motion-given, no gains. `breakaway`: whether the model
    knows Stribeck's friction.
    """
    arrays = chain.arrays()
    if not breakaway and (arrays.breakaway_friction > arrays.coulomb_friction).any():
        raise InputError(
            "breakaway_friction (Stribeck) of the joints acts in the non-smooth model only; leave it out, "
            "or set model.kind to non-smooth"
        )
    wet, rigid = np.any(added != 0.0, axis=1), rigid_inertia(arrays.mass, arrays.moment, arrays.inertia)
    links = filled(
        LinkRow,
        len(arrays.joint_kind),
        axis=arrays.axis,
        arm=arrays.arm,
        size=arrays.size,
        mass=arrays.mass,
        moment=arrays.moment,
        inertia=arrays.inertia,
        wet=wet,
        whole=wet[:, None] * (added + rigid),
        even=~(np.abs(added) + np.abs(rigid))[:, UNEVEN].any(axis=1),
        has_body=arrays.has_body,
        aligned=(arrays.axis[:, None] == np.eye(3)).all(axis=2) @ np.array([1, 2, 3]),
        **_laid_out(arrays),
    )
    freedoms = filled(
        DofRow,
        chain.freedoms,
        rotor=arrays.rotor_inertia,
        coulomb=arrays.coulomb_friction,
        viscous=arrays.viscous_friction,
        breakaway=arrays.breakaway_friction,
        stribeck=arrays.stribeck_rate,
        stiffness=arrays.stiffness,
        rest=arrays.rest,
        damping=arrays.damping,
        saturation=np.inf,
        lower=np.maximum(arrays.lower, -UNLIMITED),
        upper=np.minimum(arrays.upper, UNLIMITED),
    )
    return ChainTables(kinds_of(arrays.joint_kind[1:]), links, freedoms)


UNEVEN = [1, 2, 4, *(6, 7, 8, 9, 10, 12, 14), 16, 17, 19]
"""Of the 21 numbers of an inertia, those that are zero for a body that is even about its x-y and x-z planes: beside the
diagonals of M and J (upper triangles, row by row) and yz, zy of H (nine numbers between them). See `even_inertia`."""


def rigid_inertia(mass: Array, moment: Array, inertia: Array) -> Array:
    """The 21 numbers (M, H, J) of rigid bodies: M = m 1, H = [moment]."""
    zero, (x, y, z) = np.zeros_like(mass), moment.T
    return np.column_stack([mass, zero, zero, mass, zero, mass, zero, -z, y, z, zero, -x, -y, x, zero, inertia])


def inertia_matrices(numbers: Array) -> Array:
    """6 x 6 inertias from their 21 numbers M, H, J, row by row."""
    H = numbers[:, 6:15].reshape(-1, 3, 3)
    return np.array(
        [
            np.block([[symmetric_matrix(row[:6]), h.T], [h, symmetric_matrix(row[15:])]])
            for row, h in zip(numbers, H, strict=True)
        ]
    )


def _laid_out(arrays: ChainArrays) -> dict[str, Any]:
    """Kinds of the joints, and where their positions and velocities stand in a state; every joint is motion-given."""
    kinds = {kind.code: kind for kind in known_kinds}
    joints, joined = [kinds[code] for code in arrays.joint_kind[1:]], arrays.joint_kind != 0
    positions = np.array([7, *(joint.positions for joint in joints)])
    return {
        "kind": arrays.joint_kind,
        "positions": positions,
        "freedoms": [6, *(joint.freedoms for joint in joints)],
        "has_arm": joined & (arrays.has_arm | [False, *(joint.reaches for joint in joints)]),
        "wanted": joined * arrays.position_column,
        "position": joined * (7 + arrays.position_column),
        "column": joined * arrays.velocity_column,
        "velocity": positions.sum() + joined * (6 + arrays.velocity_column),
        "given": joined,
    }


def kinds_of(codes: Any) -> tuple[Any, ...]:
    """The kinds of joints that kernels choose among: the one that a robot has, or all of them if it has several.

    A tuple of each mixture would be compiled once more, to save one comparison of integers per joint.
    """
    alone = [kind for kind in known_kinds if set(np.asarray(codes).tolist()) <= {kind.code}]
    return tuple(kind() for kind in alone[:1] or known_kinds)


def mark_given(robot: ChainTables, given: NDArray[np.bool_]) -> ChainTables:
    """The robot with the joints of these degrees of freedom motion-given; a joint of several goes all one way."""
    codes = robot.links.codes.copy()
    link = LinkRow.of(robot.links._replace(codes=codes))
    for row in range(1, len(codes)):
        columns = given[link.column[row] :][: link.freedoms[row]]
        if columns.any() != columns.all():
            raise InputError(
                f"joint {row}: the three degrees of freedom of a spherical joint are motion-given together or not at "
                "all"
            )
        link.given[row] = columns[0]
    return robot._replace(links=robot.links._replace(codes=codes))


def given_columns(robot: ChainTables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where positions and velocities of the motion-given joints stand among those of all joints."""
    link = LinkRow.of(robot.links)
    rows = [row for row in range(1, len(link.given)) if link.given[row]]
    positions = [link.wanted[row] + i for row in rows for i in range(link.positions[row])]
    velocities = [link.column[row] + i for row in rows for i in range(link.freedoms[row])]
    return np.array(positions, dtype=np.int64), np.array(velocities, dtype=np.int64)


def given_freedoms(robot: ChainTables) -> NDArray[np.bool_]:
    """(freedoms,) which are motion-given."""
    return np.isin(np.arange(len(robot.freedoms)), given_columns(robot)[1])


def actuate(robot: ChainTables, actuation: Actuation, base: str) -> tuple[ChainTables, bool]:
    """The robot under an actuation, and whether torque-given joints follow the gait by feedback."""
    count = len(robot.freedoms)
    if actuation.kind == "motion":
        return robot, False
    given = np.zeros(count, dtype=bool)
    freedoms = robot.freedoms.copy()
    freedom = DofRow.of(freedoms)
    if isinstance(actuation, ProportionalDerivative):
        wrong = [joint for joint in actuation.motion_joints if not 0 <= joint < count]
        if wrong:
            raise InputError(f"actuation.motion_joints: no joint {wrong[0]}; the robot has joints 0 to {count - 1}")
        given[list(actuation.motion_joints)] = True
        freedom.gain[:], freedom.rate_gain[:], freedom.inertia_gain[:] = feedback_gains(
            actuation, count, lambda: joint_inertia(robot, base)
        )
        freedom.inertia_gain[given] = 0.0
        if actuation.saturation is not None:
            freedom.saturation[:] = one_each(actuation.limits, count, "saturation")
    if isinstance(actuation, Motor):
        stall = one_each(actuation.stall_torque, count, "stall_torque")
        freedom.gain[:], freedom.rate_gain[:] = actuation.gain * stall, actuation.rate_gain * stall
        if actuation.series_stiffness is not None:
            freedom.rotor[:] = 0.0  # it turns with the motor
        elif actuation.electrical_time is None and actuation.largest_current is not None:
            freedom.saturation[:] = (
                actuation.largest_current * stall / one_each(actuation.stall_current, count, "stall_current")
            )
    robot = mark_given(robot._replace(freedoms=freedoms), given)
    return robot, isinstance(actuation, ProportionalDerivative | Motor)


def leads(robot: ChainTables) -> bool:
    """Whether a feedback answers to accelerations too."""
    return bool((DofRow.of(robot.freedoms).inertia_gain > 0.0).any())


def has_passive(robot: ChainTables) -> bool:
    """Whether springs, dampers or friction act in the joints."""
    freedom = DofRow.of(robot.freedoms)
    passive = (freedom.coulomb, freedom.viscous, freedom.stiffness, freedom.rest, freedom.damping)
    return any(np.any(column != 0.0) for column in passive)


def actuation_of(robot: ChainTables, answers: bool) -> PrescribedMotion | MixedActuation | AccelerationFeedback:
    """The version of the kernels that the joints ask for: what is not used is not compiled."""
    if answers:
        return AccelerationFeedback()
    free = bool((LinkRow.of(robot.links).given[1:] == 0).any())
    return MixedActuation() if free or has_passive(robot) else PrescribedMotion()


def joint_inertia(robot: ChainTables, base: str) -> Array:
    """(freedoms,) kg m2 or kg: torque per acceleration of each joint of the straight robot at rest, the others locked
    and the base free to answer as it can; added mass and rotors included.
    """
    count = len(robot.freedoms)
    given, found = mark_given(robot, np.ones(count, dtype=bool)), np.zeros(count)
    now = ChainEvaluator(given, getattr(BASES, base), ())
    link = LinkRow.of(robot.links)
    now.position[link.position[link.kind == Spherical.code]] = 1.0
    for v in range(count):
        now.acceleration[:], now.velocity[:] = 0.0, 0.0
        now.acceleration[6 + v] = 1.0
        now()
        found[v] = now.torque[v]
    return np.maximum(found, 0.0)


def control_start(robot: ChainTables) -> int:
    """Where the numbers of controllers begin in a state: after positions and velocities."""
    return int(LinkRow.of(robot.links).velocity[0]) + 6 + len(robot.freedoms)


def state_size(robot: ChainTables, control: int = 0) -> int:
    """How many numbers a state has: position, velocity, those of controllers, and sums."""
    return control_start(robot) + control + INTEGRALS


def state_columns(split: int, size: int) -> list[tuple[str, str, slice]]:
    """Where named variables stand in a flat state of this size whose speeds begin at `split`: name, dimension (or
    none), columns.
    """
    sums = size - INTEGRALS
    return [
        ("base_position", "axis", slice(0, 3)),
        ("base_orientation", "quaternion", slice(3, 7)),
        ("base_twist", "screw", slice(split, split + 6)),
        ("actuator_work", "", slice(sums, sums + 1)),
    ]


def memory_of(robot: ChainTables, environments: int, tally: Any, size: int, cells: Any = None) -> ChainMemory:
    """Working memory for a run among so many environments, whose states have so many numbers; `tally` is what it goes
    on counting, if anything.
    """
    bodies = len(robot.links.codes) if cells is None else len(cells.weigh)
    freedoms, freedom = len(robot.freedoms), DofRow.of(robot.freedoms)
    acceleration, torque, passive = (aligned_zeros(freedoms) for _ in range(3))
    state, slope, total = (aligned_zeros(size) for _ in range(3))
    return ChainMemory(
        Body.zeros(bodies),
        Axis.zeros(freedoms),
        Base.zeros(1),
        acceleration,
        torque,
        passive,
        filled(ActuatorLimit, freedoms, limit=freedom.saturation, gain=freedom.inertia_gain),
        ActuatorRequest.zeros(freedoms),
        aligned_zeros((4, freedoms if cells is None else len(cells.efforts))),
        np.zeros(environments),
        tally,
        state,
        slope,
        total,
        cells,
        aligned_zeros((freedoms, 4)),
        aligned_zeros((bodies, 3)),
    )


def records_of(robot: ChainTables, count: int, tally: Any, size: int, bodies: int) -> ChainRecords:
    """Memory for `count` records of states of this size and of so many bodies, and for as many of `tally`."""
    return ChainRecords(
        np.zeros((count, size)),
        BaseRecord.zeros(count),
        AxisRecord.zeros(count, len(robot.freedoms)),
        BodyRecord.zeros(count, bodies),
        tally,
    )


def fresh(forces: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same forces with working memory of their own."""
    return tuple(fresh_element(element) for element in forces)


def check_twist(base: str, name: str, twist: Array) -> None:
    """Refuse a base velocity that a planar or fixed base cannot have."""
    if base == "planar" and np.any(twist[[2, 3, 4]] != 0.0):
        raise InputError(
            f"a planar base moves in its own x-y plane: entries 2, 3 and 4 of {name} must be 0; got {twist.tolist()}"
        )
    if base == "fixed" and np.any(twist != 0.0):
        raise InputError(f"a fixed base does not move: {name} must be 0; got {twist.tolist()}")
