"""Shapes of a rod at many instants: eight at a time, in lanes.

The shape and all sums over it do not depend on how the head moves, so that instants are independent of each other: `sweep` and
`gather_shape` run with lanes for numbers, and take little longer for eight instants than for one.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.compiled.kernel import kernel
from limbless.mechanics.compiled.lanes import LANES, as_lanes
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.rod.sweep import PUSH, SUMS, gather_shape, sweep

SHAPE_COLUMNS = int(PUSH)              # of a node in a work array: those that the shape decides come first


class Strains(NamedTuple):
    """A gait at T instants: full strain (stretch and shear, curvature) and its rates in time, (T, nodes, 6)."""

    value: NDArray[np.float64]
    rate: NDArray[np.float64]
    acceleration: NDArray[np.float64]


class Desk(NamedTuple):
    """Where eight instants are computed side by side."""

    strains: NDArray[np.float64]       # (3, nodes, 6, 8)
    work: NDArray[np.float64]          # (nodes, SHAPE_COLUMNS, 8)
    sums: NDArray[np.float64]          # (SUMS, 8)


def make_desk(nodes: int) -> Desk:
    """Working memory for a rod with so many nodes."""
    return Desk(aligned_zeros((3, nodes, 6, LANES)), aligned_zeros((nodes, SHAPE_COLUMNS, LANES)), aligned_zeros((SUMS, LANES)))


@kernel
def lay_out(value, first, table):
    """Rows `first` to `first + 7` of a table of strains, side by side; the last row stands in for those beyond it."""
    T, nodes, columns = value.shape
    for lane in range(LANES):
        row = value[min(first + lane, T - 1)]
        for k in range(nodes):
            for c in range(columns):
                table[k, c, lane] = row[k, c]


@kernel
def take_up(desk_work, desk_sums, first, count, work, sums):
    """Instants out of the lanes: into rows `first` to `first + count - 1` of `work` and of `sums`."""
    nodes, columns = desk_work.shape[0], desk_work.shape[1]
    for k in range(nodes):
        for c in range(columns):
            for lane in range(count):
                work[first + lane, k, c] = desk_work[k, c, lane]
    for c in range(desk_sums.shape[0]):
        for lane in range(count):
            sums[first + lane, c] = desk_sums[c, lane]


@kernel
def shape_eight(body, strains, i, desk, slot, count, work, sums):
    """Instants i to i + count - 1 (at most eight) of a gait: their shapes in rows `slot` and after of `work`, and their sums."""
    half, weight, inertia = body
    value, rate, acceleration = strains
    table, desk_work, desk_sums = desk
    lay_out(value, i, table[0])
    lay_out(rate, i, table[1])
    lay_out(acceleration, i, table[2])
    sweep(half, as_lanes(table[0]), as_lanes(table[1]), as_lanes(table[2]), as_lanes(desk_work))
    gather_shape(weight, inertia, as_lanes(desk_work), as_lanes(desk_sums))
    take_up(desk_work, desk_sums, slot, count, work, sums)


@kernel
def shape_all(body, strains, desk, work, sums):
    """Every instant of a gait: work (T, nodes, ..) and sums (T, SUMS)."""
    T = strains[0].shape[0]
    for i in range(0, T, LANES):
        shape_eight(body, strains, i, desk, i, min(LANES, T - i), work, sums)
