"""A chain on its manifold as the tables of a `GeometricProblem`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Environment
from limbless.mechanics.chain import (
    INTEGRALS,
    ActuatorLimit,
    ActuatorRequest,
    Base,
    Body,
    ChainDrive,
    ChainTables,
    DofRow,
    JointScrew,
    LinkRow,
    Spatial,
    known_kinds,
)
from limbless.mechanics.contact import ContactRow, Dense, WarmStart, make_homotopy
from limbless.mechanics.geometry.base_charts import Frame
from limbless.mechanics.geometry.screws import cross_joint
from limbless.mechanics.geometry.tables import (
    GeometricMemory,
    GeometricRecords,
    Solver,
    Touching,
    WheelRecords,
    Wheels,
)
from limbless.mechanics.integrate.running_totals import Totals
from limbless.models.chain import chain_problem
from limbless.robots.chain import Chain

Array = NDArray[np.float64]


def robot_on(frame: Frame, robot: ChainTables) -> ChainTables:
    """The robot with its joints where they stand in a state of the geometric model: coordinates, speeds and sums."""
    codes, joints = robot.links.codes.copy(), len(robot.freedoms)
    link = LinkRow.of(robot.links._replace(codes=codes))
    link.positions[0], link.freedoms[0], link.velocity[0] = frame.coordinates, frame.speeds, frame.coordinates + joints
    link.position[1:] = frame.coordinates + link.column[1:]
    link.velocity[1:] = frame.coordinates + joints + frame.speeds + link.column[1:]
    kinds = (
        robot.kinds if len(robot.kinds) == 1 else tuple(kind() for kind in known_kinds if kind in cross_joint.versions)
    )
    return ChainTables(kinds, robot.links._replace(codes=codes), robot.freedoms)


def state_size(frame: Frame, joints: int) -> int:
    """How many numbers a state has."""
    return frame.coordinates + frame.speeds + 2 * joints + INTEGRALS


def memory_of(frame: Frame, robot: ChainTables, environments: int, tally: Any) -> GeometricMemory:
    """Working memory for a run among so many environments; `tally` is what it goes on counting."""
    bodies, joints = len(robot.links.codes), len(robot.freedoms)
    N, size = frame.speeds + joints, state_size(frame, joints)
    bounds, freedom, rates = ActuatorLimit.zeros(joints), DofRow.of(robot.freedoms), np.zeros(N)
    bound = ActuatorLimit.of(bounds)
    bound.limit[:], bound.gain[:] = freedom.saturation, freedom.inertia_gain
    state, slope, total = np.zeros((3, size))
    return GeometricMemory(
        bodies=Body.zeros(bodies),
        spatial=Spatial.zeros(bodies),
        screws=JointScrew.zeros(N),
        base=Base.zeros(1),
        bounds=bounds,
        metric=np.zeros((N, N)),
        bias=np.zeros(N),
        rates=rates,
        acceleration=rates[frame.speeds :],
        forces=np.zeros(N),
        effort=np.zeros(N),
        torque=np.zeros(joints),
        passive=np.zeros(joints),
        wishes=ActuatorRequest.zeros(joints),
        solver=solver_of(N),
        trouble=np.zeros(1, dtype=np.int64),
        powers=np.zeros((4, joints)),
        law_powers=np.zeros(environments),
        tally=tally,
        state=state,
        slope=slope,
        total=total,
    )


def solver_of(N: int) -> Solver:
    """Working memory of the dense solution for N degrees of freedom."""
    return Solver(
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


def wheels_of(chain: Chain, environment: Sequence[Environment], N: int) -> Wheels:
    """Set-valued wheels as contacts under given loads."""
    from limbless.models.chain.contact.contact_scene import bodies_of, mobility, scene_of, sleep_state_of

    scene = scene_of(chain, environment)
    C = len(scene.owner)
    dense = Dense(
        np.zeros((2 * C, 2 * C)),
        np.zeros(2 * C),
        np.zeros((2 * C, 2 * C + 1)),
        np.zeros(2 * C, dtype=np.int64),
        make_homotopy(2 * C),
    )
    touching = Touching(
        owner=scene.owner,
        contact=ContactRow.zeros(C),
        active=np.zeros(C, dtype=np.int64),
        rows=np.zeros((2 * C, N)),
        mobility=np.zeros((2 * C, N)),
        counts=np.zeros(3),
        found=np.zeros(3, dtype=np.int64),
    )
    size = 1.0 / mobility(chain, environment, bodies_of(chain))
    return Wheels(touching, scene, sleep_state_of(scene, len(chain.rows)), dense, size)


def geometric_records(plain: ChainTables, wheels: int, count: int, tally: Any) -> GeometricRecords:
    """Memory for `count` records of a robot, of so many wheels, and for as many of `tally`."""
    each = (count, wheels)
    kept = WheelRecords(*(np.zeros(shape) for shape in ((*each, 3), (*each, 3), each, each, count)))
    return GeometricRecords(*chain_problem.records_of(plain, count, tally), kept if wheels else None)


def impulses(wheels: Wheels) -> Array:
    """What the friction of wheels remembers from step to step, a view."""
    return wheels.touching.contact[:, ContactRow.fields["load"].column :][:, : WarmStart.width]


def rows_of(drive: ChainDrive, first: int, last: int) -> ChainDrive:
    """The rows of a stretch; a torque that is held has one row for all."""
    torque = drive.torque if len(drive.torque) == 1 else drive.torque[first:last]
    return ChainDrive(drive.position[first:last], drive.velocity[first:last], drive.acceleration[first:last], torque)


def records_from(kept: GeometricRecords, r: int) -> GeometricRecords:
    """Memory for the records from r on."""
    wheels = None if kept.wheels is None else WheelRecords(*(array[r:] for array in kept.wheels))
    return GeometricRecords(
        kept.x[r:], kept.base[r:], kept.axes[r:], kept.bodies[r:], Totals(*(array[r:] for array in kept.tally)), wheels
    )


def copied(value: Any) -> Any:
    """The same with arrays of its own."""
    if isinstance(value, tuple):
        parts = map(copied, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.copy() if isinstance(value, np.ndarray) else value
