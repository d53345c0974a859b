"""Contacts between bodies that both move, in the solve of a step.

Such a contact belongs to no single link, so that its linearised law cannot join the matrix of one. With the sweeps of
the tree at hand it is added by Woodbury's formula: rows B of all that act (three per contact, five with rolling),

    γ = γ0 + G P,    P = c + A γ,    (1 - A G) P = c + A γ0,    G = B tree⁻¹ Bᵀ

γ0 are velocities without these impulses, A and c the linearised laws, which may be singular (a contact that slides).
G comes eight columns at a time: one sweep of impulses for eight rows (`answers`), an order cheaper than one of
matrices. O(n k + k³) for k contacts that act; those that are near and open take no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.algebra import (
    Matrix6,
    Twist,
    Vector,
    Wrench,
    carry_twist,
    carry_wrench,
    cross,
    dot,
    fill,
    gauss_solve,
)
from limbless.mechanics.chain import Body
from limbless.mechanics.compiled import LANES, Array, align_stack, as_lane_array, func, noinline_func
from limbless.mechanics.contact import (
    ContactRow,
    ImpulseResponse,
    MovingBodies,
    add_impulse,
    add_response,
    along,
    clear,
    factorise_base,
    from_other,
    propagate_impulses,
    relative_twist,
    slip_scales,
    solve_objects,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import ChainTables
    from limbless.mechanics.contact.step import Step

MOST_MUTUAL = 64  # contacts between moving bodies that may act at a time


@func
def row_wrench(contact: ContactRow, c: int) -> Wrench:
    """A unit impulse along row c of a contact, about the origin of its body: normal, along, across, two of rolling."""
    n, t1 = contact.normal, contact.tangent
    t2, zero = cross(n, t1), Vector(0.0, 0.0, 0.0)
    if c < 3:
        d = n if c == 0 else t1 if c == 1 else t2
        return Wrench(d, cross(contact.arm, d))
    return Wrench(zero, -t2 if c == 3 else t1)


@func
def law_constant(contact: ContactRow, c: int):
    """c of row c."""
    roll = contact.friction.rolling * contact.radius
    if c == 0:
        return contact.load_law.constant
    if c < 3:
        law = contact.shear_law.constant
        return along(contact, -contact.shear.along) * law.along if c == 1 else contact.friction.lateral * law.across
    law = contact.twist_law.constant
    return roll * (law.along if c == 3 else law.across)


@func
def law_slope(contact: ContactRow, c: int, d: Any):
    """A of row c by the velocity along row d of the same contact."""
    if c == 0:
        return contact.load_law.slope if d == 0 else 0.0
    first = c == 1 or c == 3
    law = contact.shear_law if c < 3 else contact.twist_law
    roll = contact.friction.rolling * contact.radius
    gain = roll
    if c < 3:
        gain = along(contact, -contact.shear.along) if first else contact.friction.lateral
    if d == 0:
        return gain * (law.lean.along if first else law.lean.across)
    if (c < 3) != (d < 3):
        return 0.0
    scales = slip_scales(contact)
    scale = roll
    if d < 3:
        scale = scales.along if d == 1 else scales.across
    own = law.own if first else law.other
    return gain * scale * (own if c == d else law.mixed)


@func
def rolls(contact: ContactRow):
    """Whether a contact has rows of rolling."""
    return contact.friction.rolling * contact.radius > 0.0


@func
def note_need(moving_bodies: MovingBodies, k: int) -> None:
    """Body k takes part: the robot, or an object."""
    moving_bodies.factors.needed[max(k - moving_bodies.first + 1, 0)] = 1


@func
def find_rows(step: Step, count: int, moving_bodies: MovingBodies) -> int:
    """Rows of all contacts between moving bodies that act. Returns how many; -1 where there is no room."""
    rows, room = 0, moving_bodies.row.shape[0]
    fill(moving_bodies.factors.needed, 0)
    for a in range(count):
        i = step.active[a]
        contact = ContactRow(step.contacts, i)
        if moving_bodies.other[i] < 0 or contact.acts <= 0.0:
            continue
        more = 5 if rolls(contact) else 3
        if rows + more > room:
            return -1
        note_need(moving_bodies, step.owner[i])
        note_need(moving_bodies, moving_bodies.other[i])
        for c in range(more):
            moving_bodies.row[rows] = 5 * i + c
            rows += 1
    return rows


@func
def push_row(step: Step, moving_bodies: MovingBodies, r: int, place: Any, size: int) -> None:
    """Add an impulse of that size along row r to both its bodies, in one of the eight places."""
    i = moving_bodies.row[r] // 5
    wrench, other = size * row_wrench(ContactRow(step.contacts, i), moving_bodies.row[r] % 5), moving_bodies.other[i]
    add_impulse(moving_bodies.answers, step.owner[i], place, wrench)
    add_impulse(moving_bodies.answers, other, place, -carry_wrench(wrench, from_other(step, i, other)))


@func
def put_velocities(target: Array, r: int, b: int, contact: ContactRow, u: Twist):
    """Velocities along the rows of a contact, r the first, whose body has the twist u relative to what it touches;
    returns the row after them.
    """
    n, t1 = contact.normal, contact.tangent
    t2 = cross(n, t1)
    v = u.linear + cross(u.angular, contact.arm)
    target[r, b] = dot(n, v)
    target[r + 1, b] = dot(t1, v)
    target[r + 2, b] = dot(t2, v)
    if not rolls(contact):
        return r + 3
    target[r + 3, b] = -dot(t2, u.angular)
    target[r + 4, b] = dot(t1, u.angular)
    return r + 5


@noinline_func
def read_start(step: Step, moving_bodies: MovingBodies, rows: int) -> None:
    """γ0"""
    r = 0
    while r < rows:
        i = moving_bodies.row[r] // 5
        r = put_velocities(moving_bodies.start, r, 0, ContactRow(step.contacts, i), relative_twist(step, i))


@noinline_func
def read_response(step: Step, moving_bodies: MovingBodies, rows: int, b: Vector) -> None:
    """Eight columns of G, from the answers."""
    align_stack()
    r, answers, wide = 0, as_lane_array(moving_bodies.answers), as_lane_array(moving_bodies.wide)
    while r < rows:
        i = moving_bodies.row[r] // 5
        other = moving_bodies.other[i]
        theirs = carry_twist(ImpulseResponse(answers, other).twist, from_other(step, i, other))
        r = put_velocities(
            wide, r, b, ContactRow(step.contacts, i), ImpulseResponse(answers, step.owner[i]).twist - theirs
        )


@noinline_func
def put_laws(step: Step, moving_bodies: MovingBodies, rows: int) -> None:
    """(1 - A G) P = c + A γ0"""
    for p in range(rows):
        i, c = moving_bodies.row[p] // 5, moving_bodies.row[p] % 5
        contact = ContactRow(step.contacts, i)
        right, first = law_constant(contact, c), p - c
        for q in range(rows):
            moving_bodies.matrix[p, q] = 1.0 if p == q else 0.0
        for d in range(5):
            if first + d < rows and moving_bodies.row[first + d] // 5 == i:
                slope = law_slope(contact, c, d)
                right += slope * moving_bodies.start[first + d, 0]
                for q in range(rows):
                    moving_bodies.matrix[p, q] -= slope * moving_bodies.response[first + d, q]
        moving_bodies.matrix[p, rows] = right


@noinline_func
def solve_body_body(robot: ChainTables, base: int, step: Step, count: int, I: Matrix6) -> None:
    """After the sweeps of a robot by itself: the velocities of all under contacts between bodies that move.

    I is the matrix with which the robot answers at its base.
    """
    moving_bodies = step.moving_bodies
    solve_objects(step, count, moving_bodies)
    rows = find_rows(step, count, moving_bodies)
    if rows < 0:
        moving_bodies.crowded[0] = 1
    if rows <= 0:
        return
    factorise_base(base, I, Body(step.places, 0).rotation, moving_bodies.factors)
    read_start(step, moving_bodies, rows)
    for b in range((rows + LANES - 1) // LANES):
        clear(moving_bodies.answers)
        for r in range(LANES * b, min(LANES * b + LANES, rows)):
            push_row(step, moving_bodies, r, r - LANES * b, 1.0)
        propagate_impulses(robot, base, step)
        read_response(step, moving_bodies, rows, b)
    put_laws(step, moving_bodies, rows)
    gauss_solve(moving_bodies.matrix, rows)
    clear(moving_bodies.answers)
    for r in range(rows):
        push_row(step, moving_bodies, r, 0, moving_bodies.matrix[r, rows])
    propagate_impulses(robot, base, step)
    add_response(robot, base, step, I)
