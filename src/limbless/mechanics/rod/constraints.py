"""What contacts decide: the motion of the head that they allow, and, of supports that a body slides by, where along it
they are.

A contact holds some components of the twist of a section, η(C) = Ad_h⁻¹ (η_o + J): linear equations for η_o (29), and
with a(C) = Ad_h⁻¹ (η̇_o + ad_{η_o} J + A) for η̇_o. Supports wander along the body by (33), corrected.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Matrix, Twist, Vector, cross, dot, twist_cross
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Rows,
    Scalar,
    Table,
    constants,
    func,
    kernel,
    unpack,
)
from limbless.mechanics.rod.head_motion import solve_free
from limbless.mechanics.rod.tables import RodShape, StrainRow

NOWHERE = -1.0
"""The abscissa of a support that is not there."""
ROUNDING = 0.01
"""Of a step: supports come and go at ends of steps, and what is this near to one counts as there."""


@constants
class SupportTimes(Table):
    """When a support comes and when it goes, s (±1e300: never), and at which abscissa it comes, m."""

    comes: float
    goes: float
    entry: float


class HeldSections(NamedTuple):
    """All sections that something holds at E instants: touched ones first, then those at which a guided body is asked
    not to slip."""

    shape: Array  # Shape (E, N)
    active: IntArray  # (E, N, 6) which components of its twist
    given: Array  # (E, N, 6) what they must be
    place: Array  # (E, N) abscissae, m


class ResidualScales(NamedTuple):
    """How mismatches of different kinds count."""

    unit: Array  # (6,) weight of a component's mismatch
    free: Array  # (6,) which components of the head move,
    scale: Array  # (6,) and by what they count
    ridge: float  # added to the diagonal, as a share of the trace


class ConstraintFit(NamedTuple):
    """The motion that agrees best with all that is held."""

    answer: Array  # Screw (E,)
    left: Array  # (E,) largest mismatch,
    worst: IntArray  # (E,) and of which section
    normal: Array  # (E, 6, 6) of the normal equations, in scaled components
    right: Array  # (6,) working memory, and so are
    row: Array  # (6,)
    system: Array  # (6, 7)


@func
def speed_at(X: Array, speed: Array, place: Scalar) -> Scalar:
    """A field (nodes,) at a place between the nodes: the parabola of the panel."""
    panels = (X.shape[0] - 1) // 2
    low, high = 0, panels - 1
    while low < high:
        middle = (low + high + 1) // 2
        if X[2 * middle] <= place:
            low = middle
        else:
            high = middle - 1
    k = 2 * low
    a, b, c = X[k], X[k + 1], X[k + 2]
    if c - a < 1e-9 * X[X.shape[0] - 1]:
        return speed[k + 1]
    return (
        speed[k] * (place - b) * (place - c) / ((a - b) * (a - c))
        + speed[k + 1] * (place - a) * (place - c) / ((b - a) * (b - c))
        + speed[k + 2] * (place - a) * (place - b) / ((c - a) * (c - b))
    )


@func
def step_place(
    X: Array, before: Array, between: Array, after: Array, place: Scalar, h: Scalar
) -> tuple[Scalar, Scalar]:
    """One Runge-Kutta step of Ċ = speed(C, t); returns the place half way (of the cubic with the same ends and speeds)
    and at the end."""
    k1 = speed_at(X, before, place)
    k2 = speed_at(X, between, place + 0.5 * h * k1)
    k3 = speed_at(X, between, place + 0.5 * h * k2)
    k4 = speed_at(X, after, place + h * k3)
    end = place + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
    return 0.5 * (place + end) + 0.125 * h * (k1 - speed_at(X, after, end)), end


@kernel
def support_speed(
    shapes: Rows[RodShape], strain: Rows[StrainRow], twist: Rows[StrainRow], own: Array, speed: Array
) -> None:
    """Speed (T, nodes) along the body of a thing that moves through space: (v_X - V_X) / Γ_X (33) corrected.

    shapes : Shape (T, nodes); strain : Screw (T, nodes); twist : Screw (T,) of the head; own : (T, 3) velocity v
    of the thing.
    """
    for i in range(shapes.shape[0]):
        V, v = StrainRow(twist, i).twist, Vector(own[i, 0], own[i, 1], own[i, 2])
        for k in range(shapes.shape[1]):
            shape = RodShape(shapes, i, k)
            along = held_row(shape.rotation, shape.place, 0)
            stretch = StrainRow(strain, i, k).twist.linear.x
            speed[i, k] = (dot(along.linear, v) - mismatch(along, V + shape.swing, 0.0)) / stretch


@kernel
def track_supports(
    X: Array,
    knots: Array,
    speed: Array,
    spacing: Scalar,
    timetable: Rows[SupportTimes],
    places: Array,
    path: Array,
    present: IntArray,
) -> None:
    """Follow supports over the steps between knots.

    speed : (2 K + 1, nodes) of a support along the body, at knots and in the middles between them.
    spacing : distance at which the next one follows; 0: none does.
    timetable : Visit (P,).
    places : (P,) abscissae, `NOWHERE` where there is none; moved on to the end.
    path : (K, 3, P) abscissae at start, middle and end of each step, filled in where one holds.
    present : (K, P) whether it holds in the step, False before.

    Supports come and go at the ends of steps. One that passes an end of the body within a step stays at that end until
    the step is over, so that the next one, which enters then, takes over without a gap; what is missing by less than
    `ROUNDING` of a step's way counts as done, or rounding would decide which of the two comes first. None is ever
    outside the body."""
    last = X[X.shape[0] - 1]
    for n in range(knots.shape[0] - 1):
        h = knots[n + 1] - knots[n]
        for p in range(places.shape[0]):
            visit = SupportTimes(timetable, p)
            if abs(knots[n] - visit.comes) <= ROUNDING * h:
                places[p] = visit.entry
            if places[p] < 0.0 or knots[n] >= visit.goes - ROUNDING * h:
                places[p] = NOWHERE
                continue
            middle, end = step_place(X, speed[2 * n], speed[2 * n + 1], speed[2 * n + 2], places[p], h)
            slack = ROUNDING * abs(end - places[p])
            present[n, p] = True
            path[n, 0, p] = places[p]
            path[n, 1, p], path[n, 2, p] = min(max(middle, 0.0), last), min(max(end, 0.0), last)
            leaves = (end < places[p] and end <= slack) or (end > places[p] and end >= last - slack)
            places[p] = NOWHERE if leaves else end
        if spacing > 0.0:
            admit(spacing - ROUNDING * h * abs(speed[2 * n + 2, 0]), spacing, last, speed[2 * n + 2, 0] >= 0.0, places)


@func
def admit(enough: Scalar, spacing: Scalar, last: Scalar, tailward: bool, places: Array) -> None:
    """The next supports enter at the head (or at the tail, if the body backs), each `spacing` before the last one that
    did.

    One enters where the last has gone in by `enough`.
    """
    for _ in range(places.shape[0]):
        nearest, free = 1e300, -1
        for p in range(places.shape[0]):
            if places[p] < 0.0:
                free = p
            else:
                nearest = min(nearest, places[p] if tailward else last - places[p])
        if free < 0 or nearest < enough or nearest > 1e200:
            return
        inside = max(nearest - spacing, 0.0)
        places[free] = inside if tailward else last - inside


@func
def held_row(R: Matrix, p: Vector, c: int) -> Twist:
    """Row c of Ad_h⁻¹: what component c of a section's twist takes of a twist in the head frame."""
    i = c % 3
    axis = Vector(R.x[i], R.y[i], R.z[i])
    return Twist(axis, cross(p, axis)) if c < 3 else Twist(0.0 * axis, axis)


@func
def apart_from_head(shape: RodShape, twist: Twist, order: int) -> Twist:
    """What a section does without η_o (order 0: J) or without η̇_o (order 1: ad_{η_o} J + A), in the head frame."""
    return shape.surge + twist_cross(twist, shape.swing) if order > 0 else shape.swing


@func
def mismatch(row: Twist, V: Twist, given: Scalar) -> Scalar:
    return dot(row.linear, V.linear) + dot(row.angular, V.angular) - given


@func
def add_normal(fit: ConstraintFit, measure: ResidualScales, held: Twist, need: Scalar, e: int) -> None:
    """One equation held . V = need, weighted, in the normal equations of instant e."""
    for i in range(3):
        fit.row[i] = measure.free[i] * held.linear[i] / measure.scale[i]
        fit.row[3 + i] = measure.free[3 + i] * held.angular[i] / measure.scale[3 + i]
    for i in range(6):
        fit.right[i] += fit.row[i] * need
        for j in range(6):
            fit.normal[e, i, j] += fit.row[i] * fit.row[j]


@func
def put_normal(fit: ConstraintFit, measure: ResidualScales, held: HeldSections, V: Twist, order: int, e: int) -> None:
    """The normal equations of all that is held at instant e."""
    fit.right[:] = 0.0
    fit.normal[e][:] = 0.0
    for n in range(held.shape.shape[1]):
        shape = RodShape(held.shape, e, n)
        known = apart_from_head(shape, V, order)
        for c in range(6):
            if held.active[e, n, c]:
                row, unit = held_row(shape.rotation, shape.place, c), measure.unit[c]
                add_normal(fit, measure, unit * row, -unit * mismatch(row, known, held.given[e, n, c]), e)
    trace = 0.0
    for i in range(6):
        trace += fit.normal[e, i, i]
    for i in range(6):
        fit.normal[e, i, i] += measure.ridge * trace


@func
def put_mismatch(fit: ConstraintFit, measure: ResidualScales, held: HeldSections, V: Twist, order: int, e: int) -> None:
    """The largest mismatch that the answer leaves."""
    A = StrainRow(fit.answer, e).twist
    fit.left[e], fit.worst[e] = 0.0, 0
    for n in range(held.shape.shape[1]):
        shape = RodShape(held.shape, e, n)
        known = apart_from_head(shape, V, order)
        for c in range(6):
            if held.active[e, n, c]:
                row = held_row(shape.rotation, shape.place, c)
                size = measure.unit[c] * abs(mismatch(row, A + known, held.given[e, n, c]))
                if size > fit.left[e]:
                    fit.left[e], fit.worst[e] = size, n


@kernel
def constrained_twists(
    held: HeldSections, twist: Rows[StrainRow], order: int, measure: ResidualScales, fit: ConstraintFit
) -> None:
    """η_o (order 0), or η̇_o where η_o is `twist`, Screw (E,), (order 1): least squares over all held components."""
    held, twist, measure, fit = unpack(held), unpack(twist), unpack(measure), unpack(fit)
    for e in range(held.shape.shape[0]):
        V = StrainRow(twist, e).twist
        put_normal(fit, measure, held, V, order, e)
        solve_free(fit.normal[e], fit.right, measure.free, fit.system)
        for i in range(6):
            fit.answer[e, i] = fit.right[i] / measure.scale[i]
        put_mismatch(fit, measure, held, V, order, e)
