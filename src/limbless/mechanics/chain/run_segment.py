"""Steps over a part of what was laid out ahead: some of the knots, of the rows of a drive and of the records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from limbless.mechanics.chain.tables import ChainProblem
from limbless.mechanics.compiled import flat_slice, func, kernel, pack, rows_from, unpack
from limbless.mechanics.integrate.runge_kutta import runge_kutta


@func
def from_rows(problem: ChainProblem, stage: int, r: int) -> ChainProblem:
    """The problem whose drive begins at row `stage` of the one given, and whose records begin at `r`."""
    return ChainProblem(
        problem.robot,
        problem.forces,
        problem.options,
        rows_from(problem.drive, stage),
        problem.memory,
        rows_from(problem.records, r),
    )


@kernel
def run_segment(packed: Any):
    """Step from one knot to another. Returns what `trouble` said (0: nothing).

    `span` holds the first knot and the last, the drive's row at the first, the record that comes next, whether the last
    knot is recorded too (else it belongs to the next stretch), and afterwards the knot that was reached.
    """
    problem, knots, record, x, span = unpack(packed)
    first, last = span[0], span[1]
    asked = record[last]
    record[last] = asked and span[4] > 0
    count = last - first + 1
    found, step = runge_kutta(
        from_rows(problem, span[2], span[3]), flat_slice(knots, first, count), flat_slice(record, first, count), x
    )
    record[last] = asked
    span[5] = first + step
    return found


def packed_segment(problem: Any, knots: Any, record: Any, x: Any, span: Any) -> Callable[[], int]:
    """`run_segment` of these arrays, all packed once: calling it costs Python one object."""
    return partial(run_segment, pack((problem, knots, record, x, span)))
