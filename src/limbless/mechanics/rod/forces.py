"""What the environment does to a rod: force laws on its slices, eight slices at a time, and their sums in the head frame.

Laws that are the same formula on every slice (weight, fluid, friction) come in bands: one law on eight neighbouring nodes, in lanes.
The others (a wrench at a point, a water surface, a user's function) come row by row.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import get_matrix, get_twist, get_vector, get_wrench, put_pair
from limbless.mechanics.algebra.inertia import Wrench, power
from limbless.mechanics.algebra.vectors import Vector, product, transpose
from limbless.mechanics.compiled.kernel import align_stack, inline, kernel
from limbless.mechanics.compiled.lanes import LANES, as_lanes, total
from limbless.mechanics.compiled.scalars import value_of
from limbless.mechanics.forces.rows import BODY as NODE
from limbless.mechanics.forces.rows import (
    CODE,
    CURRENT,
    FIELD,
    FIELD_MASS,
    FLUID,
    FRICTION,
    FROM,
    HAS_ADDED,
    OWNER,
    POINT,
    SURFACE,
    UNTIL,
    WEIGHT,
    added_slice,
    drag_slice,
    friction_slice,
    get_fluid,
    point_wrench,
    surface_slice,
    user_slice,
)
from limbless.mechanics.rod.sweep import PLACE, POKE, PUSH, ROTATION, SWING, get_pose, to_head, to_section

SLAB_COLUMNS = int(SWING) + 6                        # pose and swing of a node
START = np.int64(0)


class Forces(NamedTuple):
    """All force laws on a rod."""

    bands: NDArray[np.float64]         # (bands, LAW_COLUMNS, 8) laws on eight nodes side by side
    share: NDArray[np.float64]         # (bands, 8) weights of these nodes, m; 0 where the law does not act
    block: NDArray[np.int64]           # (bands,) nodes 8 b to 8 b + 7
    rows: NDArray[np.float64]          # (rows, LAW_COLUMNS) the laws that come one by one
    buffer: NDArray[np.float64]        # for a user's law
    power: NDArray[np.float64]         # (environments,) W, of the instant


@inline
def band_push(rows, i, E, V):
    """Per unit length, along the slice's axes with E their directions in the world: the laws that are one formula on every slice."""
    code = value_of(rows[i, CODE])
    if code == WEIGHT:
        F = Wrench(transpose(E) @ (rows[i, FIELD_MASS] * get_vector(rows, i, FIELD)), 0.0 * V.angular)
    elif code == FLUID:
        fluid, current = get_fluid(rows, i), transpose(E) @ get_vector(rows, i, CURRENT)
        F = drag_slice(fluid, V.linear - current, V.angular)
        if value_of(rows[i, HAS_ADDED]) > 0.0:
            F = F + added_slice(fluid, V.linear, V.angular, current)
    else:
        F = friction_slice(rows, i, V.linear)
    return F


@inline
def row_push(rows, buffer, i, t, base, h, V):
    """What any law does to a slice, along the slice's axes: per unit length, or in all for a wrench at a point."""
    code = rows[i, CODE]
    E = product(base.rotation, h.rotation)
    if code == WEIGHT or code == FLUID or code == FRICTION:
        F = band_push(rows, i, E, V)
    elif code == POINT:
        about_world = point_wrench(rows, i, buffer, t, E)
        F = Wrench(transpose(E) @ about_world.force, transpose(E) @ about_world.torque)
    else:
        place = base.position + base.rotation @ h.position
        if code == SURFACE:
            F = surface_slice(rows, i, E, place.z)
        else:
            F = user_slice(rows, i, buffer, t, E, place, V.linear, V.angular)
    return F


@kernel
def lay_slab(work, slab):
    """Pose and swing of all nodes, eight neighbours side by side."""
    for k in range(work.shape[0]):
        for c in range(SLAB_COLUMNS):
            slab[k // LANES, c, k % LANES] = work[k, c]


@kernel
def push_bands(forces, inside, base, twist, slab, kept, keep):
    """Sum all bands: wrench in the head frame and its power along the swing. With `keep`, `kept` gets the push per length on each node."""
    align_stack()
    all_bands, all_share, block, _, _, powers = forces
    bands, share = as_lanes(all_bands), as_lanes(all_share)
    nodes, room = as_lanes(slab), as_lanes(kept)
    o = 0.0 * nodes[0, 0]
    still = Vector(o, o, o)
    outer, along = Wrench(still, still), o
    for i in range(block.shape[0]):
        if inside < value_of(bands[i, FROM]) or inside > value_of(bands[i, UNTIL]):
            continue
        b = block[i]
        R, p, swing = get_matrix(nodes, b, ROTATION), get_vector(nodes, b, PLACE), get_twist(nodes, b, SWING)
        V = to_section(R, p, twist + swing)
        F = band_push(bands, i, product(base.rotation, R), V)
        powers[int(all_bands[i, OWNER, 0])] += total(share[i] * power(V, F))
        f = to_head(R, p, share[i] * F)
        outer, along = outer + f, along + power(swing, f)
        if keep:
            put_pair(room, b, START, get_wrench(room, b, START) + F)
    return Wrench(Vector(total(outer.force.x), total(outer.force.y), total(outer.force.z)),
                  Vector(total(outer.torque.x), total(outer.torque.y), total(outer.torque.z))), total(along)


@kernel
def push_rows(weight, forces, t, inside, base, twist, work, keep):
    """Sum the laws that come one by one, as `push_bands`; what they do to their node is added to its columns PUSH and POKE."""
    align_stack()
    _, _, _, rows, buffer, powers = forces
    o = 0.0 * work[0, 0]
    still = Vector(o, o, o)
    outer, along = Wrench(still, still), o
    for i in range(rows.shape[0]):
        if inside < rows[i, FROM] or inside > rows[i, UNTIL]:
            continue
        k, at_point = int(rows[i, NODE]), rows[i, CODE] == POINT
        h, swing = get_pose(work, k), get_twist(work, k, SWING)
        V, length = to_section(h.rotation, h.position, twist + swing), 1.0 if at_point else weight[k]
        F = row_push(rows, buffer, i, t, base, h, V)
        f = to_head(h.rotation, h.position, length * F)
        powers[int(rows[i, OWNER])] += length * power(V, F)
        outer, along = outer + f, along + power(swing, f)
        if keep:
            column = POKE if at_point else PUSH
            put_pair(work, k, column, get_wrench(work, k, column) + F)
    return outer, along


@inline
def nothing():
    """No wrench."""
    return Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))


@inline
def push_all(weight, forces, t, inside, base, twist, work, slab, kept, keep):
    """Everything that pushes the rod: the wrench in the head frame, and its power along the swing.

    `slab` holds the nodes of `work` as `lay_slab` puts them. With `keep`, the columns PUSH and POKE of `work` get what pushes each node.
    """
    if keep:
        kept[:] = 0.0
        work[:, PUSH:] = 0.0
    forces.power[:] = 0.0
    outer, along = nothing(), 0.0
    if forces.rows.shape[0] > 0:
        outer, along = push_rows(weight, forces, t, inside, base, twist, work, keep)
    if forces.block.shape[0] > 0:
        in_bands, along_bands = push_bands(forces, inside, base, twist, slab, kept, keep)
        outer, along = outer + in_bands, along + along_bands
        if keep:
            for k in range(work.shape[0]):
                for c in range(6):
                    work[k, PUSH + c] += kept[k // LANES, c, k % LANES]
    return outer, along
