"""A rod at the surface of water: its added mass follows the pose of the head, and with it all sums over the shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Vector, Wrench, power, product, transpose
from limbless.mechanics.compiled import (
    LANES,
    Array,
    Rows,
    Scalar,
    align_stack,
    for_each,
    generic,
    noinline_func,
    version_for,
)
from limbless.mechanics.forces import LawWrench, OpenWater, floating_slice, push, scaled, share_at
from limbless.mechanics.rod.composite_inertia import sum_composite_inertia
from limbless.mechanics.rod.magnus import to_head, to_section
from limbless.mechanics.rod.shape_batch import current
from limbless.mechanics.rod.slice_forces import add_wrench, load, load_rows, slice_of
from limbless.mechanics.rod.tables import Instant, RodMemory, RodShape, RodTables, Section


class FreeSurfaceSlices(NamedTuple):
    """Water with a surface on the slices of a rod."""

    owner: int
    kind: Any  # OpenLaw
    rows: Any  # Open; `body` is the node
    pushed: Rows[LawWrench]  # (rows,): memory for the wrenches per length
    dry: Array  # (nodes, 6): inertia per length without water


@generic
def update_added_mass(element: FreeSurfaceSlices, t: Scalar, robot: RodTables, memory: RodMemory):
    """What an element changes of the inertia of the sections, once the pose of the head is known."""


soak_all = for_each(update_added_mass, optional=True)


@version_for(update_added_mass, FreeSurfaceSlices)
@noinline_func
def soak_slices(laws: FreeSurfaceSlices, t: Scalar, robot: RodTables, memory: RodMemory) -> None:
    """The added mass of every section as far as it is immersed, and the sums over the shape with it."""
    align_stack()
    instant, dry, r = Instant(memory.instant, 0), laws.dry, current(memory)
    shapes, surface, flows = memory.shapes[r], laws.kind.surface, laws.kind.flows
    for i in range(len(laws.rows.codes)):
        row = OpenWater(laws.rows, i)
        k = row.body
        section, shape = Section(robot.sections, k), RodShape(shapes, k)
        place = instant.position + instant.rotation @ shape.place
        share = share_at(surface, row, flows, t, place, product(instant.rotation, shape.rotation))
        section.mass = Vector(dry[k, 0], dry[k, 1], dry[k, 2]) + share * row.added
        section.turn = Vector(dry[k, 3] + share * row.added_roll, dry[k, 4], dry[k, 5])
        for c in range(robot.octets.shape[1]):
            robot.octets[k // LANES, c, k % LANES] = robot.sections[k, c]
    sum_composite_inertia(robot.sections, shapes, memory.sums, r)


@version_for(push, FreeSurfaceSlices)
@noinline_func
def push_floating_slices(
    laws: FreeSurfaceSlices, t: Scalar, window_time: Scalar, robot: RodTables, memory: RodMemory
) -> None:
    """Every slice: its wrench, and how fast the momentum that it carries grows by what gets wet."""
    align_stack()
    instant, shapes = Instant(memory.instant, 0), memory.shapes[current(memory)]
    for i in range(len(laws.rows.codes)):
        row = OpenWater(laws.rows, i)
        shape, length = RodShape(shapes, row.body), Section(robot.sections, row.body).weight
        V = instant.pace * to_section(shape.rotation, shape.place, instant.twist + shape.swing)
        piece = slice_of(instant, shape, V)
        F, _, wetting = floating_slice(laws.kind, row, t, piece, transpose(piece.axes) @ row.gravity)
        LawWrench(laws.pushed, i).wrench = F
        roll, o = row.added_roll * V.angular.x, 0.0 * V.linear.x
        joined = (length * wetting) * Wrench(scaled(row.added, V.linear), Vector(roll, o, o))
        half = 0.5 * power(V, joined)
        instant.joined = instant.joined + to_head(shape.rotation, shape.place, joined)
        instant.joining = instant.joining + half
        memory.law_powers[laws.owner] += add_wrench(instant, shape, V, F, length) + half


version_for(load, FreeSurfaceSlices)(load_rows)
