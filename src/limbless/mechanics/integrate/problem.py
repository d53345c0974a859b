"""What an engine asks of a problem: one version per class of problem, chosen by type."""

from __future__ import annotations

from math import nan

from limbless.mechanics.compiled.generic import generic
from limbless.mechanics.compiled.kernel import careful_kernel, inline
from limbless.mechanics.compiled.scalars import some_positive, stands_alone, where_positive


@generic
def rate(problem, i, t, inside, x, out):
    """The rate of state x at time t, row i of the drive, into `out`.

    `inside` is a time within the step: it decides which windows are open.
    """


@generic
def add(problem, start, step, slope, end):
    """end = start + step slope, on the coordinates that move."""


@generic
def settle(problem, x):
    """After a step: put the state back where it belongs (unit quaternions)."""


@generic
def keep(problem, x, slope, r):
    """Record r: this instant, the one that `rate` was asked for last."""


@generic
def trouble(problem):
    """0, or a number that says what cannot be solved at this instant; of robots side by side, one for each, or for all."""


@generic
def states(problem):
    """Working memory for an engine: three arrays as long as a state, zero where nothing moves."""


# What is counted on the way, whatever is recorded (see `tally`)


@generic
def look(problem, t, x, r, recorded, last):
    """At a knot, which `rate` was asked for last: peaks and limits; where it is recorded, all counts go into record r."""


@inline
def witness(problem, t, state, slope, r, recorded, last):
    """A knot whose rate is known: it is looked at, and recorded where asked. Returns what `trouble` said instead; of
    robots side by side those in trouble lose their numbers, and the others go on.
    """
    found = trouble(problem)
    if some_positive(found):
        if stands_alone(found):
            return found
        spoil(found, state)
    look(problem, t, state, r, recorded, last)
    if recorded:
        keep(problem, state, slope, r)
    return found


@careful_kernel
def spoil(found, x):
    """No number any more in the lanes in which something was found: whoever looks at them later sees that."""
    for c in range(x.shape[0]):
        x[c] = where_positive(found + 0.0 * x[c], nan + 0.0 * x[c], x[c])


@generic
def spend(problem, stage, seconds, inside, x, slope):
    """At a stage that stands for `seconds` of its step: powers of actuators and forces."""


@generic
def close_step(problem, step):
    """After a step of this length (s): works of the actuators from the powers at its stages."""


# What an implicit stage asks (see `implicit`): X = X* + γh f(X), found with the rates of velocities as unknowns


@generic
def brace(problem, t, inside, x):
    """Before a step from x: how steeply the forces answer to velocities, where a stage takes that ahead."""


@generic
def steer(problem, n, share):
    """The drive at `share` (0 to 1) of the step from knot n."""


@generic
def occupy(problem, start, gh, slope, x):
    """The state X = X* + γh slope that has the rates of velocities in `slope`; the rates of positions go into it too."""


@generic
def stage_rate(problem, t, inside, gh, before, x, slope):
    """The rate of X, with the forces that are stiff taken ahead from the rates `before`."""


@generic
def distance(problem, gh, before, slope, x):
    """How far two rates lie apart after γh, and how fast the state moves, in the same unit."""


@generic
def note_stage(problem, scratch, stage, inside, x, slope):
    """At a stage that is solved: what it spends, kept until its whole step is."""


@generic
def count_step(problem, scratch, method, h):
    """After a step of length h: what its stages spent."""


# What Moreau's rule asks (see `moreau`): the three parts of a step of length h from knot n at time t, and what it
# records


@generic
def halfway(problem, n, t, h, watched, x):
    """To the middle of the step: q_M, all smooth forces, gaps and directions there, in the problem's memory.

    `watched`: the first step, or one whose end is recorded; gaps that cannot matter are measured only then.
    Returns 0, or a number that says what cannot be solved.
    """


@generic
def meet(problem, t, h, x):
    """Velocities at the end of the step and impulses over it that obey dynamics and laws. Returns 0, or what cannot be
    solved.
    """


@generic
def complete(problem, n, t, h, x):
    """The state at the end of the step, from its middle and the new velocities; works and counts of the step."""


@generic
def keep_knot(problem, x, h, r):
    """Record r: this knot, before the next step. `h` is the length of the step that ended here (at the first knot: that
    begins).
    """


@generic
def keep_step(problem, x, r):
    """Record r: what the step from this knot did, after it; at the last knot, what the one before did."""


@generic
def arrive(problem, n, x):
    """After the step from knot n and its records: put the state in order for the next one."""
