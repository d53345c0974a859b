"""One time step of a chain under contact: articulated-body semismooth Newton in joint coordinates, O(n).

Unknown are the twist of the base and the joint rates u at the end of the step, with impulses P that obey the contact laws:

    sum_k J_kᵀ [B_k u_k - f_k] + d q̇ = τ + Jᵀ P(u)

B_k, f_k: inertia and momentum with outer impulses of body k (about its origin, world axes); d, τ: implicit part and impulse of the
joints. Each linearised contact touches one body, so that it only adds a 6 x 6 block to that body; one sweep from tip to base, a 6 x 6
solve and one sweep back give the next iterate, which satisfies the dynamics exactly. What remains is the natural map of the contact
laws: it is the whole error of a step, and `solve_contacts` returns it.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.blocks import carry_block, eliminate, get_block, no_block, put_system, release_block
from limbless.mechanics.chain import (
    ARM,
    AXIS,
    BASE,
    COLUMN,
    FIXED,
    FREE,
    GIVEN,
    HAS_ARM,
    HAS_BODY,
    KIND,
    PLANAR,
    PRISMATIC,
    ROTATION,
    SECOND,
    START,
)
from limbless.mechanics.chain_motion import copy
from limbless.mechanics.columns import get_matrix, get_twist, get_vector, get_wrench, put_pair, put_vector_at, vector_at
from limbless.mechanics.contact_law import (
    ACTS,
    FROZEN,
    IMPULSE,
    LOAD,
    OLD,
    contact_wrench,
    explicit_impulse,
    law_block,
    linearise,
    mismatch,
    put_answer,
    put_rates,
)
from limbless.mechanics.inertia import Twist, Wrench, carry_twist, carry_wrench, power
from limbless.mechanics.kernel import inline, lean_kernel
from limbless.mechanics.scalars import sqrt
from limbless.mechanics.vectors import Vector, dot, transpose

REACH, PUSH, ANSWER = np.array([0, 6, 7])         # columns of a sweep: Sᵀ B (6) over the joint's own inertia, impulse, Sᵀ B S
SWEEP_COLUMNS, BLOCK_COLUMNS = 8, 42
MOMENTUM = np.array([36])[0]
PLAIN, BURSTS, SHORT, LONG = 6, 100, 5, 40


class Step(NamedTuple):
    """Working memory of the solver, and the step's own equations."""

    blocks: NDArray[np.float64]       # (rows, 42) B and f of every body
    resist: NDArray[np.float64]       # (joints,) d
    effort: NDArray[np.float64]       # (joints,) τ; of motion-given joints the rate, and on return the impulse of the actuator
    velocity: NDArray[np.float64]     # (6 + joints,) base twist (world axes), joint rates: guess, then answer
    twist: NDArray[np.float64]        # (rows, 6) of every body about its origin, world axes
    sweep: NDArray[np.float64]        # (rows, 8)
    system: NDArray[np.float64]       # (6, 7)
    velocity_before: NDArray[np.float64]
    twist_before: NDArray[np.float64]
    hold: NDArray[np.float64]         # (6,) impulse and moment about the base's origin (world) that hold a fixed or planar base
    grip: NDArray[np.float64]         # (joints,) largest impulse of dry friction in the step; (0,) if no joint has any
    rub: NDArray[np.float64]          # (joints,) its impulse
    held: NDArray[np.float64]         # (joints,) that of the step before
    free: NDArray[np.float64]         # (joints, 2) d and τ without it
    dry: NDArray[np.float64]          # (3,) of dry friction: compliance (1/(kg m²)), descent (kg m²), arm that turns rad/s into m/s


@inline
def joint_sides(kind, axis, I, f):
    """B S and Sᵀ B (as a wrench: its force part meets linear velocities), Sᵀ B S and Sᵀ f of a joint that slides along or turns about
    `axis`."""
    if kind == PRISMATIC:
        U, V = Wrench(I.A @ axis, I.C @ axis), Wrench(transpose(I.A) @ axis, transpose(I.B) @ axis)
        own, pushed = dot(axis, U.force), dot(axis, f.force)
    else:
        U, V = Wrench(I.B @ axis, I.D @ axis), Wrench(transpose(I.C) @ axis, transpose(I.D) @ axis)
        own, pushed = dot(axis, U.torque), dot(axis, f.torque)
    return U, V, own, pushed


@inline
def move_on(kind, axis, rate, u):
    """The twist beyond a joint."""
    if kind == PRISMATIC:
        v, w = u.linear + rate * axis, u.angular
    else:
        v, w = u.linear, u.angular + rate * axis
    return Twist(v, w)


@lean_kernel
def gather(layout, work, contact, owner, active, count, blocks, resist, effort, sweep):
    """From tip to base: block and momentum with which the whole robot answers the twist of its base."""
    I = no_block(0.0 * work[0, 0])
    zero = Vector(0.0, 0.0, 0.0)
    f = Wrench(zero, zero)
    a = count - 1
    for k in range(layout.shape[0] - 1, -1, -1):
        if layout[k, HAS_BODY]:
            I, f = I + get_block(blocks, k, START), f + get_wrench(blocks, k, MOMENTUM)
            while a >= 0 and owner[active[a]] == k:
                if contact[active[a], ACTS] > 0.0:
                    block, wrench = law_block(contact, active[a])
                    I, f = I + block, f + wrench
                a -= 1
        if k == 0:
            break
        kind, v = layout[k, KIND], layout[k, COLUMN]
        U, V, own, pushed = joint_sides(kind, get_vector(work, k, AXIS), I, f)
        if layout[k, GIVEN]:
            put_pair(sweep, k, REACH, V)
            sweep[k, PUSH], sweep[k, ANSWER] = pushed, own
            f = f - effort[v] * U
        else:
            scale = 1.0 / (own + resist[v])
            push = scale * (effort[v] + pushed)
            put_pair(sweep, k, REACH, scale * V)
            sweep[k, PUSH] = push
            f = f - push * U
            I = release_block(I, U, V, scale)
        if kind == PRISMATIC or layout[k, HAS_ARM]:
            arm = get_vector(work, k, ARM)
            I, f = carry_block(I, arm), carry_wrench(f, arm)
    return I, f


@inline
def solve_base(base, I, f, R, system):
    """Twist of the base, world axes: free, in its own x-y plane, or none."""
    zero = Vector(0.0, 0.0, 0.0)
    u = Twist(zero, zero)
    if base != FIXED:
        put_system(system, I, R, f)
        if base == PLANAR:
            for i in range(2, 5):                          # no motion along z, no rotation about x and y
                for c in range(7):
                    system[i, c] = 0.0
                system[i, i] = 1.0
        eliminate(system)
        u = Twist(R @ Vector(system[0, 6], system[1, 6], system[2, 6]), R @ Vector(system[3, 6], system[4, 6], system[5, 6]))
    return u


@inline
def spread(layout, work, effort, sweep, solved, velocity, twist):
    """From base to tip: joint rates and the twist of every body; with `solved` false the rates in `velocity` are taken as they are."""
    u = Twist(vector_at(velocity, START), vector_at(velocity, SECOND))
    put_pair(twist, BASE, START, u)
    for k in range(1, layout.shape[0]):
        kind, v = layout[k, KIND], layout[k, COLUMN]
        if kind == PRISMATIC or layout[k, HAS_ARM]:
            u = carry_twist(u, get_vector(work, k, ARM))
        if solved:
            velocity[6 + v] = effort[v] if layout[k, GIVEN] else sweep[k, PUSH] - power(u, get_wrench(sweep, k, REACH))
        u = move_on(kind, get_vector(work, k, AXIS), velocity[6 + v], u)
        put_pair(twist, k, START, u)


@lean_kernel
def give_torques(layout, sweep, work, twist, effort):
    """Impulses of the actuators of motion-given joints, in place of their rates."""
    for k in range(1, layout.shape[0]):
        if layout[k, GIVEN]:
            v = layout[k, COLUMN]
            u = move_on(layout[k, KIND], get_vector(work, k, AXIS), -effort[v], get_twist(twist, k, START))
            effort[v] = power(u, get_wrench(sweep, k, REACH)) + sweep[k, ANSWER] * effort[v] - sweep[k, PUSH]


@inline
def measure(contact, owner, active, count, twist, e, rho, answer):
    """Velocities (and, with `answer`, impulses) of all contacts at the present twists; worst of the natural map."""
    worst, per_rho = 0.0, 1.0 / rho
    for a in range(count):
        i = active[a]
        put_rates(contact, i, get_twist(twist, owner[i], START))
        if answer:
            put_answer(contact, i)
        worst = max(worst, mismatch(contact, i, e, rho, per_rho)[1])
    return sqrt(worst)


@inline
def hold_joints(layout, step):
    """Linearise dry friction in the joints: the law of a contact with a given radius, p = proj_[-grip, grip](p_A - q̇ / ε)."""
    grip, rub, held, free, velocity = step.grip, step.rub, step.held, step.free, step.velocity
    e, r = step.dry[0], step.dry[1]
    for k in range(1, layout.shape[0]):
        v = layout[k, COLUMN]
        if grip[v] > 0.0 and not layout[k, GIVEN]:
            y = rub[v] - r * (velocity[6 + v] + e * (rub[v] - held[v]))
            if abs(y) <= grip[v]:
                step.resist[v], step.effort[v] = free[v, 0] + 1.0 / e, free[v, 1] + held[v]
            else:
                step.resist[v], step.effort[v] = free[v, 0], free[v, 1] + (grip[v] if y > 0.0 else -grip[v])


@inline
def rub_joints(layout, step):
    """Impulses of dry friction after a solve, and the worst natural map (m/s) at which they keep their law."""
    grip, rub, held, free, velocity = step.grip, step.rub, step.held, step.free, step.velocity
    e, r, worst = step.dry[0], step.dry[1], 0.0
    for k in range(1, layout.shape[0]):
        v = layout[k, COLUMN]
        if grip[v] > 0.0 and not layout[k, GIVEN]:
            rate = velocity[6 + v]
            rub[v] = held[v] - rate / e if step.resist[v] > free[v, 0] else step.effort[v] - free[v, 1]
            y = rub[v] - r * (rate + e * (rub[v] - held[v]))
            worst = max(worst, abs(rub[v] - min(max(y, -grip[v]), grip[v])))
    return worst * step.dry[2] / r


@inline
def iterate(base, layout, work, contact, owner, active, count, step, e, rho, frozen):
    """One Newton iteration: linearise, solve, and measure what remains."""
    linearise(contact, active, count, e, rho, frozen)
    if step.grip.shape[0] > 0:
        hold_joints(layout, step)
    I, f = gather(layout, work, contact, owner, active, count, step.blocks, step.resist, step.effort, step.sweep)
    u = solve_base(base, I, f, get_matrix(work, BASE, ROTATION), step.system)
    put_vector_at(step.velocity, START, u.linear)
    put_vector_at(step.velocity, SECOND, u.angular)
    if base != FREE:
        needed = I @ u - f
        put_vector_at(step.hold, START, needed.force)
        put_vector_at(step.hold, SECOND, needed.torque)
    spread(layout, work, step.effort, step.sweep, True, step.velocity, step.twist)
    worst = measure(contact, owner, active, count, step.twist, e, rho, True)
    if step.grip.shape[0] > 0:
        worst = max(worst, rub_joints(layout, step))
    return worst


@lean_kernel
def iterate_again(base, layout, work, contact, owner, active, count, step, e, rho, frozen):
    """`iterate` where it is seldom needed: compiled once."""
    return iterate(base, layout, work, contact, owner, active, count, step, e, rho, frozen)


@lean_kernel
def measure_again(contact, owner, active, count, twist, e, rho):
    """`measure` of given impulses, where it is seldom needed: compiled once."""
    return measure(contact, owner, active, count, twist, e, rho, False)


@lean_kernel
def keep(contact, active, count, velocity, twist, velocity_before, twist_before):
    """Remember this iterate."""
    copy(velocity, velocity_before)
    for k in range(twist.shape[0]):
        for c in range(6):
            twist_before[k, c] = twist[k, c]
    for a in range(count):
        for c in range(IMPULSE):
            contact[active[a], OLD + c] = contact[active[a], LOAD + c]


@lean_kernel
def retreat(contact, active, count, share, velocity, twist, velocity_before, twist_before):
    """Move `share` of the way from the remembered iterate to this one. Both satisfy the dynamics, and so does every point between."""
    for c in range(velocity.shape[0]):
        velocity[c] = velocity_before[c] + share * (velocity[c] - velocity_before[c])
    for k in range(twist.shape[0]):
        for c in range(6):
            twist[k, c] = twist_before[k, c] + share * (twist[k, c] - twist_before[k, c])
    for a in range(count):
        i = active[a]
        for c in range(IMPULSE):
            contact[i, LOAD + c] = contact[i, OLD + c] + share * (contact[i, LOAD + c] - contact[i, OLD + c])


@lean_kernel
def slope_along(layout, contact, owner, active, count, step, e, share, straight, curve):
    """du . F(u + share du): derivative of the convex function with frozen radii along the step from the remembered iterate.

    `straight` and `curve` are what bodies and joints contribute, which is linear in `share`; only contact laws are asked again.
    """
    total = straight + share * curve
    before, after = step.twist_before, step.twist
    for a in range(count):
        i = active[a]
        k = owner[i]
        u0, u1 = get_twist(before, k, START), get_twist(after, k, START)
        du = u1 + (-1.0) * u0
        put_rates(contact, i, u0 + share * du)
        load, x1, x2, r1, r2 = explicit_impulse(contact, i, e)
        put_impulse(contact, i, load, x1, x2, r1, r2)
        total -= power(du, contact_wrench(contact, i))
    return total


@inline
def put_impulse(contact, i, load, x1, x2, r1, r2):
    contact[i, LOAD], contact[i, LOAD + 1], contact[i, LOAD + 2], contact[i, LOAD + 3], contact[i, LOAD + 4] = load, x1, x2, r1, r2


@lean_kernel
def body_slope(layout, step):
    """What bodies and joints contribute to du . F at the remembered iterate, and its growth along du."""
    straight, curve = 0.0, 0.0
    for k in range(layout.shape[0]):
        if layout[k, HAS_BODY]:
            I, f = get_block(step.blocks, k, START), get_wrench(step.blocks, k, MOMENTUM)
            u0 = get_twist(step.twist_before, k, START)
            du = get_twist(step.twist, k, START) + (-1.0) * u0
            straight += power(du, I @ u0) - power(du, f)
            curve += power(du, I @ du)
        if k > 0 and not layout[k, GIVEN]:
            v = layout[k, COLUMN]
            dq = step.velocity[6 + v] - step.velocity_before[6 + v]
            straight += dq * (step.resist[v] * step.velocity_before[6 + v] - step.effort[v])
            curve += dq * step.resist[v] * dq
    return straight, curve


@lean_kernel
def search(layout, contact, owner, active, count, step, e):
    """Share of the Newton step at which the slope of the convex function has all but vanished, by false position; 1 if it still falls."""
    straight, curve = body_slope(layout, step)
    high, above = 1.0, slope_along(layout, contact, owner, active, count, step, e, 1.0, straight, curve)
    if above <= 0.0:
        return 1.0
    low, below = 0.0, slope_along(layout, contact, owner, active, count, step, e, 0.0, straight, curve)
    enough = 0.05 * abs(below)
    share = 1.0
    for _ in range(30):
        width = high - low
        share = min(max(low - below * width / (above - below), low + 0.05 * width), high - 0.05 * width)
        slope = slope_along(layout, contact, owner, active, count, step, e, share, straight, curve)
        if abs(slope) <= enough:
            break
        if slope > 0.0:
            high, above = share, slope
        else:
            low, below = share, slope
    return share


@lean_kernel
def minimise(base, layout, work, contact, owner, active, count, step, e, rho, tolerance, most):
    """With frozen radii: Newton's method with an exact line search on a convex function. Returns the number of iterations."""
    for n in range(most):
        keep(contact, active, count, step.velocity, step.twist, step.velocity_before, step.twist_before)
        iterate_again(base, layout, work, contact, owner, active, count, step, e, rho, True)
        change = 0.0
        for c in range(step.velocity.shape[0]):
            change = max(change, abs(step.velocity[c] - step.velocity_before[c]))
        share = search(layout, contact, owner, active, count, step, e)
        retreat(contact, active, count, share, step.velocity, step.twist, step.velocity_before, step.twist_before)
        for a in range(count):
            i = active[a]
            put_rates(contact, i, get_twist(step.twist, owner[i], START))
            load, x1, x2, r1, r2 = explicit_impulse(contact, i, e)
            put_impulse(contact, i, load, x1, x2, r1, r2)
        if change < 0.1 * tolerance:
            return n + 1
    return most


@lean_kernel
def fallback(base, layout, work, contact, owner, active, count, step, e, rho, tolerance):
    """Where Newton's method cycles: freeze the radii of friction, minimise the then convex function, let the radii follow, try again."""
    iterations, worst = 0, 1e300
    for a in range(count):
        contact[active[a], FROZEN] = max(contact[active[a], LOAD], 0.0)
    for burst in range(BURSTS):
        follow = 1.0 if burst < 30 else 0.5 if burst < 60 else 0.2
        most = SHORT if burst < 10 else LONG              # radii that are not right yet deserve no exact answer
        iterations += minimise(base, layout, work, contact, owner, active, count, step, e, rho, tolerance, most)
        for a in range(count):
            i = active[a]
            contact[i, FROZEN] += follow * (max(contact[i, LOAD], 0.0) - contact[i, FROZEN])
        keep(contact, active, count, step.velocity, step.twist, step.velocity_before, step.twist_before)
        trial = rho if burst % 2 == 0 else 0.3 * rho if burst % 4 == 1 else 0.1 * rho
        for _ in range(PLAIN):
            worst = iterate_again(base, layout, work, contact, owner, active, count, step, e, trial, False)
            iterations += 1
            if worst < tolerance:
                worst = measure_again(contact, owner, active, count, step.twist, e, rho)
                if worst < tolerance:
                    return iterations, worst
        retreat(contact, active, count, 0.0, step.velocity, step.twist, step.velocity_before, step.twist_before)
        worst = measure_again(contact, owner, active, count, step.twist, e, rho)
    return iterations, worst


@lean_kernel
def rescue(base, layout, work, contact, owner, active, count, step, e, rho, tolerance):
    """What is tried when plain iterations have not converged: longer and shorter trial steps, which leave most cycles, then `fallback`.

    Returns the number of iterations, the natural map, and whether the fallback was used.
    """
    iterations, worst = 0, 1e300
    for stretch in (3.0, 0.3):
        for _ in range(PLAIN):
            worst = iterate_again(base, layout, work, contact, owner, active, count, step, e, stretch * rho, False)
            iterations += 1
            if worst < tolerance:
                worst = measure_again(contact, owner, active, count, step.twist, e, rho)
                if worst < tolerance:
                    return iterations, worst, False
    more, worst = fallback(base, layout, work, contact, owner, active, count, step, e, rho, tolerance)
    return iterations + more, worst, True


@inline
def solve_contacts(base, layout, work, contact, owner, active, count, step, e, rho, tolerance):
    """Solve the step from the guess in `step.velocity` and in the impulses of `contact`.

    Returns the number of iterations, the natural map (m/s) and whether the fallback was used.
    """
    spread(layout, work, step.effort, step.sweep, False, step.velocity, step.twist)
    for a in range(count):
        put_rates(contact, active[a], get_twist(step.twist, owner[active[a]], START))
    iterations, worst, fell = 0, 2.0 * tolerance, False
    while iterations < PLAIN and worst >= tolerance:
        worst = iterate(base, layout, work, contact, owner, active, count, step, e, rho, False)
        iterations += 1
    if worst >= tolerance:
        more, worst, fell = rescue(base, layout, work, contact, owner, active, count, step, e, rho, tolerance)
        iterations += more
    return iterations, worst, fell
