"""Time stepping of the geometric model with set-valued friction: Moreau's scheme, velocities jump as friction demands.

A step takes the metric and all smooth forces at its middle, and asks that the velocities at its end, with the impulses of the step,
obey Coulomb's law exactly. A wheel that sticks then does not creep, and the torques do not depend on a slip speed.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import (
    BODY_ORIGIN,
    BODY_VELOCITY,
    get_twist,
    get_vector,
    get_wrench,
    put_pair,
    put_vector,
    put_vector_at,
    vector_at,
)
from limbless.mechanics.algebra.dense import substitute
from limbless.mechanics.algebra.inertia import Wrench, carry_wrench, power
from limbless.mechanics.algebra.vectors import cross
from limbless.mechanics.chain.row_motion import copy
from limbless.mechanics.chain.row_saturation import answer, relent
from limbless.mechanics.chain.rows import COLUMN, HAS_BODY, LEADING, SATURATION, mass_flow
from limbless.mechanics.chain.screws import FIRST, LOAD, ORIGIN_OF_ALL, SCREW, accelerate, place, weigh
from limbless.mechanics.compiled.kernel import inline, kernel
from limbless.mechanics.contact.dense import Dense, solve_friction
from limbless.mechanics.contact.gap import find_contacts
from limbless.mechanics.contact.law import SLIP, STICK, contact_wrench, held_directions, press
from limbless.mechanics.contact.tables import Contact, Pair, Rest, Scene
from limbless.mechanics.forces.chain_rows import apply_laws, lay_slab, put_powers
from limbless.mechanics.geometric.mixed_dynamics import clamp_rows, efforts, prepare, solve_free
from limbless.mechanics.geometric.motion import (
    LOCKED,
    UNSOLVED,
    drop_mixed_terms,
    finish_step,
    is_near_lock,
    mixed_terms,
    push_joints,
    put_coordinate_rates,
    put_sums,
    store_forces,
    store_pose,
    weigh_leads,
)
from limbless.mechanics.integrate.tally import add_step, add_work, compare, keep

TOLERANCE = 1e-13                # m/s: natural map of the friction law at which a step is solved: torques show first what is left
BOUND = 1e-9                     # m/s: a step that keeps more fails the run
SLACK = 1e-11                    # rad/s: error of joint rates that friction solved to TOLERANCE may leave


class Contacts(NamedTuple):
    """All places where set-valued friction acts, and the working memory of its solution; C contacts, two directions each."""

    scene: Scene
    rest: Rest
    contact: NDArray[np.float64]      # Contact (C,); impulses are kept from step to step
    active: NDArray[np.int64]         # (C,)
    rows: NDArray[np.float64]         # (2C, N) slip along each direction = row . speeds
    mobility: NDArray[np.float64]     # (2C, N)
    dense: Dense
    descent: float                    # ρ, kg
    counts: NDArray[np.float64]       # (3,) steps, iterations, largest residual since the last record (m/s)


class ContactRecords(NamedTuple):
    """What is kept of the contacts at recorded instants."""

    force: NDArray[np.float64]        # (R, C, 3) world
    place: NDArray[np.float64]        # (R, C, 3) world
    held: NDArray[np.float64]         # (R, C) number of directions that stick
    state: NDArray[np.float64]        # (R, C) OPEN, STICK or SLIP
    residual: NDArray[np.float64]     # (R,) m/s


@kernel
def contact_rows(chain, nb, h, count, work, columns, contacts):
    """Loads and Jacobian rows of the active contacts."""
    contact, active, owner, rows = contacts.contact, contacts.active, contacts.scene.owner, contacts.rows
    start = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN)
    for c in range(count):
        row, k = Contact(contact, active[c]), owner[active[c]]
        press(row, h)
        arm = get_vector(work, k, BODY_ORIGIN) + row.arm - start
        last = nb + chain.layout[k, COLUMN] if k > 0 else nb - 1
        along = row.tangent
        across = cross(row.normal, along)
        first, second = Wrench(along, cross(arm, along)), Wrench(across, cross(arm, across))
        for a in range(rows.shape[1]):
            s = get_twist(columns, a, SCREW)
            rows[2 * c, a], rows[2 * c + 1, a] = (power(s, first), power(s, second)) if a <= last else (0.0, 0.0)


@kernel
def couple(count, free_count, clamp_count, speeds, change, solver, contacts):
    """D = G M⁻¹ Gᵀ on the free degrees of freedom that a clamp leaves, and the slip γ0 without friction."""
    free, factor, rows, held, pull = solver.free, solver.factor, solver.rows, solver.held, solver.pull
    G, mobility, D, slip = contacts.rows, contacts.mobility, contacts.dense.coupling, contacts.dense.slip
    for c in range(2 * count):
        for i in range(free_count):
            mobility[c, i] = G[c, free[i]]
        substitute(factor, free_count, mobility[c])
        if clamp_count > 0:
            for r in range(clamp_count):
                pull[r] = 0.0
                for i in range(free_count):
                    pull[r] += rows[r, free[i]] * mobility[c, i]
            substitute(held, clamp_count, pull)
            for r in range(clamp_count):
                for i in range(free_count):
                    mobility[c, i] -= solver.mobility[r, i] * pull[r]
        slip[c] = 0.0
        for a in range(G.shape[1]):
            slip[c] += G[c, a] * (speeds[a] + change[a])
        for d in range(c + 1):
            total = 0.0
            for i in range(free_count):
                total += G[d, free[i]] * mobility[c, i]
            D[c, d] = total
            D[d, c] = total


@inline
def friction_impulse(row):
    """T = S ξ"""
    return Pair(row.friction.forward * row.shear.along, row.friction.lateral * row.shear.across)


@kernel
def rub(count, h, work, wrench, bias, push, contacts):
    """Friction as it was found: on the bodies, in the generalised forces and in the sums."""
    contact, active, owner, rows = contacts.contact, contacts.active, contacts.scene.owner, contacts.rows
    start, per_step = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN), 1.0 / h
    load = get_wrench(work, ORIGIN_OF_ALL, LOAD)
    total = Wrench(vector_at(push, np.int64(1)), vector_at(push, np.int64(4)))
    for c in range(count):
        i = active[c]
        row = Contact(contact, i)
        k, F = owner[i], per_step * contact_wrench(row)
        put_pair(wrench, k, FIRST, get_wrench(wrench, k, FIRST) + F)
        F = carry_wrench(F, get_vector(work, k, BODY_ORIGIN) - start)
        total, load = total + F, load - F
        push_along = friction_impulse(row)
        for a in range(bias.shape[0]):
            bias[a] -= rows[2 * c, a] * (per_step * push_along.along)
            bias[a] -= rows[2 * c + 1, a] * (per_step * push_along.across)
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
def overload(joints, nb, rounds, h, touching, count, solver, contacts, scratch):
    """With the friction that was found: whether some actuator gives what it should not, so that the step has to be solved again."""
    change, free, contact = scratch.acceleration, solver.free, contacts.contact
    for c in range(touching):
        impulse = friction_impulse(Contact(contact, contacts.active[c]))
        for j in range(count):
            change[free[j]] += contacts.mobility[2 * c, j] * impulse.along
            change[free[j]] += contacts.mobility[2 * c + 1, j] * impulse.across
    for a in range(change.shape[0]):
        change[a] /= h
    weigh_leads(joints, nb, -1.0, scratch.metric)
    again = relent(joints[:, SATURATION:], rounds, SLACK / h, scratch.wish, change[nb:], scratch.torque)
    weigh_leads(joints, nb, 1.0, scratch.metric)
    for a in range(change.shape[0]):
        change[a] *= h
    return again


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


@inline
def any_leads(joints):
    """Whether any feedback answers to accelerations now; a robot without joints has none."""
    found = False
    for v in range(joints.shape[0]):
        found = found or joints[v, LEADING] > 0.0
    return found


@kernel
def step_once(chain, laws, frame, mode, home, drive, k, t, h, x, scratch, solver, contacts, tally):
    """One step from knot k. Returns -1, or what could not be solved for."""
    nb, n = frame.speeds, scratch.torque.shape[0]
    split = frame.coordinates + n
    metric, bias, change, forces, torque, passive = (
        scratch.metric, scratch.bias, scratch.acceleration, scratch.forces, scratch.torque, scratch.passive)
    begin_step(frame, mode, drive, k, h, x, scratch)
    c, middle = scratch.stage[:split], scratch.stage[split:split + nb + n]
    if is_near_lock(frame, c):
        return LOCKED
    if frame.printed:
        mixed_terms(chain, frame, home, c, middle, scratch)
    place(chain, frame.base, nb, home, c, middle, scratch.work, scratch.columns)
    clear(scratch.wrench)                                    # the friction of the step before stands there too
    apply_laws(laws, t + 0.5 * h, t + 0.5 * h, scratch.work, scratch.wrench)
    push_joints(chain.joints, frame, mode, drive, 2 * k + 1, c, middle, torque, scratch.wish, passive)
    weigh(chain, nb, scratch.wrench, scratch.work, scratch.columns, metric, bias, scratch.push)
    drop_mixed_terms(frame, scratch)
    rows = nb if mode.clamped >= 0 else 0
    if rows > 0:
        clamp_rows(chain, frame.base, nb, mode.clamped, scratch.work, scratch.columns, solver.rows, solver.row_rates)
    speeds, leads = x[split:split + nb + n], any_leads(chain.joints)
    for r in range(rows):                                    # still at the end of the step, where the rows have moved on
        scratch.target[r] = -0.5 * h * solver.row_rates[r]
        for a in range(nb + n):
            scratch.target[r] -= solver.rows[r, a] * speeds[a]
    touching = find_contacts(contacts.scene, contacts.rest, scratch.work, t + 0.5 * h, 1.0, contacts.contact, contacts.active)
    contact_rows(chain, nb, h, touching, scratch.work, scratch.columns, contacts)
    again, rounds, counts = True, 0, contacts.counts
    while again:
        count, fails = prepare(mode.given, metric, rows, solver)
        if fails >= 0:
            return fails
        smooth_impulse(nb, h, bias, torque, passive, forces)
        solve_free(metric, forces, scratch.target, rows, count, solver, change)
        couple(touching, count, rows, speeds, change, solver, contacts)
        iterations, worst = solve_friction(contacts.contact, contacts.active, touching, contacts.dense, contacts.descent, TOLERANCE)
        counts[1] += iterations
        if not worst <= BOUND:
            return UNSOLVED
        again = leads and overload(chain.joints, nb, rounds, h, touching, count, solver, contacts, scratch)
        rounds += 1
    counts[0], counts[2] = counts[0] + 1.0, max(counts[2], worst)
    rub(touching, h, scratch.work, scratch.wrench, bias, scratch.push, contacts)
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
    answer(chain.joints[:, SATURATION:], scratch.wish, change[nb:], torque)
    accelerate(chain, nb, change, scratch.work, scratch.columns, scratch.push, scratch.rates)
    end_step(chain, frame, mode, home, h, x, scratch)
    count_step(chain, laws, frame, t, h, touching, scratch, contacts, tally)
    return -1


@kernel
def count_step(chain, laws, frame, t, h, touching, scratch, contacts, tally):
    """A step in the tally: every force works along the mean velocities that stand in `work` and `stage`."""
    nb, n, work = frame.speeds, scratch.torque.shape[0], scratch.work
    mean = scratch.stage[frame.coordinates + n:]
    for c in range(touching):
        i = contacts.active[c]
        tally.contacts[i] += power(get_twist(work, contacts.scene.owner[i], BODY_VELOCITY), contact_wrench(Contact(contacts.contact, i)))
    driven, passive = 0.0, 0.0
    for v in range(n):
        done = h * scratch.torque[v] * mean[nb + v]
        add_work(tally.actuators, v, done)
        compare(tally.actuators, v, t, scratch.torque[v])
        driven, passive = driven + done, passive + h * scratch.passive[v] * mean[nb + v]
    lay_slab(laws.bands.members, work, laws.bands.slab)
    put_powers(laws, t + 0.5 * h, work)
    flow, mass = mass_flow(chain, work)
    add_step(tally, h, laws.power, driven, h * scratch.push[0], passive, h * flow, mass)


@kernel
def store_contacts(contacts, work, kept, r):
    """Forces (means over the step), places, sticking directions and the largest residual since the record before."""
    contact, owner = contacts.contact, contacts.scene.owner
    for i in range(contact.shape[0]):
        row = Contact(contact, i)
        if row.load > 0.0:
            put_vector(kept.force[r], i, FIRST, (row.given / row.load) * contact_wrench(row).force)
            put_vector(kept.place[r], i, FIRST, get_vector(work, owner[i], BODY_ORIGIN) + row.arm)
            kept.held[r, i] = held_directions(row)
            kept.state[r, i] = STICK if kept.held[r, i] == 2 else SLIP
    kept.residual[r] = contacts.counts[2]
    contacts.counts[2] = 0.0


@kernel
def advance_stepping(
    chain, laws, frame, mode, home, seat, drive, knots, record, x, scratch, solver, contacts, records, kept, tally, tallied
):
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
            keep(tally, tallied, r)
        if not last and knots[k + 1] > knots[k]:
            fails = step_once(chain, laws, frame, mode, home, drive, k, knots[k], knots[k + 1] - knots[k], x, scratch, solver, contacts,
                              tally)
            if fails >= 0:
                return fails, k, r
        if record[k]:
            store_forces(frame, scratch, records, r, x[split:split + nb + n])
            store_contacts(contacts, scratch.work, kept, r)
            r += 1
        if not last:
            finish_step(chain, frame, mode, home, seat, drive, 2 * k + 2, x, scratch)
    return -1, steps, r
