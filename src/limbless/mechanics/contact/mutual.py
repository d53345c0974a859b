"""Contacts between bodies that both move, in the solve of a step.

Such a contact belongs to no single link, so that its linearised law cannot join the matrix of one. With the sweeps of
the tree at hand it is added by Woodbury's formula: rows B of all that act (three per contact, five with rolling),

    γ = γ0 + G P,    P = c + A γ,    (1 - A G) P = c + A γ0,    G = B tree⁻¹ Bᵀ

γ0 are velocities without these impulses, A and c the linearised laws, which may be singular (a contact that slides).
G comes eight columns at a time: one sweep of impulses for eight rows (`answers`), an order cheaper than one of
matrices. O(n k + k³) for k contacts that act; those that are near and open take no part.
"""

from __future__ import annotations

from limbless.mechanics.algebra.dense import eliminate_rows
from limbless.mechanics.algebra.inertia import Wrench, carry_twist, carry_wrench
from limbless.mechanics.algebra.vectors import Vector, cross, dot
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_pass
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.lean import in_lanes
from limbless.mechanics.contact.answers import accept, add_push, clear, factorise_base, respond, solve_objects
from limbless.mechanics.contact.company import Answer, Crowd, Lift, keep_lift, meet_others, relative_twist
from limbless.mechanics.contact.law import along, slip_scales
from limbless.mechanics.contact.objects import from_other
from limbless.mechanics.contact.tables import Contact

MOST_MUTUAL = 64  # contacts between moving bodies that may act at a time


@version_for(keep_lift, Crowd)
@inline
def keep_joint_lift(crowd, k, U, scale):
    own = Lift(crowd.lifts, k)
    own.wrench = U
    own.scale = scale


@inline
def row_wrench(contact, c):
    """A unit impulse along row c of a contact, about the origin of its body: normal, along, across, two of rolling."""
    n, t1 = contact.normal, contact.tangent
    t2, zero = cross(n, t1), Vector(0.0, 0.0, 0.0)
    if c < 3:
        d = n if c == 0 else t1 if c == 1 else t2
        return Wrench(d, cross(contact.arm, d))
    return Wrench(zero, -t2 if c == 3 else t1)


@inline
def law_constant(contact, c):
    """c of row c."""
    roll = contact.friction.rolling * contact.radius
    if c == 0:
        return contact.load_law.constant
    if c < 3:
        law = contact.shear_law.constant
        return along(contact, -contact.shear.along) * law.along if c == 1 else contact.friction.lateral * law.across
    law = contact.twist_law.constant
    return roll * (law.along if c == 3 else law.across)


@inline
def law_slope(contact, c, d):
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


@inline
def rolls(contact):
    """Whether a contact has rows of rolling."""
    return contact.friction.rolling * contact.radius > 0.0


@inline
def note_need(crowd, k):
    """Body k takes part: the robot, or an object."""
    crowd.factors.needed[max(k - crowd.first + 1, 0)] = 1


@inline
def find_rows(step, count, crowd):
    """Rows of all contacts between moving bodies that act. Returns how many; -1 where there is no room."""
    rows, room = 0, crowd.row.shape[0]
    for o in range(crowd.factors.needed.shape[0]):
        crowd.factors.needed[o] = 0
    for a in range(count):
        i = step.active[a]
        contact = Contact(step.contacts, i)
        if crowd.other[i] < 0 or contact.acts <= 0.0:
            continue
        more = 5 if rolls(contact) else 3
        if rows + more > room:
            return -1
        note_need(crowd, step.owner[i])
        note_need(crowd, crowd.other[i])
        for c in range(more):
            crowd.row[rows] = 5 * i + c
            rows += 1
    return rows


@inline
def push_row(step, crowd, r, place, size):
    """Add an impulse of that size along row r to both its bodies, in one of the eight places."""
    i = crowd.row[r] // 5
    wrench, other = size * row_wrench(Contact(step.contacts, i), crowd.row[r] % 5), crowd.other[i]
    add_push(crowd.answers, step.owner[i], place, wrench)
    add_push(crowd.answers, other, place, -carry_wrench(wrench, from_other(step, i, other)))


@inline
def put_velocities(target, r, b, contact, u):
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


@lean_pass
def read_start(step, crowd, rows):
    """γ0"""
    r = 0
    while r < rows:
        i = crowd.row[r] // 5
        r = put_velocities(crowd.start, r, 0, Contact(step.contacts, i), relative_twist(crowd, step, i))


@lean_pass
def read_response(step, crowd, rows, b):
    """Eight columns of G, from the answers."""
    align_stack()
    r, answers, wide = 0, in_lanes(crowd.answers), in_lanes(crowd.wide)
    while r < rows:
        i = crowd.row[r] // 5
        other = crowd.other[i]
        theirs = carry_twist(Answer(answers, other).twist, from_other(step, i, other))
        r = put_velocities(wide, r, b, Contact(step.contacts, i), Answer(answers, step.owner[i]).twist - theirs)


@lean_pass
def fill(step, crowd, rows):
    """(1 - A G) P = c + A γ0"""
    for p in range(rows):
        i, c = crowd.row[p] // 5, crowd.row[p] % 5
        contact = Contact(step.contacts, i)
        right, first = law_constant(contact, c), p - c
        for q in range(rows):
            crowd.matrix[p, q] = 1.0 if p == q else 0.0
        for d in range(5):
            if first + d < rows and crowd.row[first + d] // 5 == i:
                slope = law_slope(contact, c, d)
                right += slope * crowd.start[first + d, 0]
                for q in range(rows):
                    crowd.matrix[p, q] -= slope * crowd.response[first + d, q]
        crowd.matrix[p, rows] = right


@version_for(meet_others, Crowd)
@lean_pass
def solve_mutual(crowd, robot, base, step, count, I):
    solve_objects(step, count, crowd)
    rows = find_rows(step, count, crowd)
    if rows < 0:
        crowd.crowded[0] = 1
    if rows <= 0:
        return
    factorise_base(base, I, step)
    read_start(step, crowd, rows)
    for b in range((rows + LANES - 1) // LANES):
        clear(crowd.answers)
        for r in range(LANES * b, min(LANES * b + LANES, rows)):
            push_row(step, crowd, r, r - LANES * b, 1.0)
        respond(robot, base, step)
        read_response(step, crowd, rows, b)
    fill(step, crowd, rows)
    eliminate_rows(crowd.matrix, rows)
    clear(crowd.answers)
    for r in range(rows):
        push_row(step, crowd, r, 0, crowd.matrix[r, rows])
    respond(robot, base, step)
    accept(robot, base, step, I)
