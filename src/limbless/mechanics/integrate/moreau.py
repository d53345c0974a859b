"""Moreau's midpoint rule from knot to knot, for every problem whose velocities may jump.

    q_M = q_A + h/2 F(q) u_A;   all forces, gaps and directions at q_M;   u_E and impulses that obey their laws;   q_E =
    q_M + h/2 F(q) u_E

The engine knows the order of these and nothing else: `to_midpoint`, `solve_impacts` and `to_end` are the three parts of a step,
`record_knot` and `record_step` record (a force is that of the step that ended at a knot, or of the one that begins there:
each problem says which), and `post_step` puts the state in order for the next step. See `integrate.problem`.
"""

from __future__ import annotations

from limbless.mechanics.compiled.flat_array import unpack
from limbless.mechanics.compiled.kernel import func, kernel
from limbless.mechanics.integrate.problem import post_step, record_knot, record_step, solve_impacts, to_end, to_midpoint


@func
def step_over(problem, n, t, h, watched, x):
    """One step of length h from knot n at time t. Returns 0, or what cannot be solved: the state is then still that of
    the knot.
    """
    found = to_midpoint(problem, n, t, h, watched, x)
    if found == 0:
        found = solve_impacts(problem, t, h, x)
    if found == 0:
        to_end(problem, n, t, h, x)
    return found


@func
def moreau(problem, knots, record, x):
    """Step x from the first knot to the last and record where asked. Returns what cannot be solved (0: nothing) and the
    step.
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
            found = step_over(problem, n, t, h, n == 0 or record[n + 1], x)
            if found > 0:
                return found, n
        if record[n]:
            record_step(problem, x, r)
            r += 1
        if not last:
            post_step(problem, n, x)
    return 0, steps


@kernel
def advance(problem, knots, record, x):
    """One run."""
    return moreau(unpack(problem), unpack(knots), unpack(record), unpack(x))
