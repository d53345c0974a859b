"""What a controller senses: numbers of an instant, each `gain * number + offset`, filtered or as they are.

Early ones are known from time, positions and rates; late ones after the dynamics. A filtered number is a state of its
own (y' = (s - y) / time), and so is known early whatever it was made from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled import Array, IntArray, Scalar, for_each, func, generic, version_for

if TYPE_CHECKING:
    from limbless.mechanics.chain.tables import ChainMemory, ChainTables


class SenseRows(NamedTuple):
    """Numbers of one kind."""

    channel: IntArray  # (m,) which of all numbers of the controller each is
    place: IntArray  # (m,) where: in the state, among the degrees of freedom or among the bodies
    axis: IntArray  # (m,) of a body: 0 along it, 1 lateral, 2 vertical
    gain: Array  # (m,)
    offset: Array


class JointPosition(NamedTuple):
    rows: SenseRows


class JointVelocity(NamedTuple):
    rows: SenseRows


class ExternalForce(NamedTuple):
    """Of all force laws on a body, along its own axes; added mass is inertia, and no part of it."""

    rows: SenseRows


class JointTorque(NamedTuple):
    """What the actuator gives."""

    rows: SenseRows


class Senses(NamedTuple):
    """All that one controller senses."""

    early: tuple  # of the kinds above
    late: tuple
    raw: Array  # (channels,) of this instant,
    felt: Array  # and what the controller is told
    filtered: IntArray  # (f,) channels that are filtered,
    rate: Array  # (f,) 1/s: how fast,
    place: IntArray  # (1,) and where their states begin


@generic
def read(sense: Any, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, raw: Array):
    """The numbers of one kind, into their channels."""


@func
def put_sensed(rows: SenseRows, k: int, number: Scalar, raw: Array) -> None:
    raw[rows.channel[k]] = rows.gain[k] * number + rows.offset[k]


@version_for(read, JointPosition, JointVelocity)
@func
def read_state(
    sense: JointPosition | JointVelocity, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, raw: Array
) -> None:
    for k in range(sense.rows.place.shape[0]):
        put_sensed(sense.rows, k, x[sense.rows.place[k]], raw)


@version_for(read, JointTorque)
@func
def read_torque(sense: JointTorque, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, raw: Array) -> None:
    for k in range(sense.rows.place.shape[0]):
        put_sensed(sense.rows, k, memory.torque[sense.rows.place[k]], raw)


@version_for(read, ExternalForce)
@func
def read_force(sense: ExternalForce, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, raw: Array) -> None:
    for k in range(sense.rows.place.shape[0]):
        body = Body(memory.bodies, sense.rows.place[k])
        F, R = body.wrench.force, body.rotation
        force = R.x.x * F.x + R.y.x * F.y + R.z.x * F.z
        if sense.rows.axis[k] == 1:
            force = R.x.y * F.x + R.y.y * F.y + R.z.y * F.z
        if sense.rows.axis[k] == 2:
            force = R.x.z * F.x + R.y.z * F.y + R.z.z * F.z
        put_sensed(sense.rows, k, force, raw)


read_all = for_each(read)


@func
def sense_early(senses: Senses, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    """All numbers that are known before the dynamics; a filtered one is what its filter has."""
    read_all(senses.early, t, robot, x, memory, senses.raw)
    for k in range(senses.raw.shape[0]):
        senses.felt[k] = senses.raw[k]
    for k in range(senses.filtered.shape[0]):
        senses.felt[senses.filtered[k]] = x[senses.place[0] + k]


@func
def sense_late(senses: Senses, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, out: Array) -> None:
    """The rest, and the rates of all filters."""
    read_all(senses.late, t, robot, x, memory, senses.raw)
    for k in range(senses.raw.shape[0]):
        senses.felt[k] = senses.raw[k]
    for k in range(senses.filtered.shape[0]):
        channel, place = senses.filtered[k], senses.place[0] + k
        senses.felt[channel] = x[place]
        out[place] = senses.rate[k] * (senses.raw[channel] - x[place])
