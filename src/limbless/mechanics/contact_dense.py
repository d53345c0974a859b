"""Friction under given loads on a small dense mobility: the laws of `contact_law` for a model that has its metric as a matrix.

    γ = γ0 + D S ξ,    D = G M⁻¹ Gᵀ

γ are the slips of all contacts, G their rows, γ0 what they would be without friction. Laws, linearisation, natural map and stopping
rule are those by which `contact_solver` takes contacts through a chain in O(n); only the linear algebra is another: the linearised
laws ξ = c + W S γ are solved for ξ, (1 - W S D S) ξ = c + W S γ0, where only directions that do not slide along a box are unknown.

The ground is rigid: the natural map is that of e = 0. The compliance of the laws only serves as a proximal term, which holds friction
near where it was where more directions stick than the robot has ways to move: friction is not unique there, the motion is. Where
Newton's method does not come to an end, a convex function of the motion, with a larger proximal term, is minimised again and again
from its last answer, which always leads to the solution.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.contact_law import (
    FORWARD,
    FROZEN,
    LATERAL,
    LOAD,
    OLD,
    RATE,
    SHEAR,
    SHEAR_BEFORE,
    SHEAR_LAW,
    explicit_impulse,
    linearise,
    mismatch,
)
from limbless.mechanics.dense import eliminate_rows
from limbless.mechanics.kernel import inline, kernel
from limbless.mechanics.scalars import sqrt

PROXIMAL, FALLBACK, SMALLEST = 1e-5, 1e-2, 1e-6      # compliance of the proximal term, times ρ: of Newton's method, and of its fallback
PLAIN, INNER, BURSTS = 15, 40, 100
ROUNDING = 1e-10                 # of the largest slip: an iteration that gains nothing below this has met rounding
SIDES = np.array([FORWARD, LATERAL])
OWN, ACROSS = np.array([4, 6]), 5          # numbers of a linearised law: W11 and W22, W12


class Dense(NamedTuple):
    """The problem and its working memory, C contacts."""

    coupling: NDArray[np.float64]     # (2C, 2C) D, 1/kg
    slip: NDArray[np.float64]         # (2C,) γ0, m/s
    matrix: NDArray[np.float64]       # (2C, 2C + 1)
    unknown: NDArray[np.int64]        # (2C,)


@inline
def slip_of(contact, active, count, dense, r):
    """γ of direction r = 2 a + side at the present impulses."""
    total = dense.slip[r]
    for b in range(count):
        for side in range(2):
            total += dense.coupling[r, 2 * b + side] * contact[active[b], SIDES[side]] * contact[active[b], SHEAR + side]
    return total


@kernel
def remainder(contact, active, count, dense, rho):
    """Put the present slips into the contacts; returns the largest natural map (m/s) of rigid ground."""
    worst = 0.0
    for a in range(count):
        i = active[a]
        for side in range(2):
            contact[i, RATE + 1 + side] = slip_of(contact, active, count, dense, 2 * a + side)
        worst = max(worst, mismatch(contact, i, 0.0, rho, 1.0 / rho)[1])
    return sqrt(worst)


@inline
def part(contact, i, side, a, dense, d):
    """(W S D)_rd of the direction r = 2 a + side, d a direction; or (W S γ0)_r where d is negative."""
    own, across = contact[i, SHEAR_LAW + OWN[side]], contact[i, SHEAR_LAW + ACROSS]
    first, second = own * contact[i, SIDES[side]], across * contact[i, SIDES[1 - side]]
    r, s = 2 * a + side, 2 * a + 1 - side
    if d < 0:
        return first * dense.slip[r] + second * dense.slip[s]
    return first * dense.coupling[r, d] + second * dense.coupling[s, d]


@kernel
def fill(contact, active, count, dense):
    """The system of all directions whose friction depends on slip; the others take theirs. Returns its size."""
    matrix, unknown, size = dense.matrix, dense.unknown, 0
    for a in range(count):
        i = active[a]
        for side in range(2):
            if contact[i, SHEAR_LAW + OWN[side]] != 0.0 or contact[i, SHEAR_LAW + ACROSS] != 0.0:
                unknown[size] = 2 * a + side
                size += 1
                contact[i, SHEAR + side] = 0.0                       # so that sums over all directions leave it out
            else:
                contact[i, SHEAR + side] = contact[i, SHEAR_LAW + side]
    for p in range(size):
        a, side = unknown[p] // 2, unknown[p] % 2
        i = active[a]
        right = contact[i, SHEAR_LAW + side] + part(contact, i, side, a, dense, -1)
        for b in range(count):
            for other in range(2):
                ready = contact[active[b], SIDES[other]] * contact[active[b], SHEAR + other]
                if ready != 0.0:
                    right += part(contact, i, side, a, dense, 2 * b + other) * ready
        scale = 1.0 / (1.0 + abs(contact[i, SHEAR_LAW + OWN[side]]) + abs(contact[i, SHEAR_LAW + ACROSS]))
        for q in range(size):
            d = unknown[q]
            entry = -part(contact, i, side, a, dense, d) * contact[active[d // 2], SIDES[d % 2]]
            matrix[p, q] = scale * (entry + 1.0 if p == q else entry)
        matrix[p, size] = scale * right
    return size


@kernel
def iterate(contact, active, count, dense, e, rho, frozen):
    """One Newton iteration from the present impulses and slips. Returns what remains (m/s)."""
    linearise(contact, active, count, e, rho, frozen)
    size = fill(contact, active, count, dense)
    eliminate_rows(dense.matrix, size)
    for p in range(size):
        d = dense.unknown[p]
        contact[active[d // 2], SHEAR + d % 2] = dense.matrix[p, size]
    return remainder(contact, active, count, dense, rho)


@kernel
def take(contact, active, count, source, target):
    """Copy two numbers of every active contact."""
    for a in range(count):
        for side in range(2):
            contact[active[a], target + side] = contact[active[a], source + side]


@kernel
def move(contact, active, count, share):
    """From the kept impulses and slips `share` of the way to the present ones."""
    for a in range(count):
        i = active[a]
        for c in range(2):
            contact[i, SHEAR + c] = contact[i, OLD + c] + share * (contact[i, SHEAR + c] - contact[i, OLD + c])
            contact[i, RATE + 1 + c] = contact[i, OLD + 2 + c] + share * (contact[i, RATE + 1 + c] - contact[i, OLD + 2 + c])


@kernel
def slope(contact, active, count, e, share):
    """Slope of the convex function of the motion `share` of the way: dγ . S (ξ - what the law asks for at that slip)."""
    total = 0.0
    for a in range(count):
        i = active[a]
        x, y = contact[i, RATE + 1], contact[i, RATE + 2]
        u, v = contact[i, OLD + 2], contact[i, OLD + 3]
        contact[i, RATE + 1], contact[i, RATE + 2] = u + share * (x - u), v + share * (y - v)
        _, first, second, _, _ = explicit_impulse(contact, i, e)
        contact[i, RATE + 1], contact[i, RATE + 2] = x, y
        for side in range(2):
            here = contact[i, OLD + side] + share * (contact[i, SHEAR + side] - contact[i, OLD + side])
            asked = first if side == 0 else second
            total += (contact[i, RATE + 1 + side] - contact[i, OLD + 2 + side]) * contact[i, SIDES[side]] * (here - asked)
    return total


@kernel
def search(contact, active, count, e):
    """Share of a Newton step at which the convex function is least, by false position; 1 if it still falls there."""
    low, high, above = 0.0, 1.0, slope(contact, active, count, e, 1.0)
    if above <= 0.0:
        return 1.0
    below = slope(contact, active, count, e, 0.0)
    enough, share = 0.01 * abs(below), 1.0
    for _ in range(40):
        width = high - low
        share = min(max(low - below * width / (above - below), low + 0.05 * width), high - 0.05 * width)
        here = slope(contact, active, count, e, share)
        if abs(here) <= enough:
            break
        if here > 0.0:
            high, above = share, here
        else:
            low, below = share, here
    return share


@kernel
def minimise(contact, active, count, dense, e, rho, tolerance):
    """With a proximal term of weight e: Newton's method with an exact line search on a convex function of the motion."""
    for a in range(count):
        contact[active[a], FROZEN] = contact[active[a], LOAD]
    done = INNER
    for n in range(INNER):
        take(contact, active, count, SHEAR, OLD)
        take(contact, active, count, RATE + 1, OLD + 2)
        iterate(contact, active, count, dense, e, rho, True)
        change = 0.0
        for a in range(count):
            for c in range(2):
                change = max(change, abs(contact[active[a], RATE + 1 + c] - contact[active[a], OLD + 2 + c]))
        move(contact, active, count, search(contact, active, count, e))
        if change <= tolerance:
            done = n + 1
            break
    for a in range(count):
        i = active[a]
        _, contact[i, SHEAR], contact[i, SHEAR + 1], _, _ = explicit_impulse(contact, i, e)
    return done


@kernel
def newton(contact, active, count, dense, rho, tolerance, worst):
    """Plain iterations. Returns their number, what remains (m/s), and whether that is the tolerance or as little as rounding leaves."""
    largest = 0.0
    for r in range(2 * count):
        largest = max(largest, abs(dense.slip[r]))
    for n in range(PLAIN):
        if worst == 0.0 or (n > 0 and worst <= tolerance):      # never without an iteration: sticking wheels would creep by what remains
            return n, worst, True
        take(contact, active, count, SHEAR, SHEAR_BEFORE)
        before, worst = worst, iterate(contact, active, count, dense, PROXIMAL / rho, rho, False)
        if worst > 0.5 * before and max(worst, before) <= ROUNDING * largest:
            return n + 1, worst, True
    return PLAIN, worst, worst <= tolerance


@kernel
def solve_friction(contact, active, count, dense, rho, tolerance):
    """Friction of all active contacts from the start that they hold. Returns the number of iterations and what remains (m/s)."""
    iterations, worst = 0, remainder(contact, active, count, dense, rho)
    weight = FALLBACK
    for _ in range(BURSTS):
        take(contact, active, count, SHEAR, OLD)
        used, worst, solved = newton(contact, active, count, dense, rho, tolerance, worst)
        iterations += used
        if solved:
            break
        take(contact, active, count, OLD, SHEAR)
        take(contact, active, count, OLD, SHEAR_BEFORE)
        remainder(contact, active, count, dense, rho)
        iterations += minimise(contact, active, count, dense, weight / rho, rho, tolerance)
        worst, weight = remainder(contact, active, count, dense, rho), max(0.2 * weight, SMALLEST)
    return iterations, worst
