"""Contact laws that no iteration solves, by a path: the laws are smooth at its start and grow sharp along it.

Impulses x of all directions, each with a law of its own, obey

    x = p_τ(x - r (γ + E (x - m))),    γ = γ0 + D x

γ are the velocities, D what an impulse does to them; E compliances, m memories and r lengths of trial steps, one per direction.
p_0 is the projection onto what a contact can give: normal impulses that push, friction in an ellipse or a box that grows with them.
(With x = S ξ this is the law of `contact_law`: E = eT S⁻².) p_τ has its edges rounded off on a scale of τ (N s), as `ellipse` has them:
for large τ there is one answer, which Newton's method finds from anywhere. Under given loads the laws are monotone and there is one
answer for every τ. Where strong friction presses on contacts the answers turn back as τ falls, and no iteration that only goes
downhill gets past such a fold. The path of all answers (x, log τ) is a smooth curve, though: it is followed by its arc length,
through folds, until Newton's method on the sharp laws ends from where it stands.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.dense import eliminate_rows
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.scalars import sqrt
from limbless.mechanics.contact.ellipse import drift_share, growth_share, nearest
from limbless.mechanics.contact.law import (
    BACKWARD,
    BOX,
    FORWARD,
    GIVEN,
    LATERAL,
    LOAD,
    RATE,
    ROLLING,
    SHEAR_BEFORE,
    SHIFT,
    TWIST_BEFORE,
    along,
    stiffness_scales,
)

PUSH, ROUND, SECOND, SIDE = np.arange(4)               # a normal impulse; the two rows of an ellipse; an interval, as the side of a box
MOST = 100                                             # contacts: the work of a step along the path grows with their cube
LOADED, PLUS, MINUS, COMPLIANCE, MEMORY, TRIAL = np.arange(6)     # of a law: given load, coefficients at x < 0 and x > 0, E, m, r
OWN, OTHER, LEAN, DRIFT = np.arange(4)                 # of p: derivatives by its own y, by the ellipse's other, by the load's, by log τ
PLACE, NORMAL = np.arange(2)                           # of a row: where its impulse belongs; row of its load, or -1
SHARE, LONGEST, SHORTEST = 0.3, 3.0, 1e-9              # unit of impulses over the largest; steps of arc length
SMALLEST = 1e-290                                      # semi-axis of an ellipse
FINEST, CORRECTIONS, STARTS, STEPS = 1e-11, 6, 30, 600
ABOVE, BELOW = 5.0, 32.0                               # of log τ: how far from its start the path may go
UNIT, LENGTH, START, TAKEN = np.arange(4)              # of the progress: unit of impulses (N s), next step, log τ at the start, steps


class Path(NamedTuple):
    """A problem of R rows, and where its path stands."""

    kind: NDArray[np.int64]           # (R,)
    where: NDArray[np.int64]          # (R, 2) PLACE and NORMAL
    law: NDArray[np.float64]          # (R, 6)
    coupling: NDArray[np.float64]     # (R, R) D, 1/kg
    slip: NDArray[np.float64]         # (R,) γ0, m/s, with the shift of the load's
    velocity: NDArray[np.float64]     # (R,) γ
    trial: NDArray[np.float64]        # (R,) y
    answer: NDArray[np.float64]       # (R,) p
    local: NDArray[np.float64]        # (R, 4)
    matrix: NDArray[np.float64]       # (R + 1, R + 2)
    x: NDArray[np.float64]            # (R + 1,) impulses over their unit, and log τ
    guess: NDArray[np.float64]        # (R + 1,) the next of them
    tangent: NDArray[np.float64]      # (R + 1,)
    progress: NDArray[np.float64]     # (4,)


def make_path(rows: int) -> Path:
    """Memory for problems of at most so many rows."""
    slip, velocity, trial, answer = np.zeros((4, rows))
    x, guess, tangent = np.zeros((3, rows + 1))
    return Path(np.zeros(rows, dtype=np.int64), np.zeros((rows, 2), dtype=np.int64), np.zeros((rows, 6)), np.zeros((rows, rows)),
                slip, velocity, trial, answer, np.zeros((rows, 4)), np.zeros((rows + 1, rows + 2)), x, guess, tangent, np.zeros(4))


@inline
def put_row(path, row, kind, place, normal, load, plus, minus, compliance, memory, trial):
    """One more row. Returns how many there are then."""
    path.kind[row], path.where[row, PLACE], path.where[row, NORMAL] = kind, place, normal
    law = path.law
    law[row, LOADED], law[row, PLUS], law[row, MINUS] = load, plus, minus
    law[row, COMPLIANCE], law[row, MEMORY], law[row, TRIAL] = compliance, memory, trial
    return row + 1


@lean_kernel
def put_contacts(path, contact, active, count, e, rho):
    """Rows of all active contacts, PLACE = 5 a + number of the impulse. Returns their number. Directions without friction have none."""
    rows = 0
    for a in range(count):
        i = active[a]
        normal, z = -1, contact[i, LOAD]
        if contact[i, GIVEN] <= 0.0:
            normal, z = rows, 0.0
            rows = put_row(path, rows, PUSH, 5 * a, -1, 0.0, 1.0, 1.0, e, 0.0, rho)
        low, _ = stiffness_scales(contact, i)
        plus, minus, side, before = contact[i, FORWARD], contact[i, BACKWARD], contact[i, LATERAL], contact[i, SHEAR_BEFORE]
        mu = max(plus, minus)
        joined = contact[i, BOX] <= 0.0 and mu > 0.0 and side > 0.0
        if mu > 0.0:
            rows = put_row(path, rows, ROUND if joined else SIDE, 5 * a + 1, normal, z, plus, minus, e * low / (mu * mu),
                           along(contact, i, -before) * before, rho)
        if side > 0.0:
            rows = put_row(path, rows, SECOND if joined else SIDE, 5 * a + 2, normal, z, side, side, e * low / (side * side),
                           side * contact[i, SHEAR_BEFORE + 1], rho)
        mu = contact[i, ROLLING]
        if mu > 0.0:
            rows = put_row(path, rows, ROUND, 5 * a + 3, normal, z, mu, mu, e, mu * contact[i, TWIST_BEFORE], rho)
            rows = put_row(path, rows, SECOND, 5 * a + 4, normal, z, mu, mu, e, mu * contact[i, TWIST_BEFORE + 1], rho)
    return rows


@lean_kernel
def take_answer(path, rows, contact, active, end):
    """Impulses and velocities of the present place of the path, into the contacts: rows whose PLACE lies before `end`."""
    for j in range(rows):
        place = path.where[j, PLACE]
        if place < end:
            i, c = active[place // 5], place % 5
            contact[i, LOAD + c] = path.answer[j] / max(coefficient(path, j, path.answer[j]), 1e-300)
            contact[i, RATE + c] = path.velocity[j] - (contact[i, SHIFT] if c == 0 else 0.0)


@inline
def coefficient(path, j, impulse):
    """The coefficient of friction of row j for an impulse of that sign."""
    return path.law[j, PLUS] if impulse <= 0.0 else path.law[j, MINUS]


@inline
def rounded_size(y, tau):
    """|y| without its kink."""
    return sqrt(y * y + 4.0 * tau * tau)


@inline
def put_local(path, j, own, other, lean, drift):
    path.local[j, OWN], path.local[j, OTHER], path.local[j, LEAN], path.local[j, DRIFT] = own, other, lean, drift


@inline
def round_push(path, j, tau):
    """max(y, 0)."""
    y = path.trial[j]
    size = rounded_size(y, tau)
    path.answer[j] = 0.5 * (y + size) if y > 0.0 else 2.0 * tau * tau / (size - y)
    put_local(path, j, path.answer[j] / size, 0.0, 0.0, 2.0 * tau * tau / size)


@inline
def load_of(path, j):
    """The load on a row, and the derivatives of its logarithm by the trial load and by log τ."""
    n = path.where[j, NORMAL]
    if n < 0:
        return path.law[j, LOADED], 0.0, 0.0
    z = path.answer[n]
    return z, path.local[n, OWN] / z, path.local[n, DRIFT] / z


@inline
def round_side(path, j, tau):
    """min(max(y, -a), a)."""
    y = path.trial[j]
    z, lean, drift = load_of(path, j)
    a = coefficient(path, j, y) * z
    up, down = rounded_size(y + a, tau), rounded_size(y - a, tau)
    path.answer[j] = 2.0 * y * a / (up + down)                    # ½ (up - down), without cancellation
    growth = 0.5 * a * ((y + a) / up + (y - a) / down)
    fall = 2.0 * tau * tau * (1.0 / up - 1.0 / down)
    put_local(path, j, 0.5 * ((y + a) / up - (y - a) / down), 0.0, growth * lean, growth * drift + fall)


@inline
def round_ellipse(path, j, tau):
    """The nearest point of an ellipse, both rows of it."""
    y1, y2 = path.trial[j], path.trial[j + 1]
    z, lean, drift = load_of(path, j)
    a1, a2 = max(coefficient(path, j, y1) * z, SMALLEST), path.law[j + 1, PLUS] * z
    at = nearest(a1, a2, y1, y2, tau * tau)
    growth, fall = growth_share(at, a1, a2), drift_share(at, tau * tau)
    path.answer[j], path.answer[j + 1] = at.p1, at.p2
    put_local(path, j, at.j11, at.j12, at.v1 * growth * lean, at.v1 * (growth * drift - fall))
    put_local(path, j + 1, at.j22, at.j12, at.v2 * growth * lean, at.v2 * (growth * drift - fall))


@lean_kernel
def evaluate(path, rows, place):
    """Velocities, trial impulses and p with its derivatives at `place`; rows of loads stand before those of their friction."""
    unit, tau, law = path.progress[UNIT], np.exp(place[rows]), path.law
    for j in range(rows):
        total = 0.0
        for i in range(rows):
            total += path.coupling[j, i] * place[i]
        path.velocity[j], x = path.slip[j] + unit * total, unit * place[j]
        path.trial[j] = x - law[j, TRIAL] * (path.velocity[j] + law[j, COMPLIANCE] * (x - law[j, MEMORY]))
    for j in range(rows):
        if path.kind[j] == PUSH:
            round_push(path, j, tau)
        elif path.kind[j] == SIDE:
            round_side(path, j, tau)
        elif path.kind[j] == ROUND:
            round_ellipse(path, j, tau)


@inline
def add_trial(path, rows, j, k, weight):
    """Add `weight` times the derivatives of y_k to row j of the matrix."""
    law, matrix = path.law, path.matrix
    matrix[j, k] += weight * (1.0 - law[k, TRIAL] * law[k, COMPLIANCE])
    factor = -weight * law[k, TRIAL]
    for i in range(rows):
        matrix[j, i] += factor * path.coupling[k, i]


@lean_kernel
def fill(path, rows, place):
    """x - p at `place`, over the unit of impulses: its derivatives by the impulses and by log τ, and its negative."""
    matrix, local, per_unit = path.matrix, path.local, 1.0 / path.progress[UNIT]
    evaluate(path, rows, place)
    for j in range(rows):
        for i in range(rows):
            matrix[j, i] = 0.0
        add_trial(path, rows, j, j, -local[j, OWN])
        if local[j, OTHER] != 0.0:
            add_trial(path, rows, j, j + 1 if path.kind[j] == ROUND else j - 1, -local[j, OTHER])
        if local[j, LEAN] != 0.0:
            add_trial(path, rows, j, path.where[j, NORMAL], -local[j, LEAN])
        matrix[j, j] += 1.0
        matrix[j, rows] = -per_unit * local[j, DRIFT]
        matrix[j, rows + 1] = per_unit * path.answer[j] - place[j]


@lean_kernel
def begin(path, rows, rho):
    """To the start of the path: laws as soft as the impulses are large. Returns whether there is anything to follow."""
    x, matrix, largest = path.x, path.matrix, 0.0
    for j in range(rows):
        own = rho * abs(path.slip[j]) if path.kind[j] == PUSH else path.law[j, LOADED] * max(path.law[j, PLUS], path.law[j, MINUS])
        largest = max(largest, own)
        x[j], path.tangent[j] = 0.0, 0.0
    if largest <= 0.0:
        return False
    path.progress[UNIT], path.progress[LENGTH], path.progress[START], path.progress[TAKEN] = SHARE * largest, 0.5, np.log(largest), 0.0
    x[rows], path.tangent[rows] = path.progress[START], -1.0
    for _ in range(STARTS):
        fill(path, rows, x)
        for j in range(rows):
            matrix[j, rows] = matrix[j, rows + 1]
        eliminate_rows(matrix, rows)
        change = 0.0
        for j in range(rows):
            x[j] += matrix[j, rows]
            change = max(change, abs(matrix[j, rows]))
        if change <= 1e-6:
            break
    return True


@inline
def border(path, rows, right):
    """The last row of the matrix: the part of a change along the tangent."""
    for c in range(rows + 1):
        path.matrix[rows, c] = path.tangent[c]
    path.matrix[rows, rows + 1] = right


@lean_kernel
def turn(path, rows):
    """The tangent at the present place, in the direction of the one before."""
    matrix, square = path.matrix, 0.0
    fill(path, rows, path.x)
    for j in range(rows):
        matrix[j, rows + 1] = 0.0
    border(path, rows, 1.0)
    eliminate_rows(matrix, rows + 1)
    for c in range(rows + 1):
        square += matrix[c, rows + 1] ** 2
    for c in range(rows + 1):
        path.tangent[c] = matrix[c, rows + 1] / sqrt(square)


@lean_kernel
def correct(path, rows, length):
    """Back to the path from `length` along its tangent, within the plane across it. Returns the number of iterations, or -1."""
    x, guess, tangent, matrix = path.x, path.guess, path.tangent, path.matrix
    for c in range(rows + 1):
        guess[c] = x[c] + length * tangent[c]
    square = 0.0
    for k in range(CORRECTIONS):
        fill(path, rows, guess)
        behind, before, square = length, square, 0.0
        for c in range(rows + 1):
            behind -= (guess[c] - x[c]) * tangent[c]
        border(path, rows, behind)
        eliminate_rows(matrix, rows + 1)
        for c in range(rows + 1):
            square += matrix[c, rows + 1] ** 2
            guess[c] += matrix[c, rows + 1]
        if k > 0 and not square <= 0.5 * before:
            return -1
        sharp = np.exp(guess[rows]) / path.progress[UNIT]             # no detail of the laws is smaller than τ
        if square <= (1e-2 * min(min(length, sharp), 1.0)) ** 2 + FINEST * FINEST:
            return k + 1
    return -1


@lean_kernel
def follow(path, rows):
    """Along the path until τ has fallen to a third. Returns whether it has: if not, the path has come to its end, or to nowhere."""
    x, progress = path.x, path.progress
    goal = x[rows] - 1.0
    while progress[TAKEN] < STEPS and abs(x[rows] - progress[START] + 0.5 * (BELOW - ABOVE)) <= 0.5 * (ABOVE + BELOW):
        turn(path, rows)
        used, length = -1, progress[LENGTH]
        while used < 0 and length > SHORTEST:
            used = correct(path, rows, length)
            if used < 0:
                length *= 0.4
        if used < 0:
            break
        for c in range(rows + 1):
            x[c] = path.guess[c]
        progress[LENGTH] = min(2.0 * length, LONGEST) if used <= 3 else 0.7 * length if used >= 5 else length
        progress[TAKEN] += 1.0
        if x[rows] <= goal:
            evaluate(path, rows, x)
            return True
    evaluate(path, rows, x)
    return False
