"""What the environment does to a rod: force laws on its slices, eight slices at a time, and their sums in the head
frame.

The formulas are those of `forces`, a file per kind: `law_slice` at a node serves as at a Gauss point of a chain. Laws
that are one formula on every slice (weight, fluid, friction) come in bands: one law on eight neighbouring nodes, in
lanes. The others (a water surface, a user's function) come row by row, and so do wrenches at single nodes.
Every element adds its wrench to `Instant.push`, and its power to that of its environment; what it does to each node
stays in `pushed`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Twist, Vector, Wrench, power, product, transpose
from limbless.mechanics.compiled import (
    LANES,
    Array,
    IntArray,
    Rows,
    Scalar,
    align_stack,
    as_lane_array,
    for_each,
    func,
    generic,
    kernel,
    noinline_func,
    total,
    version_for,
)
from limbless.mechanics.forces import (
    LawWrench,
    OnBody,
    Slice,
    is_active,
    lane_wrench,
    law_row,
    law_slice,
    law_wrench,
    push,
    push_all,
)
from limbless.mechanics.rod import (
    Instant,
    Load,
    RodMemory,
    RodShape,
    RodTables,
    Section,
    current,
    to_head,
    to_section,
)


class SliceBands(NamedTuple):
    """All laws of one kind that one environment has for a rod, in bands of eight nodes."""

    owner: int  # number of the environment
    kind: Any  # its class: chooses the formula
    rows: Rows[OnBody]  # the kind's table; all of them have `since`, `until` and `body`, the node
    bands: Rows[OnBody]  # the same table in lanes
    octets: IntArray  # (bands,) nodes 8 b to 8 b + 7
    share: Array  # (bands, 8) weights of these nodes, m; 0 where the law does not act
    pushed: Rows[LawWrench]  # (bands,) in lanes: memory for the wrenches per length


class SliceRows(NamedTuple):
    """All laws of a kind whose formula asks for numbers one by one."""

    owner: int
    kind: Any
    rows: Rows[OnBody]
    pushed: Rows[LawWrench]  # (rows,): memory for the wrenches per length


class Carrier(NamedTuple):
    """A node as a law on a whole body sees it: what it reads of a chain's `Body`."""

    rotation: Matrix
    origin: Vector
    velocity: Twist  # world axes


class NodeRows(NamedTuple):
    """All laws of a kind that gives a wrench at single nodes."""

    owner: int
    kind: Any
    rows: Rows[OnBody]
    pushed: Rows[LawWrench]  # (rows,): memory for the wrenches


@func
def nothing() -> Wrench:
    """No wrench."""
    return Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))


@func
def summed(F: Wrench) -> Wrench:
    """The sum of eight wrenches."""
    return Wrench(
        Vector(total(F.force.x), total(F.force.y), total(F.force.z)),
        Vector(total(F.torque.x), total(F.torque.y), total(F.torque.z)),
    )


@func
def slice_of(instant: Instant, shape: RodShape, V: Twist) -> Slice:
    """A slice that moves with V, its own axes."""
    axes = product(instant.rotation, shape.rotation)
    return Slice(axes, instant.position + instant.rotation @ shape.place, V.linear, V.angular, 0.0 * V.linear.x)


@noinline_func
def push_bands(
    laws: SliceBands, t: Scalar, window_time: Scalar, nodes: Rows[RodShape], head: Rows[Instant], law_powers: Array
) -> None:
    """All bands, each on its eight nodes; nodes : Shape in lanes."""
    align_stack()
    rows = Rows(as_lane_array(laws.bands.numbers), laws.bands.codes)
    slab, share, pushed = as_lane_array(nodes), as_lane_array(laws.share), as_lane_array(laws.pushed)
    instant, o = Instant(head, 0), 0.0 * slab[0, 0]
    still = Vector(o, o, o)
    outer, along, spent = Wrench(still, still), o, o
    for i in range(laws.octets.shape[0]):
        law = law_row(laws.kind, rows, i)
        if is_active(law, window_time):
            shape = RodShape(slab, laws.octets[i])
            R, p, swing = shape.rotation, shape.place, shape.swing
            V = instant.pace * to_section(R, p, instant.twist + swing)
            F = law_slice(laws.kind, law, t, slice_of(instant, shape, V))
            LawWrench(pushed, i).wrench = F
            f = to_head(R, p, share[i] * F)
            outer, along, spent = outer + f, along + power(swing, f), spent + share[i] * power(V, F)
    instant.push = instant.push + summed(outer)
    instant.along = instant.along + total(along)
    law_powers[laws.owner] += total(spent)


@func
def add_wrench(instant: Instant, shape: RodShape, V: Twist, F: Wrench, length: Any):
    """A wrench F per length on a slice of this length, in the sums of the head. Returns its power."""
    f = to_head(shape.rotation, shape.place, length * F)
    instant.push = instant.push + f
    instant.along = instant.along + power(shape.swing, f)
    return length * power(V, F)


@generic
def wrench_at(
    laws: NodeRows | SliceRows,
    law: Any,
    t: Scalar,
    instant: Instant,
    sections: Rows[Section],
    shape: RodShape,
    V: Twist,
):
    """What a law does at its node, along the axes of the section: per length, and the length on which it does so (m);
    or as a whole.
    """


@version_for(wrench_at, SliceRows)
@func
def wrench_of_slice(
    laws: SliceRows, law: Any, t: Scalar, instant: Instant, sections: Rows[Section], shape: RodShape, V: Twist
):
    return law_slice(laws.kind, law, t, slice_of(instant, shape, V)), Section(sections, law.body).weight


@version_for(wrench_at, NodeRows)
@func
def wrench_of_node(
    laws: NodeRows, law: Any, t: Scalar, instant: Instant, sections: Rows[Section], shape: RodShape, V: Twist
):
    E = product(instant.rotation, shape.rotation)
    place = instant.position + instant.rotation @ shape.place
    moving = Carrier(E, place, Twist(E @ V.linear, E @ V.angular))
    about_world = law_wrench(laws.kind, law, laws, t, moving)
    return Wrench(transpose(E) @ about_world.force, transpose(E) @ about_world.torque), 1.0


@noinline_func
def push_rows(
    laws: Any,
    t: Scalar,
    window_time: Scalar,
    sections: Rows[Section],
    shapes: Rows[RodShape],
    head: Rows[Instant],
    law_powers: Array,
) -> None:
    """One law after the other, each at its node."""
    align_stack()
    instant = Instant(head, 0)
    for i in range(laws.rows.codes.shape[0]):
        law = law_row(laws.kind, laws.rows, i)
        if is_active(law, window_time):
            shape = RodShape(shapes, law.body)
            V = instant.pace * to_section(shape.rotation, shape.place, instant.twist + shape.swing)
            F, length = wrench_at(laws, law, t, instant, sections, shape, V)
            LawWrench(laws.pushed, i).wrench = F
            law_powers[laws.owner] += add_wrench(instant, shape, V, F, length)


@version_for(push, SliceBands)
@func
def push_slice_bands(laws: SliceBands, t: Scalar, window_time: Scalar, robot: RodTables, memory: RodMemory) -> None:
    push_bands(laws, t, window_time, memory.slab, memory.instant, memory.law_powers)


@version_for(push, SliceRows, NodeRows)
@func
def push_one_by_one(
    laws: NodeRows | SliceRows, t: Scalar, window_time: Scalar, robot: RodTables, memory: RodMemory
) -> None:
    push_rows(laws, t, window_time, robot.sections, memory.shapes[current(memory)], memory.instant, memory.law_powers)


@func
def push_rod(forces: tuple, t: Scalar, window_time: Scalar, robot: RodTables, memory: RodMemory) -> None:
    """Everything that pushes the rod at the twist of the head that the instant has."""
    push_paced(forces, t, window_time, robot, memory, 1.0)


@func
def push_paced(
    forces: tuple, t: Scalar, window_time: Scalar, robot: RodTables, memory: RodMemory, pace: Scalar
) -> None:
    """The same with all velocities multiplied by `pace`."""
    instant = Instant(memory.instant, 0)
    instant.push = nothing()
    instant.along = 0.0
    instant.joined = nothing()
    instant.joining = 0.0
    instant.window_time = window_time
    instant.pace = pace
    memory.law_powers[:] = 0.0
    push_all(forces, t, window_time, robot, memory)


# ---------------------------------------------------------------------------- what pushes each node, from the last push


@generic
def load(element: NodeRows | SliceBands | SliceRows, window_time: Scalar, memory: RodMemory):
    """Add what the element did to each node last to `memory.pushes` or `memory.pokes`."""


load_each = for_each(load)


@version_for(load, SliceBands)
@noinline_func
def load_bands(laws: SliceBands, window_time: Scalar, memory: RodMemory) -> None:
    rows = Rows(as_lane_array(laws.bands.numbers), laws.bands.codes)
    pushed, pushes = as_lane_array(laws.pushed), as_lane_array(memory.pushes)
    for i in range(laws.octets.shape[0]):
        if is_active(law_row(laws.kind, rows, i), window_time):
            sum_so_far = LawWrench(pushes, laws.octets[i])
            sum_so_far.wrench = sum_so_far.wrench + LawWrench(pushed, i).wrench


@version_for(load, SliceRows)
@noinline_func
def load_rows(laws: SliceRows, window_time: Scalar, memory: RodMemory) -> None:
    for i in range(laws.rows.codes.shape[0]):
        law = law_row(laws.kind, laws.rows, i)
        if is_active(law, window_time):
            for c in range(laws.pushed.shape[1]):
                memory.pushes[law.body // LANES, c, law.body % LANES] += laws.pushed[i, c]


@version_for(load, NodeRows)
@noinline_func
def load_nodes(laws: NodeRows, window_time: Scalar, memory: RodMemory) -> None:
    for i in range(laws.rows.codes.shape[0]):
        law = law_row(laws.kind, laws.rows, i)
        if is_active(law, window_time):
            poke = LawWrench(memory.pokes, law.body)
            poke.wrench = poke.wrench + LawWrench(laws.pushed, i).wrench


@func
def load_all(forces: tuple, memory: RodMemory) -> None:
    """What pushes each node at the instant that `push_rod` was asked for last."""
    memory.pushes[:] = 0.0
    memory.pokes[:] = 0.0
    load_each(forces, Instant(memory.instant, 0).window_time, memory)


@kernel
def keep_loads(pushes: Rows[LawWrench], pokes: Rows[LawWrench], loads: Rows[Load], r: int) -> None:
    """The loads of all nodes in row r of Load (R, nodes)."""
    for k in range(pokes.shape[0]):
        found = Load(loads, r, k)
        found.push = lane_wrench(pushes, k // LANES, k % LANES)
        found.poke = LawWrench(pokes, k).wrench
