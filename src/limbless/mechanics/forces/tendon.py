"""Tendons: straight from hole to hole of a spine or a chain, or in channels along a rod.

By virtual work a tension T along a span of length ℓ acts along the freedoms that it crosses with -T ∂ℓ/∂q. Of a chord
from hole to hole the slope is u · (J_linear + J_angular x arm), u its direction, J what a freedom does to the outer
body. In a channel the tendon follows the strains: ℓ = Σ w |t|, t = Γ + K x p at the stations, p its place there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Vector, cross, dot, fill, transpose
from limbless.mechanics.chain import (
    Body,
    ChainMemory,
    ChainTables,
    ElasticTendons,
    JacobianColumn,
    LinkRow,
    Station,
    TendonState,
    TensionTerm,
    tendon_tensions,
)
from limbless.mechanics.compiled import (
    Array,
    Rows,
    Scalar,
    Table,
    constants,
    func,
    generic,
    no_op,
    noinline_func,
    sqrt,
    table,
    version_for,
)
from limbless.mechanics.forces import (
    CapstanFriction,
    DiskFriction,
    TendonFriction,
    capstan,
    element_power,
    friction_ratio,
    push,
    slide,
    turn_at,
)


@constants
class TendonSegment(Table):
    """A piece of a tendon, and the freedoms that it crosses."""

    tendon: int
    column: int  # freedoms, one after the other from this one,
    freedoms: int  # and how many
    first: bool  # the piece next to its winch


@constants
class Chord(Table):
    """A tendon from its hole in one body to that in one farther out."""

    inner: Vector  # in the inner body, m
    outer: Vector  # in the outer one
    before: int  # rows of the two among the bodies
    beyond: int
    sense: float  # 1: its anchor lies outwards; -1: towards the base
    follows: bool  # it begins at the hole where the chord before it ends


@constants
class Channel(Table):
    """A tendon at one station of a rod."""

    length: float  # that the station stands for, m
    natural: Vector  # t when all freedoms are zero
    arm: int  # where its freedoms begin among the arms
    body: int  # the row of the station among the bodies


@constants
class Arm(Table):
    """What a unit of one freedom adds to t."""

    along: Vector


@table
class SegmentState(Table):
    """A piece of a tendon at one instant."""

    length: float
    rate: float
    tension: float
    along: Vector  # its direction, from winch to anchor, world axes


class StraightRouting(NamedTuple):
    """Straight from hole to hole."""

    chords: Rows[Chord]


class ChannelRouting(NamedTuple):
    """Along a rod."""

    stations: Rows[Channel]
    arms: Rows[Arm]


class TendonElement(NamedTuple):
    """All tendons of a robot, piece by piece, those of one tendon one after the other from its winch on."""

    owner: int  # no environment: -1
    way: ChannelRouting | StraightRouting
    # DiskFriction or CapstanFriction; None: tendons slide freely
    contact: CapstanFriction | DiskFriction | None
    spans: Rows[TendonSegment]
    taut: Rows[SegmentState]  # Taut: as it was at the instant that was evaluated last
    slopes: Array  # (pieces, most) ∂ℓ/∂q


# -------------------------------------------------------------------------------------------------------------- lengths


@generic
def measure(way: ChannelRouting | StraightRouting, tendons: TendonElement, robot: ChainTables, memory: ChainMemory):
    """Length, rate and slopes of every piece."""


@func
def hole(body: Body, point: Vector) -> tuple[Vector, Vector]:
    """Place and velocity of a hole, world axes."""
    arm = body.rotation @ point
    return body.origin + arm, body.velocity.linear + cross(body.velocity.angular, arm)


@version_for(measure, StraightRouting)
@noinline_func
def measure_chords(way: StraightRouting, tendons: TendonElement, robot: ChainTables, memory: ChainMemory) -> None:
    cells = memory.cells
    q, w = 0.0 * Body(memory.bodies, 0).origin, 0.0 * Body(memory.bodies, 0).origin
    for i in range(len(tendons.spans.codes)):
        chord, taut = Chord(way.chords, i), SegmentState(tendons.taut, i)
        p, v = q, w
        if not chord.follows:
            p, v = hole(Body(memory.bodies, chord.before), chord.inner)
        q, w = hole(Body(memory.bodies, chord.beyond), chord.outer)
        along = q - p
        length = sqrt(dot(along, along))
        u = (1.0 / length) * along
        j = 0
        for k in range(chord.before + 1, chord.beyond + 1):
            link = LinkRow(robot.links, k)
            lever = Station(cells.stations, link.station + link.stations - 1).lever
            arm = q - Body(memory.bodies, k).origin
            for f in range(link.freedoms):
                J = JacobianColumn(cells.columns, lever + f).screw
                tendons.slopes[i, j] = dot(u, J.linear + cross(J.angular, arm))
                j += 1
        taut.length = length
        taut.rate = dot(u, w - v)
        taut.along = chord.sense * u


@version_for(measure, ChannelRouting)
@noinline_func
def measure_channels(way: ChannelRouting, tendons: TendonElement, robot: ChainTables, memory: ChainMemory) -> None:
    cells = memory.cells
    for i in range(len(tendons.spans.codes)):
        span, channel, taut = TendonSegment(tendons.spans, i), Channel(way.stations, i), SegmentState(tendons.taut, i)
        along = channel.natural
        for j in range(span.freedoms):
            along = along + cells.strain[span.column + j] * Arm(way.arms, channel.arm + j).along
        stretch = sqrt(dot(along, along))
        u, rate = (channel.length / stretch) * along, 0.0 * stretch
        for j in range(span.freedoms):
            slope = dot(u, Arm(way.arms, channel.arm + j).along)
            tendons.slopes[i, j] = slope
            rate += slope * cells.strain_rate[span.column + j]
        taut.length = channel.length * stretch
        taut.rate = rate
        taut.along = Body(memory.bodies, channel.body).rotation @ ((1.0 / stretch) * along)


@noinline_func
def sum_lengths(tendons: TendonElement, pulls: Rows[TendonState]) -> None:
    for c in range(pulls.shape[0]):
        pull = TendonState(pulls, c)
        pull.length = 0.0
        pull.rate = 0.0
        pull.given = 0.0
    for i in range(len(tendons.spans.codes)):
        taut, pull = SegmentState(tendons.taut, i), TendonState(pulls, TendonSegment(tendons.spans, i).tendon)
        pull.length = pull.length + taut.length
        pull.rate = pull.rate + taut.rate


# ------------------------------------------------------------------------------------------------------------- tensions


@noinline_func
def pass_all(tendons: TendonElement, memory: ChainMemory) -> None:
    """The tension of every piece, that at its pulley."""
    for i in range(len(tendons.spans.codes)):
        SegmentState(tendons.taut, i).tension = TendonState(
            memory.cells.pulls, TendonSegment(tendons.spans, i).tendon
        ).tension


@func
def across(body: Body, along: Any) -> Vector:
    """A direction along the axes of a disk, its normal last."""
    a = transpose(body.rotation) @ along
    return Vector(a.y, a.z, a.x)


@generic
def tension_ratio(
    contact: CapstanFriction | DiskFriction, tendons: TendonElement, memory: ChainMemory, i: int, slip: Scalar
):
    """Before piece i: the ratio of the tensions behind and before that place, and how fast it
    changes with `slip`, about.
    """


@version_for(tension_ratio, DiskFriction)
@func
def grip_of_disk(contact: DiskFriction, tendons: TendonElement, memory: ChainMemory, i: int, slip: Scalar):
    disk = Body(memory.bodies, Chord(tendons.way.chords, i).before)
    before, after = (
        across(disk, -1.0 * SegmentState(tendons.taut, i - 1).along),
        across(disk, SegmentState(tendons.taut, i).along),
    )
    mu = TendonFriction(contact.rows, TendonSegment(tendons.spans, i).tendon).coefficient
    return friction_ratio(mu, slip, before, after), mu * turn_at(before, after)


@version_for(tension_ratio, CapstanFriction)
@func
def grip_of_capstan(contact: CapstanFriction, tendons: TendonElement, memory: ChainMemory, i: int, slip: Scalar):
    mu = TendonFriction(contact.rows, TendonSegment(tendons.spans, i).tendon).coefficient
    ratio, angle = capstan(mu, slip, SegmentState(tendons.taut, i - 1).along, SegmentState(tendons.taut, i).along)
    return ratio, mu * angle * ratio


@noinline_func
def pass_rubbing(contact: Any, tendons: TendonElement, memory: ChainMemory) -> None:
    """The tension of every piece, from hole to hole; for an implicit stage, how the tension behind a hole grows with
    the sliding rate there.
    """
    cells = memory.cells
    gh, tension, ropes = cells.span[0], 0.0 * cells.span[0], cells.ropes
    sum_outwards(contact, tendons)
    for i in range(len(tendons.spans.codes)):
        span, taut, term = (
            TendonSegment(tendons.spans, i),
            SegmentState(tendons.taut, i),
            TensionTerm(ropes.terms, cells.pulls.shape[0] + i),
        )
        term.slope = 0.0 * gh
        if span.first:
            tension = TendonState(cells.pulls, span.tendon).tension
        else:
            s, slope = slide(contact.sliding[i], TendonFriction(contact.rows, span.tendon).slip)
            ratio, change = tension_ratio(contact, tendons, memory, i, s)
            term.slope = gh * tension * change * slope
            tension = tension * ratio
        taut.tension = tension


@func
def sum_outwards(contact: Any, tendons: TendonElement) -> None:
    """The rate of each piece and of all beyond it on the same tendon: what slides through the hole before it. The very
    end of a channel, of no length, does not slide; before it, on average, half of what the last station gives.
    """
    rate = 0.0 * contact.sliding[0]
    for i in range(len(tendons.spans.codes) - 1, -1, -1):
        rate += SegmentState(tendons.taut, i).rate
        contact.sliding[i] = rate
        if TendonSegment(tendons.spans, i).first:
            rate = 0.0 * rate
        elif SegmentState(tendons.taut, i).length == 0.0:
            contact.sliding[i] = 0.5 * SegmentState(tendons.taut, i - 1).rate


@noinline_func
def note_slopes(ropes: ElasticTendons, tendons: TendonElement, memory: ChainMemory) -> None:
    """Slopes of all terms, where tendons stretch or rub."""
    for c in range(ropes.slopes.shape[0]):
        fill(ropes.slopes[c], 0.0)
        fill(ropes.pulls[c], 0.0)
    count, m = len(tendons.spans.codes), memory.cells.pulls.shape[0]
    for i in range(count):
        c = TendonSegment(tendons.spans, i).tendon
        if TensionTerm(ropes.terms, c).slope > 0.0:
            add_slopes(ropes, tendons, c, i, TendonState(memory.cells.pulls, c).tension)
    for h in range(ropes.terms.shape[0] - m):
        if TensionTerm(ropes.terms, m + h).slope > 0.0:
            i = h
            while i < count and (i == h or not TendonSegment(tendons.spans, i).first):
                add_slopes(ropes, tendons, m + h, i, SegmentState(tendons.taut, h).tension)
                i += 1


@func
def add_slopes(ropes: ElasticTendons, tendons: TendonElement, row: int, i: int, whole: Any) -> None:
    """Piece i, whose tension is a share of `whole`, to the slopes of a term."""
    span, share = TendonSegment(tendons.spans, i), SegmentState(tendons.taut, i).tension / whole
    for j in range(span.freedoms):
        ropes.slopes[row, span.column + j] += tendons.slopes[i, j]
        ropes.pulls[row, span.column + j] += share * tendons.slopes[i, j]


@noinline_func
def pull_freedoms(tendons: TendonElement, memory: ChainMemory) -> None:
    """What the tensions do along the freedoms."""
    for i in range(len(tendons.spans.codes)):
        span, taut = TendonSegment(tendons.spans, i), SegmentState(tendons.taut, i)
        tension, pull = taut.tension, TendonState(memory.cells.pulls, span.tendon)
        pull.given = pull.given - tension * taut.rate
        pull.distal = tension
        for j in range(span.freedoms):
            memory.torque[span.column + j] -= tension * tendons.slopes[i, j]


@version_for(push, TendonElement)
@func
def push_tendons(
    tendons: TendonElement, t: Scalar, window_time: Scalar, robot: ChainTables, memory: ChainMemory
) -> None:
    measure(tendons.way, tendons, robot, memory)
    sum_lengths(tendons, memory.cells.pulls)
    tendon_tensions(memory.cells.ropes, memory)
    if tendons.contact is None:
        pass_all(tendons, memory)
    else:
        pass_rubbing(tendons.contact, tendons, memory)
    if memory.cells.ropes is not None:
        note_slopes(memory.cells.ropes, tendons, memory)
    pull_freedoms(tendons, memory)


no_op(element_power, TendonElement)  # pulleys are actuators: their power is in `TendonState`
