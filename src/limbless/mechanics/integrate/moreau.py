"""Moreau's midpoint rule from knot to knot, for every problem whose velocities may jump.

    q_M = q_A + h/2 F(q) u_A;   all forces, gaps and directions at q_M;   u_E and impulses that obey their laws;   q_E =
    q_M + h/2 F(q) u_E

A problem takes such a step (`midpoint_step`), records its knots (`record_knot`; a force is that of the step that ended
at a knot, or of the one that begins there: each problem says which) and is put in order for the next one (`post_step`).
See `integrate.problem`.
"""

from __future__ import annotations

from typing import Any

from limbless.mechanics.compiled import Array, IntArray, func, kernel, unpack
from limbless.mechanics.integrate.problem import midpoint_step, post_step, record_knot


@func
def moreau(problem: Any, knots: Array, record: IntArray, x: Array) -> tuple[int, int]:
    """Step x from the first knot to the last and record where asked. Returns what cannot be solved
    (0: nothing) and the step.
    """
    r, steps = 0, len(knots) - 1
    for n in range(steps + 1):
        last = n == steps
        t = knots[n]
        h = 0.0 if last else knots[n + 1] - t
        ended = t - knots[n - 1] if n > 0 else h
        if record[n]:
            record_knot(problem, x, ended if ended > 0.0 else 1.0, r)
        if h > 0.0:
            found = midpoint_step(problem, n, t, h, n == 0 or record[n + 1], x)
            if found > 0:
                return found, n
        post_step(problem, n, x, r, record[n], last)
        r += 1 if record[n] else 0
    return 0, steps


@kernel
def advance(problem: Any, knots: Array, record: IntArray, x: Array) -> tuple[int, int]:
    """One run."""
    return moreau(unpack(problem), unpack(knots), unpack(record), unpack(x))
