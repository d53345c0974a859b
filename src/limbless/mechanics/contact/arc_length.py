"""The path of `path` followed by its arc length: rounded laws with their derivatives, tangent, corrections.

The nearest point of an ellipse, however slender, and the same with its edge rounded off.

    p = argmin ½ |p - y|² - ½ t log(1 - p1²/a1² - p2²/a2²)

t = 0 is the projection onto the ellipse with the semi-axes a, t > 0 a smooth map into its inside, monotone and never
steeper than 1. In both p_i = a_i² y_i / (a_i² + λ), where λ is the root of one equation:

    φ(λ) = sum (a_i y_i / (a_i² + λ))² + t / λ = 1

φ^(-1/2) is concave: Newton's method for φ^(-1/2) = 1, begun on the left of the root, comes nearer from that side in
every iteration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import copy_part, gauss_solve
from limbless.mechanics.compiled import Array, Scalar, func, kernel, noinline_func, sqrt
from limbless.mechanics.contact.homotopy import ROW_KINDS, Homotopy, HomotopyRow, HomotopyState, RowSlopes, coefficient

ITERATIONS, ENOUGH = 60, 4e-16


class Nearest(NamedTuple):
    """The point, the derivatives of p by y (symmetric), and what derivatives by t and by the size
    of the ellipse are made of.
    """

    p1: float
    p2: float
    j11: float
    j12: float
    j22: float
    v1: float  # p_i / (a_i² + λ)
    v2: float
    root: float  # λ
    weight: float  # -∂φ/∂λ / 2 at the root


@func
def multiplier(a1: Scalar, a2: Scalar, y1: Any, y2: Any, t: Scalar):
    """λ; zero where y lies inside the ellipse and its edge is sharp."""
    s1, s2, b1, b2 = a1 * a1, a2 * a2, a1 * abs(y1), a2 * abs(y2)
    if t <= 0.0 and (a2 * y1) ** 2 + (a1 * y2) ** 2 <= (a1 * a2) ** 2:
        return 0.0
    root = max(max(t, 0.0), max(b1 - s1, b2 - s2))  # φ >= 1 here
    for _ in range(ITERATIONS):
        f1, f2 = b1 / (s1 + root), b2 / (s2 + root)
        soft = t / root if t > 0.0 else 0.0
        phi = f1 * f1 + f2 * f2 + soft
        fall = 2.0 * (f1 * f1 / (s1 + root) + f2 * f2 / (s2 + root)) + (soft / root if t > 0.0 else 0.0)
        step = 2.0 * phi * (sqrt(phi) - 1.0) / fall
        root += step
        if step <= ENOUGH * root:
            break
    return root


@func
def nearest(a1: Scalar, a2: Scalar, y1: Any, y2: Any, t: Scalar) -> Nearest:
    """The nearest point of the ellipse with positive semi-axes a to y, and its derivatives."""
    root = multiplier(a1, a2, y1, y2, t)
    if root <= 0.0:
        return Nearest(y1, y2, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    s1, s2 = a1 * a1, a2 * a2
    k1, k2 = s1 / (s1 + root), s2 / (s2 + root)
    p1, p2 = k1 * y1, k2 * y2
    v1, v2 = p1 / (s1 + root), p2 / (s2 + root)
    weight = p1 * v1 / s1 + p2 * v2 / s2 + (0.5 * t / (root * root) if t > 0.0 else 0.0)
    return Nearest(p1, p2, k1 - v1 * v1 / weight, -v1 * v2 / weight, k2 - v2 * v2 / weight, v1, v2, root, weight)


@func
def drift_share(at: Nearest, t: Scalar):
    """Derivative of p by log sqrt(t), over -v."""
    return t / (at.root * at.weight)


@func
def growth_share(at: Nearest, a1: Scalar, a2: Scalar):
    """Derivative of p by the logarithm of the size of the ellipse, over v."""
    inside = (at.p1 / a1) ** 2 + (at.p2 / a2) ** 2
    bent = at.p1 * at.v1 / (a1 * a1) + at.p2 * at.v2 / (a2 * a2)
    return 2.0 * at.root - (2.0 * at.root * bent - inside) / at.weight


class ContinuationLimits(NamedTuple):
    """How far and how finely the path is followed."""

    share: float = 0.3  # unit of impulses over the largest
    longest: float = 3.0  # steps of arc length
    shortest: float = 1e-9
    smallest: float = 1e-290  # semi-axis of an ellipse
    finest: float = 1e-11  # correction that counts as none
    corrections: int = 6
    starts: int = 30
    steps: int = 600
    above: float = 5.0  # of log τ: how far from its start the path may go
    below: float = 32.0


LIMITS = ContinuationLimits()


@func
def rounded_size(y: Any, tau: Any):
    """|y| without its kink."""
    return sqrt(y * y + 4.0 * tau * tau)


@func
def round_push(direction: HomotopyRow, tau: Any) -> None:
    """max(y, 0)."""
    y = direction.trial
    size = rounded_size(y, tau)
    answer = 0.5 * (y + size) if y > 0.0 else 2.0 * tau * tau / (size - y)
    direction.answer = answer
    direction.slopes = RowSlopes(answer / size, 0.0, 0.0, 2.0 * tau * tau / size)


@func
def load_of(path: Homotopy, j: int):
    """The load on a row, and the derivatives of its logarithm by the trial load and by log τ."""
    n = path.normal[j]
    if n < 0:
        return HomotopyRow(path.directions, j).law.load, 0.0, 0.0
    normal = HomotopyRow(path.directions, n)
    z = normal.answer
    return z, normal.slopes.own / z, normal.slopes.drift / z


@func
def round_side(path: Homotopy, j: int, tau: Any) -> None:
    """min(max(y, -a), a)."""
    direction = HomotopyRow(path.directions, j)
    y = direction.trial
    z, lean, drift = load_of(path, j)
    a = coefficient(direction.law, y) * z
    up, down = rounded_size(y + a, tau), rounded_size(y - a, tau)
    direction.answer = 2.0 * y * a / (up + down)  # ½ (up - down), without cancellation
    growth = 0.5 * a * ((y + a) / up + (y - a) / down)
    fall = 2.0 * tau * tau * (1.0 / up - 1.0 / down)
    direction.slopes = RowSlopes(0.5 * ((y + a) / up - (y - a) / down), 0.0, growth * lean, growth * drift + fall)


@func
def round_ellipse(path: Homotopy, j: int, tau: Any) -> None:
    """The nearest point of an ellipse, both rows of it."""
    first, second = HomotopyRow(path.directions, j), HomotopyRow(path.directions, j + 1)
    y1, y2 = first.trial, second.trial
    z, lean, drift = load_of(path, j)
    a1, a2 = max(coefficient(first.law, y1) * z, LIMITS.smallest), second.law.plus * z
    at = nearest(a1, a2, y1, y2, tau * tau)
    growth, fall = growth_share(at, a1, a2), drift_share(at, tau * tau)
    first.answer = at.p1
    second.answer = at.p2
    first.slopes = RowSlopes(at.j11, at.j12, at.v1 * growth * lean, at.v1 * (growth * drift - fall))
    second.slopes = RowSlopes(at.j22, at.j12, at.v2 * growth * lean, at.v2 * (growth * drift - fall))


@noinline_func
def evaluate(path: Homotopy, rows: int, place: Array) -> None:
    """Velocities, trial impulses and p with its derivatives at `place`; rows of loads stand
    before those of their friction.
    """
    unit, tau = HomotopyState(path.progress, 0).unit, np.exp(place[rows])
    for j in range(rows):
        total, direction = 0.0, HomotopyRow(path.directions, j)
        law = direction.law
        for i in range(rows):
            total += path.coupling[j, i] * place[i]
        velocity, x = direction.slip + unit * total, unit * place[j]
        direction.velocity = velocity
        direction.trial = x - law.length * (velocity + law.compliance * (x - law.memory))
    for j in range(rows):
        if path.kind[j] == ROW_KINDS.push:
            round_push(HomotopyRow(path.directions, j), tau)
        elif path.kind[j] == ROW_KINDS.side:
            round_side(path, j, tau)
        elif path.kind[j] == ROW_KINDS.round:
            round_ellipse(path, j, tau)


@func
def add_trial(path: Homotopy, rows: int, j: int, k: int, weight: Any) -> None:
    """Add `weight` times the derivatives of y_k to row j of the matrix."""
    law, matrix = HomotopyRow(path.directions, k).law, path.matrix
    matrix[j, k] += weight * (1.0 - law.length * law.compliance)
    factor = -weight * law.length
    for i in range(rows):
        matrix[j, i] += factor * path.coupling[k, i]


@noinline_func
def fill(path: Homotopy, rows: int, place: Array) -> None:
    """x - p at `place`, over the unit of impulses: its derivatives by the impulses and by log τ, and its negative."""
    matrix, per_unit = path.matrix, 1.0 / HomotopyState(path.progress, 0).unit
    evaluate(path, rows, place)
    for j in range(rows):
        direction = HomotopyRow(path.directions, j)
        slopes = direction.slopes
        for i in range(rows):
            matrix[j, i] = 0.0
        add_trial(path, rows, j, j, -slopes.own)
        if slopes.other != 0.0:
            add_trial(path, rows, j, j + 1 if path.kind[j] == ROW_KINDS.round else j - 1, -slopes.other)
        if slopes.lean != 0.0:
            add_trial(path, rows, j, path.normal[j], -slopes.lean)
        matrix[j, j] += 1.0
        matrix[j, rows] = -per_unit * slopes.drift
        matrix[j, rows + 1] = per_unit * direction.answer - place[j]


@kernel
def start_arc(path: Homotopy, rows: int, rho: Scalar):
    """To the start of the path: laws as soft as the impulses are large. Returns whether there is anything to follow."""
    x, matrix, largest, progress = path.x, path.matrix, 0.0, HomotopyState(path.progress, 0)
    for j in range(rows):
        row = HomotopyRow(path.directions, j)
        friction = row.law.load * max(row.law.plus, row.law.minus)
        largest = max(largest, rho * abs(row.slip) if path.kind[j] == ROW_KINDS.push else friction)
        x[j] = 0.0
        path.tangent[j] = 0.0
    if largest <= 0.0:
        return False
    progress.unit = LIMITS.share * largest
    progress.length = 0.5
    progress.start = np.log(largest)
    progress.taken = 0.0
    x[rows] = progress.start
    path.tangent[rows] = -1.0
    for _ in range(LIMITS.starts):
        fill(path, rows, x)
        for j in range(rows):
            matrix[j, rows] = matrix[j, rows + 1]
        gauss_solve(matrix, rows)
        change = 0.0
        for j in range(rows):
            x[j] += matrix[j, rows]
            change = max(change, abs(matrix[j, rows]))
        if change <= 1e-6:
            break
    return True


@func
def border(path: Homotopy, rows: int, right: Array) -> None:
    """The last row of the matrix: the part of a change along the tangent."""
    for c in range(rows + 1):
        path.matrix[rows, c] = path.tangent[c]
    path.matrix[rows, rows + 1] = right


@func
def update_tangent(path: Homotopy, rows: int) -> None:
    """The tangent at the present place, in the direction of the one before."""
    matrix, square = path.matrix, 0.0
    fill(path, rows, path.x)
    for j in range(rows):
        matrix[j, rows + 1] = 0.0
    border(path, rows, 1.0)
    gauss_solve(matrix, rows + 1)
    for c in range(rows + 1):
        square += matrix[c, rows + 1] ** 2
    for c in range(rows + 1):
        path.tangent[c] = matrix[c, rows + 1] / sqrt(square)


@func
def corrector(path: Homotopy, rows: int, length: Any):
    """Back to the path from `length` along its tangent, within the plane across it. Returns the number of
    iterations, or -1.
    """
    x, guess, tangent, matrix = path.x, path.guess, path.tangent, path.matrix
    for c in range(rows + 1):
        guess[c] = x[c] + length * tangent[c]
    square = 0.0
    for k in range(LIMITS.corrections):
        fill(path, rows, guess)
        behind, before, square = length, square, 0.0
        for c in range(rows + 1):
            behind -= (guess[c] - x[c]) * tangent[c]
        border(path, rows, behind)
        gauss_solve(matrix, rows + 1)
        for c in range(rows + 1):
            square += matrix[c, rows + 1] ** 2
            guess[c] += matrix[c, rows + 1]
        if k > 0 and not square <= 0.5 * before:
            return -1
        # no detail of the laws is smaller than τ
        sharp = np.exp(guess[rows]) / HomotopyState(path.progress, 0).unit
        if square <= (1e-2 * min(min(length, sharp), 1.0)) ** 2 + LIMITS.finest * LIMITS.finest:
            return k + 1
    return -1


@kernel
def follow_arc(path: Homotopy, rows: int):
    """Along the path until τ has fallen to a third. Returns whether it has: if not, the path has come
    to its end, or to nowhere.
    """
    x, progress = path.x, HomotopyState(path.progress, 0)
    goal = x[rows] - 1.0
    while progress.taken < LIMITS.steps and abs(
        x[rows] - progress.start + 0.5 * (LIMITS.below - LIMITS.above)
    ) <= 0.5 * (LIMITS.above + LIMITS.below):
        update_tangent(path, rows)
        used, length = -1, progress.length
        while used < 0 and length > LIMITS.shortest:
            used = corrector(path, rows, length)
            if used < 0:
                length *= 0.4
        if used < 0:
            break
        copy_part(path.guess, 0, x, 0, rows + 1)
        progress.length = min(2.0 * length, LIMITS.longest) if used <= 3 else 0.7 * length if used >= 5 else length
        progress.taken = progress.taken + 1.0
        if x[rows] <= goal:
            evaluate(path, rows, x)
            return True
    evaluate(path, rows, x)
    return False
