"""Memory and records of the non-smooth model, as a `ContactProblem` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import Body, BodyRecord, ChainTables, HeldBody, known_kinds
from limbless.mechanics.contact import (
    MOST,
    PLACED,
    BaseStep,
    BodyOutcome,
    BodyStep,
    BodyVelocity,
    ContactMemory,
    ContactRecord,
    ContactRecords,
    ContactRow,
    FallbackRequest,
    JointStep,
    MovingBodies,
    ObjectPose,
    Scene,
    StateLayout,
    Step,
    StepCounters,
    StepRecord,
    WarmStart,
    make_homotopy,
    screw,
)
from limbless.models.chain.chain_problem import control_start, memory_of, state_size
from limbless.models.chain.contact.contact_scene import sleep_state_of
from limbless.models.chain.contact.moving_body_tables import with_memory

Array = NDArray[np.float64]


def with_kinds(robot: ChainTables) -> ChainTables:
    """Of several kinds of joints, those that this model knows."""
    if len(robot.kinds) == 1:
        return robot
    return robot._replace(kinds=tuple(kind() for kind in known_kinds if kind in screw.versions))


def where_of(robot: ChainTables, contacts: int, objects: int, control: int = 0) -> StateLayout:
    """Where the parts of a flat state begin; `control`: numbers of controllers."""
    bodies, freedoms, size = len(robot.links.codes) + objects, len(robot.freedoms), state_size(robot, control)
    ends = size + np.cumsum(
        [0, 6 + freedoms, BodyVelocity.width * bodies, WarmStart.width * contacts, freedoms, freedoms, PLACED * objects]
    )
    return StateLayout(control_start(robot), control_start(robot) + control, *map(int, ends))


def memory_for(
    robot: ChainTables,
    scene: Scene,
    dry: Any,
    environments: int,
    tally: Any,
    moving_bodies: MovingBodies | None,
    objects: int,
    clamp: HeldBody | None = None,
    control: int = 0,
) -> ContactMemory:
    """Working memory of a run among so many environments and objects, with so many numbers of controllers."""
    bodies, freedoms, contacts = len(robot.links.codes) + objects, len(robot.freedoms), len(scene.owner)
    chain = memory_of(robot, environments, tally, control=control)
    chain = chain._replace(bodies=Body.zeros(bodies), clamp=clamp)
    step = Step(
        chain.bodies,
        chain.axes,
        BodyStep.zeros(bodies),
        JointStep.zeros(freedoms),
        BaseStep.zeros(1),
        np.zeros(freedoms),
        ContactRow.zeros(contacts),
        scene.owner,
        np.zeros(contacts, dtype=np.int64),
        np.zeros((6, 7)),
        with_memory(moving_bodies, bodies),
        clamp,
    )
    path = make_homotopy(WarmStart.width * min(contacts, MOST) + (2 * freedoms if dry is not None else 0))
    return ContactMemory(
        chain,
        step,
        BodyOutcome.zeros(bodies),
        sleep_state_of(scene, bodies, moving_bodies),
        path,
        StepCounters.zeros(1),
        FallbackRequest.zeros(1),
    )


def records_for(
    robot: ChainTables, contacts: int, objects: int, count: int, tally: Any, control: int = 0
) -> ContactRecords:
    """Memory for `count` records, and for as many of `tally`."""
    bodies, freedoms = len(robot.links.codes) + objects, len(robot.freedoms)
    return ContactRecords(
        np.zeros((count, state_size(robot, control))),
        np.zeros((count, freedoms)),
        BodyRecord.zeros(count, bodies),
        ContactRecord.zeros(count, contacts),
        StepRecord.zeros(count),
        tally,
        ObjectPose.zeros(count, objects),
    )
