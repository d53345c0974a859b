"""What an engine asks of a problem: one version per class of problem, chosen by type."""

from __future__ import annotations

from math import nan

from limbless.mechanics.compiled.generic import generic
from limbless.mechanics.compiled.kernel import func, strict_kernel
from limbless.mechanics.compiled.scalars import is_single, some_positive, where_positive


@generic
def rate(problem, i, t, window_time, x, out):
    """The rate of state x at time t, row i of the drive, into `out`.

    `inside` is a time within the step: it decides which windows are open.
    """


@generic
def add(problem, start, step, slope, end):
    """end = start + step slope, on the coordinates that move."""


@generic
def normalise(problem, x):
    """After a step: put the state back where it belongs (unit quaternions)."""


@generic
def record_instant(problem, x, slope, r):
    """Record r: this instant, the one that `rate` was asked for last."""


@generic
def failure_code(problem):
    """0, or a number that says what cannot be solved at this instant; of robots side by side, one for each, or for all."""


@generic
def states(problem):
    """Working memory for an engine: three arrays as long as a state, zero where nothing moves."""


# What is counted on the way, whatever is recorded (see `tally`)


@generic
def check_limits(problem, t, x, r, recorded, last):
    """At a knot, which `rate` was asked for last: peaks and limits; where it is recorded, all counts go into record r."""


@func
def at_knot(problem, t, state, slope, r, recorded, last):
    """A knot whose rate is known: it is looked at, and recorded where asked. Returns what `failure_code` said instead; of
    robots side by side those in trouble lose their numbers, and the others go on.
    """
    found = failure_code(problem)
    if some_positive(found):
        if is_single(found):
            return found
        poison(found, state)
    check_limits(problem, t, state, r, recorded, last)
    if recorded:
        record_instant(problem, state, slope, r)
    return found


@strict_kernel
def poison(found, x):
    """No number any more in the lanes in which something was found: whoever looks at them later sees that."""
    for c in range(x.shape[0]):
        x[c] = where_positive(found + 0.0 * x[c], nan + 0.0 * x[c], x[c])


@generic
def accumulate_power(problem, stage, seconds, window_time, x, slope):
    """At a stage that stands for `seconds` of its step: powers of actuators and forces."""


@generic
def accumulate_work(problem, step):
    """After a step of this length (s): works of the actuators from the powers at its stages."""


# What an implicit stage asks (see `implicit`): X = X* + γh f(X), found with the rates of velocities as unknowns


@generic
def linearise_forces(problem, t, window_time, x):
    """Before a step from x: how steeply the forces answer to velocities, where a stage takes that ahead."""


@generic
def drive_at(problem, n, share):
    """The drive at `share` (0 to 1) of the step from knot n."""


@generic
def stage_state(problem, start, gh, slope, x):
    """The state X = X* + γh slope that has the rates of velocities in `slope`; the rates of positions go into it too."""


@generic
def stage_rate(problem, t, window_time, gh, before, x, slope):
    """The rate of X, with the forces that are stiff taken ahead from the rates `before`."""


@generic
def stage_residual(problem, gh, before, slope, x):
    """How far two rates lie apart after γh, and how fast the state moves, in the same unit."""


@generic
def store_stage(problem, scratch, stage, window_time, x, slope):
    """At a stage that is solved: what it spends, kept until its whole step is."""


@generic
def total_step(problem, scratch, method, h):
    """After a step of length h: what its stages spent."""


# What Moreau's rule asks (see `moreau`): the three parts of a step of length h from knot n at time t, and what it
# records


@generic
def to_midpoint(problem, n, t, h, watched, x):
    """To the middle of the step: q_M, all smooth forces, gaps and directions there, in the problem's memory.

    `watched`: the first step, or one whose end is recorded; gaps that cannot matter are measured only then.
    Returns 0, or a number that says what cannot be solved.
    """


@generic
def solve_impacts(problem, t, h, x):
    """Velocities at the end of the step and impulses over it that obey dynamics and laws. Returns 0, or what cannot be
    solved.
    """


@generic
def to_end(problem, n, t, h, x):
    """The state at the end of the step, from its middle and the new velocities; works and counts of the step."""


@generic
def record_knot(problem, x, h, r):
    """Record r: this knot, before the next step. `h` is the length of the step that ended here (at the first knot: that
    begins).
    """


@generic
def record_step(problem, x, r):
    """Record r: what the step from this knot did, after it; at the last knot, what the one before did."""


@generic
def post_step(problem, n, x):
    """After the step from knot n and its records: put the state in order for the next one."""
