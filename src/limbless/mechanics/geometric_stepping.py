"""Time stepping of the geometric model with set-valued friction: Moreau's scheme, velocities jump as friction demands.

A step takes the metric and all smooth forces at its middle, and asks that the velocities at its end, with the impulses of the step,
obey Coulomb's law exactly. A wheel that sticks then does not creep, and the torques do not depend on a slip speed.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import COLUMN, HAS_BODY
from limbless.mechanics.chain_motion import copy
from limbless.mechanics.columns import (
    BODY_ORIGIN,
    BODY_ROTATION,
    BODY_VELOCITY,
    get_matrix,
    get_twist,
    get_vector,
    get_wrench,
    put_pair,
    put_vector,
    put_vector_at,
    vector_at,
)
from limbless.mechanics.dense import substitute
from limbless.mechanics.friction_cones import residual, solve_cones
from limbless.mechanics.geometric_motion import (
    LOCKED,
    UNSOLVED,
    finish_step,
    is_near_lock,
    push_joints,
    put_coordinate_rates,
    put_sums,
    store_forces,
    store_pose,
)
from limbless.mechanics.inertia import Wrench, carry_wrench, power
from limbless.mechanics.kernel import inline, kernel
from limbless.mechanics.laws import apply_laws
from limbless.mechanics.mixed_dynamics import clamp_rows, efforts, prepare, solve_free
from limbless.mechanics.screws import FIRST, LOAD, ORIGIN_OF_ALL, SCREW, accelerate, place, weigh
from limbless.mechanics.vectors import cross

GRIP_BODY, GRIP_POINT, GRIP_AXES, GRIP_LIMIT, GRIP_FROM, GRIP_UNTIL = np.array([0, 1, 4, 10, 12, 13])
GRIP_COLUMNS = 14
SIDE = np.array([0, 3])


class Contacts(NamedTuple):
    """All places where set-valued friction acts, and the working memory of its solution; C contacts, two directions each."""

    grips: NDArray[np.float64]        # (C, GRIP_COLUMNS) body, point, rolling direction, axle, limits (N), time window
    joined: bool                      # an ellipse joins the two directions
    rows: NDArray[np.float64]         # (2C, N) velocity along each direction = row . speeds
    mobility: NDArray[np.float64]     # (2C, N)
    coupling: NDArray[np.float64]     # (2C, 2C)
    slip: NDArray[np.float64]         # (2C,)
    limit: NDArray[np.float64]        # (2C,) N; 0 where it does not act now
    u: NDArray[np.float64]            # (2C,) friction over its limit; kept from step to step
    factor: NDArray[np.float64]       # (2C, 2C)
    trial: NDArray[np.float64]        # (2C,)
    chosen: NDArray[np.int64]         # (4C,)
    place: NDArray[np.float64]        # (C, 3) in the world
    directions: NDArray[np.float64]   # (2C, 3) in the world


class ContactRecords(NamedTuple):
    """What is kept of the contacts at recorded instants."""

    force: NDArray[np.float64]        # (R, C, 3) world
    place: NDArray[np.float64]        # (R, C, 3) world
    held: NDArray[np.float64]         # (R, C) number of directions that stick
    residual: NDArray[np.float64]     # (R,) m/s


@kernel
def contact_rows(chain, nb, inside, work, columns, contacts):
    """Directions, places and Jacobian rows of all contacts; a contact outside its time window gets no limit."""
    grips, rows, limit, place_of, directions = contacts.grips, contacts.rows, contacts.limit, contacts.place, contacts.directions
    start = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN)
    for i in range(grips.shape[0]):
        k = int(grips[i, GRIP_BODY])
        R = get_matrix(work, k, BODY_ROTATION)
        at = get_vector(work, k, BODY_ORIGIN) + R @ get_vector(grips, i, GRIP_POINT)
        put_vector(place_of, i, FIRST, at)
        last = nb + chain.layout[k, COLUMN] if k > 0 else nb - 1
        acts = grips[i, GRIP_FROM] <= inside <= grips[i, GRIP_UNTIL]
        for side in range(2):
            direction = R @ get_vector(grips, i, GRIP_AXES + SIDE[side])
            put_vector(directions, 2 * i + side, FIRST, direction)
            line = Wrench(direction, cross(at - start, direction))
            for a in range(rows.shape[1]):
                rows[2 * i + side, a] = power(get_twist(columns, a, SCREW), line) if a <= last else 0.0
            limit[2 * i + side] = grips[i, GRIP_LIMIT + side] if acts else 0.0


@kernel
def couple(h, count, clamp_count, speeds, change, solver, contacts):
    """W = h diag(l) G M⁻¹ Gᵀ diag(l) on the free degrees of freedom that a clamp leaves, and the slip without friction."""
    free, factor, rows, held, pull = solver.free, solver.factor, solver.rows, solver.held, solver.pull
    G, mobility, W, q, limit = contacts.rows, contacts.mobility, contacts.coupling, contacts.slip, contacts.limit
    for c in range(G.shape[0]):
        for i in range(count):
            mobility[c, i] = G[c, free[i]]
        substitute(factor, count, mobility[c])
        if clamp_count > 0:
            for r in range(clamp_count):
                pull[r] = 0.0
                for i in range(count):
                    pull[r] += rows[r, free[i]] * mobility[c, i]
            substitute(held, clamp_count, pull)
            for r in range(clamp_count):
                for i in range(count):
                    mobility[c, i] -= solver.mobility[r, i] * pull[r]
        q[c] = 0.0
        for a in range(G.shape[1]):
            q[c] += limit[c] * G[c, a] * (speeds[a] + change[a])
    for c in range(G.shape[0]):
        for d in range(c + 1):
            total = 0.0
            for i in range(count):
                total += G[d, free[i]] * mobility[c, i]
            W[c, d] = h * limit[c] * limit[d] * total
            W[d, c] = W[c, d]


@kernel
def rub(chain, work, wrench, bias, push, contacts):
    """Friction as it was found: on the bodies, in the generalised forces and in the sums."""
    start = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN)
    grips, limit, u, directions = contacts.grips, contacts.limit, contacts.u, contacts.directions
    load = get_wrench(work, ORIGIN_OF_ALL, LOAD)
    total = Wrench(vector_at(push, np.int64(1)), vector_at(push, np.int64(4)))
    for i in range(grips.shape[0]):
        k, at = int(grips[i, GRIP_BODY]), get_vector(contacts.place, i, FIRST)
        force = (limit[2 * i] * u[2 * i]) * get_vector(directions, 2 * i, FIRST)
        force = force + (limit[2 * i + 1] * u[2 * i + 1]) * get_vector(directions, 2 * i + 1, FIRST)
        F = Wrench(force, 0.0 * force)
        put_pair(wrench, k, FIRST, get_wrench(wrench, k, FIRST) + carry_wrench(F, at - get_vector(work, k, BODY_ORIGIN)))
        total = total + carry_wrench(F, at - start)
        load = load - carry_wrench(F, at - start)
    for c in range(contacts.rows.shape[0]):
        for a in range(bias.shape[0]):
            bias[a] -= contacts.rows[c, a] * limit[c] * u[c]
    put_pair(work, 0, LOAD, load)
    put_vector_at(push, np.int64(1), total.force)
    put_vector_at(push, np.int64(4), total.torque)


@kernel
def power_of_wrenches(chain, work, wrench):
    """Power of all outer wrenches at the velocities that stand in `work`."""
    total = 0.0
    for k in range(work.shape[0]):
        if chain.layout[k, HAS_BODY]:
            total += power(get_twist(work, k, BODY_VELOCITY), get_wrench(wrench, k, FIRST))
    return total


@inline
def clear(array):
    for i in range(array.shape[0]):
        for c in range(array.shape[1]):
            array[i, c] = 0.0


@kernel
def smooth_impulse(nb, h, bias, torque, passive, forces):
    for a in range(bias.shape[0]):
        forces[a] = -h * bias[a] if a < nb else h * (torque[a - nb] + passive[a - nb] - bias[a])


@kernel
def begin_step(frame, mode, drive, k, h, x, scratch):
    """The middle of the step in `stage`, and the change of the given speeds over the step in `acceleration`."""
    nb, pb, n = frame.speeds, frame.coordinates, scratch.torque.shape[0]
    split, state, rate, given = pb + n, scratch.stage, scratch.rate, mode.given
    copy(x, state)
    put_coordinate_rates(frame, given, x[:split], x[split:split + nb + n], rate)
    for i in range(split):
        state[i] = x[i] + 0.5 * h * rate[i]
    for v in range(n):
        if given[nb + v]:
            state[pb + v], state[split + nb + v] = drive.position[2 * k + 1, v], drive.velocity[2 * k + 1, v]
            x[split + nb + v] = drive.velocity[2 * k, v]
            scratch.acceleration[nb + v] = drive.velocity[2 * k + 2, v] - drive.velocity[2 * k, v]
    for a in range(nb):
        if given[a]:
            x[split + a], state[split + a], scratch.acceleration[a] = 0.0, 0.0, 0.0


@kernel
def end_step(chain, frame, mode, home, h, x, scratch):
    """Speeds at the end, coordinates from the middle on, and works and impulse with the mean of both speeds."""
    nb, pb, n = frame.speeds, frame.coordinates, scratch.torque.shape[0]
    split, sums, state, rate = pb + n, pb + n + nb + n, scratch.stage, scratch.rate
    mean = state[split:sums]
    for a in range(nb + n):
        mean[a] = x[split + a] + 0.5 * h * scratch.acceleration[a]
        x[split + a] += h * scratch.acceleration[a]
    put_coordinate_rates(frame, mode.given, state[:split], x[split:sums], rate)
    for i in range(split):
        x[i] = state[i] + 0.5 * h * rate[i]
    place(chain, frame.base, nb, home, state[:split], mean, scratch.work, scratch.columns)
    scratch.push[0] = power_of_wrenches(chain, scratch.work, scratch.wrench)
    put_sums(frame, mean, get_vector(scratch.work, ORIGIN_OF_ALL, BODY_ORIGIN), scratch.torque, scratch.passive, scratch.push, x[sums:], h)


@kernel
def step_once(chain, laws, frame, mode, home, drive, k, t, h, x, scratch, solver, contacts):
    """One step from knot k. Returns -1, or what could not be solved for."""
    nb, n = frame.speeds, scratch.torque.shape[0]
    split = frame.coordinates + n
    metric, bias, change, forces, torque, passive = (
        scratch.metric, scratch.bias, scratch.acceleration, scratch.forces, scratch.torque, scratch.passive)
    begin_step(frame, mode, drive, k, h, x, scratch)
    c, middle = scratch.stage[:split], scratch.stage[split:split + nb + n]
    if is_near_lock(frame, c):
        return LOCKED
    place(chain, frame.base, nb, home, c, middle, scratch.work, scratch.columns)
    clear(scratch.wrench)                                    # the friction of the step before stands there too
    apply_laws(laws, t + 0.5 * h, t + 0.5 * h, scratch.work, scratch.wrench)
    weigh(chain, nb, scratch.wrench, scratch.work, scratch.columns, metric, bias, scratch.push)
    push_joints(chain.joints, frame, mode, drive, 2 * k + 1, c, middle, torque, passive)
    rows = nb if mode.clamped >= 0 else 0
    if rows > 0:
        clamp_rows(chain, frame.base, nb, mode.clamped, scratch.work, scratch.columns, solver.rows, solver.row_rates)
    count, fails = prepare(mode.given, metric, rows, solver)
    if fails >= 0:
        return fails
    speeds = x[split:split + nb + n]
    for r in range(rows):                                    # still at the end of the step, where the rows have moved on
        scratch.target[r] = -0.5 * h * solver.row_rates[r]
        for a in range(nb + n):
            scratch.target[r] -= solver.rows[r, a] * speeds[a]
    smooth_impulse(nb, h, bias, torque, passive, forces)
    solve_free(metric, forces, scratch.target, rows, count, solver, change)
    contact_rows(chain, nb, t + 0.5 * h, scratch.work, scratch.columns, contacts)
    couple(h, count, rows, speeds, change, solver, contacts)
    if not solve_cones(contacts.coupling, contacts.slip, contacts.joined, contacts.u, contacts.factor, contacts.trial, contacts.chosen):
        return UNSOLVED
    rub(chain, scratch.work, scratch.wrench, bias, scratch.push, contacts)
    smooth_impulse(nb, h, bias, torque, passive, forces)
    solve_free(metric, forces, scratch.target, rows, count, solver, change)
    for a in range(nb + n):
        change[a] /= h
    for r in range(rows):
        solver.pull[r] /= h
    efforts(metric, bias, change, rows, solver, scratch.effort)
    for v in range(n):
        if mode.given[nb + v]:
            torque[v] = scratch.effort[nb + v] - passive[v]
    accelerate(chain, nb, change, scratch.work, scratch.columns, scratch.push, scratch.rates)
    end_step(chain, frame, mode, home, h, x, scratch)
    return -1


@kernel
def store_contacts(contacts, kept, r):
    """Forces, places, sticking directions and the residual of the law."""
    limit, u = contacts.limit, contacts.u
    for i in range(contacts.grips.shape[0]):
        force = (limit[2 * i] * u[2 * i]) * get_vector(contacts.directions, 2 * i, FIRST)
        force = force + (limit[2 * i + 1] * u[2 * i + 1]) * get_vector(contacts.directions, 2 * i + 1, FIRST)
        put_vector(kept.force[r], i, FIRST, force)
        put_vector(kept.place[r], i, FIRST, get_vector(contacts.place, i, FIRST))
        stuck = 0.0
        if contacts.joined:
            stuck = 2.0 if u[2 * i] ** 2 + u[2 * i + 1] ** 2 < 1.0 - 1e-9 else 0.0
        else:
            for side in range(2):
                stuck += 1.0 if abs(u[2 * i + side]) < 1.0 else 0.0
        kept.held[r, i] = stuck
    kept.residual[r] = residual(contacts.coupling, contacts.slip, contacts.joined, limit, u)


@kernel
def advance_stepping(chain, laws, frame, mode, home, seat, drive, knots, record, x, scratch, solver, contacts, records, kept):
    """Steps from the first knot to the last. Forces recorded at a knot are those of the step that begins there (at the end: ended)."""
    nb, n = frame.speeds, scratch.torque.shape[0]
    split, r, steps = frame.coordinates + n, 0, knots.shape[0] - 1
    for k in range(steps + 1):
        last = k == steps
        if last and not record[k]:
            break
        if record[k]:
            place(chain, frame.base, nb, home, x[:split], x[split:split + nb + n], scratch.work, scratch.columns)
            store_pose(chain, frame, home, x, scratch, records, r)
        if not last and knots[k + 1] > knots[k]:
            fails = step_once(chain, laws, frame, mode, home, drive, k, knots[k], knots[k + 1] - knots[k], x, scratch, solver, contacts)
            if fails >= 0:
                return fails, k, r
        if record[k]:
            store_forces(frame, scratch, records, r, x[split:split + nb + n])
            store_contacts(contacts, kept, r)
            r += 1
        if not last:
            finish_step(chain, frame, mode, home, seat, drive, 2 * k + 2, x, scratch)
    return -1, steps, r
