"""Force laws: how a law that is one formula on every slice or body is applied, in lanes where it can be.

A kind of law is a table of coefficients, an empty class that marks it, and its formula: one file each, see `fluid` and
`friction`. The formula is a version of `law_slice` (per unit length, wherever the slice is: on a rod's node or at a
Gauss point of a chain's segment), and of `law_wrench` (on a whole body of a chain): `sliced_wrench` makes the second of
the first.

On plain numbers, laws that share their codes and their window stand in bands: eight bodies side by side, in lanes. On
duals, or with eight robots in lanes, they come row by row, as do laws whose formula branches on a number (`RowLaws`).
The formula is the same.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.inertia import Wrench, power
from limbless.mechanics.algebra.vectors import Matrix, Vector, cross, product, transpose
from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.generic import by_scalar, generic, version_for
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_kernel, lean_pass
from limbless.mechanics.compiled.lanes import LANES, total
from limbless.mechanics.compiled.lean import in_lanes
from limbless.mechanics.compiled.scalars import some_positive, value_of
from limbless.mechanics.compiled.tables import Rows, Table, table
from limbless.mechanics.forces.element import look_again, push, spend_power


@table
class Pushed(Table):
    """What a law does to a body."""

    wrench: Wrench


class OnBody(Table):
    """What every table of laws has: the body on which a law acts, and when."""

    since: float                          # s
    until: float
    body: int


class OnSegment(OnBody):
    """A law on the slices of a straight segment P(s) = start + s e1 of a body."""

    start: Vector                         # along the segment's own axes, m
    frame: Matrix                         # of the segment, in its body: along, lateral, vertical in columns
    length: float                         # m
    first: int                            # number of its first Gauss point, and how many there are
    count: int
    turned: bool                          # whether `frame` is not 1


class Laws(NamedTuple):
    """All laws of one kind that one environment has for a chain, in bands of eight bodies."""

    owner: int                            # number of the environment
    kind: Any                             # its class: chooses the formula
    rows: Any                             # the kind's table; all of them have `since`, `until` and `body`
    bands: Any                            # the same table, eight rows side by side
    members: Any                          # (bands, 8) the bodies they act on
    share: Any                            # (bands, 8) 1, or 0 where a band has fewer than eight
    slab: Any                             # Body (bands, 8): memory for the motion of these bodies
    pushed: Any                           # Pushed (bands, 8): memory for the wrenches
    nodes: Any                            # Gauss abscissae in [0, 1], of all rules one after the other; the rule of two
                                          # points first
    weights: Any                          # their weights, of sum 1 for each rule


class RowLaws(NamedTuple):
    """All laws of a kind whose formula asks for numbers one by one."""

    owner: int
    kind: Any
    rows: Any
    pushed: Any                           # Pushed (rows,): memory for the wrenches
    nodes: Any
    weights: Any


class LawRows(NamedTuple):
    """Laws of one kind as an environment packs them, before a model lays them out for its kernels."""

    kind: Any                             # an instance of its class
    rows: Any                             # the kind's table
    nodes: Any                            # Gauss abscissae and weights, as those of `Laws`
    weights: Any
    part: int = 0                         # which of the environment's works it belongs to: see `Pack.parts`


class Slice(NamedTuple):
    """A slice of body."""

    axes: Matrix                          # along the body, lateral, vertical: its own axes, in columns, world
                                          # components
    place: Vector                         # of its centre, world, m
    velocity: Vector                      # of its centre, along its own axes, m/s
    rate: Vector                          # of rotation, along its own axes, rad/s
    along: float                          # from the start of its segment, m


@generic
def law_wrench(kind, law, laws, t, body):
    """Wrench of a law (a row of the kind's table) on its body, about the body's origin, along the world axes."""


@generic
def law_slice(kind, law, t, piece):
    """Wrench of a law per unit length of a `Slice`, about its centre, along its own axes."""


@generic
def law_row(kind, rows, i):
    """Row i of the kind's table."""


def law(kind: Any, table: Any, bands: Any = False) -> None:
    """Declare the table of a kind of law.

    `bands`: its formula does not branch on numbers, so that it serves eight bodies at once (a property, where that is
    so for some laws of the kind only).
    """
    kind.table, kind.bands = table, bands
    version_for(law_row, kind)(inline(lambda kind, rows, i: table(rows, i)))


MOTION = Body.fields["known"].column      # rotation, origin and velocity stand first in a body's row


@inline
def is_open(law, inside):
    return not (some_positive(law.since - inside) or some_positive(inside - law.until))


@lean_pass
def lay_slab(members, bodies, slab):
    """The motion of the bodies of every band, eight side by side."""
    for b in range(members.shape[0]):
        lay_band(members, bodies, slab, b)


@inline
def lay_band(members, bodies, slab, b):
    """The same of one band."""
    for j in range(LANES):
        for c in range(MOTION):
            slab[b, c, j] = value_of(bodies[members[b, j], c])


@lean_kernel
def push_bands(bodies, laws, t, inside):
    """All bands, each on its eight bodies."""
    align_stack()
    lay_slab(laws.members, bodies, laws.slab)
    rows = Rows(in_lanes(laws.bands.numbers), laws.bands.codes)
    slab, share, pushed = in_lanes(laws.slab), in_lanes(laws.share), in_lanes(laws.pushed)
    for b in range(laws.members.shape[0]):
        law = law_row(laws.kind, rows, b)
        if is_open(law, inside):
            Pushed(pushed, b).wrench = share[b] * law_wrench(laws.kind, law, laws, t, Body(slab, b))
            for j in range(LANES):
                body = Body(bodies, laws.members[b, j])
                body.wrench = body.wrench + lane_wrench(laws.pushed, b, j)


@inline
def lane_wrench(pushed, b, j):
    """The wrench on the j-th of eight bodies."""
    return Wrench(Vector(pushed[b, 0, j], pushed[b, 1, j], pushed[b, 2, j]), Vector(pushed[b, 3, j], pushed[b, 4, j],
                                                                                    pushed[b, 5, j]))


@generic
def note(laws, i, wrench):
    """Keep what law i pushed with, for `spend_power`."""


@version_for(note, Laws)
@inline
def note_nothing(laws, i, wrench):
    return None                           # duals and lanes: nothing is counted


@version_for(note, RowLaws)
@inline
def note_row(laws, i, wrench):
    Pushed(laws.pushed, i).wrench = wrench


@lean_kernel
def push_rows(bodies, laws, t, inside):
    """One law after the other, each on its body."""
    align_stack()
    for i in range(len(laws.rows.codes)):
        law = law_row(laws.kind, laws.rows, i)
        if is_open(law, inside):
            body = Body(bodies, law.body)
            wrench = law_wrench(laws.kind, law, laws, t, body)
            note(laws, i, wrench)
            body.wrench = body.wrench + wrench


push_by_scalar = by_scalar(push_bands, push_rows)


@version_for(push, Laws)
@inline
def push_laws(laws, t, inside, robot, memory):
    push_by_scalar(memory.bodies, laws, t, inside)


@version_for(push, RowLaws)
@inline
def push_row_laws(laws, t, inside, robot, memory):
    push_rows(memory.bodies, laws, t, inside)


@version_for(look_again, Laws)
@inline
def lay_again(laws, memory):
    lay_slab(laws.members, memory.bodies, laws.slab)


@version_for(spend_power, Laws)
@lean_pass
def spend_bands(laws, inside, memory):
    """On plain numbers, where `push_bands` has left the motion of the bodies and the wrenches."""
    rows, slab, pushed = Rows(in_lanes(laws.bands.numbers),
                              laws.bands.codes), in_lanes(laws.slab), in_lanes(laws.pushed)
    for b in range(laws.members.shape[0]):
        if is_open(law_row(laws.kind, rows, b), inside):
            memory.law_powers[laws.owner] += total(power(Body(slab, b).velocity, Pushed(pushed, b).wrench))


@version_for(spend_power, RowLaws)
@lean_pass
def spend_rows(laws, inside, memory):
    for i in range(len(laws.rows.codes)):
        law = law_row(laws.kind, laws.rows, i)
        if is_open(law, inside):
            memory.law_powers[laws.owner] += power(Body(memory.bodies, law.body).velocity,
                                                   Pushed(laws.pushed, i).wrench)


# ---------------------------------------------------------------------------------------- laws along a straight segment

@inline
def segment_motion(row, body):
    """Axes E of a segment in the world, and velocity of its start and rotation rate along them."""
    E = product(body.rotation, row.frame) if row.turned else body.rotation
    V = body.velocity
    rate = transpose(E) @ V.angular
    return E, transpose(E) @ V.linear + cross(rate, row.start), rate


@inline
def about_body(row, E, force, torque):
    """A wrench about the start of a segment, along its axes, as one about the origin of its body, along the world axes.
    """
    return Wrench(E @ force, E @ (torque + cross(row.start, force)))


@inline
def at(velocity, rate, s):
    """Velocity at s e1 beyond the start: V + ω x s e1 (50)."""
    return Vector(velocity.x, velocity.y + s * rate.z, velocity.z - s * rate.y)


@inline
def sum_slice(F, s, ds, force, torque):
    """Add a slice at s, of length ds, to the force and to the torque about the start of the segment."""
    return force + ds * F.force, torque + ds * (F.torque + Vector(0.0 * s, -s * F.force.z, s * F.force.y))


@inline
def sliced_wrench(kind, law, laws, t, body):
    """A version of `law_wrench`: `law_slice` summed over the Gauss points of a segment P(s) = start + s e1."""
    E, velocity, rate = segment_motion(law, body)
    force, torque = 0.0 * rate, 0.0 * rate
    for j in range(law.first, law.first + law.count):
        s, ds = laws.nodes[j] * law.length, laws.weights[j] * law.length
        place = body.origin + E @ Vector(law.start.x + s, law.start.y, law.start.z)
        piece = Slice(E, place, at(velocity, rate, s), rate, s)
        force, torque = sum_slice(law_slice(kind, law, t, piece), s, ds, force, torque)
    return about_body(law, E, force, torque)
