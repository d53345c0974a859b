"""Time integration of a rod whose net motion comes from what pushes it (paper 000, Fig. 2): Runge-Kutta from knot to knot.

The flat state x holds the pose of the head (position, quaternion), its twist (or the momentum of the whole rod about the world
origin, or nothing but a guess without inertia), and `INTEGRALS` sums as in `chain_motion`: work of actuators, environment and passive
strains, and impulse.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import (
    inertia_at,
    put_pair_at,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    vector_at,
    wrench_at,
)
from limbless.mechanics.algebra.inertia import Twist, Wrench, carry_wrench, power
from limbless.mechanics.algebra.lie import Pose, compose, normalised, pose_exp, quaternion_from_rotation
from limbless.mechanics.algebra.vectors import Vector, cross, rotation_from_quaternion, rows, transpose
from limbless.mechanics.chain.row_motion import INTEGRALS, add, copy, put_quaternion_rate, stage_lead
from limbless.mechanics.compiled.kernel import inline, kernel
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.integrate.tally import add_laws
from limbless.mechanics.rod.efforts import find_needs, look_and_keep_strains, put_efforts
from limbless.mechanics.rod.forces import lay_slab, push_all
from limbless.mechanics.rod.shapes import Desk, shape_eight
from limbless.mechanics.rod.sweep import INERTIA, NODE_COLUMNS, SHAPE_MOMENTUM, inertial_wrench, magnus_first, magnus_second, solve_six

POSITION, TURN, SPEED, WORKS = np.array([0, 3, 7, 13])
START = np.int64(0)
SIZE = 13 + INTEGRALS
VELOCITY_FORM, MOMENTUM_FORM, NO_INERTIA = range(3)
TOLERANCE, TRIALS = 1e-12, 40                # of Newton's method for the motion without inertia, relative to the wrench of unit speed


class Setting(NamedTuple):
    """What does not change during a run."""

    form: int
    free: NDArray[np.float64]          # (6,) 1 where the head can move, 0 where it is held


class Scratch(NamedTuple):
    """Working memory of one run. Shapes are computed eight instants ahead: instant i is in row i % AHEAD of `work` and `sums`."""

    desk: Desk
    work: NDArray[np.float64]          # (AHEAD, nodes, NODE_COLUMNS)
    sums: NDArray[np.float64]          # (AHEAD, SUMS)
    slab: NDArray[np.float64]          # (nodes / 8, SLAB_COLUMNS, 8)
    kept: NDArray[np.float64]          # (nodes / 8, 6, 8)
    inertia: NDArray[np.float64]       # (6, 6)
    table: NDArray[np.float64]         # (6, 6)
    vectors: NDArray[np.float64]       # (VECTORS, 6): see the row names below
    works: NDArray[np.float64]         # (2,)
    stage: NDArray[np.float64]         # (x,)
    rate: NDArray[np.float64]
    total: NDArray[np.float64]


AHEAD = 2 * LANES
BIAS, PUSH, TWIST, ANSWER, HOLD, TRIAL = np.arange(6)
VECTORS = 6


class Records(NamedTuple):
    """What is kept at recorded instants."""

    x: NDArray[np.float64]             # (R, x)
    twist: NDArray[np.float64]         # (R, 6) of the head
    twist_rate: NDArray[np.float64]    # (R, 6) rate of its components
    hold: NDArray[np.float64]          # (R, 6) what holds the head, head frame
    powers: NDArray[np.float64]        # (R, 2) actuators, environment
    work: NDArray[np.float64]          # (R, nodes, NODE_COLUMNS)
    row: NDArray[np.int64]             # (R,) stage of the block, for the strains


@inline
def head_frame(x):
    """Pose of the head."""
    q = quaternion_at(x, TURN)
    return Pose(rotation_from_quaternion(q.w, q.x, q.y, q.z), vector_at(x, POSITION))


@inline
def pair_of(vectors, k):
    return Twist(Vector(vectors[k, 0], vectors[k, 1], vectors[k, 2]), Vector(vectors[k, 3], vectors[k, 4], vectors[k, 5]))


@inline
def put_row(vectors, k, pair):
    first, second = pair
    for c in range(3):
        vectors[k, c], vectors[k, 3 + c] = first[c], second[c]


@inline
def into_head(base, F):
    """A wrench about the world origin, along the world axes, about the head and along its axes."""
    Rt = transpose(base.rotation)
    return Wrench(Rt @ F.force, Rt @ (F.torque - cross(base.position, F.force)))


@inline
def into_world(base, F):
    return carry_wrench(Wrench(base.rotation @ F.force, base.rotation @ F.torque), base.position)


@inline
def put_full(matrix, I):
    """An inertia as a full 6 x 6 matrix."""
    M, J = rows(I.M), rows(I.J)
    for r in range(3):
        for c in range(3):
            matrix[r, c], matrix[3 + r, 3 + c] = M[r][c], J[r][c]
            matrix[3 + r, c], matrix[c, 3 + r] = I.H[r][c], I.H[r][c]


@inline
def given_twist(form, free, base, x, sums, inertia, table, vectors):
    """The head's twist in row TWIST, from the state or from the momentum that it holds. False if there is none."""
    if form == VELOCITY_FORM:
        for c in range(6):
            vectors[TWIST, c] = x[SPEED + c]
        return True
    whole = into_head(base, Wrench(vector_at(x, SPEED), vector_at(x, SPEED + 3)))
    put_row(vectors, TWIST, whole - wrench_at(sums, SHAPE_MOMENTUM))
    return solve_six(inertia, vectors[TWIST], free, table)


@kernel
def balance(body, forces, free, base, t, inside, x, work, scratch):
    """The twist at which the external wrench vanishes (spec, section 7): Newton's method with differences, from the last twist.

    For a law linear in the speed the difference is exact and one step suffices.
    """
    slope, table, vectors = scratch.inertia, scratch.table, scratch.vectors
    for c in range(6):
        vectors[TWIST, c] = x[SPEED + c]
    for _trial in range(TRIALS):
        put_push(body, forces, base, t, inside, vectors, TWIST, work, scratch)
        size = 0.0
        for c in range(6):
            vectors[ANSWER, c] = -vectors[PUSH, c]
        for j in range(6):
            for c in range(6):
                vectors[TRIAL, c] = vectors[TWIST, c]
            step = 1e-6 * (1e-2 + abs(vectors[TWIST, j]))
            vectors[TRIAL, j] += step
            put_push(body, forces, base, t, inside, vectors, TRIAL, work, scratch)
            for c in range(6):
                slope[c, j] = (vectors[PUSH, c] + vectors[ANSWER, c]) / step
                size = max(size, abs(slope[c, j]))
        left = 0.0
        for c in range(6):
            if free[c] > 0.0:
                left = max(left, abs(vectors[ANSWER, c]))
        if not solve_six(slope, vectors[ANSWER], free, table):
            return False
        for c in range(6):
            vectors[TWIST, c] += vectors[ANSWER, c]
        if left <= TOLERANCE * size:
            return True
    return False


@kernel
def put_push(body, forces, base, t, inside, vectors, row, work, scratch):
    """The external wrench in row PUSH, for the twist in a row."""
    push, _ = push_all(body.weight, forces, t, inside, base, pair_of(vectors, row), work, scratch.slab, scratch.kept, False)
    put_row(vectors, PUSH, push)


@inline
def accelerate(form, free, inertia, table, vectors):
    """η̇_o of (18) in row ANSWER and what holds the head in row HOLD, from BIAS and PUSH. False if there is no unique answer."""
    if form == NO_INERTIA:
        for c in range(6):
            vectors[ANSWER, c] = 0.0
            vectors[HOLD, c] = -vectors[PUSH, c] * (1.0 - free[c])
        return True
    for c in range(6):
        vectors[ANSWER, c] = vectors[PUSH, c] - vectors[BIAS, c]
    sound = solve_six(inertia, vectors[ANSWER], free, table)
    for i in range(6):
        held = vectors[BIAS, i] - vectors[PUSH, i]
        for j in range(6):
            held += inertia[i, j] * vectors[ANSWER, j]
        vectors[HOLD, i] = held * (1.0 - free[i])
    return sound


@kernel
def rod_rate(body, forces, setting, work, sums, t, inside, x, scratch, rate, keep):
    """Rate of a state at time t, with the shape in `work`, `sums` and `scratch.slab`. False if the head's motion is not determined.

    The power of the actuators is -∫ Λᵀ ξ̇ dX; by parts, and with a free tail, it is ∫ L' . J dX.
    """
    form, free = setting
    _, _, _, slab, kept, inertia, table, vectors, works, _, _, _ = scratch
    base = head_frame(x)
    put_full(inertia, inertia_at(sums, INERTIA))
    if form == NO_INERTIA:
        found = balance(body, forces, free, base, t, inside, x, work, scratch)
    else:
        found = given_twist(form, free, base, x, sums, inertia, table, vectors)
    if not found:
        return False
    twist = pair_of(vectors, TWIST)
    push, given = push_all(body.weight, forces, t, inside, base, twist, work, slab, kept, keep)
    bias, along = inertial_wrench(sums, twist)
    put_row(vectors, BIAS, bias)
    put_row(vectors, PUSH, push)
    sound = accelerate(form, free, inertia, table, vectors)
    works[0] = along - given + power(pair_of(vectors, ANSWER), wrench_at(sums, SHAPE_MOMENTUM))
    works[1] = given + power(twist, push)
    hold = pair_of(vectors, HOLD)
    put_vector_at(rate, POSITION, base.rotation @ twist.linear)
    put_quaternion_rate(x, TURN, twist.angular, rate)
    outer = into_world(base, Wrench(push.force + hold.linear, push.torque + hold.angular))
    for c in range(6):
        rate[SPEED + c] = vectors[ANSWER, c]
    if form == MOMENTUM_FORM:
        put_pair_at(rate, SPEED, outer)
    rate[WORKS], rate[WORKS + 1], rate[WORKS + 2] = works[0], works[1], 0.0
    put_pair_at(rate, WORKS + 3, outer)
    return sound


@kernel
def store(work, scratch, records, r, row):
    """Keep everything of this instant in record r."""
    vectors, works, stage = scratch.vectors, scratch.works, scratch.stage
    for c in range(stage.shape[0]):
        records.x[r, c] = stage[c]
    for c in range(6):
        records.twist[r, c], records.twist_rate[r, c] = vectors[TWIST, c], vectors[ANSWER, c]
        records.hold[r, c] = vectors[HOLD, c]
    records.powers[r, 0], records.powers[r, 1] = works[0], works[1]
    for k in range(work.shape[0]):
        for c in range(NODE_COLUMNS):
            records.work[r, k, c] = work[k, c]
    records.row[r] = row


@kernel
def look_ahead(body, strains, i, scratch):
    """Shapes up to instant i + 7, if instant i is the first of eight: those before it stay until they are overwritten, eight later."""
    if i % LANES == 0:
        last = strains[0].shape[0]
        shape_eight(body, strains, i, scratch.desk, i % AHEAD, min(LANES, last - i), scratch.work, scratch.sums)


@kernel
def look_along(muscles, work, strain, rate, scratch, tally, tallied, r, recorded, last, t):
    """What the actuators give at a knot, in the tally."""
    vectors = scratch.vectors
    hold = pair_of(vectors, HOLD)
    speed = find_needs(muscles, pair_of(vectors, TWIST), pair_of(vectors, ANSWER), work, scratch.slab, muscles.inner)
    put_efforts(muscles, muscles.inner, Wrench(hold.linear, hold.angular), muscles.place, muscles.touch, work, strain, rate)
    look_and_keep_strains(muscles, tally, tallied, r, recorded, last, t, speed)


@kernel
def advance(body, forces, setting, strains, passive, knots, record, x, scratch, records, muscles, tally, tallied):
    """Step x from the first knot to the last and record where asked. Returns the step at which the motion was not determined, or -1.

    passive : (2 K + 1,) power of passive stiffness and damping at the stage times, W.
    """
    r, steps, size = 0, knots.shape[0] - 1, x.shape[0]
    state, rate, total = scratch.stage, scratch.rate, scratch.total
    for n in range(steps + 1):
        last = n == steps
        if last and not record[n]:
            break
        t = knots[n]
        h = 0.0 if last else knots[n + 1] - t
        inside = t + 0.5 * h if h > 0.0 else 0.5 * (t + knots[max(n - 1, 0)])
        for stage in range(4):
            lead, weight = stage_lead(stage)
            i = 2 * n + int(2.0 * lead)
            work, sums = scratch.work[i % AHEAD], scratch.sums[i % AHEAD]
            if stage == 0:
                copy(x, state)
            else:
                add(START, size, x, lead * h, rate, state)
            if stage != 2 and (stage > 0 or n == 0):          # stages 1 and 2 share a shape, and so do 3 and the next 0
                look_ahead(body, strains, i, scratch)
                lay_slab(work, scratch.slab)
            if not rod_rate(body, forces, setting, work, sums, t + lead * h, inside, state, scratch, rate, stage == 0):
                return n
            if stage == 0:
                look_along(muscles, work, strains.value[i], strains.rate[i], scratch, tally, tallied, r, record[n], last, t)
                if setting.form == NO_INERTIA:            # the twist is no state: keep it as the guess of the next step
                    for c in range(6):
                        x[SPEED + c] = scratch.vectors[TWIST, c]
                        state[SPEED + c] = x[SPEED + c]
                if record[n]:
                    store(work, scratch, records, r, i)
                    r += 1
                if last:
                    return -1
                copy(rate, total)
            else:
                add(START, size, total, weight, rate, total)
            add_laws(tally, weight * h / 6.0, forces.power, scratch.works[0] - passive[i], scratch.works[1], passive[i])
        add(START, size, x, h / 6.0, total, x)
        put_quaternion_at(x, TURN, normalised(quaternion_at(x, TURN)))
    return -1


@kernel
def follow_twist(knots, twist, x, poses):
    """Pose of the head along an imposed twist (steps, 3, 6: start, middle and end of each step): fourth-order Magnus steps.

    `poses` (steps, 3, 7) takes position and quaternion at start, middle and end; x ends at the last of them.
    """
    for n in range(knots.shape[0] - 1):
        d = 0.5 * (knots[n + 1] - knots[n])
        a, b, c = pair_of(twist[n], 0), pair_of(twist[n], 1), pair_of(twist[n], 2)
        start = head_frame(x)
        middle = compose(start, pose_exp(magnus_first(a, b, c, d)))
        end = compose(middle, pose_exp(magnus_second(a, b, c, d)))
        for k in range(7):
            poses[n, 0, k] = x[k]
        put_pose(poses[n], 1, middle, quaternion_at(x, TURN))
        put_pose(poses[n], 2, end, quaternion_at(x, TURN))
        for k in range(7):
            x[k] = poses[n, 2, k]


@inline
def put_pose(poses, k, g, near):
    """Store a pose; of its two quaternions the one nearer to that of the start."""
    q = quaternion_from_rotation(g.rotation)
    sign = 1.0 if q.w * near.w + q.x * near.x + q.y * near.y + q.z * near.z >= 0.0 else -1.0
    for c in range(3):
        poses[k, c] = g.position[c]
    for c in range(4):
        poses[k, 3 + c] = sign * q[c]


@kernel
def loads_many(body, forces, times, inside, poses, twist, twist_rate, stage, stands, work, sums, slab, kept, bias, push, works, law_powers,
               muscles, inner, speed):
    """What pushes, and the inertial wrench without η̇_o, at instants of a given motion with the shapes of rows `stage` of `work`.

    The pushes stay in `work`: of two instants with one shape, before and after a switch, those of the later one. At instants that have
    a row `stands` >= 0 in `inner` and `speed` (knots), what the body before every section needs is found too.
    """
    for i in range(times.shape[0]):
        V, shape = pair_of(twist, i), work[stage[i]]
        lay_slab(shape, slab)
        outer, given = push_all(body.weight, forces, times[i], inside[i], head_frame(poses[i]), V, shape, slab, kept, True)
        need, along = inertial_wrench(sums[stage[i]], V)
        put_row(bias, i, need)
        put_row(push, i, outer)
        works[i, 0], works[i, 1] = along - given, given + power(V, outer)
        for c in range(forces.power.shape[0]):
            law_powers[i, c] = forces.power[c]
        if stands[i] >= 0:
            speed[stands[i]] = find_needs(muscles, V, pair_of(twist_rate, i), shape, slab, inner[stands[i]])
