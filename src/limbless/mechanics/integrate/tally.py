"""What a run adds up or compares at every step, whatever is recorded: work of each actuator, peaks, limits, work of each law and contact.

A `Tally` counts since the start of a run and goes with its state from block to block, so that a continued run goes on counting. The same
few functions serve every model: a loop calls one of them for the work of a step and one for what stands at a knot, and `keep` at a record.
An actuator is a joint's degree of freedom, or one strain of one section of a rod.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.vectors import dot
from limbless.mechanics.compiled.kernel import inline, lean_kernel

# Rows of numbers of all actuators: work and positive work (J; J/m for a strain), largest effort with its sign (N m or N) and its time (s),
# time at which the limit was first passed (s), that limit, and the power at the last knot (W/m; of strains alone)
WORK, POSITIVE, PEAK, PEAK_TIME, BEYOND, LIMIT, POWER = np.arange(7)
ACTUATOR_ROWS = 7
NEVER = -1.0                           # in BEYOND: the limit was not passed
UNLIMITED = 1e25                       # in LIMIT: fast math knows no infinity
# Numbers of the whole run: work exchanged, ∫ |actuators| + |environment| + |passive| dt (J); path of the centre of mass (m); its speed
# (m/s) at the last knot, and the time of that knot (s)
EXCHANGED, PATH, SPEED, TIME = np.arange(4)
RUN_COLUMNS = 4


class Tally(NamedTuple):
    """Sums and extremes of a run so far; with one axis more in front, those at R records."""

    actuators: NDArray[np.float64]     # (ACTUATOR_ROWS, A)
    laws: NDArray[np.float64]          # (L,) J, work of each environment that pushes
    contacts: NDArray[np.float64]      # (C,) J, work of each contact
    run: NDArray[np.float64]           # (RUN_COLUMNS,)


class Uncounted(NamedTuple):
    """In place of a `Tally`: nothing is counted (runs with derivatives, several runs side by side)."""


@inline
def parabola_until(a, m, b, s):
    """∫ from 0 to s of the parabola through a at 0, m at 1/2 and b at 1."""
    return s * (a + s * (0.5 * (4.0 * m - 3.0 * a - b) + s * (2.0 / 3.0) * (a - 2.0 * m + b)))


@inline
def positive_between(low, high, p, q, a, m, b):
    """∫ of the positive part of the parabola from `low` to `high`, where it has the values p and q.

    A zero between them is taken from the straight line: the parabola itself is near zero there, so that the error is of fourth order.
    """
    if p <= 0.0 and q <= 0.0:
        return 0.0
    if p < 0.0:
        low = low + (high - low) * p / (p - q)
    elif q < 0.0:
        high = low + (high - low) * p / (p - q)
    return max(parabola_until(a, m, b, high) - parabola_until(a, m, b, low), 0.0)


@lean_kernel
def add_smooth_works(actuators, h, powers):
    """Work of a Runge-Kutta step of length h from the powers (4, A) at its stages: of the same order as the motion."""
    crossing = 0
    for a in range(powers.shape[1]):                     # without a branch: eight actuators at once
        start, middle, end = powers[0, a], 0.5 * (powers[1, a] + powers[2, a]), powers[3, a]
        work = (h / 6.0) * (start + 4.0 * middle + end)
        least, most = min(min(start, middle), end), max(max(start, middle), end)
        actuators[WORK, a] += work
        actuators[POSITIVE, a] += work if least >= 0.0 else 0.0
        crossing += 1 if least < 0.0 < most else 0
    if crossing > 0:
        for a in range(powers.shape[1]):
            start, middle, end = powers[0, a], 0.5 * (powers[1, a] + powers[2, a]), powers[3, a]
            if min(min(start, middle), end) < 0.0 < max(max(start, middle), end):
                actuators[POSITIVE, a] += h * (positive_between(0.0, 0.5, start, middle, start, middle, end)
                                               + positive_between(0.5, 1.0, middle, end, start, middle, end))


@inline
def add_laws(tally, weight, powers, driven, environment, passive):
    """`weight` (s) times the powers of all laws, and times the sizes of the powers of actuators, environment and passive forces."""
    for i in range(powers.shape[0]):
        tally.laws[i] += weight * powers[i]
    tally.run[EXCHANGED] += weight * (abs(driven) + abs(environment) + abs(passive))


@inline
def add_work(actuators, a, work):
    """Work of a step in which one impulse acts on the mean of two velocities: it has one sign."""
    actuators[WORK, a] += work
    actuators[POSITIVE, a] += max(work, 0.0)


@inline
def add_step(tally, h, powers, driven, environment, passive, travel, mass):
    """A step in which forces are constant: powers (W) of all laws, the three works (J), and mass times the way of its centre (kg m)."""
    for i in range(powers.shape[0]):
        tally.laws[i] += h * powers[i]
    tally.run[EXCHANGED] += abs(driven) + abs(environment) + abs(passive)
    tally.run[PATH] += np.sqrt(dot(travel, travel)) / mass if mass > 0.0 else 0.0


@inline
def compare(actuators, a, t, effort):
    """An effort at time t with the largest so far and with the limit."""
    size = abs(effort)
    if size > abs(actuators[PEAK, a]):
        actuators[PEAK, a], actuators[PEAK_TIME, a] = effort, t
    if size > actuators[LIMIT, a] and actuators[BEYOND, a] < 0.0:
        actuators[BEYOND, a] = t


@lean_kernel
def look(actuators, run, t, efforts, speed):
    """What stands at a knot of a smooth motion: all efforts, and the path since the knot before at the mean of two speeds."""
    larger = 0
    for a in range(efforts.shape[0]):                    # without a branch; a new largest effort is rare
        larger += 1 if abs(efforts[a]) > min(abs(actuators[PEAK, a]), actuators[LIMIT, a]) else 0
    if larger > 0:
        for a in range(efforts.shape[0]):
            compare(actuators, a, t, efforts[a])
    run[PATH] += 0.5 * (t - run[TIME]) * (run[SPEED] + speed)
    run[SPEED], run[TIME] = speed, t


@inline
def keep(tally, kept, r):
    """All that is tallied so far, in record r."""
    for c in range(ACTUATOR_ROWS):
        for a in range(tally.actuators.shape[1]):
            kept.actuators[r, c, a] = tally.actuators[c, a]
    for i in range(tally.laws.shape[0]):
        kept.laws[r, i] = tally.laws[i]
    for i in range(tally.contacts.shape[0]):
        kept.contacts[r, i] = tally.contacts[i]
    for c in range(RUN_COLUMNS):
        kept.run[r, c] = tally.run[c]


@lean_kernel
def look_and_keep(tally, kept, r, recorded, last, t, efforts, speed):
    """`look` at a knot and, where it is recorded, `keep`.

    What stands at the last knot goes into its record only: if the run is continued, the step that begins there looks at it again.
    """
    if last:
        keep(tally, kept, r)
        look(kept.actuators[r], kept.run[r], t, efforts, speed)
    else:
        look(tally.actuators, tally.run, t, efforts, speed)
        if recorded:
            keep(tally, kept, r)
