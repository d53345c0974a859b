"""What a run adds up or compares at every step, whatever is recorded: work of each actuator, peaks, limits, work of
each law and contact.

A `Totals` counts since the start of a run and goes with its state from block to block, so that a continued
run goes on counting. The same few functions serve every model: a loop calls one of them for the work of a
step and one for what stands at a knot, and `record_totals` at a record. An actuator is a joint's degree of
freedom, or one strain of one section of a rod.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import Vector, copy, dot
from limbless.mechanics.compiled import (
    Array,
    Scalar,
    Table,
    absolute,
    aligned_zeros,
    func,
    maximum,
    minimum,
    noinline_func,
    some_positive,
    table,
    where_positive,
)

NEVER = -1.0  # in `beyond`: the limit was not passed
UNLIMITED = 1e25  # in `limit`: fast math knows no infinity
# rad or m: by how much a position may pass its bound: rounding, and a stop that yields
SLACK = 1e-4


@table
class RunTotals(Table):
    """Numbers of the whole run."""

    exchanged: float  # ∫ |actuators| + |environment| + |passive| dt, J
    path: float  # of the centre of mass, m
    speed: float  # of it at the last knot, m/s,
    time: float  # and the time of that knot, s


@table
class JointRange(Table):
    """A joint with a range of positions, and how far it has left it."""

    column: float  # of its position in the state
    lower: float
    upper: float
    excess: float  # farthest beyond a bound, signed, rad or m,
    time: float  # and its time, s
    since: float  # when it first was beyond by more than `SLACK`


@table
class HeldEffort(Table):
    """The largest effort of an actuator that lasts: of windows of 10 ms, the least in each. The impulse of one step,
    over its length, has no limit as steps shrink.
    """

    window: float  # number of the window at hand
    least: float  # size of the smallest effort in it so far; the first window counts for nothing
    lasting: float  # the largest of those of all windows before


class Totals(NamedTuple):
    """Sums and extremes of a run so far, of A actuators; with one axis more in front, those at R records."""

    work: Array  # (A,) J; J/m for a strain
    positive: Array  # (A,) positive work
    peak: Array  # (A,) largest effort with its sign, N m or N,
    peak_time: Array  # (A,) and its time, s
    beyond: Array  # (A,) time at which the limit was first passed, s
    limit: Array  # (A,) that limit
    power: Array  # (A,) at the last knot, W/m; of strains alone
    laws: Array  # (L,) work of each environment that pushes, J
    contacts: Array  # (C,) work of each contact, J
    whole: Array  # Whole, one row
    ranges: Array  # Range, one row for each joint that has one
    held: Array  # HeldEffort, one row for each actuator where velocities jump; none elsewhere


class ObjectiveTotals(NamedTuple):
    """In place of a `Totals`: what a search asks for, in any scalar; of A actuators. A run that counts nothing has
    None (runs with derivatives, several runs side by side).
    """

    positive: Array  # (A,) positive work, J
    strain: Array  # (A,) ∫ (τ / limit)^16 dt, s; (0,) where nobody asks for it
    peak: Array  # (A,) largest |τ| at a knot
    scale: Array  # (A,) 1 / limit: what torques are measured by, 1/(N m) or 1/N


def new_objective_totals(limit: Any, strained: bool = True) -> ObjectiveTotals:
    """Nothing summed yet, of actuators with these limits; `strained`: whether torques are measured by them."""
    return ObjectiveTotals(
        positive=aligned_zeros(len(limit)),
        strain=aligned_zeros(len(limit) if strained else 0),
        peak=aligned_zeros(len(limit)),
        scale=1.0 / limit,
    )


def clear_objective_totals(score: ObjectiveTotals) -> None:
    """Nothing summed any more."""
    for sums in (score.positive, score.strain, score.peak):
        sums[:] = 0.0


@func
def at_record(kept: Totals, r: int) -> Totals:
    """What was kept of a tally in record r."""
    return Totals(
        kept.work[r],
        kept.positive[r],
        kept.peak[r],
        kept.peak_time[r],
        kept.beyond[r],
        kept.limit[r],
        kept.power[r],
        kept.laws[r],
        kept.contacts[r],
        kept.whole[r],
        kept.ranges[r],
        kept.held[r],
    )


@func
def parabola_until(a: Scalar, m: Scalar, b: Scalar, s: Scalar) -> Scalar:
    """∫ from 0 to s of the parabola through a at 0, m at 1/2 and b at 1."""
    return s * (a + s * (0.5 * (4.0 * m - 3.0 * a - b) + s * (2.0 / 3.0) * (a - 2.0 * m + b)))


@func
def positive_between(low: Scalar, high: Scalar, p: Scalar, q: Scalar, a: Scalar, m: Scalar, b: Scalar) -> Scalar:
    """∫ of the positive part of the parabola from `low` to `high`, where it has the values p and q.

    A zero between them is taken from the straight line: the parabola itself is near zero there, so that the error is of
    fourth order.
    """
    mixed, zero = -(p * q), 0.0 * p
    root = low + (high - low) * (p / where_positive(mixed, p - q, zero + 1.0))
    begin = where_positive(mixed, where_positive(p, zero + low, root), zero + low)
    end = where_positive(mixed, where_positive(p, root, zero + high), zero + high)
    positive = maximum(parabola_until(a, m, b, end) - parabola_until(a, m, b, begin), zero)
    return where_positive(maximum(p, q), positive, zero)


@func
def positive_of_step(h: Scalar, start: Scalar, middle: Scalar, end: Scalar) -> Scalar:
    """∫ of the positive part of the parabola over a step of length h: the value to fourth order, and no branch."""
    return h * (
        positive_between(0.0, 0.5, start, middle, start, middle, end)
        + positive_between(0.5, 1.0, middle, end, start, middle, end)
    )


@noinline_func
def add_smooth_works(tally: Totals, h: Scalar, powers: Array) -> None:
    """Work of a Runge-Kutta step of length h from the powers (4, A) at its stages: of the same order as the motion."""
    crossing = 0
    for a in range(powers.shape[1]):  # without a branch: eight actuators at once
        start, middle, end = powers[0, a], 0.5 * (powers[1, a] + powers[2, a]), powers[3, a]
        work = (h / 6.0) * (start + 4.0 * middle + end)
        least, most = minimum(minimum(start, middle), end), maximum(maximum(start, middle), end)
        tally.work[a] += work
        tally.positive[a] += work if least >= 0.0 else 0.0
        crossing += 1 if least < 0.0 < most else 0
    if crossing > 0:
        for a in range(powers.shape[1]):
            start, middle, end = powers[0, a], 0.5 * (powers[1, a] + powers[2, a]), powers[3, a]
            if minimum(minimum(start, middle), end) < 0.0 < maximum(maximum(start, middle), end):
                tally.positive[a] += positive_of_step(h, start, middle, end)


@func
def add_laws(
    tally: Totals, weight: Scalar, powers: Array, driven: Scalar, environment: Scalar, passive: Scalar
) -> None:
    """`weight` (s) times the powers of all laws, and times the sizes of the powers of actuators, environment and
    passive forces.
    """
    for i in range(powers.shape[0]):
        tally.laws[i] += weight * powers[i]
    RunTotals(tally.whole, 0).exchanged += weight * (abs(driven) + abs(environment) + abs(passive))


@func
def add_work(tally: Totals, a: int, work: Scalar) -> None:
    """Work of a step in which one impulse acts on the mean of two velocities: it has one sign."""
    tally.work[a] += work
    tally.positive[a] += maximum(work, 0.0)


@func
def add_step(
    tally: Totals,
    h: Scalar,
    powers: Array,
    driven: Scalar,
    environment: Scalar,
    passive: Scalar,
    travel: Vector,
    mass: Scalar,
) -> None:
    """A step in which forces are constant: powers (W) of all laws, the three works (J), and mass times the way of its
    centre (kg m).
    """
    for i in range(powers.shape[0]):
        tally.laws[i] += h * powers[i]
    whole = RunTotals(tally.whole, 0)
    whole.exchanged += abs(driven) + abs(environment) + abs(passive)
    whole.path += np.sqrt(dot(travel, travel)) / mass if mass > 0.0 else 0.0


@func
def compare(tally: Totals, a: int, t: Scalar, effort: Scalar) -> None:
    """An effort at time t with the largest so far and with the limit, and how long it lasts."""
    compare_peak(tally, a, t, effort)
    if tally.held.shape[0] > 0:
        hold(tally.held, a, t, abs(effort))


@func
def hold(held: Array, a: int, t: Scalar, size: Scalar) -> None:
    """The size of an effort at time t, with the smallest in its window."""
    own, number = HeldEffort(held, a), np.floor(100.0 * t + 1e-6)
    if number != own.window:
        own.lasting = maximum(own.lasting, own.least)
        own.least = size
        own.window = number
    else:
        own.least = minimum(own.least, size)


@func
def compare_peak(tally: Totals, a: int, t: Scalar, effort: Scalar) -> None:
    size = abs(effort)
    if size > abs(tally.peak[a]):
        tally.peak[a] = effort
        tally.peak_time[a] = t
    if size > tally.limit[a] and tally.beyond[a] < 0.0:
        tally.beyond[a] = t


@func
def add_path_length(tally: Totals, t: Scalar, speed: Scalar) -> Scalar:
    """The path since the knot before, at the mean of two speeds. Returns the time since then."""
    whole = RunTotals(tally.whole, 0)
    h = t - whole.time
    whole.path += 0.5 * h * (whole.speed + speed)
    whole.speed = speed
    whole.time = t
    return h


@noinline_func
def check_ranges(ranges: Array, t: Scalar, x: Array) -> None:
    """Positions at time t, in the state x, with their ranges."""
    for a in range(ranges.shape[0]):
        own = JointRange(ranges, a)
        q = x[int(own.column)]
        beyond = maximum(q - own.upper, 0.0) + minimum(q - own.lower, 0.0)
        if abs(beyond) > abs(own.excess):
            own.excess = beyond
            own.time = t
        if abs(beyond) > SLACK and own.since < 0.0:
            own.since = t


@noinline_func
def compare_efforts(tally: Totals, t: Scalar, efforts: Array, speed: Scalar) -> None:
    """What stands at a knot of a smooth motion: all efforts, and the path since the knot before."""
    larger = 0
    for a in range(efforts.shape[0]):  # without a branch; a new largest effort is rare
        larger += 1 if abs(efforts[a]) > minimum(abs(tally.peak[a]), tally.limit[a]) else 0
    if larger > 0:
        for a in range(efforts.shape[0]):
            compare_peak(tally, a, t, efforts[a])
    for a in range(tally.held.shape[0]):
        hold(tally.held, a, t, abs(efforts[a]))
    add_path_length(tally, t, speed)


@noinline_func
def record_totals(tally: Totals, kept: Totals, r: int) -> None:
    """All that is tallied so far, in record r."""
    for source, target in (
        (tally.work, kept.work),
        (tally.positive, kept.positive),
        (tally.peak, kept.peak),
        (tally.peak_time, kept.peak_time),
        (tally.beyond, kept.beyond),
        (tally.limit, kept.limit),
        (tally.power, kept.power),
        (tally.laws, kept.laws),
        (tally.contacts, kept.contacts),
    ):
        copy(source, target[r])
    for rows, targets in ((tally.whole, kept.whole), (tally.ranges, kept.ranges), (tally.held, kept.held)):
        for a in range(rows.shape[0]):
            copy(rows[a], targets[r, a])


@noinline_func
def compare_and_record(
    tally: Totals, kept: Totals, r: int, recorded: bool, last: bool, t: Scalar, x: Array, efforts: Array, speed: Scalar
) -> None:
    """`compare_efforts` and `check_ranges` at a knot and, where it is recorded, `record_totals`.

    What stands at the last knot goes into its record only: if the run is continued, the step that begins there looks at
    it again.
    """
    if last:
        record_totals(tally, kept, r)
        compare_efforts(at_record(kept, r), t, efforts, speed)
        check_ranges(kept.ranges[r], t, x)
    else:
        compare_efforts(tally, t, efforts, speed)
        check_ranges(tally.ranges, t, x)
        if recorded:
            record_totals(tally, kept, r)


@func
def score_stage(score: ObjectiveTotals, seconds: Scalar, efforts: Array) -> None:
    """Efforts at a stage that stands for `seconds` of its step."""
    for a in range(score.strain.shape[0]):
        strain = efforts[a] * score.scale[a]
        second = strain * strain
        fourth = second * second
        eighth = fourth * fourth
        score.strain[a] += seconds * (eighth * eighth)


@func
def score_knot(score: ObjectiveTotals, efforts: Array) -> None:
    for a in range(efforts.shape[0]):
        score.peak[a] = maximum(score.peak[a], absolute(efforts[a]))


@func
def score_step(score: ObjectiveTotals, h: Scalar, powers: Array) -> None:
    """Positive work of a step of length h from the powers (4, A) at its stages: as `add_smooth_works` counts it, whose
    parabola may dip below powers that are all positive.
    """
    for a in range(powers.shape[1]):
        start, middle, end = powers[0, a], 0.5 * (powers[1, a] + powers[2, a]), powers[3, a]
        work = (h / 6.0) * (start + 4.0 * middle + end)
        least, most = minimum(minimum(start, middle), end), maximum(maximum(start, middle), end)
        crossing = 0.0 * work
        if some_positive(minimum(-least, most)):  # of eight robots one crosses zero once in a few steps
            crossing = where_positive(most, positive_of_step(h, start, middle, end), crossing)
        score.positive[a] += where_positive(-least, crossing, work)
