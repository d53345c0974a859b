"""What contacts decide: the motion of the head that they allow, and, of supports that a body slides by, where along it they are.

A contact holds some components of the twist of a section, η(C) = Ad_h⁻¹ (η_o + J): linear equations for η_o (29), and with
a(C) = Ad_h⁻¹ (η̇_o + ad_{η_o} J + A) for η̇_o. Supports wander along the body by (33), corrected.
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra.columns import get_matrix, get_twist, get_vector
from limbless.mechanics.algebra.inertia import Twist, twist_cross
from limbless.mechanics.algebra.vectors import Vector, cross, dot
from limbless.mechanics.compiled.kernel import inline, kernel
from limbless.mechanics.rod.sweep import PLACE, ROTATION, SURGE, SWING, solve_six

NOWHERE = -1.0
"""The abscissa of a slot that holds no support."""
ROUNDING = 0.01
"""Of a step: supports come and go at ends of steps, and what is this near to one counts as there."""


@inline
def speed_at(X, speed, place):
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
    return (speed[k] * (place - b) * (place - c) / ((a - b) * (a - c)) + speed[k + 1] * (place - a) * (place - c) / ((b - a) * (b - c))
            + speed[k + 2] * (place - a) * (place - b) / ((c - a) * (c - b)))


@inline
def step_place(X, before, between, after, place, h):
    """One Runge-Kutta step of Ċ = speed(C, t); returns the place half way (of the cubic with the same ends and speeds) and at the end."""
    k1 = speed_at(X, before, place)
    k2 = speed_at(X, between, place + 0.5 * h * k1)
    k3 = speed_at(X, between, place + 0.5 * h * k2)
    k4 = speed_at(X, after, place + h * k3)
    end = place + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
    return 0.5 * (place + end) + 0.125 * h * (k1 - speed_at(X, after, end)), end


@kernel
def wander(work, strain, twist, own, speed):
    """Speed (T, nodes) along the body of a thing that moves through space: (v_X - V_X) / Γ_X (33) corrected.

    work : (T, nodes, ..); strain : (T, nodes, 6); twist : (T, 6) of the head; own : (T, 3) velocity v of the thing, head axes.
    """
    for i in range(work.shape[0]):
        V, v = get_twist(twist, i, np.int64(0)), get_vector(own, i, np.int64(0))
        for k in range(work.shape[1]):
            along = held_row(get_matrix(work[i], k, ROTATION), get_vector(work[i], k, PLACE), 0)
            speed[i, k] = (dot(along.linear, v) - mismatch(along, V + get_twist(work[i], k, SWING), 0.0)) / strain[i, k, 0]


@kernel
def travel(X, knots, speed, spacing, timetable, places, path, present):
    """Follow supports over the steps between knots.

    speed : (2 K + 1, nodes) of a support along the body, at knots and in the middles between them.
    spacing : distance at which the next one follows; 0: none does.
    timetable : (P, 3) when each comes, when it goes, and at which abscissa it comes; times of ±1e300 mean never.
    places : (P,) abscissae, `NOWHERE` where there is none; moved on to the end.
    path : (K, 3, P) abscissae at start, middle and end of each step. present : (K, P) whether it holds in the step.

    Supports come and go at the ends of steps. One that passes an end of the body within a step stays at that end until
    the step is over, so that the next one, which enters then, takes over without a gap; what is missing by less than
    `ROUNDING` of a step's way counts as done, or rounding would decide which of the two comes first. None is ever
    outside the body. """
    last = X[X.shape[0] - 1]
    for n in range(knots.shape[0] - 1):
        h = knots[n + 1] - knots[n]
        for p in range(places.shape[0]):
            present[n, p] = False
            for c in range(3):
                path[n, c, p] = 0.0
            if abs(knots[n] - timetable[p, 0]) <= ROUNDING * h:
                places[p] = timetable[p, 2]
            if places[p] < 0.0 or knots[n] >= timetable[p, 1] - ROUNDING * h:
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


@inline
def admit(enough, spacing, last, tailward, places):
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


@inline
def held_row(R, p, c):
    """Row c of Ad_h⁻¹: what component c of a section's twist takes of a twist in the head frame."""
    i = c % 3
    axis = Vector(R.x[i], R.y[i], R.z[i])
    return Twist(axis, cross(p, axis)) if c < 3 else Twist(0.0 * axis, axis)


@inline
def apart_from_head(pose, n, twist, order):
    """What a section does without η_o (order 0: J) or without η̇_o (order 1: ad_{η_o} J + A), in the head frame."""
    swing = get_twist(pose, n, SWING)
    return get_twist(pose, n, SURGE) + twist_cross(twist, swing) if order > 0 else swing


@inline
def mismatch(row, V, given):
    return dot(row.linear, V.linear) + dot(row.angular, V.angular) - given


@kernel
def held_twists(pose, active, given, twist, order, unit, free, scale, ridge, answer, left, worst, normal):
    """η_o (order 0), or η̇_o where η_o is `twist` (order 1), at E instants: least squares over all held components.

    pose : (E, P, ..) of the touched sections. active, given : (E, P, 6) which components are held, and at what.
    unit : (6,) weight of a component's mismatch. free, scale : (6,) which components of the head move, and by what they count.
    ridge : added to the diagonal, as a share of the trace. answer : (E, 6). left, worst : (E,) largest mismatch, and of which section.
    normal : (E, 6, 6) of the normal equations, in scaled components.
    """
    right, table, row = np.zeros(6), np.zeros((6, 6)), np.zeros(6)
    for e in range(pose.shape[0]):
        V = get_twist(twist, e, np.int64(0))
        normal[e], right[:] = 0.0, 0.0
        for n in range(pose.shape[1]):
            R, p, known = get_matrix(pose[e], n, ROTATION), get_vector(pose[e], n, PLACE), apart_from_head(pose[e], n, V, order)
            for c in range(6):
                if not active[e, n, c]:
                    continue
                held = held_row(R, p, c)
                need = -unit[c] * mismatch(held, known, given[e, n, c])
                for i in range(3):
                    row[i] = unit[c] * free[i] * held.linear[i] / scale[i]
                    row[3 + i] = unit[c] * free[3 + i] * held.angular[i] / scale[3 + i]
                for i in range(6):
                    right[i] += row[i] * need
                    for j in range(6):
                        normal[e, i, j] += row[i] * row[j]
        size = np.trace(normal[e])
        for i in range(6):
            normal[e, i, i] += ridge * size
        solve_six(normal[e], right, free, table)
        for i in range(6):
            answer[e, i] = right[i] / scale[i]
        A = get_twist(answer, e, np.int64(0))
        left[e], worst[e] = 0.0, 0
        for n in range(pose.shape[1]):
            R, p, known = get_matrix(pose[e], n, ROTATION), get_vector(pose[e], n, PLACE), apart_from_head(pose[e], n, V, order)
            for c in range(6):
                if active[e, n, c]:
                    size = unit[c] * abs(mismatch(held_row(R, p, c), A + known, given[e, n, c]))
                    if size > left[e]:
                        left[e], worst[e] = size, n
