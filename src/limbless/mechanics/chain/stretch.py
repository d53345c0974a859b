"""Steps over a part of what was laid out ahead: some of the knots, of the rows of a drive and of the records."""
from __future__ import annotations

from typing import Any

from limbless.mechanics.chain.tables import ChainProblem
from limbless.mechanics.compiled.held import Held, laying_down
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.lean import lean, lean_span, rows_from
from limbless.mechanics.integrate.runge_kutta import runge_kutta


@inline
def from_rows(problem, stage, r):
    """The problem whose drive begins at row `stage` of the one given, and whose records begin at `r`."""
    robot, forces, options, drive, memory, records = problem
    return ChainProblem(robot, forces, options, rows_from(drive, stage), memory, rows_from(records, r))


@lean_kernel
def run_stretch(held):
    """Step from one knot to another. Returns what `trouble` said (0: nothing).

    `span` holds the first knot and the last, the drive's row at the first, the record that comes next, whether the last
    knot is recorded too (else it belongs to the next stretch), and afterwards the knot that was reached.
    """
    problem, knots, record, x, span = held
    first, last = span[0], span[1]
    asked = record[last]
    record[last] = asked and span[4] > 0
    count = last - first + 1
    found, step = runge_kutta(from_rows(problem, span[2], span[3]), lean_span(knots, first, count),
                              lean_span(record, first, count), x)
    record[last] = asked
    span[5] = first + step
    return found


lay_down = laying_down(run_stretch)


@lean_kernel
def lay_down_stretch(problem, knots, record, x, span, room):
    return lay_down((lean(problem), lean(knots), lean(record), lean(x), lean(span)), lean(room))


def held_stretch(problem: Any, knots: Any, record: Any, x: Any, span: Any) -> Held:
    """`run_stretch` of these arrays, laid down."""
    return Held(lay_down_stretch, run_stretch, problem, knots, record, x, span)
