"""Friction under given loads on a small dense mobility, for a model that has its metric as a matrix.

    γ = γ0 + D T,    T = proj_E (T - r γ),    D = G M⁻¹ Gᵀ

γ are the slips of all contacts, G their rows, γ0 what they would be without friction. The law is that of `contact_law`; the impulses
are T = S ξ themselves and E an ellipse or a box as they are, because loads do not change here: coefficients of 0.001 along and 1000
across are as easy as equal ones. Linearised laws T = c + W γ are solved for T, (1 - W D) T = c + W γ0, where only directions that do
not slide along a box are unknown. What remains is the natural map |T - proj_E(T - ρ γ)| / ρ, in m/s.

The ground is rigid. A small compliance only serves as a proximal term, which holds friction near where it was where more directions
stick than the robot has ways to move: friction is not unique there, the motion is. Where Newton's method does not come to an end, the
path of `contact_path` is followed, and it is tried again from every station.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.dense import eliminate_rows
from limbless.mechanics.compiled.kernel import inline, kernel
from limbless.mechanics.compiled.scalars import sqrt
from limbless.mechanics.contact.ellipse import nearest
from limbless.mechanics.contact.law import BOX, FORWARD, LATERAL, LOAD, OLD, RATE, SHEAR, SHEAR_BEFORE, SHEAR_LAW, along
from limbless.mechanics.contact.path import PLACE, Path, begin, follow, put_contacts, take_answer

PROXIMAL = 1e-5                  # compliance of the proximal term, times ρ
PLAIN = 15
ROUNDING = 1e-10                 # of the largest slip: an iteration that gains nothing below this has met rounding
SIDES = np.array([FORWARD, LATERAL])
OWN, ACROSS = np.array([4, 6]), 5          # numbers of a linearised law: W11 and W22, W12


class Dense(NamedTuple):
    """The problem and its working memory, C contacts."""

    coupling: NDArray[np.float64]     # (2C, 2C) D, 1/kg
    slip: NDArray[np.float64]         # (2C,) γ0, m/s
    matrix: NDArray[np.float64]       # (2C, 2C + 1)
    unknown: NDArray[np.int64]        # (2C,)
    path: Path


@inline
def slip_of(contact, active, count, dense, r):
    """γ of direction r = 2 a + side at the present impulses."""
    total = dense.slip[r]
    for b in range(count):
        for side in range(2):
            total += dense.coupling[r, 2 * b + side] * contact[active[b], SHEAR + side]
    return total


@inline
def bound(contact, i, side, impulse):
    """The most that friction along one side can give, for an impulse of that sign."""
    return contact[i, LOAD] * (along(contact, i, -impulse) if side == 0 else contact[i, LATERAL])


@inline
def is_ellipse(contact, i, a1, a2):
    """Whether the two sides are joined: not in a box, nor where one of them has no friction."""
    return contact[i, BOX] <= 0.0 and a1 > 0.0 and a2 > 0.0


@kernel
def remainder(contact, active, count, dense, rho):
    """Put the present slips into the contacts; returns the largest natural map (m/s)."""
    worst = 0.0
    for a in range(count):
        i = active[a]
        x1, x2 = contact[i, SHEAR], contact[i, SHEAR + 1]
        g1, g2 = slip_of(contact, active, count, dense, 2 * a), slip_of(contact, active, count, dense, 2 * a + 1)
        contact[i, RATE + 1], contact[i, RATE + 2] = g1, g2
        y1, y2 = x1 - rho * g1, x2 - rho * g2
        a1, a2 = bound(contact, i, 0, y1), bound(contact, i, 1, y2)
        if is_ellipse(contact, i, a1, a2):
            at = nearest(a1, a2, y1, y2, 0.0)
            d1, d2 = x1 - at.p1, x2 - at.p2
        else:
            d1, d2 = x1 - min(max(y1, -a1), a1), x2 - min(max(y2, -a2), a2)
        worst = max(worst, d1 * d1 + d2 * d2)
    return sqrt(worst) / rho


@inline
def linearise_side(contact, i, side, y, a, e):
    """T = c + W γ of one side by itself: it sticks near its memory, or gives all that it can."""
    stick = abs(y) <= a and a > 0.0
    contact[i, SHEAR_LAW + side] = contact[i, SHEAR_BEFORE + side] if stick else a if y > 0.0 else -a
    contact[i, SHEAR_LAW + OWN[side]] = -1.0 / e if stick else 0.0


@inline
def linearise_ellipse(contact, i, a1, a2, y1, y2, e, rho):
    """T = c + W γ of an ellipse: T = p + J (T - ρ γ - ρ e (T - m) - y), solved for T."""
    at = nearest(a1, a2, y1, y2, 0.0)
    m1, m2, k = contact[i, SHEAR_BEFORE], contact[i, SHEAR_BEFORE + 1], 1.0 - rho * e
    n11, n12, n22 = 1.0 - k * at.j11, -k * at.j12, 1.0 - k * at.j22
    per = 1.0 / (n11 * n22 - n12 * n12)
    w11, w12 = per * (n22 * at.j11 - n12 * at.j12), per * (n22 * at.j12 - n12 * at.j22)
    w22 = per * (n11 * at.j22 - n12 * at.j12)
    r1, r2 = rho * e * m1 - y1, rho * e * m2 - y2
    contact[i, SHEAR_LAW] = per * (n22 * at.p1 - n12 * at.p2) + w11 * r1 + w12 * r2
    contact[i, SHEAR_LAW + 1] = per * (n11 * at.p2 - n12 * at.p1) + w12 * r1 + w22 * r2
    contact[i, SHEAR_LAW + OWN[0]], contact[i, SHEAR_LAW + ACROSS], contact[i, SHEAR_LAW + OWN[1]] = -rho * w11, -rho * w12, -rho * w22


@kernel
def linearise(contact, active, count, e, rho):
    """Replace the laws of the active contacts by affine ones at the present impulses and slips."""
    for a in range(count):
        i = active[a]
        k = 1.0 - rho * e
        y1 = k * contact[i, SHEAR] + rho * (e * contact[i, SHEAR_BEFORE] - contact[i, RATE + 1])
        y2 = k * contact[i, SHEAR + 1] + rho * (e * contact[i, SHEAR_BEFORE + 1] - contact[i, RATE + 2])
        a1, a2 = bound(contact, i, 0, y1), bound(contact, i, 1, y2)
        if is_ellipse(contact, i, a1, a2):
            linearise_ellipse(contact, i, a1, a2, y1, y2, e, rho)
        else:
            contact[i, SHEAR_LAW + ACROSS] = 0.0
            linearise_side(contact, i, 0, y1, a1, e)
            linearise_side(contact, i, 1, y2, a2, e)


@inline
def part(contact, i, side, a, dense, d):
    """(W D)_rd of the direction r = 2 a + side, d a direction; or (W γ0)_r where d is negative."""
    own, across = contact[i, SHEAR_LAW + OWN[side]], contact[i, SHEAR_LAW + ACROSS]
    r, s = 2 * a + side, 2 * a + 1 - side
    if d < 0:
        return own * dense.slip[r] + across * dense.slip[s]
    return own * dense.coupling[r, d] + across * dense.coupling[s, d]


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
                ready = contact[active[b], SHEAR + other]
                if ready != 0.0:
                    right += part(contact, i, side, a, dense, 2 * b + other) * ready
        scale = 1.0 / (1.0 + abs(contact[i, SHEAR_LAW + OWN[side]]) + abs(contact[i, SHEAR_LAW + ACROSS]))
        for q in range(size):
            entry = -part(contact, i, side, a, dense, unknown[q])
            matrix[p, q] = scale * (entry + 1.0 if p == q else entry)
        matrix[p, size] = scale * right
    return size


@kernel
def iterate(contact, active, count, dense, e, rho):
    """One Newton iteration from the present impulses and slips. Returns what remains (m/s)."""
    linearise(contact, active, count, e, rho)
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
def newton(contact, active, count, dense, rho, tolerance, worst):
    """Plain iterations. Returns their number, what remains (m/s), and whether that is the tolerance or as little as rounding leaves."""
    largest = 0.0
    for r in range(2 * count):
        largest = max(largest, abs(dense.slip[r]))
    for n in range(PLAIN):
        if worst == 0.0 or (n > 0 and worst <= tolerance):      # never without an iteration: sticking wheels would creep by what remains
            return n, worst, True
        take(contact, active, count, SHEAR, SHEAR_BEFORE)
        before, worst = worst, iterate(contact, active, count, dense, PROXIMAL / rho, rho)
        if worst > 0.5 * before and max(worst, before) <= ROUNDING * largest:
            return n + 1, worst, True
    return PLAIN, worst, worst <= tolerance


@inline
def to_impulses(contact, active, count):
    """T = S ξ in place of ξ."""
    for a in range(count):
        i = active[a]
        contact[i, SHEAR] *= along(contact, i, -contact[i, SHEAR])
        contact[i, SHEAR + 1] *= contact[i, LATERAL]


@inline
def to_shares(contact, active, count):
    """ξ in place of T: the load itself where friction gives all that it can."""
    for a in range(count):
        i = active[a]
        for side in range(2):
            x = contact[i, SHEAR + side]
            most = bound(contact, i, side, x)
            share = min(abs(x) / most, 1.0) if most > 0.0 else 0.0
            contact[i, SHEAR + side] = contact[i, LOAD] * (share if x > 0.0 else -share)


@kernel
def take_path(contact, active, count, dense, rho, e, tolerance):
    """Follow the path from soft laws to sharp ones, and try Newton's method from each of its stations.

    Returns the number of iterations, what remains (m/s), and whether Newton's method has ended.
    """
    path, iterations = dense.path, 0
    rows = put_contacts(path, contact, active, count, e, rho)
    for j in range(rows):
        r = 2 * (path.where[j, PLACE] // 5) + path.where[j, PLACE] % 5 - 1
        path.slip[j] = dense.slip[r]
        for i in range(rows):
            path.coupling[j, i] = dense.coupling[r, 2 * (path.where[i, PLACE] // 5) + path.where[i, PLACE] % 5 - 1]
    going = begin(path, rows, rho)
    while going and follow(path, rows):
        take_answer(path, rows, contact, active, 5 * count)
        to_impulses(contact, active, count)
        used, worst, solved = newton(contact, active, count, dense, rho, tolerance, remainder(contact, active, count, dense, rho))
        iterations += used
        if solved:
            return iterations, worst, True
    take_answer(path, rows, contact, active, 5 * count)
    to_impulses(contact, active, count)
    return iterations, remainder(contact, active, count, dense, rho), False


@kernel
def solve_friction(contact, active, count, dense, rho, tolerance):
    """Friction of all active contacts from the start that they hold. Returns the number of iterations and what remains (m/s)."""
    to_impulses(contact, active, count)
    take(contact, active, count, SHEAR, OLD)
    iterations, worst, solved = newton(contact, active, count, dense, rho, tolerance, remainder(contact, active, count, dense, rho))
    for weight in (1.0, 1e-4, 1e-8):                     # a weaker proximal term where hardly anything can be moved
        if solved:
            break
        take(contact, active, count, OLD, SHEAR)
        to_shares(contact, active, count)
        take(contact, active, count, SHEAR, SHEAR_BEFORE)
        used, worst, solved = take_path(contact, active, count, dense, rho, weight * PROXIMAL / rho, tolerance)
        iterations += used
    to_shares(contact, active, count)
    return iterations, worst
