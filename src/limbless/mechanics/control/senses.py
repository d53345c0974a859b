"""What a controller senses: numbers of an instant, each `gain * number + offset`, with noise, late, and filtered.

Early ones are known from time, positions and rates; late ones after the dynamics. A number that is filtered
(y' = (s - y) / time) or delayed is a state of its own, and so is known early whatever it was made from. Kinds are codes
in a table: a further one compiles no further kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, copy, transpose, vector_at
from limbless.mechanics.chain import Body, LinkRow, TendonState, mass_flow
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Scalar,
    arctangent2,
    func,
    noinline_func,
    sincos,
    sqrt,
    value_of,
    where_positive,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain.tables import ChainMemory, ChainTables


class SenseRows(NamedTuple):
    """All numbers that are read, the early ones first; row k is channel k."""

    # (m, 3) what (0 state, heading, turn rate, position, centre, speed, touch; late ones: 7 torque, force, tension;
    # 10 activity of an oscillator, 11 whether there is a touch, 12 target), where (in the state, among freedoms, bodies
    # or tendons), and along which axis, or where in the state its amplitude is; of a target: 0 distance, 1 bearing
    code: IntArray
    # (m, 3) of the body's frame; of an oscillator: what is added to its cosine; of touch: other rows of the body; of a
    # target: its x and y, and where along its x axis the body looks from
    point: Array
    gain: Array  # (m,)
    offset: Array
    side: Array  # (m,) +1 or -1: of a body's x axis, the way it heads


class Noise(NamedTuple):
    channel: IntArray  # (k,)
    every: Array  # (k,) s: how long a value holds
    rows: Array  # (k, 1021 + 1024) two tables, whose sum repeats itself after a million rows


class Delays(NamedTuple):
    """Numbers as they were: values at the last knots stand in the state, the newest first."""

    channel: IntArray  # (d, 3) channel, where its values begin in a state, steps of delay
    clock: IntArray  # (2,) where the state has the time, and how many knots were taken
    step: Array  # (1,) s


class Senses(NamedTuple):
    """All that one controller senses."""

    rows: SenseRows
    late: IntArray  # (1,) the first late row
    raw: Array  # (m,) of this instant,
    felt: Array  # and what the controller is told
    noise: Noise
    delays: Delays
    filtered: IntArray  # (f,) channels that are filtered,
    rate: Array  # (f,) 1/s: how fast,
    place: IntArray  # (1,) and where their states begin


@func
def along(R: Matrix, F: Vector, axis: int) -> Scalar:
    """A component along an axis of a body, of a vector along those of the world."""
    return (transpose(R) @ F)[axis]


@func
def centre_of_mass(robot: ChainTables, memory: ChainMemory) -> Vector:
    moment = 0.0 * Body(memory.bodies, 0).origin
    mass = moment.x
    for k in range(len(robot.links.codes)):
        link, body = LinkRow(robot.links, k), Body(memory.bodies, k)
        if link.has_body:
            moment = moment + link.mass * body.origin + body.rotation @ link.moment
            mass += link.mass
    return (1.0 / mass) * moment


@func
def way(robot: ChainTables, memory: ChainMemory, place: int) -> Vector:
    """The x axis of a body, from above; of no body (-1): the mean of all."""
    if place >= 0:
        R = Body(memory.bodies, place).rotation
        return Vector(R.x.x, R.y.x, R.z.x)
    total = 0.0 * Body(memory.bodies, 0).origin
    for k in range(len(robot.links.codes)):
        if LinkRow(robot.links, k).has_body:
            R = Body(memory.bodies, k).rotation
            total = total + Vector(R.x.x, R.y.x, R.z.x)
    return total


@func
def sensed_force(rows: SenseRows, k: int, memory: ChainMemory) -> Scalar:
    """What acts on a body, along one of its axes."""
    body = Body(memory.bodies, rows.code[k, 1])
    return along(body.rotation, body.wrench.force, rows.code[k, 2])


@func
def touch_of(rows: SenseRows, k: int, memory: ChainMemory) -> Vector:
    """All contacts of a body, and of those between two rows where it is made of more."""
    total = vector_at(memory.touch[rows.code[k, 1]], 0)
    for i in range(int(value_of(rows.point[k, 0])), int(value_of(rows.point[k, 1]))):
        total = total + vector_at(memory.touch[i], 0)
    return total


@func
def seen_target(rows: SenseRows, k: int, memory: ChainMemory) -> Scalar:
    """From above: how far it is from the end of the head, or by how much it is to the left of where the head looks."""
    head = Body(memory.bodies, rows.code[k, 1])
    R, X, Y = head.rotation, rows.side[k] * head.rotation.x.x, rows.side[k] * head.rotation.y.x
    dx = rows.point[k, 0] - head.origin.x - rows.point[k, 2] * R.x.x
    dy = rows.point[k, 1] - head.origin.y - rows.point[k, 2] * R.y.x
    return sqrt(dx * dx + dy * dy) if rows.code[k, 2] == 0 else arctangent2(X * dy - Y * dx, X * dx + Y * dy)


@noinline_func
def read_row(rows: SenseRows, k: int, robot: ChainTables, x: Array, memory: ChainMemory) -> Scalar:
    """The number of one row."""
    code, place, axis, side = rows.code[k, 0], rows.code[k, 1], rows.code[k, 2], rows.side[k]
    if code == 0:
        return x[place]
    if code == 7:
        return memory.torque[place]
    if code == 10:
        _, turned = sincos(x[place])
        return x[axis] * (rows.point[k, 0] + turned)
    if code == 9:
        return 0.0 * side if memory.cells is None else TendonState(memory.cells.pulls, place).tension
    if code == 4:
        return centre_of_mass(robot, memory)[axis]
    if code == 1:
        ahead = way(robot, memory, place)
        return arctangent2(side * ahead.y, side * ahead.x)
    if code == 5:
        ahead = way(robot, memory, place)
        flow, mass = mass_flow(robot.links, memory.bodies)
        return side * (ahead.x * flow.x + ahead.y * flow.y + ahead.z * flow.z) / mass
    body = Body(memory.bodies, place)
    if code == 2:
        return body.velocity.angular.z
    if code == 3:
        return (body.origin + body.rotation @ vector_at(rows.point[k], 0))[axis]
    if code == 6:
        return along(body.rotation, touch_of(rows, k, memory), axis)
    if code == 11:
        F = touch_of(rows, k, memory)
        return where_positive(F.x * F.x + F.y * F.y + F.z * F.z, 1.0 + 0.0 * side, 0.0 * side)
    if code == 12:
        return seen_target(rows, k, memory)
    return sensed_force(rows, k, memory)


@func
def read_rows(
    senses: Senses, first: int, last: int, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory
) -> None:
    """Channels from `first` to `last`; their noise by the time, so that a run that goes on hears the same."""
    rows = senses.rows
    for k in range(first, last):
        # forces are sensed by many at once, and a call costs more than they do
        number = sensed_force(rows, k, memory) if rows.code[k, 0] == 8 else read_row(rows, k, robot, x, memory)
        senses.raw[k] = rows.gain[k] * number + rows.offset[k]
    for k in range(senses.noise.channel.shape[0]):
        c = senses.noise.channel[k]
        if first <= c < last:
            row = int(value_of(t) / value_of(senses.noise.every[k]) + 1e-6)
            senses.raw[c] += senses.noise.rows[k, row % 1021] + senses.noise.rows[k, 1021 + row % 1024]


@func
def tell(senses: Senses, x: Array) -> None:
    """What the controller is told: the number, as it was where it is late, and what its filter has."""
    copy(senses.raw, senses.felt)
    delays = senses.delays
    for k in range(delays.channel.shape[0]):
        senses.felt[delays.channel[k, 0]] = delayed(delays, k, x)
    for k in range(senses.filtered.shape[0]):
        senses.felt[senses.filtered[k]] = x[senses.place[0] + k]


@func
def delayed(delays: Delays, k: int, x: Array) -> Scalar:
    """Between four knots, by Lagrange's polynomial; the newest knot is 0, older ones 1, 2, .."""
    late, first = delays.channel[k, 2], delays.channel[k, 1]
    share = (x[delays.clock[0]] - delays.step[0] * x[delays.clock[1]]) / delays.step[0]
    newest = max(late - 2, 0)
    back = late - newest - share
    total = 0.0 * share
    for i in range(4):
        weight = 1.0 + 0.0 * share
        for j in range(4):
            if j != i:
                weight = weight * (back - j) / (i - j)
        total += weight * x[first + newest + i]
    return total


@func
def sense_early(senses: Senses, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    """All numbers that are known before the dynamics; a filtered one is what its filter has."""
    read_rows(senses, 0, senses.late[0], t, robot, x, memory)
    tell(senses, x)


@func
def sense_late(senses: Senses, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, out: Array) -> None:
    """The rest, and the rates of all filters and clocks."""
    read_rows(senses, senses.late[0], senses.raw.shape[0], t, robot, x, memory)
    tell(senses, x)
    for k in range(senses.filtered.shape[0]):
        channel, place = senses.filtered[k], senses.place[0] + k
        out[place] = senses.rate[k] * (senses.raw[channel] - x[place])
    if senses.delays.channel.shape[0] > 0:
        out[senses.delays.clock[0]] = 1.0


@noinline_func
def sample_senses(senses: Senses, robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    """At the end of a step: delayed numbers move on, late ones as the last stage had them."""
    delays = senses.delays
    if delays.channel.shape[0] == 0:
        return
    time, knot = x[delays.clock[0]], x[delays.clock[1]]
    if value_of(time) < value_of(delays.step[0] * (knot + 1.0 - 1e-6)):
        return  # a step that ends elsewhere
    x[delays.clock[1]] = knot + 1.0
    read_rows(senses, 0, senses.late[0], time, robot, x, memory)
    for k in range(delays.channel.shape[0]):
        first = delays.channel[k, 1]
        for i in range(max(delays.channel[k, 2] - 2, 0) + 3, 0, -1):
            x[first + i] = x[first + i - 1]
        x[first] = senses.raw[delays.channel[k, 0]]
