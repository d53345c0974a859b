"""Memory and records of the non-smooth model, as a `ContactProblem` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain.joints import known_kinds
from limbless.mechanics.chain.tables import Body, BodyRecord, Link, Robot
from limbless.mechanics.contact.company import PLACED, Alone, Crowd, Placed
from limbless.mechanics.contact.path import MOST, make_path
from limbless.mechanics.contact.solver import screw
from limbless.mechanics.contact.step_tables import (
    BaseStep,
    BodyStep,
    ContactMemory,
    ContactRecord,
    ContactRecords,
    Counts,
    JointStep,
    Outcome,
    Plea,
    Rubbing,
    Speeds,
    Step,
    StepRecord,
    Where,
)
from limbless.mechanics.contact.tables import Contact, Remembered, Scene
from limbless.models.chain_problem import memory_of, state_size
from limbless.models.contact_tables import rest_of
from limbless.models.crowd_tables import with_memory

Array = NDArray[np.float64]


def with_kinds(robot: Robot) -> Robot:
    """Of several kinds of joints, those that this model knows."""
    if len(robot.kinds) == 1:
        return robot
    return robot._replace(kinds=tuple(kind() for kind in known_kinds if kind in screw.versions))


def where_of(robot: Robot, contacts: int, objects: int) -> Where:
    """Where the parts of a flat state begin."""
    bodies, freedoms, size = len(robot.links.codes) + objects, len(robot.freedoms), state_size(robot)
    ends = size + np.cumsum(
        [0, 6 + freedoms, Speeds.width * bodies, Remembered.width * contacts, freedoms, freedoms, PLACED * objects]
    )
    return Where(int(Link.of(robot.links).velocity[0]) + 6 + freedoms, *map(int, ends))


def memory_for(
    robot: Robot, scene: Scene, dry: Any, environments: int, tally: Any, crowd: Crowd | Alone, objects: int
) -> ContactMemory:
    """Working memory of a run among so many environments and objects."""
    bodies, freedoms, contacts = len(robot.links.codes) + objects, len(robot.freedoms), len(scene.owner)
    chain = memory_of(robot, environments, tally)._replace(bodies=Body.zeros(bodies))
    step = Step(
        chain.bodies,
        chain.axes,
        BodyStep.zeros(bodies),
        JointStep.zeros(freedoms),
        BaseStep.zeros(1),
        np.zeros(freedoms),
        Contact.zeros(contacts),
        scene.owner,
        np.zeros(contacts, dtype=np.int64),
        np.zeros((6, 7)),
        with_memory(crowd, bodies),
    )
    path = make_path(Remembered.width * min(contacts, MOST) + (2 * freedoms if isinstance(dry, Rubbing) else 0))
    return ContactMemory(
        chain, step, Outcome.zeros(bodies), rest_of(scene, bodies, crowd), path, Counts.zeros(1), Plea.zeros(1)
    )


def records_for(robot: Robot, contacts: int, objects: int, count: int, tally: Any) -> ContactRecords:
    """Memory for `count` records, and for as many of `tally`."""
    bodies, freedoms = len(robot.links.codes) + objects, len(robot.freedoms)
    return ContactRecords(
        np.zeros((count, state_size(robot))),
        np.zeros((count, freedoms)),
        BodyRecord.zeros(count, bodies),
        ContactRecord.zeros(count, contacts),
        StepRecord.zeros(count),
        tally,
        Placed.zeros(count, objects),
    )
