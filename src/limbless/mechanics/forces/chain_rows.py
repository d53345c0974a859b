"""What the environment does to a chain: force laws summed on its bodies, eight segments at a time.

Laws that are one formula on every slice (weight, fluid, friction) come in bands: eight segments side by side, in lanes. The others (a
wrench at a point, a water surface, a user's function), and all of them where derivatives are asked for, come row by row.
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra.columns import (
    BODY_ORIGIN,
    BODY_ROTATION,
    BODY_VELOCITY,
    get_matrix,
    get_twist,
    get_vector,
    get_wrench,
    put_pair,
)
from limbless.mechanics.algebra.inertia import power
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_kernel
from limbless.mechanics.compiled.lanes import LANES, as_lanes, holds_numbers, total
from limbless.mechanics.compiled.scalars import value_of
from limbless.mechanics.forces.rows import (
    BODY,
    CODE,
    FLUID,
    FRICTION,
    FROM,
    OWNER,
    POINT,
    SLAB_COLUMNS,
    UNTIL,
    WEIGHT,
    about_body,
    field_wrench,
    point_wrench,
    put_floats,
    segment_motion,
    single_push,
    sliced_push,
)

START = np.int64(0)


@inline
def band_wrench(rows, nodes, weights, i, R, V):
    """Wrench about the origin of the body, along the world axes, of the laws that are one formula on every slice."""
    if value_of(rows[i, CODE]) == WEIGHT:
        F = field_wrench(rows, i, R)
    else:
        E, velocity, rate = segment_motion(rows, i, R, V)
        force, torque = sliced_push(rows, nodes, weights, i, E, velocity, rate)
        F = about_body(rows, i, E, force, torque)
    return F


@inline
def row_wrench(rows, nodes, weights, buffer, i, t, R, V, origin):
    """The same of any law."""
    code = rows[i, CODE]
    if code == WEIGHT or code == FLUID or code == FRICTION:
        F = band_wrench(rows, nodes, weights, i, R, V)
    elif code == POINT:
        F = point_wrench(rows, i, buffer, t, R)
    else:
        E, velocity, rate = segment_motion(rows, i, R, V)
        force, torque = single_push(rows, nodes, weights, buffer, i, t, E, origin, velocity, rate)
        F = about_body(rows, i, E, force, torque)
    return F


@lean_kernel
def lay_slab(members, work, slab):
    """The motion of the bodies of every band, eight side by side."""
    for b in range(members.shape[0]):
        for j in range(LANES):
            for c in range(SLAB_COLUMNS):
                slab[b, c, j] = value_of(work[members[b, j], c])


@lean_kernel
def apply_bands(bands, all_nodes, weights, inside, work, wrench):
    """Add all bands to the wrenches of their bodies."""
    align_stack()
    table, all_share, members, slab, room = bands        # once: taking an array out of a tuple counts its references
    lay_slab(members, work, slab)
    rows, share, bodies, pushed = as_lanes(table), as_lanes(all_share), as_lanes(slab), as_lanes(room)
    for b in range(members.shape[0]):
        if inside < value_of(rows[b, FROM]) or inside > value_of(rows[b, UNTIL]):
            continue
        F = band_wrench(rows, all_nodes, weights, b, get_matrix(bodies, b, BODY_ROTATION), get_twist(bodies, b, BODY_VELOCITY))
        put_pair(pushed, b, START, share[b] * F)
        for j in range(LANES):
            for c in range(6):
                wrench[members[b, j], c] += room[b, c, j]


@lean_kernel
def apply_row(rows, nodes, weights, buffer, i, t, inside, work, wrench, pushed):
    """Add one law to the wrench of its body."""
    if inside < rows[i, FROM] or inside > rows[i, UNTIL]:
        return
    k = int(rows[i, BODY])
    F = row_wrench(rows, nodes, weights, buffer, i, t, get_matrix(work, k, BODY_ROTATION), get_twist(work, k, BODY_VELOCITY),
                   get_vector(work, k, BODY_ORIGIN))
    put_pair(wrench, k, START, get_wrench(wrench, k, START) + F)
    put_floats(pushed[i], START, F.force)
    put_floats(pushed[i], START + 3, F.torque)


@lean_kernel
def apply_laws(laws, t, inside, work, wrench):
    """Sum all laws on each body: wrench about its origin, along the world axes.

    `inside` (inside the step) decides which windows are open, so that a stage on the edge of a window counts for the step it
    belongs to. Bodies without a law keep the zeros they were given.
    """
    rows, nodes, weights, buffer, acted, single, bands, pushed, _ = laws
    zero = 0.0 * work[0, 0]
    for i in range(acted.shape[0]):
        for c in range(6):
            wrench[acted[i], c] = zero
    if holds_numbers(work):
        apply_bands(bands, nodes, weights, inside, work, wrench)
        for i in range(single.shape[0]):
            apply_row(rows, nodes, weights, buffer, single[i], t, inside, work, wrench, pushed)
    else:
        for i in range(rows.shape[0]):
            apply_row(rows, nodes, weights, buffer, i, t, inside, work, wrench, pushed)


@inline
def put_powers(laws, inside, work):
    """Power of every environment in `laws.power`: the wrenches of the last `apply_laws` at the velocities that stand in `work` and slab."""
    rows, _, _, _, _, single, bands, row_wrenches, powers = laws
    table, _, members, slab, room = bands
    bodies, pushed = as_lanes(slab), as_lanes(room)
    for i in range(powers.shape[0]):
        powers[i] = 0.0
    for b in range(members.shape[0]):
        if table[b, FROM, 0] <= inside <= table[b, UNTIL, 0]:            # a band has one window and one environment
            powers[int(table[b, OWNER, 0])] += total(power(get_twist(bodies, b, BODY_VELOCITY), get_wrench(pushed, b, START)))
    for s in range(single.shape[0]):
        i = single[s]
        if rows[i, FROM] <= inside <= rows[i, UNTIL]:
            powers[int(rows[i, OWNER])] += power(get_twist(work, int(rows[i, BODY]), BODY_VELOCITY), get_wrench(row_wrenches, i, START))
