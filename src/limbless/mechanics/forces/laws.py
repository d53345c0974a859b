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

from collections import namedtuple
from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, Wrench, cross, power, product, transpose
from limbless.mechanics.chain import Body, ChainMemory, ChainTables
from limbless.mechanics.compiled import (
    LANES,
    Array,
    IntArray,
    Rows,
    Scalar,
    Table,
    align_stack,
    as_lane_array,
    for_each,
    func,
    generic,
    kernel,
    noinline_func,
    some_positive,
    switch_scalar,
    table,
    total,
    value_of,
    version_for,
)
from limbless.mechanics.forces.force_element import element_power, push, refresh_velocities, spend_all

if TYPE_CHECKING:
    from limbless.mechanics.forces import (
        AtStation,
        FreeSurfaceLaws,
        Morison,
        OpenWakeLaw,
        OpenWaterLaw,
        SmoothFriction,
        UserLaw,
        Weight,
    )


@table
class LawWrench(Table):
    """What a law does to a body."""

    wrench: Wrench


class OnBody(Table):
    """What every table of laws has: the body on which a law acts, and when."""

    since: float  # s
    until: float
    body: int


class OnAxes(OnBody):
    """A law at a place that has axes of its own."""

    start: Vector  # the place in its body, along these axes, m
    frame: Matrix  # the axes, in the body: along, lateral, vertical in columns


class OnSegment(OnAxes):
    """A law on the slices of a straight segment P(s) = start + s e1 of a body."""

    length: float  # m
    first: int  # number of its first Gauss point, and how many there are
    count: int
    turned: bool  # whether `frame` is not 1


class EllipticSection(Table):
    """What a table has of the section of its body."""

    half_width: float  # m
    half_height: float


class WithAddedMass(Table):
    """What a table has of the water that a body carries along, per length."""

    added: Vector  # D, added mass: axial, lateral, vertical, kg/m
    added_roll: float  # c1, kg m


class Laws(NamedTuple):
    """All laws of one kind that one environment has for a chain, in bands of eight bodies."""

    owner: int  # number of the environment
    kind: Any  # its class: chooses the formula
    rows: Rows[OnBody]  # the kind's table; all of them have `since`, `until` and `body`
    bands: Rows[OnBody]  # the same table, eight rows side by side
    members: Rows[Any]  # (bands, 8) the bodies they act on
    share: Array  # (bands, 8) 1, or 0 where a band has fewer than eight
    slab: Array  # Body (bands, 8): the motion of these bodies, see `LawBands`
    pushed: Rows[LawWrench]  # (bands, 8): memory for the wrenches
    # Gauss abscissae in [0, 1], of all rules one after the other; the rule of two points first
    nodes: Array
    weights: Array  # their weights, of sum 1 for each rule


class LawBands(NamedTuple):
    """All laws in bands that act on the same bodies: their motion is laid out once, and they are pushed once."""

    laws: tuple  # of any laws that `push_in_bands`
    members: IntArray  # (bands, 8) the bodies
    slab: Array  # Body (bands, 8): memory for their motion


class RowLaws(NamedTuple):
    """All laws of a kind whose formula asks for numbers one by one."""

    owner: int
    kind: OpenWakeLaw
    rows: Rows[OnBody]
    pushed: Rows[LawWrench]  # (rows,): memory for the wrenches
    nodes: Array
    weights: Array


class PackedLaws(NamedTuple):
    """Laws of one kind as an environment packs them, before a model lays them out for its kernels."""

    kind: Any  # an instance of its class
    rows: Rows[OnBody]  # the kind's table
    nodes: Array  # Gauss abscissae and weights, as those of `Laws`
    weights: Array
    part: int = 0  # which of the environment's works it belongs to: see `Pack.parts`


class Slice(NamedTuple):
    """A slice of body."""

    axes: Matrix  # along the body, lateral, vertical: its own axes, in columns, world components
    place: Vector  # of its centre, world, m
    velocity: Vector  # of its centre, along its own axes, m/s
    rate: Vector  # of rotation, along its own axes, rad/s
    along: float  # from the start of its segment, m


@generic
def law_wrench(kind: Any, law: Any, laws: Laws | RowLaws, t: Scalar, body: Body) -> Wrench:
    """Wrench of a law (a row of the kind's table) on its body, about the body's origin, along the world axes."""


@generic
def law_slice(kind: OpenWaterLaw | UserLaw, law: Morison | SmoothFriction | Weight, t: Scalar, piece: Slice) -> Wrench:
    """Wrench of a law per unit length of a `Slice`, about its centre, along its own axes."""


@generic
def law_row(kind: AtStation, rows: Any, i: int):
    """Row i of the kind's table."""


def law(kind: Any, table: Any, bands: Any = False) -> None:
    """Declare the table of a kind of law.

    `bands`: its formula does not branch on numbers, so that it serves eight bodies at once (a property, where that is
    so for some laws of the kind only).
    """
    kind.table, kind.bands = table, bands
    version_for(law_row, kind)(func(lambda kind, rows, i: table(rows, i)))


def plain_law(name: str, table: Any, bands: bool = False) -> Any:
    """A kind of law that is its table alone, by the name that the table's module gives it."""
    kind = namedtuple(name, (), module=table.__module__)  # type: ignore[misc]
    law(kind, table, bands)
    return kind


MOTION = Body.fields["known"].column  # rotation, origin and velocity stand first in a body's row


@func
def is_active(law: OnBody, window_time: Scalar) -> bool:
    return not (some_positive(law.since - window_time) or some_positive(window_time - law.until))


@noinline_func
def lay_slab(members: IntArray, bodies: Rows[Body], slab: Rows[Body]) -> None:
    """The motion of the bodies of every band, eight side by side."""
    for b in range(members.shape[0]):
        for j in range(LANES):
            for c in range(MOTION):
                slab[b, c, j] = value_of(bodies[members[b, j], c])


@generic
def push_in_bands(laws: FreeSurfaceLaws | Laws, bodies: Rows[Body], t: Scalar, window_time: Scalar):
    """Find what laws do to the bodies in `laws.slab`, eight at a time: `laws.pushed`."""


@generic
def push_in_rows(laws: FreeSurfaceLaws | RowLaws, bodies: Rows[Body], t: Scalar, window_time: Scalar):
    """Add what laws do to the bodies, one law after the other."""


@generic
def push_lane(laws: FreeSurfaceLaws | Laws, body: Body, b: int, j: int):
    """Push the j-th of eight bodies with what has been found."""


@version_for(push_lane, object)
@func
def push_found(laws: FreeSurfaceLaws | Laws, body: Body, b: int, j: int) -> None:
    body.wrench = body.wrench + lane_wrench(laws.pushed, b, j)


push_all_in_bands, push_all_in_rows = for_each(push_in_bands), for_each(push_in_rows)
push_lane_with_all = for_each(push_lane)


@func
def put_in_band(laws: Laws, b: int, F: Wrench) -> None:
    """What laws of a band do to its eight bodies; nothing to its empty places."""
    LawWrench(as_lane_array(laws.pushed), b).wrench = as_lane_array(laws.share)[b] * F


@func
def put_nothing(laws: FreeSurfaceLaws, b: int) -> None:
    """No wrench on the eight bodies of a band."""
    zero = 0.0 * Body(as_lane_array(laws.slab), b).origin
    LawWrench(as_lane_array(laws.pushed), b).wrench = Wrench(zero, zero)


@version_for(push_in_bands, Laws)
@func
def push_bands(laws: Laws, bodies: Rows[Body], t: Scalar, window_time: Scalar) -> None:
    rows, slab = Rows(as_lane_array(laws.bands.numbers), laws.bands.codes), as_lane_array(laws.slab)
    for b in range(laws.members.shape[0]):
        law = law_row(laws.kind, rows, b)
        if is_active(law, window_time):
            put_in_band(laws, b, law_wrench(laws.kind, law, laws, t, Body(slab, b)))
        else:
            put_nothing(laws, b)


@noinline_func
def push_side_by_side(bodies: Rows[Body], group: LawBands, t: Scalar, window_time: Scalar) -> None:
    """All laws on all bands of bodies."""
    align_stack()
    lay_slab(group.members, bodies, group.slab)
    push_all_in_bands(group.laws, bodies, t, window_time)
    for b in range(group.members.shape[0]):
        for j in range(LANES):
            push_lane_with_all(group.laws, Body(bodies, group.members[b, j]), b, j)


@func
def push_one_by_one(bodies: Rows[Body], group: LawBands, t: Scalar, window_time: Scalar) -> None:
    """The same, row by row."""
    push_all_in_rows(group.laws, bodies, t, window_time)


@func
def lane_wrench(pushed: Rows[LawWrench], b: int, j: int) -> Wrench:
    """The wrench on the j-th of eight bodies."""
    return Wrench(
        Vector(pushed[b, 0, j], pushed[b, 1, j], pushed[b, 2, j]),
        Vector(pushed[b, 3, j], pushed[b, 4, j], pushed[b, 5, j]),
    )


@func
def put_lane_wrench(pushed: Rows[LawWrench], b: int, j: int, F: Wrench) -> None:
    pushed[b, 0, j], pushed[b, 1, j], pushed[b, 2, j] = F.force.x, F.force.y, F.force.z
    pushed[b, 3, j], pushed[b, 4, j], pushed[b, 5, j] = F.torque.x, F.torque.y, F.torque.z


@generic
def note(laws: Laws | RowLaws, i: int, wrench: Wrench):
    """Keep what law i pushed with, for `element_power`."""


@version_for(note, Laws)
@func
def note_nothing(laws: Laws, i: int, wrench: Wrench):
    return None  # duals and lanes: nothing is counted


@version_for(note, RowLaws)
@func
def note_row(laws: RowLaws, i: int, wrench: Wrench) -> None:
    LawWrench(laws.pushed, i).wrench = wrench


@version_for(push_in_rows, Laws)
@kernel
def push_rows(laws: RowLaws, bodies: Rows[Body], t: Scalar, window_time: Scalar) -> None:
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
def push_group(group: LawBands, t: Scalar, window_time: Scalar, robot: ChainTables, memory: ChainMemory) -> None:
    push_by_scalar(memory.bodies, group, t, window_time)


@version_for(push, RowLaws)
@func
def push_row_laws(laws: RowLaws, t: Scalar, window_time: Scalar, robot: ChainTables, memory: ChainMemory) -> None:
    push_rows(laws, memory.bodies, t, window_time)


@version_for(refresh_velocities, LawBands)
@func
def lay_again(group: LawBands, memory: ChainMemory) -> None:
    lay_slab(group.members, memory.bodies, group.slab)


@version_for(element_power, LawBands)
@func
def spend_group(group: LawBands, window_time: Scalar, memory: ChainMemory) -> None:
    spend_all(group.laws, window_time, memory)


@func
def power_of_bands(laws: FreeSurfaceLaws | Laws) -> Scalar:
    """Of what `push_side_by_side` has left, on plain numbers: the motion of eight bodies, and the wrenches."""
    spent, slab, pushed = 0.0, as_lane_array(laws.slab), as_lane_array(laws.pushed)
    for b in range(laws.members.shape[0]):
        spent += total(power(Body(slab, b).velocity, LawWrench(pushed, b).wrench))
    return spent


@version_for(element_power, Laws)
@func
def spend_bands(laws: Laws, window_time: Scalar, memory: ChainMemory) -> None:
    memory.law_powers[laws.owner] += power_of_bands(laws)


@version_for(element_power, RowLaws)
@func
def spend_rows(laws: RowLaws, window_time: Scalar, memory: ChainMemory) -> None:
    spent = 0.0
    for i in range(len(laws.rows.codes)):
        law = law_row(laws.kind, laws.rows, i)
        if is_active(law, window_time):
            spent += power(Body(memory.bodies, law.body).velocity, LawWrench(laws.pushed, i).wrench)
    memory.law_powers[laws.owner] += spent


# ---------------------------------------------------------------------------------------- laws along a straight segment


@func
def segment_motion(row: Any, body: Body) -> tuple[Matrix, Vector, Vector]:
    """Axes E of a segment in the world, and velocity of its start and rotation rate along them."""
    E = product(body.rotation, row.frame) if row.turned else body.rotation
    V = body.velocity
    rate = transpose(E) @ V.angular
    return E, transpose(E) @ V.linear + cross(rate, row.start), rate


@func
def about_body(row: Any, E: Matrix, force: Vector, torque: Vector) -> Wrench:
    """A wrench about the start of a segment, along its axes, as one about the origin of its
    body, along the world axes.
    """
    return Wrench(E @ force, E @ (torque + cross(row.start, force)))


@func
def at(velocity: Vector, rate: Vector, s: Scalar) -> Vector:
    """Velocity at s e1 beyond the start: V + ω x s e1 (50)."""
    return Vector(velocity.x, velocity.y + s * rate.z, velocity.z - s * rate.y)


@func
def slice_of(row: Any, body: Body, E: Matrix, velocity: Vector, rate: Vector, s: Scalar) -> Slice:
    """The slice at s of a segment with this motion."""
    place = body.origin + E @ Vector(row.start.x + s, row.start.y, row.start.z)
    return Slice(E, place, at(velocity, rate, s), rate, s)


@func
def sum_slice(F: Wrench, s: Scalar, ds: Scalar, force: Vector, torque: Vector) -> tuple[Vector, Vector]:
    """Add a slice at s, of length ds, to the force and to the torque about the start of the segment."""
    return force + ds * F.force, torque + ds * (F.torque + Vector(0.0 * s, -s * F.force.z, s * F.force.y))


@func
def sliced_wrench(kind: type, law: SmoothFriction, laws: Laws, t: Scalar, body: Body) -> Wrench:
    """A version of `law_wrench`: `law_slice` summed over the Gauss points of a segment P(s) = start + s e1."""
    E, velocity, rate = segment_motion(law, body)
    force, torque = 0.0 * rate, 0.0 * rate
    for j in range(law.first, law.first + law.count):
        s, ds = laws.nodes[j] * law.length, laws.weights[j] * law.length
        F = law_slice(kind, law, t, slice_of(law, body, E, velocity, rate, s))
        force, torque = sum_slice(F, s, ds, force, torque)
    return about_body(law, E, force, torque)
