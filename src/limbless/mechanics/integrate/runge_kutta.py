"""Classical fourth-order Runge-Kutta from knot to knot, for every problem and every scalar."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import copy
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    func,
    is_single,
    kernel,
    some_positive,
    unpack,
    unpack_duals,
    unpack_lanes,
    value_of,
)
from limbless.mechanics.integrate.problem import (
    accumulate_work,
    add,
    at_knot,
    normalise,
    poison,
    rate,
)


@func
def runge_kutta(
    problem: Any, knots: Array, record: IntArray, x: Array, first: int, final: int, r: int
) -> tuple[int, int]:
    """Step x from knot number `first` to number `final` and record where asked, from record `r` on. Returns what
    `failure_code` said (0: nothing) and the knot.
    """
    state, slope, total = problem.memory.state, problem.memory.slope, problem.memory.total
    for n in range(first, final + 1):
        last = n == final
        if last and not record[n]:
            break
        t = knots[n]
        h = knots[n if last else n + 1] - t
        window_time = value_of(t + 0.5 * h if not last else 0.5 * (t + knots[n - 1 if n > 0 else n]))
        for stage in range(4):
            halves, weight = (stage + 1) // 2, 1.0 if stage == 0 or stage == 3 else 2.0  # of the step; in sixths
            lead = 0.5 * halves
            if stage == 0:
                copy(x, state)
            else:
                add(problem, x, lead * h, slope, state)
            rate(problem, 2 * n + halves, value_of(t + lead * h), window_time, state, slope)
            if stage == 0:
                found = at_knot(problem, value_of(t), state, slope, r, record[n], last)
                if some_positive(found):
                    if is_single(found):
                        return int(value_of(found)), n
                    poison(found, x)
                if last:
                    return 0, n
                r += 1 if record[n] else 0
                copy(slope, total)
            else:
                add(problem, total, weight, slope, total)
            accumulate_work(problem, stage, h, weight * h / 6.0, window_time, state, slope)
        add(problem, x, h / 6.0, total, x)
        normalise(problem, x)
    return 0, final


@kernel
def advance(problem: Any, knots: Array, record: IntArray, x: Array) -> tuple[int, int]:
    """One run."""
    return runge_kutta(unpack(problem), unpack(knots), unpack(record), unpack(x), 0, len(knots) - 1, 0)


@kernel
def advance_part(packed: Any, first: int, last: int, r: int) -> tuple[int, int]:
    """A part of a run whose problem, knots, records and state are packed once: from one knot to another."""
    problem, knots, record, x = unpack(packed)
    return runge_kutta(problem, knots, record, x, first, last, r)


@kernel
def advance_duals(problem: Any, knots: Array, record: IntArray, x: Array):
    """One run with its derivatives along eight directions, whatever carries them: gait, body, fluid, start or times."""
    return runge_kutta(
        unpack_duals(problem), unpack_duals(knots), unpack(record), unpack_duals(x), 0, len(knots) - 1, 0
    )


@kernel
def advance_lanes(problem: Any, knots: Array, record: IntArray, x: Array):
    """Eight runs side by side, each with its own times."""
    return runge_kutta(
        unpack_lanes(problem), unpack_lanes(knots), unpack(record), unpack_lanes(x), 0, len(knots) - 1, 0
    )
