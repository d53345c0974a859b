"""One time step of a chain under contact: articulated-body semismooth Newton in joint coordinates, O(n).

Unknown are the twist of the base and the joint rates u at the end of the step, with impulses P that obey the contact laws:

    sum_k J_kᵀ [B_k u_k - f_k] + d q̇ = τ + Jᵀ P(u)

B_k, f_k: inertia and momentum with outer impulses of body k (about its origin, world axes); d, τ: implicit part and impulse of the
joints. Each linearised contact touches one body, so that it only adds a 6 x 6 block to that body; one sweep from tip to base, a 6 x 6
solve and one sweep back give the next iterate, which satisfies the dynamics exactly. What remains is the natural map of the contact
laws: it is the whole error of a step. `contact_rescue` iterates, and knows what to do where this does not end.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.blocks import carry_block, eliminate, get_block, no_block, put_system, release_block
from limbless.mechanics.algebra.columns import get_matrix, get_twist, get_vector, get_wrench, put_pair, put_vector_at, vector_at
from limbless.mechanics.algebra.inertia import Twist, Wrench, carry_twist, carry_wrench, power
from limbless.mechanics.algebra.vectors import Vector, dot, transpose
from limbless.mechanics.chain.rows import (
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
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.scalars import sqrt
from limbless.mechanics.contact.law import (
    ACTS,
    law_block,
    linearise,
    mismatch,
    put_answer,
    put_rates,
)
from limbless.mechanics.contact.path import Path

REACH, PUSH, ANSWER = np.array([0, 6, 7])         # columns of a sweep: Sᵀ B (6) over the joint's own inertia, impulse, Sᵀ B S
SWEEP_COLUMNS, BLOCK_COLUMNS = 8, 42
MOMENTUM = np.array([36])[0]


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
    path: Path                        # where nothing else helps


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
def sweep_through(base, layout, work, contact, owner, active, count, step):
    """The velocities that the dynamics have under the linearised laws."""
    I, f = gather(layout, work, contact, owner, active, count, step.blocks, step.resist, step.effort, step.sweep)
    u = solve_base(base, I, f, get_matrix(work, BASE, ROTATION), step.system)
    put_vector_at(step.velocity, START, u.linear)
    put_vector_at(step.velocity, SECOND, u.angular)
    if base != FREE:
        needed = I @ u - f
        put_vector_at(step.hold, START, needed.force)
        put_vector_at(step.hold, SECOND, needed.torque)
    spread(layout, work, step.effort, step.sweep, True, step.velocity, step.twist)


@inline
def iterate(base, layout, work, contact, owner, active, count, step, e, rho, frozen):
    """One Newton iteration: linearise, solve, and measure what remains."""
    linearise(contact, active, count, e, rho, frozen)
    if step.grip.shape[0] > 0:
        hold_joints(layout, step)
    sweep_through(base, layout, work, contact, owner, active, count, step)
    worst = measure(contact, owner, active, count, step.twist, e, rho, True)
    if step.grip.shape[0] > 0:
        worst = max(worst, rub_joints(layout, step))
    return worst
