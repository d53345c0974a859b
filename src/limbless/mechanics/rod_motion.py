"""Time integration of a rod whose net motion comes from what pushes it (paper 000, Fig. 2): Runge-Kutta from knot to knot.

The flat state x holds the pose of the head (position, quaternion), its twist (or the momentum of the whole rod about the world
origin, or nothing but a guess without inertia), and `INTEGRALS` sums as in `chain_motion`: work of actuators, environment and passive
strains, and impulse.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain_motion import INTEGRALS, add, copy, put_quaternion_rate, stage_lead
from limbless.mechanics.columns import put_quaternion_at, put_vector_at, quaternion_at, vector_at
from limbless.mechanics.inertia import Twist, Wrench, carry_wrench
from limbless.mechanics.kernel import inline, kernel
from limbless.mechanics.lie import Pose, compose, normalised, pose_exp, quaternion_from_rotation
from limbless.mechanics.rod import NODE_COLUMNS, gather_forces, gather_inertia, magnus_first, magnus_second, push_slices, solve_six, sweep
from limbless.mechanics.vectors import Vector, cross, rotation_from_quaternion, transpose

POSITION, TURN, SPEED, WORKS = np.array([0, 3, 7, 13])
START = np.int64(0)
SIZE = 13 + INTEGRALS
VELOCITY_FORM, MOMENTUM_FORM, NO_INERTIA = range(3)
TOLERANCE, TRIALS = 1e-12, 40                # of Newton's method for the motion without inertia, relative to the wrench of unit speed


class Setting(NamedTuple):
    """What does not change during a run."""

    form: int
    free: NDArray[np.float64]          # (6,) 1 where the head can move, 0 where it is held


class Strains(NamedTuple):
    """The gait at the stage times of a block: full strain (stretch and shear, curvature) and its rates, (2 K + 1, nodes, 6)."""

    value: NDArray[np.float64]
    rate: NDArray[np.float64]
    acceleration: NDArray[np.float64]


class Scratch(NamedTuple):
    """Working memory of one run."""

    work: NDArray[np.float64]          # (nodes, NODE_COLUMNS)
    inertia: NDArray[np.float64]       # (6, 6)
    table: NDArray[np.float64]         # (6, 6)
    vectors: NDArray[np.float64]       # (VECTORS, 6): see the row names below
    works: NDArray[np.float64]         # (2,)
    stage: NDArray[np.float64]         # (x,)
    rate: NDArray[np.float64]
    total: NDArray[np.float64]


SWING, BIAS, PUSH, TWIST, ANSWER, HOLD, TRIAL, SLOPE, MORE = np.arange(9)
VECTORS = 9


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


@kernel
def find_twist(body, laws, setting, base, t, inside, x, scratch):
    """The head's twist in row TWIST: from the state, from the momentum, or from the balance of forces. False if there is none."""
    form, free = setting
    _work, inertia, table, vectors, _works, _, _, _ = scratch
    if form == VELOCITY_FORM:
        for c in range(6):
            vectors[TWIST, c] = x[SPEED + c]
    elif form == MOMENTUM_FORM:
        put_row(vectors, TWIST, into_head(base, Wrench(vector_at(x, SPEED), vector_at(x, SPEED + 3))))
        for c in range(6):
            vectors[TWIST, c] -= vectors[SWING, c]
        return solve_six(inertia, vectors[TWIST], free, table)
    else:
        return balance(body, laws, free, base, t, inside, x, scratch)
    return True


@kernel
def balance(body, laws, free, base, t, inside, x, scratch):
    """The twist at which the external wrench vanishes (spec, section 7): Newton's method with differences, from the last twist.

    For a law linear in the speed the difference is exact and one step suffices.
    """
    work, inertia, table, vectors, works, _, _, _ = scratch
    for c in range(6):
        vectors[TWIST, c] = x[SPEED + c]
    for _trial in range(TRIALS):
        net_push(body, laws, base, t, inside, vectors, TWIST, work, works)
        size = 0.0
        for c in range(6):
            vectors[ANSWER, c] = -vectors[PUSH, c]
        for j in range(6):
            for c in range(6):
                vectors[TRIAL, c] = vectors[TWIST, c]
            step = 1e-6 * (1e-2 + abs(vectors[TWIST, j]))
            vectors[TRIAL, j] += step
            net_push(body, laws, base, t, inside, vectors, TRIAL, work, works)
            for c in range(6):
                inertia[c, j] = (vectors[PUSH, c] + vectors[ANSWER, c]) / step
                size = max(size, abs(inertia[c, j]))
        left = 0.0
        for c in range(6):
            if free[c] > 0.0:
                left = max(left, abs(vectors[ANSWER, c]))
        if not solve_six(inertia, vectors[ANSWER], free, table):
            return False
        for c in range(6):
            vectors[TWIST, c] += vectors[ANSWER, c]
        if left <= TOLERANCE * size:
            return True
    return False


@kernel
def net_push(body, laws, base, t, inside, vectors, row, work, works):
    """The external wrench in row PUSH, for the twist in a row."""
    _half, weight, own = body
    twist = pair_of(vectors, row)
    push_slices(laws, t, inside, base, twist, work)
    gather_forces(weight, own, twist, work, vectors[BIAS], vectors[PUSH], works)


@kernel
def accelerate(body, setting, scratch):
    """η̇_o of (18) in row ANSWER and what holds the head in row HOLD, from the sums; then the actuators' power in works[0].

    The power is -∫ Λᵀ ξ̇ dX; by parts, and with a free tail, it is ∫ L' . J dX.
    """
    form, free = setting
    _work, inertia, table, vectors, works, _, _, _ = scratch
    if form == NO_INERTIA:
        for c in range(6):
            vectors[ANSWER, c] = 0.0
            vectors[HOLD, c] = -vectors[PUSH, c] * (1.0 - free[c])
        return True
    for c in range(6):
        vectors[ANSWER, c] = vectors[PUSH, c] - vectors[BIAS, c]
    sound = solve_six(inertia, vectors[ANSWER], free, table)
    power = works[0]
    for i in range(6):
        held = vectors[BIAS, i] - vectors[PUSH, i]
        for j in range(6):
            held += inertia[i, j] * vectors[ANSWER, j]
        vectors[HOLD, i] = held * (1.0 - free[i])
        power += vectors[SWING, i] * vectors[ANSWER, i]
    works[0] = power
    return sound


@kernel
def rod_rate(body, laws, setting, strains, i, t, inside, x, scratch, rate):
    """Rate of a state at time t, with the strains' row i. False if the head's motion is not determined."""
    half, weight, own = body
    work, inertia, _table, vectors, works, _, _, _ = scratch
    base = head_frame(x)
    sweep(half, strains.value[i], strains.rate[i], strains.acceleration[i], work)
    gather_inertia(weight, own, work, inertia, vectors[SWING])
    if not find_twist(body, laws, setting, base, t, inside, x, scratch):
        return False
    net_push(body, laws, base, t, inside, vectors, TWIST, work, works)
    sound = accelerate(body, setting, scratch)
    twist, push, hold = pair_of(vectors, TWIST), pair_of(vectors, PUSH), pair_of(vectors, HOLD)
    put_vector_at(rate, POSITION, base.rotation @ twist.linear)
    put_quaternion_rate(x, TURN, twist.angular, rate)
    outer = into_world(base, Wrench(push.linear + hold.linear, push.angular + hold.angular))
    for c in range(6):
        rate[SPEED + c] = vectors[ANSWER, c]
    if setting.form == MOMENTUM_FORM:
        put_vector_at(rate, SPEED, outer.force)
        put_vector_at(rate, SPEED + 3, outer.torque)
    rate[WORKS], rate[WORKS + 1], rate[WORKS + 2] = works[0], works[1], 0.0
    put_vector_at(rate, WORKS + 3, outer.force)
    put_vector_at(rate, WORKS + 6, outer.torque)
    return sound


@kernel
def store(scratch, records, r, row):
    """Keep everything of this instant in record r."""
    work, _, _, vectors, works, stage, _, _ = scratch
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
def advance(body, laws, setting, strains, knots, record, x, scratch, records):
    """Step x from the first knot to the last and record where asked. Returns the step at which the motion was not determined, or -1."""
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
            if stage == 0:
                copy(x, state)
            else:
                add(START, size, x, lead * h, rate, state)
            if not rod_rate(body, laws, setting, strains, 2 * n + int(2.0 * lead), t + lead * h, inside, state, scratch, rate):
                return n
            if stage == 0:
                if setting.form == NO_INERTIA:            # the twist is no state: keep it as the guess of the next step
                    for c in range(6):
                        x[SPEED + c] = scratch.vectors[TWIST, c]
                        state[SPEED + c] = x[SPEED + c]
                if record[n]:
                    store(scratch, records, r, 2 * n)
                    r += 1
                if last:
                    return -1
                copy(rate, total)
            else:
                add(START, size, total, weight, rate, total)
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
def loads_many(body, laws, times, inside, poses, twist, work, bias, push, works):
    """What pushes, and the inertial wrench without η̇_o, at T instants of a given motion; the pushes stay in `work`."""
    _half, weight, own = body
    for i in range(times.shape[0]):
        V = pair_of(twist, i)
        push_slices(laws, times[i], inside[i], head_frame(poses[i]), V, work[i])
        gather_forces(weight, own, V, work[i], bias[i], push[i], works[i])
