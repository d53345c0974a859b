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

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra.dense import eliminate_rows
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.scalars import sqrt
from limbless.mechanics.compiled.tables import Table, table
from limbless.mechanics.contact.ellipse import drift_share, growth_share, nearest
from limbless.mechanics.contact.law import along, stiffness_scales
from limbless.mechanics.contact.tables import Contact, Pair

PUSH, ROUND, SECOND, SIDE = np.arange(4)               # a normal impulse; the two rows of an ellipse; an interval, as the side of a box
MOST = 100                                             # contacts: the work of a step along the path grows with their cube
SHARE, LONGEST, SHORTEST = 0.3, 3.0, 1e-9              # unit of impulses over the largest; steps of arc length
SMALLEST = 1e-290                                      # semi-axis of an ellipse
FINEST, CORRECTIONS, STARTS, STEPS = 1e-11, 6, 30, 600
ABOVE, BELOW = 5.0, 32.0                               # of log τ: how far from its start the path may go


@table
class Direction(Table):
    """One direction in which an impulse acts: its law, and where the path stands."""

    load: float                           # given load, where no row has it
    plus: float                           # coefficients at x < 0
    minus: float                          # and x > 0
    compliance: float                     # E
    memory: float                         # m
    length: float                         # r, of trial steps
    slip: float                           # γ0, m/s, with the shift of the load's
    velocity: float                       # γ
    trial: float                          # y
    answer: float                         # p
    own: float                            # derivatives of p by its own y,
    other: float                          # by the ellipse's other,
    lean: float                           # by the load's,
    drift: float                          # by log τ


@table
class Progress(Table):
    """How far along its path a problem is."""

    unit: float                           # of impulses, N s
    length: float                         # of the next step
    start: float                          # log τ at the start
    taken: float                          # steps


class Path(NamedTuple):
    """A problem of R rows, and where its path stands."""

    kind: Any                             # (R,) integers
    place: Any                            # (R,) where its impulse belongs
    normal: Any                           # (R,) row of its load, or -1
    directions: Any                       # Direction (R,)
    coupling: Any                         # (R, R) D, 1/kg
    matrix: Any                           # (R + 1, R + 2)
    x: Any                                # (R + 1,) impulses over their unit, and log τ
    guess: Any                            # (R + 1,) the next of them
    tangent: Any                          # (R + 1,)
    progress: Any                         # Progress, one row


def make_path(rows: int) -> Path:
    """Memory for problems of at most so many rows."""
    kind, place, normal = np.zeros((3, rows), dtype=np.int64)
    x, guess, tangent = np.zeros((3, rows + 1))
    return Path(kind, place, normal, Direction.zeros(rows), np.zeros((rows, rows)), np.zeros((rows + 1, rows + 2)), x, guess, tangent,
                Progress.zeros(1))


class Law(NamedTuple):
    """The law of a row: what `Direction` begins with."""

    load: float
    plus: float
    minus: float
    compliance: float
    memory: float
    length: float


@inline
def put_row(path, row, kind, place, normal, law):
    """One more row. Returns how many there are then."""
    path.kind[row] = kind
    path.place[row] = place
    path.normal[row] = normal
    direction = Direction(path.directions, row)
    direction.load = law.load
    direction.plus = law.plus
    direction.minus = law.minus
    direction.compliance = law.compliance
    direction.memory = law.memory
    direction.length = law.length
    return row + 1


@lean_kernel
def put_contacts(path, contacts, active, count, e, rho):
    """Rows of all active contacts, `place` = 5 a + number of the impulse. Returns their number. Directions without friction have none."""
    rows = 0
    for a in range(count):
        contact = Contact(contacts, active[a])
        normal, z = -1, contact.load
        if contact.given <= 0.0:
            normal, z = rows, 0.0
            rows = put_row(path, rows, PUSH, 5 * a, -1, Law(0.0, 1.0, 1.0, e, 0.0, rho))
        low, _ = stiffness_scales(contact)
        plus, minus, side, roll = contact.friction
        before, mu = contact.shear_before, max(plus, minus)
        joined = contact.box <= 0.0 and mu > 0.0 and side > 0.0
        if mu > 0.0:
            law = Law(z, plus, minus, e * low / (mu * mu), along(contact, -before.along) * before.along, rho)
            rows = put_row(path, rows, ROUND if joined else SIDE, 5 * a + 1, normal, law)
        if side > 0.0:
            law = Law(z, side, side, e * low / (side * side), side * before.across, rho)
            rows = put_row(path, rows, SECOND if joined else SIDE, 5 * a + 2, normal, law)
        if roll > 0.0:
            before = contact.twist_before
            rows = put_row(path, rows, ROUND, 5 * a + 3, normal, Law(z, roll, roll, e, roll * before.along, rho))
            rows = put_row(path, rows, SECOND, 5 * a + 4, normal, Law(z, roll, roll, e, roll * before.across, rho))
    return rows


@lean_kernel
def take_answer(path, rows, contacts, active, end):
    """Impulses and velocities of the present place of the path, into the contacts: rows whose place lies before `end`."""
    for j in range(rows):
        place, direction = path.place[j], Direction(path.directions, j)
        if place < end:
            contact, c = Contact(contacts, active[place // 5]), place % 5
            impulse = direction.answer / max(coefficient(direction, direction.answer), 1e-300)
            velocity = direction.velocity
            if c == 0:
                contact.load = impulse
                contact.approach = velocity - contact.shift
            elif c == 1:
                contact.shear = Pair(impulse, contact.shear.across)
                contact.slip = Pair(velocity, contact.slip.across)
            elif c == 2:
                contact.shear = Pair(contact.shear.along, impulse)
                contact.slip = Pair(contact.slip.along, velocity)
            elif c == 3:
                contact.twist = Pair(impulse, contact.twist.across)
                contact.roll = Pair(velocity, contact.roll.across)
            else:
                contact.twist = Pair(contact.twist.along, impulse)
                contact.roll = Pair(contact.roll.along, velocity)


@inline
def coefficient(direction, impulse):
    """The coefficient of friction of a row for an impulse of that sign."""
    return direction.plus if impulse <= 0.0 else direction.minus


@inline
def rounded_size(y, tau):
    """|y| without its kink."""
    return sqrt(y * y + 4.0 * tau * tau)


@inline
def put_local(direction, own, other, lean, drift):
    direction.own = own
    direction.other = other
    direction.lean = lean
    direction.drift = drift


@inline
def round_push(direction, tau):
    """max(y, 0)."""
    y = direction.trial
    size = rounded_size(y, tau)
    answer = 0.5 * (y + size) if y > 0.0 else 2.0 * tau * tau / (size - y)
    direction.answer = answer
    put_local(direction, answer / size, 0.0, 0.0, 2.0 * tau * tau / size)


@inline
def load_of(path, j):
    """The load on a row, and the derivatives of its logarithm by the trial load and by log τ."""
    n = path.normal[j]
    if n < 0:
        return Direction(path.directions, j).load, 0.0, 0.0
    normal = Direction(path.directions, n)
    z = normal.answer
    return z, normal.own / z, normal.drift / z


@inline
def round_side(path, j, tau):
    """min(max(y, -a), a)."""
    direction = Direction(path.directions, j)
    y = direction.trial
    z, lean, drift = load_of(path, j)
    a = coefficient(direction, y) * z
    up, down = rounded_size(y + a, tau), rounded_size(y - a, tau)
    direction.answer = 2.0 * y * a / (up + down)                  # ½ (up - down), without cancellation
    growth = 0.5 * a * ((y + a) / up + (y - a) / down)
    fall = 2.0 * tau * tau * (1.0 / up - 1.0 / down)
    put_local(direction, 0.5 * ((y + a) / up - (y - a) / down), 0.0, growth * lean, growth * drift + fall)


@inline
def round_ellipse(path, j, tau):
    """The nearest point of an ellipse, both rows of it."""
    first, second = Direction(path.directions, j), Direction(path.directions, j + 1)
    y1, y2 = first.trial, second.trial
    z, lean, drift = load_of(path, j)
    a1, a2 = max(coefficient(first, y1) * z, SMALLEST), second.plus * z
    at = nearest(a1, a2, y1, y2, tau * tau)
    growth, fall = growth_share(at, a1, a2), drift_share(at, tau * tau)
    first.answer = at.p1
    second.answer = at.p2
    put_local(first, at.j11, at.j12, at.v1 * growth * lean, at.v1 * (growth * drift - fall))
    put_local(second, at.j22, at.j12, at.v2 * growth * lean, at.v2 * (growth * drift - fall))


@lean_kernel
def evaluate(path, rows, place):
    """Velocities, trial impulses and p with its derivatives at `place`; rows of loads stand before those of their friction."""
    unit, tau = Progress(path.progress, 0).unit, np.exp(place[rows])
    for j in range(rows):
        total, direction = 0.0, Direction(path.directions, j)
        for i in range(rows):
            total += path.coupling[j, i] * place[i]
        velocity, x = direction.slip + unit * total, unit * place[j]
        direction.velocity = velocity
        direction.trial = x - direction.length * (velocity + direction.compliance * (x - direction.memory))
    for j in range(rows):
        if path.kind[j] == PUSH:
            round_push(Direction(path.directions, j), tau)
        elif path.kind[j] == SIDE:
            round_side(path, j, tau)
        elif path.kind[j] == ROUND:
            round_ellipse(path, j, tau)


@inline
def add_trial(path, rows, j, k, weight):
    """Add `weight` times the derivatives of y_k to row j of the matrix."""
    direction, matrix = Direction(path.directions, k), path.matrix
    matrix[j, k] += weight * (1.0 - direction.length * direction.compliance)
    factor = -weight * direction.length
    for i in range(rows):
        matrix[j, i] += factor * path.coupling[k, i]


@lean_kernel
def fill(path, rows, place):
    """x - p at `place`, over the unit of impulses: its derivatives by the impulses and by log τ, and its negative."""
    matrix, per_unit = path.matrix, 1.0 / Progress(path.progress, 0).unit
    evaluate(path, rows, place)
    for j in range(rows):
        direction = Direction(path.directions, j)
        for i in range(rows):
            matrix[j, i] = 0.0
        add_trial(path, rows, j, j, -direction.own)
        if direction.other != 0.0:
            add_trial(path, rows, j, j + 1 if path.kind[j] == ROUND else j - 1, -direction.other)
        if direction.lean != 0.0:
            add_trial(path, rows, j, path.normal[j], -direction.lean)
        matrix[j, j] += 1.0
        matrix[j, rows] = -per_unit * direction.drift
        matrix[j, rows + 1] = per_unit * direction.answer - place[j]


@lean_kernel
def begin(path, rows, rho):
    """To the start of the path: laws as soft as the impulses are large. Returns whether there is anything to follow."""
    x, matrix, largest, progress = path.x, path.matrix, 0.0, Progress(path.progress, 0)
    for j in range(rows):
        row = Direction(path.directions, j)
        largest = max(largest, rho * abs(row.slip) if path.kind[j] == PUSH else row.load * max(row.plus, row.minus))
        x[j] = 0.0
        path.tangent[j] = 0.0
    if largest <= 0.0:
        return False
    progress.unit = SHARE * largest
    progress.length = 0.5
    progress.start = np.log(largest)
    progress.taken = 0.0
    x[rows] = progress.start
    path.tangent[rows] = -1.0
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
        sharp = np.exp(guess[rows]) / Progress(path.progress, 0).unit             # no detail of the laws is smaller than τ
        if square <= (1e-2 * min(min(length, sharp), 1.0)) ** 2 + FINEST * FINEST:
            return k + 1
    return -1


@lean_kernel
def follow(path, rows):
    """Along the path until τ has fallen to a third. Returns whether it has: if not, the path has come to its end, or to nowhere."""
    x, progress = path.x, Progress(path.progress, 0)
    goal = x[rows] - 1.0
    while progress.taken < STEPS and abs(x[rows] - progress.start + 0.5 * (BELOW - ABOVE)) <= 0.5 * (ABOVE + BELOW):
        turn(path, rows)
        used, length = -1, progress.length
        while used < 0 and length > SHORTEST:
            used = correct(path, rows, length)
            if used < 0:
                length *= 0.4
        if used < 0:
            break
        for c in range(rows + 1):
            x[c] = path.guess[c]
        progress.length = min(2.0 * length, LONGEST) if used <= 3 else 0.7 * length if used >= 5 else length
        progress.taken = progress.taken + 1.0
        if x[rows] <= goal:
            evaluate(path, rows, x)
            return True
    evaluate(path, rows, x)
    return False
