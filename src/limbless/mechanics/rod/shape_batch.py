"""Shapes of a rod at many instants: eight at a time, in lanes.

The shape and all sums over it do not depend on how the head moves, so that instants are independent of each
other: `integrate_shape` and `sum_composite_inertia` run with lanes for numbers, and take little longer for
eight instants than for one.
"""

from __future__ import annotations

from limbless.mechanics.compiled import LANES, Array, Rows, as_lane_array, func, kernel, noinline_func, unpack
from limbless.mechanics.rod import (
    RodMemory,
    RodScratch,
    RodShape,
    RodTables,
    ShapeSums,
    StrainRow,
    Strains,
    integrate_shape,
    sum_composite_inertia,
)


def make_desk(nodes: int) -> RodScratch:
    """Working memory for a rod with so many nodes."""
    words = (LANES,)
    return RodScratch(
        StrainRow.zeros(3, nodes, words=words), RodShape.zeros(nodes, words=words), ShapeSums.zeros(1, words=words)
    )


# Copies between instants side by side and one after the other are a third of what a shape costs. Eight streams are read
# or written at once, without a branch: lanes beyond the last instant repeat it.


@noinline_func
def lay_out(value: Array, first: int, desk: Rows[StrainRow]) -> None:
    """Rows `first` to `first + 7` of a strain over time, side by side; the last row stands in for those beyond it."""
    last = value.shape[0] - 1
    for k in range(value.shape[1]):
        for c in range(value.shape[2]):
            for lane in range(LANES):
                desk[k, c, lane] = value[min(first + lane, last), k, c]


@noinline_func
def take_up(desk: RodScratch, row: int, count: int, shapes: Rows[RodShape], sums: Rows[ShapeSums]) -> None:
    """Instants out of the lanes: into rows `row` to `row + count - 1` of `shapes` and of `sums`."""
    last = row + count - 1
    for k in range(desk.shapes.shape[0]):
        for c in range(desk.shapes.shape[1]):
            for lane in range(LANES):
                shapes[min(row + lane, last), k, c] = desk.shapes[k, c, lane]
    for c in range(desk.sums.shape[1]):
        for lane in range(LANES):
            sums[min(row + lane, last), c] = desk.sums[0, c, lane]


@noinline_func
def shape_eight(
    robot: RodTables,
    strains: Strains,
    i: int,
    desk: RodScratch,
    row: int,
    count: int,
    shapes: Rows[RodShape],
    sums: Rows[ShapeSums],
) -> None:
    """Instants i to i + count - 1 (at most eight) of a gait: their shapes in row `row` of `shapes` and after, and their
    sums."""
    lay_out(strains.value, i, desk.strains[0])
    lay_out(strains.rate, i, desk.strains[1])
    lay_out(strains.acceleration, i, desk.strains[2])
    side_by_side, shape = as_lane_array(desk.strains), as_lane_array(desk.shapes)
    integrate_shape(robot.halves, side_by_side[0], side_by_side[1], side_by_side[2], shape)
    sum_composite_inertia(robot.sections, shape, as_lane_array(desk.sums), 0)
    take_up(desk, row, count, shapes, sums)


@kernel
def shape_all(
    robot: RodTables, strains: Strains, desk: RodScratch, shapes: Rows[RodShape], sums: Rows[ShapeSums]
) -> None:
    """Every instant of a gait: Shape (T, nodes) and ShapeSums (T,)."""
    given, instants = unpack(strains), strains.value.shape[0]
    for i in range(0, instants, LANES):
        shape_eight(unpack(robot), given, i, unpack(desk), i, min(LANES, instants - i), unpack(shapes), unpack(sums))


@func
def current(memory: RodMemory) -> int:
    """Row of the shapes and sums of the instant at hand."""
    return memory.now[0] % memory.shapes.shape[0]


@kernel
def lay_slab(shape: Rows[RodShape], slab: Rows[RodShape]) -> None:
    """The shape of all nodes, eight neighbours side by side; after the last node it is repeated."""
    last = shape.shape[0] - 1
    for b in range(slab.shape[0]):
        for c in range(slab.shape[1]):
            for j in range(LANES):
                slab[b, c, j] = shape[min(LANES * b + j, last), c]


@noinline_func
def take_shape(robot: RodTables, strains: Strains, i: int, memory: RodMemory) -> None:
    """The shape of instant i of the drive, unless it is there: the two stages in the middle of a step share one, and so
    do those at a knot.

    If instant i is the first of eight, all of them are computed; those before stay until they are overwritten, eight
    later.
    """
    if memory.now[0] != i:
        memory.now[0] = i
        row = current(memory)
        if i % LANES == 0:
            count = min(LANES, strains.value.shape[0] - i)
            shape_eight(robot, strains, i, memory.desk, row, count, memory.shapes, memory.sums)
        lay_slab(memory.shapes[row], memory.slab)
