"""Contact laws that no iteration solves, by a path: the laws are smooth at its start and grow sharp along it.

Impulses x of all directions, each with a law of its own, obey

    x = p_τ(x - r (γ + E (x - m))),    γ = γ0 + D x

γ are the velocities, D what an impulse does to them; E compliances, m memories and r lengths of trial steps,
one per direction. p_0 is the projection onto what a contact can give: normal impulses that push, friction in
an ellipse or a box that grows with them. (With x = S ξ this is the law of `contact_law`: E = eT S⁻². Rows of
weighted friction have x = ξ, and columns D S.) p_τ has its edges rounded off on a scale of τ (N s), as
`ellipse` has them: for large τ there is one answer, which Newton's method finds from anywhere. Under given
loads the laws are monotone and there is one answer for every τ. Where strong friction presses on contacts the
answers turn back as τ falls, and no iteration that only goes downhill gets past such a fold. The path of all
answers (x, log τ) is a smooth curve, though: it is followed by its arc length, through folds, until Newton's
method on the sharp laws ends from where it stands (`following`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.compiled import Array, IntArray, Rows, Scalar, Table, func, kernel, noinline_func, sqrt, table
from limbless.mechanics.contact.contact_law import CONES, along, own_ground, stiffness_scales
from limbless.mechanics.contact.scene import IMPULSE, VELOCITY, ContactRow

MOST = 100  # contacts: the work of a step along the path grows with their cube


class RowKinds(NamedTuple):
    """What a row of the path is."""

    push: int = 0  # a normal impulse
    round: int = 1  # the two rows of an ellipse
    second: int = 2
    side: int = 3  # an interval, as the side of a box


ROW_KINDS = RowKinds()


class RowLaw(NamedTuple):
    """The law of a row."""

    load: float  # given load, where no row has it
    plus: float  # coefficients at x < 0
    minus: float  # and x > 0
    compliance: float  # E
    memory: float  # m
    length: float  # r, of trial steps


class RowSlopes(NamedTuple):
    """Derivatives of p."""

    own: float  # by its own y,
    other: float  # by the ellipse's other,
    lean: float  # by the load's,
    drift: float  # by log τ


@table
class HomotopyRow(Table):
    """One direction in which an impulse acts: its law, and where the path stands."""

    law: RowLaw
    slip: float  # γ0, m/s, with the shift of the load's
    velocity: float  # γ
    trial: float  # y
    answer: float  # p
    slopes: RowSlopes


@table
class HomotopyState(Table):
    """How far along its path a problem is."""

    unit: float  # of impulses, N s
    length: float  # of the next step
    start: float  # log τ at the start
    taken: float  # steps


class Homotopy(NamedTuple):
    """A problem of R rows, and where its path stands."""

    kind: IntArray  # (R,) integers
    place: IntArray  # (R,) where its impulse belongs
    normal: IntArray  # (R,) row of its load, or -1
    directions: Array  # Direction (R,)
    coupling: Array  # (R, R) D, 1/kg
    matrix: Array  # (R + 1, R + 2)
    x: Array  # (R + 1,) impulses over their unit, and log τ
    guess: Array  # (R + 1,) the next of them
    tangent: Array  # (R + 1,)
    progress: Array  # Progress, one row


def make_homotopy(rows: int) -> Homotopy:
    """Memory for problems of at most so many rows."""
    kind, place, normal = np.zeros((3, rows), dtype=np.int64)
    x, guess, tangent = np.zeros((3, rows + 1))
    coupling, matrix = np.empty((rows, rows)), np.empty((rows + 1, rows + 2))  # large, and written before it is read
    return Homotopy(
        kind, place, normal, HomotopyRow.zeros(rows), coupling, matrix, x, guess, tangent, HomotopyState.zeros(1)
    )


@func
def put_row(path: Homotopy, row: Any, kind: Any, place: Any, normal: Any, law: Any):
    """One more row. Returns how many there are then."""
    path.kind[row] = kind
    path.place[row] = place
    path.normal[row] = normal
    HomotopyRow(path.directions, row).law = law
    return row + 1


@func
def put_weighted(
    path: Homotopy, rows: int, contact: ContactRow, place: Any, normal: Any, z: Scalar, e: Scalar, rho: Scalar
):
    """The two rows of weighted friction: a disc of ξ itself, whose impulses are S ξ (`coupling` sees to that). Friction
    that differs head first and tail first has the coefficient that acts at the start of the path.
    """
    low, high = stiffness_scales(contact)
    before, compliance, length = contact.shear_before, e * sqrt(low), rho / sqrt(high)
    rows = put_row(
        path, rows, ROW_KINDS.round, place + 1, normal, RowLaw(z, 1.0, 1.0, compliance, before.along, length)
    )
    return put_row(
        path, rows, ROW_KINDS.second, place + 2, normal, RowLaw(z, 1.0, 1.0, compliance, before.across, length)
    )


@kernel
def put_contacts(
    path: Homotopy, contacts: Rows[ContactRow], active: IntArray, count: int, of_all: Scalar, descent: Scalar
):
    """Rows of all active contacts, `place` = 5 a + number of the impulse. Returns their number. Directions without
    friction have none.
    """
    rows = 0
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        firm, ease = own_ground(contact)
        e, rho = ease * of_all, firm * descent
        normal, z = -1, contact.load
        if contact.given <= 0.0:
            normal, z = rows, 0.0
            rows = put_row(path, rows, ROW_KINDS.push, 5 * a, -1, RowLaw(0.0, 1.0, 1.0, e, 0.0, rho))
        low, _ = stiffness_scales(contact)
        plus, minus, side, roll = contact.friction
        before, mu = contact.shear_before, max(plus, minus)
        joined = contact.cone != CONES.box and mu > 0.0 and side > 0.0
        if joined and contact.cone == CONES.weighted:
            rows = put_weighted(path, rows, contact, 5 * a, normal, z, e, rho)
        elif mu > 0.0:
            law = RowLaw(z, plus, minus, e * low / (mu * mu), along(contact, -before.along) * before.along, rho)
            rows = put_row(path, rows, ROW_KINDS.round if joined else ROW_KINDS.side, 5 * a + 1, normal, law)
        if side > 0.0 and not (joined and contact.cone == CONES.weighted):
            law = RowLaw(z, side, side, e * low / (side * side), side * before.across, rho)
            rows = put_row(path, rows, ROW_KINDS.second if joined else ROW_KINDS.side, 5 * a + 2, normal, law)
        if roll > 0.0:
            before = contact.twist_before
            law = RowLaw(z, roll, roll, e, roll * before.along, rho)
            rows = put_row(path, rows, ROW_KINDS.round, 5 * a + 3, normal, law)
            law = RowLaw(z, roll, roll, e, roll * before.across, rho)
            rows = put_row(path, rows, ROW_KINDS.second, 5 * a + 4, normal, law)
    return rows


@noinline_func
def take_solution(path: Homotopy, rows: int, contacts: Rows[ContactRow], active: IntArray, end: Scalar) -> None:
    """Impulses and velocities of the present place of the path, into the contacts: rows
    whose place lies before `end`.
    """
    for j in range(rows):
        place, direction = path.place[j], HomotopyRow(path.directions, j)
        if place < end:
            i, c = active[place // 5], place % 5
            contacts[i, IMPULSE + c] = direction.answer / max(coefficient(direction.law, direction.answer), 1e-300)
            contacts[i, VELOCITY + c] = direction.velocity - (ContactRow(contacts, i).shift if c == 0 else 0.0)


@func
def coefficient(law: RowLaw, impulse: Any):
    """The coefficient of friction of a row for an impulse of that sign."""
    return law.plus if impulse <= 0.0 else law.minus
