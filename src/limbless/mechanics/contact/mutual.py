"""Contacts between bodies that both move, in the solve of a step.

Such a contact belongs to no single link, so that its linearised law cannot join the matrix of one. With the sweeps of
the tree at hand it is added by Woodbury's formula: rows B of all that act (three per contact, five with rolling),

    γ = γ0 + G P,    P = c + A γ,    (1 - A G) P = c + A γ0,    G = B tree⁻¹ Bᵀ

γ0 are velocities without these impulses, A and c the linearised laws, which may be singular (a contact that slides).
G comes column by column: one sweep of impulses per row, an order cheaper than one of matrices. O(n k + k³) for k
contacts that act; those that are near and open take no part.
"""
from __future__ import annotations

from limbless.mechanics.algebra.dense import eliminate_rows
from limbless.mechanics.algebra.inertia import Wrench, carry_twist, carry_wrench, power
from limbless.mechanics.algebra.vectors import Vector, cross
from limbless.mechanics.chain.dynamics import BASES
from limbless.mechanics.chain.tables import Body, Link
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import inline, lean_pass
from limbless.mechanics.contact.company import Answer, Crowd, Free, keep_lift, meet_others
from limbless.mechanics.contact.law import along, law_matrix6, slip_scales
from limbless.mechanics.contact.objects import from_other
from limbless.mechanics.contact.solver import screw_by, solve_base
from limbless.mechanics.contact.step_tables import BaseStep, BodyStep, JointStep
from limbless.mechanics.contact.tables import Contact

MOST_MUTUAL = 64                         # contacts between moving bodies that may act at a time


@version_for(keep_lift, Crowd)
@inline
def keep_joint_lift(crowd, k, U, scale):
    own = Answer(crowd.answers, k)
    own.lift = U
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
def solve_objects(step, count, crowd):
    """Objects by themselves: their matrices with all that they touch that does not move, and their twists."""
    a = count - 1
    for o in range(crowd.free.shape[0] - 1, -1, -1):
        k = crowd.first + o
        own = BodyStep(step.bodies, k)
        I, f = own.matrix, own.momentum
        while a >= 0 and step.owner[step.active[a]] == k:
            i = step.active[a]
            contact = Contact(step.contacts, i)
            if contact.acts > 0.0 and crowd.other[i] < 0:
                matrix, wrench = law_matrix6(contact)
                I, f = I + matrix, f + wrench
            a -= 1
        Free(crowd.free, o).matrix = I
        own.twist = solve_base(BASES.free, I, f, Body(step.places, k).rotation, step.system)


@inline
def find_rows(step, count, crowd):
    """Rows of all contacts between moving bodies that act. Returns how many; -1 where there is no room."""
    rows, room = 0, crowd.row.shape[0]
    for a in range(count):
        i = step.active[a]
        contact = Contact(step.contacts, i)
        if crowd.other[i] < 0 or contact.acts <= 0.0:
            continue
        more = 5 if contact.friction.rolling * contact.radius > 0.0 else 3
        if rows + more > room:
            return -1
        for c in range(more):
            crowd.row[rows] = 5 * i + c
            rows += 1
    return rows


@inline
def push_row(step, crowd, r, size):
    """Add an impulse of that size along row r to both its bodies."""
    i = crowd.row[r] // 5
    wrench, other = size * row_wrench(Contact(step.contacts, i), crowd.row[r] % 5), crowd.other[i]
    own, back = Answer(crowd.answers, step.owner[i]), Answer(crowd.answers, other)
    own.push = own.push + wrench
    back.push = back.push - carry_wrench(wrench, from_other(step, i, other))


@inline
def velocity_of(step, crowd, r, solved):
    """Velocity along row r: of the twists that are solved for, or of the answers."""
    i = crowd.row[r] // 5
    k, other = step.owner[i], crowd.other[i]
    if solved:
        u, v = BodyStep(step.bodies, k).twist, BodyStep(step.bodies, other).twist
    else:
        u, v = Answer(crowd.answers, k).twist, Answer(crowd.answers, other).twist
    wrench = row_wrench(Contact(step.contacts, i), crowd.row[r] % 5)
    return power(u - carry_twist(v, from_other(step, i, other)), wrench)


@inline
def clear(answers):
    """No impulse on any body."""
    zero = Vector(0.0, 0.0, 0.0)
    for k in range(answers.shape[0]):
        Answer(answers, k).push = Wrench(zero, zero)


@lean_pass
def respond(robot, base, step, I):
    """What the impulses on all bodies add to twists and rates, by the factors that the last sweep left."""
    kinds, links, _ = robot
    crowd, zero = step.crowd, Vector(0.0, 0.0, 0.0)
    f = Wrench(zero, zero)
    for k in range(len(links.codes) - 1, 0, -1):
        link, own = Link(links, k), Answer(crowd.answers, k)
        f = f + own.push
        own.rate = power(screw_by(kinds, link.kind, link, step.axes), f)
        if not link.given:
            own.rate = own.scale * own.rate
            f = f - own.rate * own.lift
        if link.has_arm:
            f = carry_wrench(f, Body(step.places, k).arm)
    own = Answer(crowd.answers, 0)
    f = f + own.push
    own.lift = f
    u = solve_base(base, I, f, Body(step.places, 0).rotation, step.system)
    own.twist = u
    for k in range(1, len(links.codes)):
        link, own = Link(links, k), Answer(crowd.answers, k)
        if link.has_arm:
            u = carry_twist(u, Body(step.places, k).arm)
        if not link.given:
            own.rate = own.rate - power(u, JointStep(step.joints, link.column).reach)
            u = u + own.rate * screw_by(kinds, link.kind, link, step.axes)
        own.twist = u
    for o in range(crowd.free.shape[0]):
        k = crowd.first + o
        own = Answer(crowd.answers, k)
        matrix = Free(crowd.free, o).matrix
        own.twist = solve_base(BASES.free, matrix, own.push, Body(step.places, k).rotation, step.system)


@inline
def accept(robot, base, step, I):
    """Add the answers to what the sweeps have found."""
    crowd = step.crowd
    for k in range(step.bodies.shape[0]):
        own = BodyStep(step.bodies, k)
        own.twist = own.twist + Answer(crowd.answers, k).twist
    for k in range(1, len(robot.links.codes)):
        link, rate = Link(robot.links, k), Answer(crowd.answers, k).rate
        if link.given:
            joint = JointStep(step.joints, link.column)
            joint.pushed = joint.pushed + rate
        else:
            step.rates[link.column] += rate
    own, answer = BaseStep(step.base, 0), Answer(crowd.answers, 0)
    own.twist = own.twist + answer.twist
    if base != BASES.free:
        own.hold = own.hold + (I @ answer.twist - answer.lift)


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
                right += slope * crowd.start[first + d]
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
    for r in range(rows):
        crowd.start[r] = velocity_of(step, crowd, r, True)
    for r in range(rows):
        clear(crowd.answers)
        push_row(step, crowd, r, 1.0)
        respond(robot, base, step, I)
        for q in range(rows):
            crowd.response[q, r] = velocity_of(step, crowd, q, False)
    fill(step, crowd, rows)
    eliminate_rows(crowd.matrix, rows)
    clear(crowd.answers)
    for r in range(rows):
        push_row(step, crowd, r, crowd.matrix[r, rows])
    respond(robot, base, step, I)
    accept(robot, base, step, I)
