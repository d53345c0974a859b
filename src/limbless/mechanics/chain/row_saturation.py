"""Feedback that answers to accelerations, within what actuators can give.

An actuator gives clip(w - A q̈): its wish w (feedback, feed-forward), less A times the acceleration that is still to
be found. With the dynamics M q̈ + b = τ this is the minimum of a convex function of q̈, found by Newton's method with a
line search: each round solves the dynamics with every actuator at its bound (no A) or away from it (inertia A more).
Both ends of a step obey the dynamics, so that the slope between them is a sum over joints alone. Over a time step the
same holds for impulses and the rates at its end.

`bounds` has for each joint the largest torque, A, and how much of A acts in the solution at hand (none where the
actuator stands at its bound); `rate` is q̈ (or, over a time step, the rate at its end).
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.scalars import maximum, minimum, value_of

LIMIT, GAIN, LEADING = np.arange(3)             # columns of `bounds`
WISH, FORCE, BEFORE, ACTS = np.arange(4)        # rows of `wish`: w; torque and rate so far; whether feedback acts
WISH_ROWS = 4
LATE = 60                                       # rounds after which an actuator at its bound stays there
SOLVED = 1e-12                                  # of a bound: the mismatch that rounding leaves


@inline
def take_wish(bounds, v, wanted, wish):
    """What enters the first solution of the dynamics: the wish clipped, or all of it where -A q̈ is still to come."""
    wish[WISH, v], bounds[v, LEADING] = wanted, bounds[v, GAIN]
    wish[ACTS, v] = 0.0 * wanted + 1.0
    if bounds[v, GAIN] > 0.0:
        return wanted
    return minimum(maximum(wanted, -bounds[v, LIMIT]), bounds[v, LIMIT])


@inline
def clipped(bounds, v, wish, rate):
    limit, wanted = bounds[v, LIMIT], value_of(wish) - bounds[v, GAIN] * rate
    return min(max(wanted, -limit), limit)


@inline
def leads(bounds, v, wish):
    return bounds[v, GAIN] > 0.0 and value_of(wish[ACTS, v]) > 0.0


@inline
def given_by(bounds, v, rate, torque):
    """What the actuator has given in the solution at hand."""
    return value_of(torque[v]) - bounds[v, LEADING] * value_of(rate[v])


@inline
def slope_at(bounds, wish, rate, torque, share):
    """Slope of the convex function at a share of the way from the iterate so far to the solution at hand."""
    total = 0.0
    for v in range(bounds.shape[0]):
        if leads(bounds, v, wish):
            before, force = value_of(wish[BEFORE, v]), value_of(wish[FORCE, v])
            change = value_of(rate[v]) - before
            now = force + share * (given_by(bounds, v, rate, torque) - force)
            total += change * (now - clipped(bounds, v, wish[WISH, v], before + share * change))
    return total


@inline
def share_of_step(bounds, wish, rate, torque):
    """Where along the step the slope has all but vanished, by false position; its end if the function falls there."""
    above = slope_at(bounds, wish, rate, torque, 1.0)
    if above <= 0.0:
        return 1.0
    low, high, share = 0.0, 1.0, 1.0
    below = slope_at(bounds, wish, rate, torque, 0.0)
    enough = 0.01 * abs(below)
    for _ in range(30):
        width = high - low
        share = min(max(low - below * width / (above - below), low + 0.05 * width), high - 0.05 * width)
        slope = slope_at(bounds, wish, rate, torque, share)
        if abs(slope) <= enough:
            break
        if slope > 0.0:
            high, above = share, slope
        else:
            low, below = share, slope
    return share


@lean_kernel
def relent(bounds, rounds, slack, wish, rate, torque):
    """After a solution of the dynamics: whether some actuator gives what it should not, and torques for the next one.

    `slack` is the error that the rates may have: an actuator at the very edge of its bound is not asked for more.
    """
    unsolved = False
    for v in range(bounds.shape[0]):
        if leads(bounds, v, wish) and bounds[v, LIMIT] < np.inf:
            off = abs(given_by(bounds, v, rate, torque) - clipped(bounds, v, wish[WISH, v], value_of(rate[v])))
            unsolved = unsolved or off > SOLVED * bounds[v, LIMIT] + slack * bounds[v, GAIN]
    if not unsolved:
        return False
    share = share_of_step(bounds, wish, rate, torque) if rounds > 0 else 1.0
    again = rounds <= LATE
    for v in range(bounds.shape[0]):
        if leads(bounds, v, wish):
            given, o = given_by(bounds, v, rate, torque), 0.0 * wish[WISH, v]
            before, force = (value_of(wish[BEFORE, v]), value_of(wish[FORCE, v])) if rounds > 0 else (0.0, 0.0)
            here = before + share * (value_of(rate[v]) - before)
            wish[BEFORE, v], wish[FORCE, v] = here + o, force + share * (given - force) + o
            limit, wanted = bounds[v, LIMIT], value_of(wish[WISH, v]) - bounds[v, GAIN] * here
            if rounds > LATE:
                wanted = given if bounds[v, LEADING] > 0.0 else 0.0
                again = again or abs(wanted) > limit
                if abs(wanted) <= limit:
                    continue
            if abs(wanted) > limit:
                torque[v], bounds[v, LEADING] = (limit if wanted > 0.0 else -limit) + o, 0.0
            else:
                torque[v], bounds[v, LEADING] = wish[WISH, v], bounds[v, GAIN]
    return again


@lean_kernel
def answer(bounds, wish, rate, torque):
    """What the actuators give, once the accelerations are known: w - A q̈."""
    for v in range(bounds.shape[0]):
        if leads(bounds, v, wish):
            torque[v] -= bounds[v, LEADING] * rate[v]
