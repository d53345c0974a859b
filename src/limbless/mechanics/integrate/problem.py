"""What an engine asks of a problem: one version per class of problem, chosen by type."""
from __future__ import annotations

from limbless.mechanics.compiled.generic import generic


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
    """0, or a number that says what cannot be solved at this instant."""


@generic
def states(problem):
    """Working memory for an engine: three arrays as long as a state, zero where nothing moves."""


# What is counted on the way, whatever is recorded (see `tally`)

@generic
def look(problem, t, x, r, recorded, last):
    """At a knot, which `rate` was asked for last: peaks and limits; where it is recorded, all counts go into record r."""


@generic
def spend(problem, stage, seconds, inside, x, slope):
    """At a stage that stands for `seconds` of its step: powers of actuators and forces."""


@generic
def close_step(problem, step):
    """After a step of this length (s): works of the actuators from the powers at its stages."""
