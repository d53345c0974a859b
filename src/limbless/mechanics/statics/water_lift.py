"""Still water with a surface around a spine: potential, wrenches and stiffness of its lift, exact for the slabs into
which vertebrae are cut.

A slab is a straight elliptic cylinder whose centre is `depth` below the surface. With the upward unit vector n, its
part n1 along the slab and the sections of `immersion` at h(s) = (depth - n1 s)/e, s from the middle, its potential is
the lift per length times ∫ e G(h) ds, G' = φ. That is depth ∫ φ ds - n . arm, the arm being the first moment of what is
wet: force, moment and potential are made of the same three integrals. Vectors as in `equilibrium`; moments are about
the centre of the slab unless a comment says about the centre of disk 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import (
    Matrix,
    Twist,
    Vector,
    Wrench,
    cross,
    dot,
    power,
    put_pair_at,
    rotation_about,
    wrench_at,
)
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func
from limbless.mechanics.forces import THIN, Integrals, integrals_along, reach_of, waterplane_along
from limbless.mechanics.statics.vertebra import (
    matrix_of,
    pair,
    place,
    store,
    store_matrix,
    vector_of,
)

if TYPE_CHECKING:
    from limbless.mechanics.statics.tables import ChainMatrix, Spine, SpineState, SpineWater

SAG = 2.0 / (3.0 * np.pi)


class Slab(NamedTuple):
    """How a slab lies in the water."""

    centre: Vector
    axes: Matrix  # in rows: along the slab, along both half axes
    tilt: Vector  # n along these
    reach: float  # e
    pull: Vector  # a² n2 e2 + b² n3 e3
    depth: float
    wet: float  # ∫ φ ds, m
    along: float  # ∫ s φ ds, s from the middle, m²
    sag: float  # ∫ (1 - h²)^(3/2) ds, m
    arm: Vector  # first moment of what is wet over the area of a section, m²


# ------------------------------------------------------------------------------------------------------ where slabs are


@func
def lay_slabs(water: Any, spine: Spine, q: Array) -> None:
    """Centroids and axes of all slabs with their derivatives, in the axes of their inner disks."""
    if spine.hinge is None:
        lay_on_arcs(water, spine.share, q)
    else:
        lay_at_hinges(water, spine.share, q)


@noinline_func
def lay_at_hinges(water: SpineWater, share: Scalar, q: Array) -> None:
    """One slab at each hinge, with the axes of the inner disk; its place and what it turns about never change."""
    if q.shape[1] == 3:
        for i in range(q.shape[0]):
            store_matrix(water.slabs.rotation[i], rotation_about(Vector(0.0, 0.0, 1.0), share * q[i, 2]))


@noinline_func
def lay_on_arcs(water: SpineWater, share: Scalar, q: Array) -> None:
    """Arcs of the same curvature that end at the edges and middles of slabs; all of the twist that comes before the
    bend comes before them.
    """
    v, marks = q.shape[0], len(water.reached) // q.shape[0]
    for i in range(v):
        for c in range(marks):
            part, row = c / (marks - 1.0), i * marks + c
            for k in range(q.shape[1]):
                water.bent[row, k] = part_of(k, part, share) * q[i, k]
    place(water.marks, water.reached, None, 1.0, water.bent)
    count = (marks - 1) // 2
    for i in range(v):
        for j in range(count):
            cut_slab(water, i * count + j, i * marks + 2 * j, (j + 0.5) / count, share, count)


@func
def cut_slab(water: SpineWater, s: Any, mark: Any, part: Any, share: Scalar, count: int) -> None:
    """Slab s between two marks, with its middle at this part of its arc: its centroid is a difference of first moments.
    Rates by the chain rule: an arc up to a mark has a part of every unknown.
    """
    slabs, marks, freedoms = water.slabs, water.marks, water.bent.shape[1]
    low, high = part - 0.5 / count, part + 0.5 / count
    before, after = count * low, count * high
    store(slabs.offset[s], after * vector_of(marks.centroid[mark + 2]) - before * vector_of(marks.centroid[mark]))
    store_matrix(slabs.rotation[s], matrix_of(marks.rotation[mark + 1]))
    for k in range(freedoms):
        a, b, c = part_of(k, low, share), part_of(k, part, share), part_of(k, high, share)
        store(
            slabs.offset_rate[s, k],
            after * c * vector_of(marks.centroid_rate[mark + 2, k])
            - before * a * vector_of(marks.centroid_rate[mark, k]),
        )
        store(slabs.turn[s, k], b * vector_of(marks.turn[mark + 1, k]))
        for m in range(freedoms):
            both = b * part_of(m, part, share)
            store(slabs.turn_second[s, k, m], both * vector_of(marks.turn_second[mark + 1, k, m]))
        for m in range(k, freedoms):
            at = pair(k, m)
            store(
                slabs.offset_second[s, at],
                after * c * part_of(m, high, share) * vector_of(marks.centroid_second[mark + 2, at])
                - before * a * part_of(m, low, share) * vector_of(marks.centroid_second[mark, at]),
            )


@func
def part_of(k: int, part: Any, share: Scalar):
    """How much of unknown k an arc up to a mark has: bends in proportion, the twist that comes before them at once."""
    return part if k < 2 else share


@noinline_func
def slab_at(water: SpineWater, posture: SpineState, i: int, s: Any) -> Slab:
    """Slab s, of vertebra i, in the water."""
    inner, up = matrix_of(posture.rotation[i]), vector_of(water.up)
    centre, R = vector_of(posture.origin[i]) + inner @ vector_of(water.slabs.offset[s]), water.slabs.rotation[s]
    axes = Matrix(
        inner @ Vector(R[0, 2], R[1, 2], R[2, 2]),
        inner @ Vector(R[0, 0], R[1, 0], R[2, 0]),
        inner @ Vector(R[0, 1], R[1, 1], R[2, 1]),
    )
    n, depth, length = axes @ up, water.height - dot(up, centre), water.thickness[i]
    e, pulls = reach_of(water.half_width, water.half_height, n)
    first, last = (depth + 0.5 * length * n.x) / e, (depth - 0.5 * length * n.x) / e
    if min(first, last) >= 1.0:
        whole = Integrals(length, 0.5 * length * length, 0.0)
    elif max(first, last) <= -1.0:
        whole = Integrals(0.0, 0.0, 0.0)
    else:
        whole = integrals_along(first, -n.x / e, length, water.nodes, water.weights, 0, 2)
    pull = pulls.y * axes.y + pulls.z * axes.z
    along = whole.lever - 0.5 * length * whole.share
    arm = along * axes.x - (SAG * whole.sag / e) * pull
    return Slab(centre, axes, n, e, pull, depth, whole.share, along, whole.sag, arm)


# ---------------------------------------------------------------------------------------------------- what water does


@noinline_func
def lift_energy(water: SpineWater, spine: Spine, q: Array, posture: SpineState):
    """Potential of the water at a posture that was taken, J: zero where all of the spine is dry."""
    lay_slabs(water, spine, q)
    v, value, up = q.shape[0], 0.0, vector_of(water.up)
    count = len(water.slabs.offset) // v
    for i in range(v):
        for s in range(i * count, (i + 1) * count):
            slab = slab_at(water, posture, i, s)
            value += water.lift[i] * (slab.depth * slab.wet - dot(up, slab.arm))
    return value


@noinline_func
def lift_on(water: SpineWater, posture: SpineState, i: int):
    """Wrench of the water on vertebra i about the centre of disk 0; call `lay_slabs` first."""
    count, total = len(water.slabs.offset) // len(water.lift), Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    for s in range(i * count, (i + 1) * count):
        slab = slab_at(water, posture, i, s)
        push = wrench_on(water, slab, i)
        total = total + Wrench(push.force, push.torque + cross(slab.centre, push.force))
    return total


@func
def wrench_on(water: SpineWater, slab: Slab, i: int) -> Wrench:
    """On a slab of vertebra i."""
    weight = water.lift[i] * vector_of(water.up)
    return Wrench(slab.wet * weight, cross(slab.arm, weight))


@noinline_func
def answer_of(water: SpineWater, slab: Slab, i: int, move: Any) -> Wrench:
    """By how much the wrench on a slab of vertebra i changes as its centre and its axes move."""
    up, axes, n, e, w = vector_of(water.up), slab.axes, slab.tilt, slab.reach, move.angular
    a, b, length = water.half_width, water.half_height, water.thickness[i]
    dn = Vector(dot(w, cross(axes.x, up)), dot(w, cross(axes.y, up)), dot(w, cross(axes.z, up)))
    dpull = cross(w, slab.pull) + (a * a * dn.y) * axes.y + (b * b * dn.z) * axes.z
    # a slab that stands upright reaches no less than THIN: see `reach_of`
    de = (a * a * n.y * dn.y + b * b * n.z * dn.z) / e if e > THIN * b else 0.0
    plane = waterplane_along(slab.depth / e, -n.x / e, length, water.nodes, water.weights, 0, 2)
    here, ahead = -dot(up, move.linear) - plane.at * dn.x - plane.height * de, n.x * de / e - dn.x  # e dh, its slope
    wet = (plane.width * here + plane.lever * ahead) / e
    beyond = (plane.lever * here + plane.spread * ahead) / e
    sag = -(1.0 / SAG) * (plane.height * wet - (n.x / e) * beyond)
    arm = (plane.at * wet + beyond) * axes.x + slab.along * cross(w, axes.x)
    arm = arm - (SAG / e) * ((sag - slab.sag * de / e) * slab.pull + slab.sag * dpull)
    weight = water.lift[i] * up
    return Wrench(wet * weight, cross(arm, weight))


@func
def stiffness_of(slab: Slab, push: Any, move: Any, change: Any) -> Wrench:
    """Minus the change of the wrench about the centre of disk 0, as the slab moves; `change`: about its own centre."""
    return Wrench(-change.force, -(change.torque + cross(slab.centre, change.force) + cross(move.linear, push.force)))


# --------------------------------------------------------------------------------------- residual and matrix of a spine


@func
def screw_of(posture: SpineState, i: int, k: int) -> Twist:
    """How all beyond vertebra i moves with its unknown k: velocity at the centre of disk 0, and turn."""
    W = vector_of(posture.turn[i, k])
    return Twist(vector_of(posture.reach[i, k]) - cross(W, vector_of(posture.origin[i + 1])), W)


@func
def unit_twist(c: int) -> Twist:
    """The c-th of six."""
    return Twist(
        Vector(1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0),
        Vector(1.0 if c == 3 else 0.0, 1.0 if c == 4 else 0.0, 1.0 if c == 5 else 0.0),
    )


@noinline_func
def lift_beyond(water: SpineWater, posture: SpineState, i: int, F: Any, r: Array, H: ChainMatrix) -> None:
    """All slabs beyond vertebra i, with the wrench F on them, move with its unknowns as one body."""
    freedoms = water.felt.shape[0]
    inner, O, bones = matrix_of(posture.rotation[i]), vector_of(posture.origin[i + 1]), posture.bones
    for k in range(freedoms):
        column, screw, D = freedoms * i + k, screw_of(posture, i, k), vector_of(posture.reach[i, k])
        r[column] -= power(screw, F)
        for c in range(6):
            row = wrench_at(water.carried[c], 0)
            water.felt[k, c] = dot(row.force, screw.linear) + dot(row.torque, screw.angular)
        felt = wrench_at(water.felt[k], 0)
        for m in range(k + 1):
            W, bend = vector_of(posture.turn[i, m]), inner @ vector_of(bones.turn_second[i, m, k])
            move = inner @ vector_of(bones.offset_second[i, pair(m, k)]) - cross(bend, O) - cross(W, D)
            H.block[i, m, k] += power(screw_of(posture, i, m), felt) - power(Twist(move, bend), F)


@noinline_func
def lift_within(water: SpineWater, posture: SpineState, i: int, s: Any, r: Array, H: ChainMatrix) -> Wrench:
    """Slab s of vertebra i moves with its unknowns in a way of its own. Returns the wrench
    about the centre of disk 0.
    """
    freedoms, slabs, inner = water.felt.shape[0], water.slabs, matrix_of(posture.rotation[i])
    slab = slab_at(water, posture, i, s)
    push = wrench_on(water, slab, i)
    for k in range(freedoms):
        column = freedoms * i + k
        move = Twist(inner @ vector_of(slabs.offset_rate[s, k]), inner @ vector_of(slabs.turn[s, k]))
        r[column] -= power(move, push)
        change = answer_of(water, slab, i, move)
        felt = wrench_at(water.felt[k], 0) + stiffness_of(slab, push, move, change)
        put_pair_at(water.felt[k], 0, felt)
        for m in range(k + 1):
            other = Twist(inner @ vector_of(slabs.offset_rate[s, m]), inner @ vector_of(slabs.turn[s, m]))
            second = Twist(
                inner @ vector_of(slabs.offset_second[s, pair(m, k)]), inner @ vector_of(slabs.turn_second[s, m, k])
            )
            H.block[i, m, k] -= power(other, change) + power(second, push)
    for c in range(6):
        twist = unit_twist(c)
        moved = Twist(twist.linear + cross(twist.angular, slab.centre), twist.angular)
        add_column(water.carried, c, stiffness_of(slab, push, moved, answer_of(water, slab, i, moved)))
    return Wrench(push.force, push.torque + cross(slab.centre, push.force))


@func
def add_column(table: Array, c: int, F: Any) -> None:
    """Add a wrench to column c."""
    table[0, c], table[1, c], table[2, c] = table[0, c] + F.force.x, table[1, c] + F.force.y, table[2, c] + F.force.z
    table[3, c], table[4, c], table[5, c] = table[3, c] + F.torque.x, table[4, c] + F.torque.y, table[5, c] + F.torque.z


@noinline_func
def add_lift(water: SpineWater, spine: Spine, q: Array, posture: SpineState, r: Array, H: ChainMatrix) -> None:
    """Add what the water does to the residual and to the upper halves of the blocks of its matrix.

    From tip to base, as `energy_gradient` sweeps dead loads: the stiffness of all slabs beyond a vertebra is one 6 x 6
    table.
    """
    v, freedoms = q.shape
    count = len(water.slabs.offset) // v
    lay_slabs(water, spine, q)
    water.carried[:] = 0.0
    F = Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    for i in range(v - 1, -1, -1):
        lift_beyond(water, posture, i, F, r, H)
        for s in range(i * count, (i + 1) * count):
            F = F + lift_within(water, posture, i, s, r, H)
        for k in range(freedoms):
            put_pair_at(H.near[freedoms * i + k], 3, screw_of(posture, i, k))
            put_pair_at(H.far[freedoms * i + k], 3, wrench_at(water.felt[k], 0))
