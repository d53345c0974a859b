"""What an engine asks of a problem: one version per class of problem, chosen by type.

Every problem has a `memory` with the fields `state`, `slope` and `total`: three arrays as long as a state, for the
engine, zero where nothing moves.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

from limbless.mechanics.compiled import (
    Array,
    Scalar,
    func,
    generic,
    is_single,
    some_positive,
    strict_kernel,
    where_positive,
)

if TYPE_CHECKING:
    from limbless.mechanics.integrate.dirk import Scratch


@generic
def rate(problem: Any, i: int, t: Scalar, window_time: Scalar, x: Array, out: Array):
    """The rate of state x at time t, row i of the drive, into `out`.

    `inside` is a time within the step: it decides which windows are open.
    """


@generic
def add(problem: Any, start: Array, step: Scalar, slope: Array, end: Array):
    """end = start + step slope, on the coordinates that move."""


@generic
def normalise(problem: Any, x: Array):
    """After a step: put the state back where it belongs (unit quaternions)."""


@generic
def failure_code(problem: Any) -> Any:
    """0, or a number that says what cannot be solved at this instant; of robots side by side,
    one for each, or for all.
    """


@generic
def record_instant(problem: Any, t: Scalar, x: Array, slope: Array, r: int, recorded: bool, last: bool):
    """At a knot, which `rate` was asked for last: peaks and limits; where it is `recorded`, this instant and all
    totals so far go into record r. `last`: the run ends here.
    """


@generic
def accumulate_work(problem: Any, stage: int, h: Scalar, seconds: Scalar, window_time: Scalar, x: Array, slope: Array):
    """At a stage that stands for `seconds` of its step of length h: powers of actuators and forces; at the last one
    also the works of the actuators.
    """


@func
def at_knot(problem: Any, t: Scalar, state: Array, slope: Array, r: int, recorded: bool, last: bool) -> Scalar:
    """A knot whose rate is known: it is looked at, and recorded where asked. Returns what `failure_code` said
    instead; of robots side by side those in trouble lose their numbers, and the others go on.
    """
    found = failure_code(problem)
    if some_positive(found):
        if is_single(found):
            return found
        poison(found, state)
    record_instant(problem, t, state, slope, r, recorded, last)
    return found


@strict_kernel
def poison(found: Any, x: Array) -> None:
    """No number any more in the lanes in which something was found: whoever looks at them later sees that."""
    for c in range(x.shape[0]):
        x[c] = where_positive(found + 0.0 * x[c], nan + 0.0 * x[c], x[c])


# What an implicit stage asks (see `implicit`): X = X* + γh f(X), found with the rates of velocities as unknowns


@generic
def linearise_forces(problem: Any, t: Scalar, window_time: Scalar, x: Array):
    """Before a step from x: how steeply the forces answer to velocities, where a stage takes that ahead."""


@generic
def drive_at(problem: Any, n: Any, share: Scalar):
    """The drive at `share` (0 to 1) of the step from knot n."""


@generic
def stage_state(problem: Any, start: Scalar, gh: Scalar, slope: Array, x: Array):
    """The state X = X* + γh slope that has the rates of velocities in `slope`; the rates of
    positions go into it too.
    """


@generic
def stage_rate(problem: Any, t: Scalar, window_time: Scalar, gh: Scalar, before: Array, x: Array, slope: Array):
    """The rate of X, with the forces that are stiff taken ahead from the rates `before`. Returns how far the two rates
    lie apart after γh, and how fast the state moves, in the same unit.
    """


@generic
def store_stage(problem: Any, scratch: Scratch, stage: int, window_time: Scalar, x: Array, slope: Array):
    """At a stage that is solved: what it spends, kept until its whole step is."""


# What Moreau's rule asks (see `moreau`)


@generic
def midpoint_step(problem: Any, n: int, t: Scalar, h: Scalar, watched: bool, x: Array) -> int:
    """A step of length h from knot n at time t. Returns 0, or a number that says what cannot be solved: the state is
    then still that of the knot.

    `watched`: the first step, or one whose end is recorded; gaps that cannot matter are measured only then.
    """


@generic
def record_knot(problem: Any, x: Array, h: Scalar, r: int):
    """Record r: this knot, before the next step. `h` is the length of the step that ended here (at the
    first knot: that begins).
    """
