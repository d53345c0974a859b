"""Force laws: how a law that is one formula on every slice or body is applied, in lanes where it can be.

A kind of law is a table of coefficients, an empty class that marks it, and its formula: one file each, see `fluid` and
`friction`. The formula is a version of `law_slice` (per unit length, wherever the slice is: on a rod's node or at a
Gauss point of a chain's segment), and of `law_wrench` (on a whole body of a chain): `sliced_wrench` makes the second of
the first.

On plain numbers, laws that share their codes and their window stand in bands: eight bodies side by side, in lanes. What
acts on the same bodies shares their motion, and they are pushed once (`LawBands`). On duals, or with eight
robots in lanes, they come row by row, as do laws whose formula branches on a number (`RowLaws`). The formula is the
same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.spatial import Wrench, power
from limbless.mechanics.algebra.vectors import Matrix, Vector, cross, product, transpose
from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.flat_array import as_lane_array
from limbless.mechanics.compiled.generic import for_each, generic, switch_scalar, version_for
from limbless.mechanics.compiled.kernel import align_stack, func, kernel, noinline_func
from limbless.mechanics.compiled.lanes import LANES, total
from limbless.mechanics.compiled.scalars import some_positive, value_of
from limbless.mechanics.compiled.tables import Rows, Table, table
from limbless.mechanics.forces.force_element import element_power, push, refresh_velocities, spend_all


@table
class LawWrench(Table):
    """What a law does to a body."""

    wrench: Wrench


class OnBody(Table):
    """What every table of laws has: the body on which a law acts, and when."""

    since: float  # s
    until: float
    body: int


class OnSegment(OnBody):
    """A law on the slices of a straight segment P(s) = start + s e1 of a body."""

    start: Vector  # along the segment's own axes, m
    frame: Matrix  # of the segment, in its body: along, lateral, vertical in columns
    length: float  # m
    first: int  # number of its first Gauss point, and how many there are
    count: int
    turned: bool  # whether `frame` is not 1


class Laws(NamedTuple):
    """All laws of one kind that one environment has for a chain, in bands of eight bodies."""

    owner: int  # number of the environment
    kind: Any  # its class: chooses the formula
    rows: Any  # the kind's table; all of them have `since`, `until` and `body`
    bands: Any  # the same table, eight rows side by side
    members: Any  # (bands, 8) the bodies they act on
    share: Any  # (bands, 8) 1, or 0 where a band has fewer than eight
    slab: Any  # Body (bands, 8): the motion of these bodies, see `LawBands`
    pushed: Any  # Pushed (bands, 8): memory for the wrenches
    nodes: Any  # Gauss abscissae in [0, 1], of all rules one after the other; the rule of two
    # points first
    weights: Any  # their weights, of sum 1 for each rule


class LawBands(NamedTuple):
    """All laws in bands that act on the same bodies: their motion is laid out once, and they are pushed once."""

    laws: tuple  # of any laws that `push_in_bands`
    members: Any  # (bands, 8) the bodies
    slab: Any  # Body (bands, 8): memory for their motion


class RowLaws(NamedTuple):
    """All laws of a kind whose formula asks for numbers one by one."""

    owner: int
    kind: Any
    rows: Any
    pushed: Any  # Pushed (rows,): memory for the wrenches
    nodes: Any
    weights: Any


class PackedLaws(NamedTuple):
    """Laws of one kind as an environment packs them, before a model lays them out for its kernels."""

    kind: Any  # an instance of its class
    rows: Any  # the kind's table
    nodes: Any  # Gauss abscissae and weights, as those of `Laws`
    weights: Any
    part: int = 0  # which of the environment's works it belongs to: see `Pack.parts`


class Slice(NamedTuple):
    """A slice of body."""

    axes: Matrix  # along the body, lateral, vertical: its own axes, in columns, world
    # components
    place: Vector  # of its centre, world, m
    velocity: Vector  # of its centre, along its own axes, m/s
    rate: Vector  # of rotation, along its own axes, rad/s
    along: float  # from the start of its segment, m


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
    version_for(law_row, kind)(func(lambda kind, rows, i: table(rows, i)))


MOTION = Body.fields["known"].column  # rotation, origin and velocity stand first in a body's row


@func
def is_active(law, window_time):
    return not (some_positive(law.since - window_time) or some_positive(window_time - law.until))


@noinline_func
def lay_slab(members, bodies, slab):
    """The motion of the bodies of every band, eight side by side."""
    for b in range(members.shape[0]):
        for j in range(LANES):
            for c in range(MOTION):
                slab[b, c, j] = value_of(bodies[members[b, j], c])


@generic
def push_in_bands(laws, bodies, t, window_time):
    """Find what laws do to the bodies in `laws.slab`, eight at a time: `laws.pushed`."""


@generic
def push_in_rows(laws, bodies, t, window_time):
    """Add what laws do to the bodies, one law after the other."""


@generic
def push_lane(laws, body, b, j):
    """Push the j-th of eight bodies with what has been found."""


@version_for(push_lane, object)
@func
def push_found(laws, body, b, j):
    body.wrench = body.wrench + lane_wrench(laws.pushed, b, j)


push_all_in_bands, push_all_in_rows = for_each(push_in_bands), for_each(push_in_rows)
push_lane_with_all = for_each(push_lane)


@func
def put_in_band(laws, b, F):
    """What laws of a band do to its eight bodies; nothing to its empty places."""
    LawWrench(as_lane_array(laws.pushed), b).wrench = as_lane_array(laws.share)[b] * F


@func
def put_nothing(laws, b):
    """No wrench on the eight bodies of a band."""
    zero = 0.0 * Body(as_lane_array(laws.slab), b).origin
    LawWrench(as_lane_array(laws.pushed), b).wrench = Wrench(zero, zero)


@version_for(push_in_bands, Laws)
@func
def push_bands(laws, bodies, t, window_time):
    rows, slab = Rows(as_lane_array(laws.bands.numbers), laws.bands.codes), as_lane_array(laws.slab)
    for b in range(laws.members.shape[0]):
        law = law_row(laws.kind, rows, b)
        if is_active(law, window_time):
            put_in_band(laws, b, law_wrench(laws.kind, law, laws, t, Body(slab, b)))
        else:
            put_nothing(laws, b)


@noinline_func
def push_side_by_side(bodies, group, t, window_time):
    """All laws on all bands of bodies."""
    align_stack()
    lay_slab(group.members, bodies, group.slab)
    push_all_in_bands(group.laws, bodies, t, window_time)
    for b in range(group.members.shape[0]):
        for j in range(LANES):
            push_lane_with_all(group.laws, Body(bodies, group.members[b, j]), b, j)


@func
def push_one_by_one(bodies, group, t, window_time):
    """The same, row by row."""
    push_all_in_rows(group.laws, bodies, t, window_time)


@func
def lane_wrench(pushed, b, j):
    """The wrench on the j-th of eight bodies."""
    return Wrench(
        Vector(pushed[b, 0, j], pushed[b, 1, j], pushed[b, 2, j]),
        Vector(pushed[b, 3, j], pushed[b, 4, j], pushed[b, 5, j]),
    )


@func
def put_lane_wrench(pushed, b, j, F):
    pushed[b, 0, j], pushed[b, 1, j], pushed[b, 2, j] = F.force.x, F.force.y, F.force.z
    pushed[b, 3, j], pushed[b, 4, j], pushed[b, 5, j] = F.torque.x, F.torque.y, F.torque.z


@generic
def note(laws, i, wrench):
    """Keep what law i pushed with, for `element_power`."""


@version_for(note, Laws)
@func
def note_nothing(laws, i, wrench):
    return None  # duals and lanes: nothing is counted


@version_for(note, RowLaws)
@func
def note_row(laws, i, wrench):
    LawWrench(laws.pushed, i).wrench = wrench


@version_for(push_in_rows, Laws)
@kernel
def push_rows(laws, bodies, t, window_time):
    """One law after the other, each on its body."""
    align_stack()
    for i in range(len(laws.rows.codes)):
        law = law_row(laws.kind, laws.rows, i)
        if is_active(law, window_time):
            body = Body(bodies, law.body)
            wrench = law_wrench(laws.kind, law, laws, t, body)
            note(laws, i, wrench)
            body.wrench = body.wrench + wrench


push_by_scalar = switch_scalar(push_side_by_side, push_one_by_one)


@version_for(push, LawBands)
@func
def push_group(group, t, window_time, robot, memory):
    push_by_scalar(memory.bodies, group, t, window_time)


@version_for(push, RowLaws)
@func
def push_row_laws(laws, t, window_time, robot, memory):
    push_rows(laws, memory.bodies, t, window_time)


@version_for(refresh_velocities, LawBands)
@func
def lay_again(group, memory):
    lay_slab(group.members, memory.bodies, group.slab)


@version_for(element_power, LawBands)
@func
def spend_group(group, window_time, memory):
    spend_all(group.laws, window_time, memory)


@func
def power_of_band(laws, b):
    """Of what `push_side_by_side` has left, on plain numbers: the motion of eight bodies, and the wrenches."""
    return total(power(Body(as_lane_array(laws.slab), b).velocity, LawWrench(as_lane_array(laws.pushed), b).wrench))


@version_for(element_power, Laws)
@func
def spend_bands(laws, window_time, memory):
    spent = 0.0
    for b in range(laws.members.shape[0]):
        spent += power_of_band(laws, b)
    memory.law_powers[laws.owner] += spent


@version_for(element_power, RowLaws)
@func
def spend_rows(laws, window_time, memory):
    spent = 0.0
    for i in range(len(laws.rows.codes)):
        law = law_row(laws.kind, laws.rows, i)
        if is_active(law, window_time):
            spent += power(Body(memory.bodies, law.body).velocity, LawWrench(laws.pushed, i).wrench)
    memory.law_powers[laws.owner] += spent


# ---------------------------------------------------------------------------------------- laws along a straight segment


@func
def segment_motion(row, body):
    """Axes E of a segment in the world, and velocity of its start and rotation rate along them."""
    E = product(body.rotation, row.frame) if row.turned else body.rotation
    V = body.velocity
    rate = transpose(E) @ V.angular
    return E, transpose(E) @ V.linear + cross(rate, row.start), rate


@func
def about_body(row, E, force, torque):
    """A wrench about the start of a segment, along its axes, as one about the origin of its body, along the world axes."""
    return Wrench(E @ force, E @ (torque + cross(row.start, force)))


@func
def at(velocity, rate, s):
    """Velocity at s e1 beyond the start: V + ω x s e1 (50)."""
    return Vector(velocity.x, velocity.y + s * rate.z, velocity.z - s * rate.y)


@func
def sum_slice(F, s, ds, force, torque):
    """Add a slice at s, of length ds, to the force and to the torque about the start of the segment."""
    return force + ds * F.force, torque + ds * (F.torque + Vector(0.0 * s, -s * F.force.z, s * F.force.y))


@func
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
