"""Forces on a tendon-driven spine at a posture: energy, gradient and Hessian; tendon friction; the paper's moment form
(paper 004).

All vectors along the axes of the clamped disk 0 (z along the backbone) unless a comment says otherwise. The unknowns of
vertebra i are in row i of q; in flat arrays they stand at freedoms * i + k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.mechanics.algebra import Matrix, Vector, cross, dot, outer, product, transpose
from limbless.mechanics.compiled import Array, Scalar, func, generic, kernel, noinline_func, version_for
from limbless.mechanics.forces import friction_ratio
from limbless.mechanics.statics.tables import ChainMatrix, Coulomb, Loads, LossRatio, Spine, SpineState
from limbless.mechanics.statics.vertebra import (
    matrix_of,
    measure_chords,
    pair,
    place,
    store,
    store_matrix,
    vector_of,
)
from limbless.mechanics.statics.water_lift import add_lift, lay_slabs, lift_energy, lift_on


@noinline_func
def update_posture(spine: Spine, q: Array, posture: SpineState) -> None:
    """Everything that depends on the posture alone: vertebrae, chords, poses of the disks, tendon
    lengths and their gradients.
    """
    bones, total, freedoms = posture.bones, posture.total, q.shape[1]
    place(bones, spine.length, spine.hinge, spine.share, q)
    measure_chords(bones, spine.holes, spine.end, freedoms, posture.chord, posture.slope, posture.curve)
    R, O = matrix_of(posture.rotation[0]), vector_of(posture.origin[0])
    for i in range(q.shape[0]):
        O = O + R @ vector_of(bones.offset[i])
        for k in range(freedoms):
            store(posture.turn[i, k], R @ vector_of(bones.turn[i, k]))
            store(posture.reach[i, k], R @ vector_of(bones.offset_rate[i, k]))
        R = product(R, matrix_of(bones.rotation[i]))
        store_matrix(posture.rotation[i + 1], R)
        store(posture.origin[i + 1], O)
    for c in range(len(total)):
        total[c] = 0.0
        for i in range(q.shape[0]):
            total[c] += posture.chord[i, c]
            for k in range(freedoms):
                posture.lever[freedoms * i + k, c] = posture.slope[i, c, k]


@generic
def coefficient_at(friction: Coulomb | LossRatio, before: Vector, after: Vector) -> Scalar:
    """Coefficient of friction at a disk, from both sides of the tendon there."""


@version_for(coefficient_at, Coulomb)
@func
def coulomb_coefficient(friction: Coulomb, before: Vector, after: Vector):
    return friction.coefficient


@version_for(coefficient_at, LossRatio)
@func
def loss_ratio(friction: LossRatio, before: Vector, after: Vector) -> Scalar:
    """The paper's fit (22) of its friction tests, with the angle (25) between both sides of the tendon in degrees: 180
    when straight.
    """
    turn = cross(before, after)
    sigma = np.arctan2(np.sqrt(dot(turn, turn)), dot(before, after)) * (180.0 / np.pi)
    return friction.largest * np.exp(-friction.fading * sigma)


@func
def passed_on(friction: LossRatio | None, spine: Spine, posture: SpineState, slip: Array, i: int, c: int) -> Scalar:
    """Share of its tension that tendon c keeps as it passes the outer disk of vertebra i."""
    if friction is None:
        return 1.0
    bones, chord, holes = posture.bones, posture.chord, spine.holes
    R, R_next = matrix_of(bones.rotation[i]), matrix_of(bones.rotation[i + 1])
    hole = vector_of(holes[i + 1, c])
    back = vector_of(holes[i, c]) - vector_of(bones.offset[i]) - R @ hole
    ahead = vector_of(bones.offset[i + 1]) + R_next @ vector_of(holes[i + 2, c]) - hole
    before, after = (1.0 / chord[i, c]) * (transpose(R) @ back), (1.0 / chord[i + 1, c]) * ahead
    return friction_ratio(coefficient_at(friction, before, after), slip[c], before, after)


@func
def stretched(stiffness: Any, stiffening: Any, stretch: Any):
    """Tension of an elastic tendon, N: dT/dx = k + a T from T = 0 at x = 0, so T = k (exp(a x) - 1)/a, or k x where a =
    0; 0 if slack.
    """
    x = max(stretch, 0.0)
    return stiffness * (np.expm1(stiffening * x) / stiffening if stiffening > 0.0 else x)


@func
def stretch_energy(stiffness: Any, stiffening: Any, stretch: Any):
    """Integral of `stretched` over the stretch, J."""
    x = max(stretch, 0.0)
    if stiffening > 0.0:
        return stiffness * (np.expm1(stiffening * x) / stiffening - x) / stiffening
    return 0.5 * stiffness * x**2


@kernel
def chord_tensions(spine: Spine, loads: Loads, posture: SpineState) -> None:
    """Tension in every chord, from the given tension or the stretch of an elastic tendon, less
    friction at the disks (19)-(27).
    """
    end, tension, command, elastic = spine.end, posture.tension, loads.command, loads.elastic
    for c in range(len(command)):
        value = command[c]
        if elastic[c] > 0.0:
            value = stretched(elastic[c], loads.stiffening[c], posture.total[c] - command[c])
        for i in range(end[c]):
            tension[i, c] = value
            if i < end[c] - 1:
                value = value * passed_on(loads.friction, spine, posture, loads.slip, i, c)
        if loads.at_tip and elastic[c] == 0.0 and value != 0.0:
            scale = command[c] / value
            for i in range(end[c]):
                tension[i, c] = tension[i, c] * scale


@noinline_func
def stored_energy(spine: Spine, loads: Loads, q: Array, posture: SpineState) -> Scalar:
    """Elastic energy less the work of dead loads and of water with a surface, J; without the tendons. Call
    `update_posture` first.
    """
    origin, value = posture.origin, 0.0 if loads.water is None else lift_energy(loads.water, spine, q, posture)
    for i in range(q.shape[0]):
        for k in range(q.shape[1]):
            value += 0.5 * spine.stiffness[i, k] * (q[i, k] - spine.rest[i, k]) ** 2
        centroid = vector_of(origin[i]) + matrix_of(posture.rotation[i]) @ vector_of(posture.bones.centroid[i])
        value -= dot(vector_of(loads.disk[i]), vector_of(origin[i + 1])) + dot(vector_of(loads.joint[i]), centroid)
    return value


@kernel
def energy(spine: Spine, loads: Loads, q: Array, posture: SpineState) -> Scalar:
    """V(q), J: what is stored, and what tendons would give. Call `update_posture` first;
    without friction and tip moment.
    """
    value, total = stored_energy(spine, loads, q, posture), posture.total
    for c in range(len(total)):
        if loads.elastic[c] > 0.0:
            value += stretch_energy(loads.elastic[c], loads.stiffening[c], total[c] - loads.command[c])
        else:
            value += loads.command[c] * total[c]
    return value


@func
def axial(S: Matrix) -> Vector:
    """Sum of r x f of S = sum of r fᵀ."""
    return Vector(S.y.z - S.z.y, S.z.x - S.x.z, S.x.y - S.y.x)


@noinline_func
def add_tendon_stiffness(loads: Loads, posture: SpineState, H: ChainMatrix) -> None:
    """What elastic tendons add to the upper halves of the blocks, and their lower halves."""
    total, lever, freedoms, first = posture.total, posture.lever, H.block.shape[1], 3 if loads.water is None else 9
    for c in range(H.near.shape[1] - first):
        stiffness, stretch, rate = loads.elastic[c], total[c] - loads.command[c], 0.0
        if stiffness > 0.0 and stretch > 0.0:
            rate = stiffness + loads.stiffening[c] * stretched(stiffness, loads.stiffening[c], stretch)
        for row in range(H.near.shape[0]):
            H.near[row, first + c], H.far[row, first + c] = rate * lever[row, c], lever[row, c]
            for column in range(row, row // freedoms * freedoms + freedoms):
                H.block[row // freedoms, row % freedoms, column % freedoms] += rate * lever[row, c] * lever[column, c]
    for i in range(H.block.shape[0]):
        for k in range(freedoms):
            for m in range(k):
                H.block[i, k, m] = H.block[i, m, k]


@kernel
def energy_gradient(spine: Spine, loads: Loads, q: Array, posture: SpineState, r: Array, H: ChainMatrix) -> None:
    """Residual r of the energy form (generalised force balance, N m) and its matrix H with frozen friction. Call
    `update_posture` first.

    Dead loads are swept from tip to base: F = sum of f and S = sum of (p - O_i) fᵀ over all beyond disk i.
    """
    bones, slope, curve, tension = posture.bones, posture.slope, posture.curve, posture.tension
    rotation, origin, turn, reach = posture.rotation, posture.origin, posture.turn, posture.reach
    v, freedoms, tendons = q.shape[0], q.shape[1], len(posture.total)
    chord_tensions(spine, loads, posture)
    nothing = Vector(0.0, 0.0, 0.0)
    F, S = vector_of(loads.disk[v - 1]), Matrix(nothing, nothing, nothing)
    moment = vector_of(loads.tip_moment)
    for i in range(v - 1, -1, -1):
        R, f_c, M, trace = matrix_of(rotation[i]), vector_of(loads.joint[i]), axial(S) + moment, S.x.x + S.y.y + S.z.z
        for k in range(freedoms):
            row = freedoms * i + k
            W, D = vector_of(turn[i, k]), vector_of(reach[i, k])
            E = R @ vector_of(bones.centroid_rate[i, k])
            r[row] = spine.stiffness[i, k] * (q[i, k] - spine.rest[i, k]) - dot(D, F) - dot(W, M) - dot(E, f_c)
            for c in range(tendons):
                r[row] += tension[i, c] * slope[i, c, k]
            for m in range(k, freedoms):
                W_m, at = vector_of(turn[i, m]), pair(k, m)
                value = dot(R @ vector_of(bones.offset_second[i, at]), F) + dot(
                    R @ vector_of(bones.turn_second[i, k, m]), M
                )
                value += dot(W, S @ W_m) - dot(W, W_m) * trace + dot(R @ vector_of(bones.centroid_second[i, at]), f_c)
                value = -value
                for c in range(tendons):
                    value += tension[i, c] * curve[i, c, at]
                H.block[i, k, m] = value
            H.block[i, k, k] += spine.stiffness[i, k]
            store(H.near[row], W)
            store(H.far[row], -(cross(D, F) + S @ W - trace * W + cross(E, f_c)))
        arm, centre = vector_of(origin[i + 1]) - vector_of(origin[i]), R @ vector_of(bones.centroid[i])
        S = S + outer(arm, F) + outer(centre, f_c)
        F = F + f_c
        if i > 0:
            F = F + vector_of(loads.disk[i - 1])
    if loads.water is not None:
        add_lift(loads.water, spine, q, posture, r, H)
    add_tendon_stiffness(loads, posture, H)


@kernel
def moments(spine: Spine, loads: Loads, q: Array, posture: SpineState, drop_axial: Any, r: Array) -> None:
    """Residual of the paper's moment form, (17)-(18) and (37)-(44) corrected, N m. Call `update_posture` first.

    Every load on disks i..v, moment about O_(i-1) in its axes: (-K_dv g, K_lat b, 0) + R (0, 0, K_twist e) = M.
    `drop_axial` leaves out, on disks that a tendon merely passes, its force along z of the disk, as published code
    does.
    """
    stiffness, rest, holes, end = spine.stiffness, spine.rest, spine.holes, spine.end
    bones, rotation, origin, chord, tension = (
        posture.bones,
        posture.rotation,
        posture.origin,
        posture.chord,
        posture.tension,
    )
    v, freedoms, tendons = q.shape[0], q.shape[1], len(posture.total)
    chord_tensions(spine, loads, posture)
    if loads.water is not None:
        lay_slabs(loads.water, spine, q)
    # sums over what lies beyond, moment about O_0
    F, M = Vector(0.0, 0.0, 0.0), vector_of(loads.tip_moment)
    for i in range(v - 1, -1, -1):
        R, inner, O = matrix_of(rotation[i + 1]), matrix_of(rotation[i]), vector_of(origin[i + 1])
        force = vector_of(loads.disk[i])
        M, F = M + cross(O, force), F + force
        centroid = vector_of(origin[i]) + inner @ vector_of(bones.centroid[i])
        M, F = M + cross(centroid, vector_of(loads.joint[i])), F + vector_of(loads.joint[i])
        if loads.water is not None:
            lift = lift_on(loads.water, posture, i)
            M, F = M + lift.torque, F + lift.force
        for c in range(tendons):
            if i >= end[c]:
                continue
            p = O + R @ vector_of(holes[i + 1, c])
            back = vector_of(origin[i]) + inner @ vector_of(holes[i, c]) - p
            pull = (tension[i, c] / chord[i, c]) * back
            if i + 1 < end[c]:
                ahead = vector_of(origin[i + 2]) + matrix_of(rotation[i + 2]) @ vector_of(holes[i + 2, c]) - p
                pull = pull + (tension[i + 1, c] / chord[i + 1, c]) * ahead
                if drop_axial:
                    z = Vector(R.x.z, R.y.z, R.z.z)
                    pull = pull - dot(z, pull) * z
            M, F = M + cross(p, pull), F + pull
        about = transpose(inner) @ (M - cross(vector_of(origin[i]), F))
        back_twist = stiffness[i, 2] * (q[i, 2] - rest[i, 2]) if freedoms == 3 else 0.0
        own = matrix_of(bones.rotation[i])
        r[freedoms * i] = stiffness[i, 0] * (q[i, 0] - rest[i, 0]) + back_twist * own.y.z - about.y
        r[freedoms * i + 1] = stiffness[i, 1] * (q[i, 1] - rest[i, 1]) - back_twist * own.x.z + about.x
        if freedoms == 3:
            r[freedoms * i + 2] = back_twist * own.z.z - about.z


@noinline_func
def tip_components(q: Array, posture: SpineState, value: Array, J: Array) -> None:
    """What can be asked of the last disk, and its rates J = d value / dq (6, v freedoms). Call `update_posture` first.

    Along the library's axes of the clamped disk (x, y, z are z, -x, -y of the paper): the place x, y, z (m) and the
    angles (rad) heading atan2(d_y, d_x), elevation asin(d_z) of its normal d, and roll about d after these two turns.
    With dR = [w] R: d' = w x d, and the roll's rate is w . d less the heading's share of it.
    """
    v, freedoms = q.shape
    tip, R = vector_of(posture.origin[v]), posture.rotation[v]
    value[0], value[1], value[2] = tip.z, -tip.x, -tip.y
    d = Vector(R[2, 2], -R[0, 2], -R[1, 2])
    flat = max(d.x * d.x + d.y * d.y, 1e-30)
    value[3], value[4] = np.arctan2(d.y, d.x), np.arctan2(d.z, np.sqrt(flat))
    value[5] = np.arctan2(R[1, 0], R[1, 1])
    for i in range(v):
        arm = tip - vector_of(posture.origin[i + 1])
        for k in range(freedoms):
            j, w = freedoms * i + k, vector_of(posture.turn[i, k])
            move = cross(w, arm) + vector_of(posture.reach[i, k])
            J[0, j], J[1, j], J[2, j] = move.z, -move.x, -move.y
            spin = Vector(w.z, -w.x, -w.y)
            swing = cross(spin, d)
            J[3, j] = (d.x * swing.y - d.y * swing.x) / flat
            J[4, j] = swing.z / np.sqrt(flat)
            J[5, j] = dot(spin, d) - J[3, j] * d.z
