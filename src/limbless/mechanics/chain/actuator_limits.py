"""Feedback that answers to accelerations, within what actuators can give.

An actuator gives clip(w - A q̈): its wish w (feedback, feed-forward), less A times the acceleration that is still to
be found. With the dynamics M q̈ + b = τ this is the minimum of a convex function of q̈, found by Newton's method with a
line search: each round solves the dynamics with every actuator at its bound (no A) or away from it (inertia A more).
Both ends of a step obey the dynamics, so that the slope between them is a sum over joints alone. Over a time step the
same holds for impulses and the rates at its end: `rate` is q̈, or the rate at the end of a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import directional_slope, line_search
from limbless.mechanics.chain.tables import ActuatorLimit, ActuatorRequest
from limbless.mechanics.compiled import (
    Array,
    Rows,
    Scalar,
    func,
    maximum,
    minimum,
    noinline_func,
    value_of,
    version_for,
    where_positive,
)

LATE = 60  # rounds after which an actuator at its bound stays there
SOLVED = 1e-12  # of a bound: the mismatch that rounding leaves


@func
def take_request(bounds: Rows[ActuatorLimit], v: int, wanted: Scalar, wishes: Rows[ActuatorRequest]) -> Scalar:
    """What enters the first solution of the dynamics: the wish clipped, or all of it where -A q̈ is still to come."""
    bound, wish = ActuatorLimit(bounds, v), ActuatorRequest(wishes, v)
    wish.wanted = wanted
    wish.acts = 0.0 * wanted + 1.0
    bound.leading = bound.gain
    return where_positive(bound.gain, wanted, minimum(maximum(wanted, -bound.limit), bound.limit))


@func
def clipped(bound: ActuatorLimit, wanted: Scalar, rate: Scalar):
    return min(max(value_of(wanted) - value_of(bound.gain) * rate, -value_of(bound.limit)), value_of(bound.limit))


@func
def has_acceleration_gain(bound: Any, wish: ActuatorRequest):
    return value_of(bound.gain) > 0.0 and value_of(wish.acts) > 0.0


@func
def given_by(bound: ActuatorLimit, rate: Scalar, torque: Any):
    """What the actuator has given in the solution at hand."""
    return value_of(torque) - value_of(bound.leading) * value_of(rate)


class ActiveSetStep(NamedTuple):
    """The step from the iterate so far to the solution at hand."""

    bounds: Rows[ActuatorLimit]
    wishes: Rows[ActuatorRequest]
    rate: Any
    torque: Any


@version_for(directional_slope, ActiveSetStep)
@func
def slope_of_wishes(step: ActiveSetStep, share: Scalar):
    total = 0.0
    for v in range(step.bounds.shape[0]):
        bound, wish = ActuatorLimit(step.bounds, v), ActuatorRequest(step.wishes, v)
        if has_acceleration_gain(bound, wish):
            before, force = value_of(wish.before), value_of(wish.force)
            change = value_of(step.rate[v]) - before
            now = force + share * (given_by(bound, step.rate[v], step.torque[v]) - force)
            total += change * (now - clipped(bound, wish.wanted, before + share * change))
    return total


@func
def unsolved(bounds: Rows[ActuatorLimit], slack: Any, wishes: Rows[ActuatorRequest], rate: Array, torque: Array):
    """Whether some actuator gives what it should not."""
    found = False
    for v in range(bounds.shape[0]):
        bound, wish = ActuatorLimit(bounds, v), ActuatorRequest(wishes, v)
        limit = value_of(bound.limit)
        if has_acceleration_gain(bound, wish) and limit < np.inf:
            off = abs(given_by(bound, rate[v], torque[v]) - clipped(bound, wish.wanted, value_of(rate[v])))
            found = found or off > SOLVED * limit + slack * value_of(bound.gain)
    return found


@noinline_func
def active_set_step(
    bounds: Rows[ActuatorLimit], rounds: Any, slack: Any, wishes: Rows[ActuatorRequest], rate: Array, torque: Array
):
    """After a solution of the dynamics: whether some actuator gives what it should not, and torques for the next one.

    `slack` is the error that the rates may have: an actuator at the very edge of its bound is not asked for more.
    """
    if not unsolved(bounds, slack, wishes, rate, torque):
        return False
    share = line_search(ActiveSetStep(bounds, wishes, rate, torque), 0.01) if rounds > 0 else 1.0
    again = rounds <= LATE
    for v in range(bounds.shape[0]):
        bound, wish = ActuatorLimit(bounds, v), ActuatorRequest(wishes, v)
        if has_acceleration_gain(bound, wish):
            given, o = given_by(bound, rate[v], torque[v]), 0.0 * wish.wanted
            before, force = (value_of(wish.before), value_of(wish.force)) if rounds > 0 else (0.0, 0.0)
            here = before + share * (value_of(rate[v]) - before)
            wish.before = here + o
            wish.force = force + share * (given - force) + o
            limit = value_of(bound.limit)
            wanted = value_of(wish.wanted) - value_of(bound.gain) * here
            if rounds > LATE:
                wanted = given if value_of(bound.leading) > 0.0 else 0.0
                again = again or abs(wanted) > limit
                if abs(wanted) <= limit:
                    continue
            if abs(wanted) > limit:
                torque[v] = (limit if wanted > 0.0 else -limit) + o
                bound.leading = 0.0 * bound.gain
            else:
                torque[v] = wish.wanted
                bound.leading = bound.gain
    return again


@noinline_func
def actuator_torques(bounds: Rows[ActuatorLimit], wishes: Rows[ActuatorRequest], rate: Array, torque: Array) -> None:
    """What the actuators give, once the accelerations are known: w - A q̈."""
    for v in range(bounds.shape[0]):
        bound = ActuatorLimit(bounds, v)
        if has_acceleration_gain(bound, ActuatorRequest(wishes, v)):
            torque[v] -= bound.leading * rate[v]
