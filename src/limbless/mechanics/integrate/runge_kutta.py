"""Classical fourth-order Runge-Kutta from knot to knot, for every problem and every scalar."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Scalar,
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
def stage_lead(stage: int) -> tuple[int, Scalar]:
    """How many halves into the step a stage lies, and its weight in sixths."""
    if stage == 0:
        return 0, 1.0
    if stage == 3:
        return 2, 1.0
    return 1, 2.0


@func
def copy(source: Array, target: Array) -> None:
    for c in range(source.shape[0]):
        target[c] = source[c]


@func
def runge_kutta(problem: Any, knots: Array, record: IntArray, x: Array) -> tuple[int, int]:
    """Step x from the first knot to the last and record where asked. Returns what `failure_code` said
    (0: nothing) and the step.
    """
    r, steps = 0, len(knots) - 1
    state, slope, total = problem.memory.state, problem.memory.slope, problem.memory.total
    for n in range(steps + 1):
        last = n == steps
        if last and not record[n]:
            break
        t = knots[n]
        h = knots[n if last else n + 1] - t
        window_time = value_of(t + 0.5 * h if not last else 0.5 * (t + knots[n - 1 if n > 0 else n]))
        for stage in range(4):
            halves, weight = stage_lead(stage)
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
    return 0, steps


@kernel
def advance(problem: Any, knots: Array, record: IntArray, x: Array) -> tuple[int, int]:
    """One run."""
    return runge_kutta(unpack(problem), unpack(knots), unpack(record), unpack(x))


@kernel
def advance_duals(problem: Any, knots: Array, record: IntArray, x: Array):
    """One run with its derivatives along eight directions, whatever carries them: gait, body, fluid, start or times."""
    return runge_kutta(unpack_duals(problem), unpack_duals(knots), unpack(record), unpack_duals(x))


@kernel
def advance_lanes(problem: Any, knots: Array, record: IntArray, x: Array):
    """Eight runs side by side, each with its own times."""
    return runge_kutta(unpack_lanes(problem), unpack_lanes(knots), unpack(record), unpack_lanes(x))
