"""Time integration of the geometric model with smooth forces: classical Runge-Kutta in the model's own coordinates.

The flat state holds coordinates (base, then joints), speeds (base, then joints) and the sums of `chain_motion`: works and impulse.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import (
    BODY_ORIGIN,
    BODY_ROTATION,
    BODY_VELOCITY,
    get_matrix,
    get_twist,
    get_vector,
    put_pair,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    vector_at,
)
from limbless.mechanics.algebra.inertia import Wrench, carry_twist, carry_wrench
from limbless.mechanics.algebra.lie import normalised
from limbless.mechanics.algebra.vectors import rotation_from_quaternion, transpose
from limbless.mechanics.chain.row_motion import (
    ACTUATOR_WORK,
    ENVIRONMENT_WORK,
    IMPULSE,
    INTEGRALS,
    PASSIVE_WORK,
    add,
    copy,
    feedback_torque,
    passive_torque,
    put_quaternion_rate,
    stage_lead,
)
from limbless.mechanics.chain.row_saturation import ACTS, answer, relent, take_wish
from limbless.mechanics.chain.rows import LEADING, SATURATION, mass_speed
from limbless.mechanics.chain.screws import (
    FIRST,
    HALF,
    ORIGIN_OF_ALL,
    PLANAR_GROUP,
    SPACE_CHART,
    SPACE_GROUP,
    accelerate,
    base_quaternion,
    place,
    weigh,
)
from limbless.mechanics.compiled.kernel import inline, kernel
from limbless.mechanics.compiled.scalars import sincos
from limbless.mechanics.forces.chain_rows import apply_laws, put_powers
from limbless.mechanics.geometric.mixed_dynamics import clamp_rows, efforts, prepare, solve_free
from limbless.mechanics.geometric.reseating import reseat
from limbless.mechanics.integrate.tally import add_laws, add_smooth_works, look_and_keep

NEAR_LOCK = 1e-3                 # cosine of the pitch at which the virtual joints of a 3-D base count as locked
LOCKED = 2_000_000               # returned in place of a degree of freedom
UNSOLVED = 3_000_000             # returned where friction could not be solved for


class Frame(NamedTuple):
    """How the base is described: code of `screws`, number of its speeds, number of its coordinates; whether (22) is as printed."""

    base: int
    speeds: int
    coordinates: int
    printed: bool = False


class Scratch(NamedTuple):
    """Working memory of one run, allocated once."""

    work: NDArray[np.float64]          # (rows, WORK_COLUMNS)
    columns: NDArray[np.float64]       # (N, SCREW_COLUMNS)
    wrench: NDArray[np.float64]        # (rows, 6)
    rates: NDArray[np.float64]         # (rows, 6)
    metric: NDArray[np.float64]        # (N, N)
    bias: NDArray[np.float64]          # (N,)
    acceleration: NDArray[np.float64]  # (N,)
    effort: NDArray[np.float64]        # (N,) what acts along each degree of freedom
    forces: NDArray[np.float64]        # (N,) right-hand side
    torque: NDArray[np.float64]        # (joints,) what the actuators give
    wish: NDArray[np.float64]          # (WISH_ROWS, joints) what the feedback asks of them: see `saturation`
    passive: NDArray[np.float64]       # (joints,) springs, dampers and friction in the joints
    push: NDArray[np.float64]          # (PUSH,) as in `chain_motion`
    target: NDArray[np.float64]        # (6,)
    stage: NDArray[np.float64]         # (x,)
    rate: NDArray[np.float64]
    total: NDArray[np.float64]
    powers: NDArray[np.float64]        # (4, joints) W, of each actuator at each stage


@kernel
def take_drive(frame, mode, drive, i, c, speeds, acceleration):
    """Motion-given joints take the drive's row i; a motion-given base stands still."""
    given, nb, pb = mode.given, frame.speeds, frame.coordinates
    for a in range(nb):
        if given[a]:
            speeds[a] = 0.0
            acceleration[a] = 0.0
    for v in range(speeds.shape[0] - nb):
        if given[nb + v]:
            c[pb + v] = drive.position[i, v]
            speeds[nb + v] = drive.velocity[i, v]
            acceleration[nb + v] = drive.acceleration[i, v]


@kernel
def push_joints(joints, frame, mode, drive, i, c, speeds, torque, wish, passive):
    """Springs, dampers and friction of all joints; torques of the force-given ones."""
    nb, pb, given = frame.speeds, frame.coordinates, mode.given
    held, bounds = min(i, drive.torque.shape[0] - 1), joints[:, SATURATION:]
    for v in range(torque.shape[0]):
        q, rate = c[pb + v], speeds[nb + v]
        passive[v] = passive_torque(joints, v, q, rate)
        joints[v, LEADING], wish[ACTS, v] = 0.0, 0.0
        if not given[nb + v]:
            torque[v] = drive.torque[held, v]
            if mode.feedback:
                wanted = torque[v] + feedback_torque(joints, v, drive.position[i, v] - q, drive.velocity[i, v] - rate,
                                                     drive.acceleration[i, v])
                torque[v] = take_wish(bounds, v, wanted, wish)


@inline
def weigh_leads(joints, nb, sign, metric):
    """Put the inertia with which feedback answers to accelerations into the metric, or take it out."""
    for v in range(joints.shape[0]):
        metric[nb + v, nb + v] += sign * joints[v, LEADING]


@inline
def is_near_lock(frame, c):
    """Gimbal lock of the virtual joints RZ RY RX: the first and the last axis are parallel at a pitch of 90 degrees."""
    if frame.base != SPACE_CHART:
        return False
    _, cosine = sincos(c[4])
    return abs(cosine) < NEAR_LOCK


@kernel
def put_coordinate_rates(frame, given, c, speeds, rate):
    """Rates of the coordinates; none where motion-given joints take theirs from the drive."""
    base, nb, pb = frame.base, frame.speeds, frame.coordinates
    if base == PLANAR_GROUP:
        s, k = sincos(c[2])
        rate[0], rate[1], rate[2] = k * speeds[0] - s * speeds[1], s * speeds[0] + k * speeds[1], speeds[2]
    elif base == SPACE_GROUP:
        q = quaternion_at(c, HALF)
        put_vector_at(rate, FIRST, rotation_from_quaternion(q.w, q.x, q.y, q.z) @ vector_at(speeds, FIRST))
        put_quaternion_rate(c, HALF, vector_at(speeds, HALF), rate)
    else:
        for a in range(nb):
            rate[a] = speeds[a]
    for v in range(speeds.shape[0] - nb):
        rate[pb + v] = 0.0 if given[nb + v] else speeds[nb + v]


@inline
def put_sums(frame, speeds, start, torque, passive, push, sums, weight):
    """Add `weight` times the powers and the impulse about the world's origin."""
    nb = frame.speeds
    driven, lost = 0.0, 0.0
    for v in range(torque.shape[0]):
        driven += torque[v] * speeds[nb + v]
        lost += passive[v] * speeds[nb + v]
    sums[ACTUATOR_WORK] += weight * driven
    sums[ENVIRONMENT_WORK] += weight * push[0]
    sums[PASSIVE_WORK] += weight * lost
    outer = carry_wrench(Wrench(vector_at(push, np.int64(1)) + vector_at(push, np.int64(7)),
                                vector_at(push, np.int64(4)) + vector_at(push, np.int64(10))), start)
    for i in range(3):
        sums[IMPULSE + i] += weight * outer.force[i]
        sums[IMPULSE + 3 + i] += weight * outer.torque[i]


@kernel
def mixed_terms(chain, frame, home, c, speeds, scratch):
    """What (22) as printed leaves out, minus 2 Γ_ijk ẋ_i ẋ_j with i of the base and j of the joints, in `effort`.

    Γ(v, v) is quadratic: the mixed part is what all speeds have beyond those of the base and those of the joints alone. Wrenches that
    stand in `wrench` fall out of the sum.
    """
    part, total = scratch.forces, scratch.effort
    for a in range(total.shape[0]):
        total[a] = 0.0
    for which in range(4):                                   # of the base, of the joints; less all and none
        for a in range(part.shape[0]):
            part[a] = speeds[a] if which == 2 or which == (0 if a < frame.speeds else 1) else 0.0
        place(chain, frame.base, frame.speeds, home, c, part, scratch.work, scratch.columns)
        weigh(chain, frame.speeds, scratch.wrench, scratch.work, scratch.columns, scratch.metric, scratch.bias, scratch.push)
        for a in range(total.shape[0]):
            total[a] += scratch.bias[a] if which < 2 else -scratch.bias[a]


@inline
def drop_mixed_terms(frame, scratch):
    """Take them out of the rows of the base."""
    if frame.printed:
        for a in range(frame.speeds):
            scratch.bias[a] += scratch.effort[a]


@kernel
def evaluate(chain, laws, frame, mode, home, drive, i, t, inside, c, speeds, scratch, solver):
    """All of one instant: accelerations, torques, wrench that holds. Returns -1, or the degree of freedom that cannot be solved for."""
    nb = frame.speeds
    metric, bias, acceleration, effort, forces, target = (
        scratch.metric, scratch.bias, scratch.acceleration, scratch.effort, scratch.forces, scratch.target)
    work, columns, torque, passive, push = scratch.work, scratch.columns, scratch.torque, scratch.passive, scratch.push
    joints, wish = chain.joints, scratch.wish
    take_drive(frame, mode, drive, i, c, speeds, acceleration)
    if is_near_lock(frame, c):
        return LOCKED
    if frame.printed:
        mixed_terms(chain, frame, home, c, speeds, scratch)
    place(chain, frame.base, nb, home, c, speeds, work, columns)
    apply_laws(laws, t, inside, work, scratch.wrench)
    push_joints(joints, frame, mode, drive, i, c, speeds, torque, wish, passive)
    weigh(chain, nb, scratch.wrench, work, columns, metric, bias, push)
    drop_mixed_terms(frame, scratch)
    rows = nb if mode.clamped >= 0 else 0
    if rows > 0:
        clamp_rows(chain, frame.base, nb, mode.clamped, work, columns, solver.rows, solver.row_rates)
    for r in range(rows):
        target[r] = -solver.row_rates[r]
    again, rounds = True, 0
    while again:
        count, fails = prepare(mode.given, metric, rows, solver)
        if fails >= 0:
            return fails
        for a in range(bias.shape[0]):
            forces[a] = -bias[a] if a < nb else torque[a - nb] + passive[a - nb] - bias[a]
        solve_free(metric, forces, target, rows, count, solver, acceleration)
        weigh_leads(joints, nb, -1.0, metric)
        again = relent(joints[:, SATURATION:], rounds, 0.0, wish, acceleration[nb:], torque)
        weigh_leads(joints, nb, 1.0, metric)
        rounds += 1
    answer(joints[:, SATURATION:], wish, acceleration[nb:], torque)
    efforts(metric, bias, acceleration, rows, solver, effort)
    for v in range(torque.shape[0]):
        if mode.given[nb + v]:
            torque[v] = effort[nb + v] - passive[v]
    accelerate(chain, nb, acceleration, work, columns, push, scratch.rates)
    return -1


@kernel
def store_pose(chain, frame, home, x, scratch, records, r):
    """Keep coordinates, poses and twists of this instant, in the layout that all models of a chain record."""
    nb, pb, work = frame.speeds, frame.coordinates, scratch.work
    n = scratch.torque.shape[0]
    kept = records.x[r]
    put_vector_at(kept, FIRST, get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN))
    put_quaternion_at(kept, HALF, base_quaternion(frame.base, home, x))
    Rt = transpose(get_matrix(work, ORIGIN_OF_ALL, BODY_ROTATION))
    V = get_twist(work, ORIGIN_OF_ALL, BODY_VELOCITY)
    put_vector_at(kept, np.int64(7 + n), Rt @ V.linear)
    put_vector_at(kept, np.int64(10 + n), Rt @ V.angular)
    for v in range(n):
        kept[7 + v] = x[pb + v]
        kept[13 + n + v] = x[pb + n + nb + v]
    for i in range(INTEGRALS):
        kept[13 + 2 * n + i] = x[pb + n + nb + n + i]
    for k in range(work.shape[0]):
        for i in range(9):
            records.rotation[r, k, i] = work[k, BODY_ROTATION + i]
        for i in range(3):
            records.origin[r, k, i] = work[k, BODY_ORIGIN + i]
        for i in range(6):
            records.twist[r, k, i] = work[k, BODY_VELOCITY + i]


@kernel
def store_forces(frame, scratch, records, r, speeds):
    """Keep accelerations, torques, powers and wrenches of this instant (or of the step that begins there)."""
    nb, work, rates, push = frame.speeds, scratch.work, scratch.rates, scratch.push
    Rt = transpose(get_matrix(work, ORIGIN_OF_ALL, BODY_ROTATION))
    A = get_twist(rates, ORIGIN_OF_ALL, FIRST)
    kept = records.acceleration[r]
    put_vector_at(kept, FIRST, Rt @ A.linear)
    put_vector_at(kept, HALF, Rt @ A.angular)
    start = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN)
    driven, lost = 0.0, 0.0
    for v in range(scratch.torque.shape[0]):
        records.torque[r, v] = scratch.torque[v]
        kept[6 + v] = scratch.acceleration[nb + v]
        driven += scratch.torque[v] * speeds[nb + v]
        lost += scratch.passive[v] * speeds[nb + v]
    records.powers[r, 0], records.powers[r, 1], records.powers[r, 2] = driven, push[0], lost
    for i in range(6):
        records.hold[r, i] = push[7 + i]
    for k in range(work.shape[0]):
        arm = get_vector(work, k, BODY_ORIGIN) - start
        put_pair(records.twist_rate[r], k, FIRST, carry_twist(get_twist(rates, k, FIRST), arm))
        for i in range(6):
            records.wrench[r, k, i] = scratch.wrench[k, i]


@kernel
def finish_step(chain, frame, mode, home, seat, drive, i, x, scratch):
    """After a step: a unit quaternion again, motion-given joints where the drive has them, the clamped module back in its seat."""
    pb = frame.coordinates
    if frame.base == SPACE_GROUP:
        put_quaternion_at(x, HALF, normalised(quaternion_at(x, HALF)))
    given, nb, n = mode.given, frame.speeds, drive.velocity.shape[1]
    for v in range(n):
        if given[nb + v]:
            x[pb + v], x[pb + n + nb + v] = drive.position[i, v], drive.velocity[i, v]
    if mode.clamped >= 0:
        reseat(chain, frame, mode.clamped, home, seat, x[:pb + n], x[pb + n:pb + n + nb + n], scratch.work, scratch.columns)


@kernel
def advance_smooth(chain, laws, frame, mode, home, seat, drive, knots, record, x, scratch, solver, records, tally, tallied):
    """Runge-Kutta steps from the first knot to the last. Returns -1 or the failing degree of freedom, the step, and records kept."""
    n, nb, pb = scratch.torque.shape[0], frame.speeds, frame.coordinates
    split, sums, size = pb + n, pb + n + nb + n, x.shape[0]
    state, rate, total = scratch.stage, scratch.rate, scratch.total
    c, speeds, r, steps = state[:split], state[split:sums], 0, knots.shape[0] - 1
    for k in range(steps + 1):
        last = k == steps
        if last and not record[k]:
            break
        t = knots[k]
        h = 0.0 if last else knots[k + 1] - t
        inside = t + 0.5 * h if h > 0.0 else 0.5 * (t + knots[max(k - 1, 0)])
        for stage in range(4):
            lead, weight = stage_lead(stage)
            if stage == 0:
                copy(x, state)
            else:
                add(0, size, x, lead * h, rate, state)
            fails = evaluate(chain, laws, frame, mode, home, drive, 2 * k + int(2.0 * lead), t + lead * h, inside, c, speeds,
                             scratch, solver)
            if fails >= 0:
                return fails, k, r
            for i in range(rate.shape[0]):
                rate[i] = 0.0
            put_coordinate_rates(frame, mode.given, c, speeds, rate)
            for a in range(nb + n):
                rate[split + a] = 0.0 if mode.given[a] else scratch.acceleration[a]
            put_sums(frame, speeds, get_vector(scratch.work, ORIGIN_OF_ALL, BODY_ORIGIN), scratch.torque, scratch.passive, scratch.push,
                     rate[sums:], 1.0)
            for v in range(n):
                scratch.powers[stage, v] = scratch.torque[v] * speeds[nb + v]
            if stage == 0:
                look_and_keep(tally, tallied, r, record[k], last, t, scratch.torque, mass_speed(chain, scratch.work))
                if record[k]:
                    store_pose(chain, frame, home, state, scratch, records, r)
                    store_forces(frame, scratch, records, r, speeds)
                    r += 1
                if last:
                    return -1, steps, r
                copy(rate, total)
            else:
                add(0, size, total, weight, rate, total)
            put_powers(laws, inside, scratch.work)             # after a record of this instant: the step has only begun
            add_laws(tally, weight * h / 6.0, laws.power, rate[sums], rate[sums + 1], rate[sums + 2])
        add(0, size, x, h / 6.0, total, x)
        add_smooth_works(tally, h, scratch.powers)
        finish_step(chain, frame, mode, home, seat, drive, 2 * k + 2, x, scratch)
    return -1, steps, r
