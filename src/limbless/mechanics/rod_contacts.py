"""Supports that stay where they are while a body slides by: where along the body they are, step by step (paper 000, (33) corrected)."""
from __future__ import annotations

from limbless.mechanics.kernel import inline, kernel

NOWHERE = -1.0
"""The abscissa of a slot that holds no support."""


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
def travel(X, knots, speed, spacing, places, path, present):
    """Follow supports over the steps between knots.

    speed : (2 K + 1, nodes) of a support along the body, at knots and in the middles between them.
    spacing : distance at which the next one follows; 0: none does.
    places : (P,) abscissae, `NOWHERE` where there is none; moved on to the end.
    path : (K, 3, P) abscissae at start, middle and end of each step. present : (K, P) whether it holds throughout the step.

    A support that would pass an end of the body within a step is gone for the whole step; one that enters does so at the end of a step:
    none is ever outside the body.
    """
    last = X[X.shape[0] - 1]
    for n in range(knots.shape[0] - 1):
        h = knots[n + 1] - knots[n]
        for p in range(places.shape[0]):
            present[n, p] = False
            for c in range(3):
                path[n, c, p] = 0.0
            if places[p] < 0.0:
                continue
            middle, end = step_place(X, speed[2 * n], speed[2 * n + 1], speed[2 * n + 2], places[p], h)
            if end < 0.0 or end > last or middle < 0.0 or middle > last:
                places[p] = NOWHERE
                continue
            present[n, p] = True
            path[n, 0, p], path[n, 1, p], path[n, 2, p] = places[p], middle, end
            places[p] = end
        if spacing > 0.0:
            admit(spacing, last, speed[2 * n + 2, 0] >= 0.0, places)


@inline
def admit(spacing, last, tailward, places):
    """The next supports enter at the head (or at the tail, if the body backs), each `spacing` before the last one that did."""
    for _ in range(places.shape[0]):
        nearest, free = 1e300, -1
        for p in range(places.shape[0]):
            if places[p] < 0.0:
                free = p
            else:
                nearest = min(nearest, places[p] if tailward else last - places[p])
        if free < 0 or nearest < spacing or nearest > 1e200:
            return
        places[free] = nearest - spacing if tailward else last - (nearest - spacing)
