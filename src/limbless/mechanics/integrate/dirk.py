"""Implicit Runge-Kutta steps with one diagonal coefficient (DIRK), from knot to knot, for stiff problems.

A stage X = X* + γh f(X) is found by repeating the problem's own solution for its accelerations with the stiff forces
taken ahead (`stage_rate`): its fixed point is the exact stage, and no Jacobian is formed. A stage that does not come to
rest is never accepted: the step is halved, a few times, and then given up. Of robots side by side each comes to rest
for itself, and is then asked the same until all have: it does what it would do alone. One whose step would have to be
halved loses its numbers. One whose next knot is where it stands waits, as it is, while the others go on.

`SDIRK4`: five stages, order 4, L-stable (Hairer and Wanner 1996, IV.6); `MIDPOINT`: one stage, order 2, symmetric.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import copy, fill
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Scalar,
    absolute,
    aligned_zeros,
    func,
    has_tangents,
    is_single,
    kernel,
    maximum,
    minimum,
    noinline_func,
    primal,
    some_positive,
    unpack,
    unpack_duals,
    unpack_lanes,
    value_of,
    where_positive,
)
from limbless.mechanics.integrate import (
    ObjectiveTotals,
    RunTotals,
    Totals,
    add,
    at_knot,
    drive_at,
    failure_code,
    linearise_forces,
    normalise,
    poison,
    positive_of_step,
    rate,
    stage_rate,
    stage_state,
    store_stage,
)

UNSOLVED = -1  # beside what `failure_code` says: a stage that does not come to rest


class StageLimits(NamedTuple):
    """Of a stage that is to come to rest."""

    most: int = 15  # evaluations
    halvings: int = 6  # of one step
    slow: float = 0.95  # one that comes to rest more slowly
    far: float = 20.0  # is this many changes away from it
    lost: float = 1e100  # a distance beyond this is no number of a motion


PATIENCE = StageLimits()


class ButcherTableau(NamedTuple):
    """Coefficients of a rule: slopes of stage i at c_i; `gamma` on the diagonal of A."""

    A: Array  # (s, s), below the diagonal
    b: Array  # (s,)
    c: Array  # (s,)
    gamma: float
    closes: bool  # the last stage but one is at the middle of the step, the last at its end


class Interval(NamedTuple):
    """From one knot to the next."""

    knot: int  # number of the first one
    start: float  # its time, s
    length: float  # s
    window_time: float  # a time within: see `rate`


class Scratch(NamedTuple):
    """Memory of an engine."""

    slopes: Array  # (s, state)
    start: Array  # (state,) X*
    before: Array  # (state,) the slope before
    past: Array  # (3, state) slopes of the stages before, the latest first,
    times: Array  # (3,) and their times
    numbers: Array  # (2,) tolerance, how many of `past` are known
    counts: IntArray  # (3,) evaluations, stages, halvings
    powers: Array  # (s, actuators) W
    last: Array  # (actuators,) W, at the end of the step before
    laws: Array  # (s, laws) W
    sizes: Array  # (s, 2) W: sizes of all powers


def sdirk4() -> ButcherTableau:
    """Hairer and Wanner (1996), IV.6, table 6.5."""
    A = np.zeros((5, 5))
    A[1, :1], A[2, :2], A[3, :3] = 1 / 2, (17 / 50, -1 / 25), (371 / 1360, -137 / 2720, 15 / 544)
    A[4, :4] = (25 / 24, -49 / 48, 125 / 16, -85 / 12)
    return ButcherTableau(
        A,
        np.array([25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4]),
        np.array([1 / 4, 3 / 4, 11 / 20, 1 / 2, 1.0]),
        0.25,
        True,
    )


def midpoint() -> ButcherTableau:
    return ButcherTableau(np.zeros((1, 1)), np.ones(1), np.array([0.5]), 0.5, False)


METHODS = {"sdirk4": sdirk4, "midpoint": midpoint}


def scratch_for(method: ButcherTableau, size: int, actuators: int, laws: int, tolerance: float) -> Scratch:
    """Memory for states of so many numbers."""
    stages = len(method.b)
    return Scratch(
        aligned_zeros((stages, size)),
        aligned_zeros(size),
        aligned_zeros(size),
        aligned_zeros((3, size)),
        np.zeros(3),
        np.array([tolerance, 0.0]),
        np.zeros(3, dtype=np.int64),
        np.zeros((stages, actuators)),
        np.zeros(actuators),
        np.zeros((stages, laws)),
        np.zeros((stages, 2)),
    )


@func
def take(going: Scalar, slope: Array, before: Array) -> None:
    """A slope in the place of the one before, where `going` is above 0."""
    for c in range(slope.shape[0]):
        before[c] = where_positive(going, slope[c], before[c])


@func
def remember(scratch: Scratch, t: Scalar, moves: Scalar, slope: Array) -> None:
    """The slope of a stage, for the next guesses; one at the same time takes the place of the one before. Whoever does
    not move remembers what it did.
    """
    known = int(value_of(scratch.numbers[1]))
    later = where_positive(absolute(primal(t - scratch.times[0])), moves, 0.0 * moves)
    for k in range(2, 0, -1):
        scratch.times[k] = where_positive(later, scratch.times[k - 1], scratch.times[k])
        take(later, scratch.past[k - 1], scratch.past[k])
    scratch.times[0] = where_positive(moves, t, scratch.times[0])
    take(moves, slope, scratch.past[0])
    if known == 0 or some_positive(later):
        scratch.numbers[1] = min(known + 1, 3)


@func
def extrapolate_slope(scratch: Scratch, t: Scalar, slope: Array) -> None:
    """The slope at time t from those of up to three stages before, by the parabola through them."""
    known = int(value_of(scratch.numbers[1]))
    fill(slope, 0.0)
    for k in range(known):
        weight = 1.0 + 0.0 * t
        for j in range(known):
            if j != k:
                weight *= (t - scratch.times[j]) / (scratch.times[k] - scratch.times[j])
        for c in range(slope.shape[0]):
            slope[c] += weight * scratch.past[k, c]


@func
def remaining_error(change: Scalar, last: Scalar) -> Scalar:
    """How far a stage is from its rest, from its last change and the one before: as far as a series goes that shrinks
    as these two do.
    """
    one = 1.0 + 0.0 * change
    contraction = change / where_positive(last, last, one)
    bound = minimum(contraction, PATIENCE.slow * one)
    left = where_positive(
        PATIENCE.slow - contraction, change * maximum(bound / (1.0 - bound), one), PATIENCE.far * change
    )
    return where_positive(last, left, change)


@func
def solve_stage(
    problem: Any,
    scratch: Scratch,
    t: Scalar,
    window_time: Scalar,
    gh: Scalar,
    moves: Scalar,
    state: Array,
    slope: Array,
) -> Scalar:
    """The stage whose X* stands in `scratch.start`, from the guess in `slope`, of those that move; who has come to rest
    is asked the same once more. Returns 0, or above where it does not come to rest.
    """
    tolerance, one = primal(scratch.numbers[0]), 1.0 + 0.0 * primal(gh)
    going, failed, last, solved = moves, 0.0 * one, 0.0 * one, PATIENCE.most
    scratch.counts[1] += 1
    for turn in range(PATIENCE.most):
        take(going if turn > 0 else one, slope, scratch.before)
        stage_state(problem, scratch.start, gh, scratch.before, state)
        change, speed = stage_rate(problem, value_of(t), window_time, gh, scratch.before, state, slope)
        scratch.counts[0] += 1
        if turn >= solved:
            return failed
        if solved == PATIENCE.most:
            lost = where_positive(maximum(change - PATIENCE.lost, 0.0 * one + failure_code(problem)), going, 0.0 * one)
            failed, going = failed + lost, going - lost
            going = where_positive(remaining_error(change, last) - tolerance * speed, going, 0.0 * one)
            if not some_positive(going):
                solved, going = turn + (2 if has_tangents(gh) else 0), one  # derivatives follow, a turn or two behind
                if solved == turn:
                    return failed
            last = change
    return failed + going


@noinline_func
def total_stages(tally: Totals, scratch: Scratch, method: ButcherTableau, h: Scalar) -> None:
    """After a step of length h, what its stages spent: works by the rule of the step itself; the positive part of a
    power from its parabola over the step.
    """
    stages = method.b.shape[0]
    whole = RunTotals(tally.whole, 0)
    for i in range(scratch.laws.shape[1]):
        for k in range(stages):
            tally.laws[i] += h * method.b[k] * scratch.laws[k, i]
    end = scratch.sizes[stages - 1, 0]
    if method.closes:
        whole.exchanged += h / 6.0 * (scratch.sizes[0, 1] + 4.0 * scratch.sizes[stages - 2, 0] + end)
        scratch.sizes[0, 1] = end
    else:
        whole.exchanged += h * end
    for a in range(tally.work.shape[0]):
        work = work_of_stages(scratch, method, h, a)
        tally.work[a] += work
        tally.positive[a] += positive_of_stages(scratch, method, h, a, work)


@noinline_func
def score_stages(score: ObjectiveTotals, scratch: Scratch, method: ButcherTableau, h: Scalar) -> None:
    """Positive works alone, as `total_stages` has them."""
    for a in range(score.positive.shape[0]):
        score.positive[a] += positive_of_stages(scratch, method, h, a, work_of_stages(scratch, method, h, a))


@func
def work_of_stages(scratch: Scratch, method: ButcherTableau, h: Scalar, a: int) -> Scalar:
    """Of actuator a in a step of length h."""
    work = 0.0 * h
    for k in range(method.b.shape[0]):
        work += h * method.b[k] * scratch.powers[k, a]
    return work


@func
def positive_of_stages(scratch: Scratch, method: ButcherTableau, h: Scalar, a: int, work: Scalar) -> Scalar:
    """The positive part of that work, never less than all of it; without a branch on a power: eight robots at once."""
    zero = 0.0 * work
    if not method.closes:
        return maximum(work, zero)
    last = method.b.shape[0] - 1
    start, middle, end = scratch.last[a], scratch.powers[last - 1, a], scratch.powers[last, a]
    scratch.last[a] = end
    driven = maximum(maximum(positive_of_step(h, start, middle, end), work), zero)
    return where_positive(-minimum(minimum(start, middle), end), driven, work)


@func
def step_once(
    problem: Any, method: ButcherTableau, scratch: Scratch, interval: Interval, share: Scalar, part: Scalar, x: Array
) -> Scalar:
    """A step over `part` of an interval, that begins at `share` of it. Returns 0, or above where it was not solved: x
    of a robot alone is then as it was.
    """
    state, slope = problem.memory.state, problem.memory.slope
    size, window_time = part * interval.length, interval.window_time
    moves = where_positive(primal(size), 1.0 + 0.0 * primal(size), 0.0 * primal(size))
    gh = method.gamma * where_positive(size, size, value_of(size) + 0.0 * size)
    failed = 0.0 * moves
    linearise_forces(problem, value_of(interval.start + share * interval.length), window_time, x)
    for i in range(method.b.shape[0]):
        copy(x, scratch.start)
        for j in range(i):
            if method.A[i, j] != 0.0:
                add(problem, scratch.start, method.A[i, j] * size, scratch.slopes[j], scratch.start)
        where = share + method.c[i] * part
        t = interval.start + where * interval.length
        drive_at(problem, interval.knot, where)
        extrapolate_slope(scratch, t, slope)
        failed = failed + solve_stage(problem, scratch, t, window_time, gh, moves, state, slope)
        if is_single(failed) and some_positive(failed):
            return failed
        store_stage(problem, scratch, i, window_time, state, slope)
        stage_state(problem, scratch.start, gh, slope, state)
        remember(scratch, t, moves, slope)
        copy(slope, scratch.slopes[i])
    for i in range(method.b.shape[0]):
        add(problem, x, method.b[i] * size, scratch.slopes[i], x)
    normalise(problem, x)
    if some_positive(failed):
        poison(failed, x)
    if problem.memory.tally is not None:
        if problem.records.tally is None:
            score_stages(problem.memory.tally, scratch, method, size)
        else:
            total_stages(problem.memory.tally, scratch, method, size)
    return failed


@func
def cross_interval(problem: Any, method: ButcherTableau, scratch: Scratch, interval: Interval, x: Array) -> bool:
    """From one knot to the next, in as many parts as are needed; robots side by side in one.
    Returns whether it was possible.
    """
    share, part, depth = 0.0, 1.0, 0
    while share < 1.0 - 1e-9:
        failed = step_once(problem, method, scratch, interval, share, part, x)
        if is_single(failed) and some_positive(failed):
            depth += 1
            scratch.counts[2] += 1
            if depth > PATIENCE.halvings:
                return False
            part *= 0.5
        else:
            share += part
    return True


@func
def implicit(
    problem: Any, method: Any, scratch: Scratch, knots: Array, record: IntArray, x: Array, first: int, end: int, r: int
) -> tuple[int, int]:
    """Step x from knot number `first` to number `end` and record where asked, from record `r` on. Returns what went
    wrong (0: nothing) and the knot.
    """
    state, slope = problem.memory.state, problem.memory.slope
    for n in range(first, end + 1):
        last = n == end
        t = knots[n]
        h = knots[n if last else n + 1] - t
        window_time = value_of(t + 0.5 * h if value_of(h) > 0.0 else 0.5 * (t + knots[max(n - 1, 0)]))
        if last and not record[n]:
            break
        copy(x, state)
        rate(problem, 2 * n, value_of(t), window_time, state, slope)
        found = at_knot(problem, value_of(t), state, slope, r, record[n], last)
        if some_positive(found):
            if is_single(found):
                return int(value_of(found)), n
            poison(found, x)
        if last:
            break
        r += 1 if record[n] else 0
        store_stage(problem, scratch, -1, window_time, state, slope)
        if value_of(scratch.numbers[1]) == 0.0:
            remember(scratch, t, 1.0 + 0.0 * primal(t), slope)
        if value_of(h) > 0.0 and not cross_interval(problem, method, scratch, Interval(n, t, h, window_time), x):
            row = int(value_of(failure_code(problem)))
            return row if row > 0 else UNSOLVED, n
    return 0, end


@kernel
def advance_lanes(problem: Any, method: ButcherTableau, scratch: Scratch, knots: Array, record: IntArray, x: Array):
    """Eight runs side by side, each with its own times. One that could not go on has no numbers at the end."""
    return implicit(
        unpack_lanes(problem),
        unpack(method),
        unpack_lanes(scratch),
        unpack_lanes(knots),
        unpack(record),
        unpack_lanes(x),
        0,
        len(knots) - 1,
        0,
    )


@kernel
def advance_duals(problem: Any, method: ButcherTableau, scratch: Scratch, knots: Array, record: IntArray, x: Array):
    """One run with its derivatives along eight directions."""
    return implicit(
        unpack_duals(problem),
        unpack(method),
        unpack_duals(scratch),
        unpack_duals(knots),
        unpack(record),
        unpack_duals(x),
        0,
        len(knots) - 1,
        0,
    )


@kernel
def advance_part(packed: Any, first: int, last: int, r: int) -> tuple[int, int]:
    """A part of a run whose problem, knots, records and state are packed once: from one knot to another."""
    problem, method, scratch, knots, record, x = unpack(packed)
    return implicit(problem, method, scratch, knots, record, x, first, last, r)
