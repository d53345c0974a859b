"""Moreau's midpoint rule from knot to knot, for every problem whose velocities may jump.

    q_M = q_A + h/2 F(q) u_A;   all forces, gaps and directions at q_M;   u_E and impulses that obey their laws;   q_E =
    q_M + h/2 F(q) u_E

A problem takes such a step (`midpoint_step`) and records its knots (`record_knot`; a force is that of the step that
ended there). See `integrate.problem`.
"""

from __future__ import annotations

from typing import Any

from limbless.mechanics.compiled import Array, IntArray, Scalar, func, kernel, unpack
from limbless.mechanics.integrate.problem import midpoint_step, record_knot


@func
def moreau(
    problem: Any, knots: Array, record: IntArray, x: Array, first: int, final: int, r: int, before: Scalar
) -> tuple[int, int]:
    """Step x from knot number `first` to number `final` and record where asked, from record `r` on; `before` is the
    length of the step that ended at knot 0 (0: none). Returns what cannot be solved (0: nothing) and the knot.
    """
    for n in range(first, final + 1):
        t = knots[n]
        h = 0.0 if n == final else knots[n + 1] - t
        if record[n]:
            ended = t - knots[n - 1] if n > 0 else before if before > 0.0 else h
            record_knot(problem, x, ended if ended > 0.0 else 1.0, r)
        if h > 0.0:
            found = midpoint_step(problem, n, t, h, n == first or record[n + 1], x)
            if found > 0:
                return found, n
        r += 1 if record[n] else 0
    return 0, final


@kernel
def advance_part(packed: Any, first: int, last: int, r: int) -> tuple[int, int]:
    """A part of a run whose problem, knots, records and state are packed once: from one knot to another."""
    problem, knots, record, x, before = unpack(packed)
    return moreau(problem, knots, record, x, first, last, r, before[0])
