"""How all bodies answer to impulses on any of them under the linearised laws: eight cases in one sweep.

The sweep of matrices has left its factors (`ResponseFactor` of every joint, the matrix at the base); impulses
go from tip to base and velocities back. Objects answer by matrices of their own.
"""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import (
    Matrix6,
    Wrench,
    carry_twist,
    carry_wrench,
    lu_factorise,
    power,
    put_matrix6,
)
from limbless.mechanics.chain import Body, ChainTables, LinkRow
from limbless.mechanics.compiled import Array, Scalar, align_stack, as_lane_array, func, noinline_func
from limbless.mechanics.contact import (
    TWIST,
    BaseStep,
    BodyStep,
    ContactRow,
    Equation,
    ImpulseResponse,
    JointStep,
    MovingBodies,
    ResponseFactor,
    Step,
    accept_base,
    accept_cells,
    answer_at_base,
    first_twist,
    is_fixed,
    law_matrix6,
    respond_cells,
    screw_by,
    solve_by,
)


@func
def store_response_factor(moving_bodies: MovingBodies, k: int, U: Wrench, scale: Scalar) -> None:
    """Note how the joint before body k answers, for the sweeps of impulses."""
    own = ResponseFactor(moving_bodies.lifts, k)
    own.wrench = U
    own.scale = scale


@func
def with_contacts(step: Step, k: int, a: int, E: Equation) -> tuple[Equation, int]:
    """The equation of body k with all linearised contacts that it has with what does not move, from the active one `a`
    down; the next one.
    """
    while a >= 0 and step.owner[step.active[a]] == k:
        contact = ContactRow(step.contacts, step.active[a])
        if contact.acts > 0.0 and is_fixed(step, step.active[a]):
            E = E + law_matrix6(contact)
        a -= 1
    return E, a


@func
def solve_objects(step: Step, count: int, moving_bodies: MovingBodies) -> None:
    """Objects by themselves: factors of their matrices with all that they touch that does
    not move, and their twists.
    """
    a, factors = count - 1, moving_bodies.factors
    for o in range(moving_bodies.free.shape[0], 0, -1):
        k = moving_bodies.first + o - 1
        own = BodyStep(step.bodies, k)
        E, a = with_contacts(step, k, a, own.equation)
        put_matrix6(factors.rows[o], E.matrix)
        lu_factorise(factors.rows[o], 6, factors.order[o])
        own.twist = solve_by(factors, o, E.momentum, factors.single[0], factors.single[1])


@func
def add_impulse(answers: Array, k: int, place: Any, wrench: Wrench) -> None:
    """Add an impulse on body k in one of the eight places."""
    F, T = wrench.force, wrench.torque
    answers[k, 0, place] += F.x
    answers[k, 1, place] += F.y
    answers[k, 2, place] += F.z
    answers[k, 3, place] += T.x
    answers[k, 4, place] += T.y
    answers[k, 5, place] += T.z


@func
def respond_robot(robot: ChainTables, base: int, step: Step) -> None:
    if step.cells is not None:
        respond_cells(robot, base, step)
        return
    kinds, links, _ = robot
    answers, lifts, last = as_lane_array(step.moving_bodies.answers), step.moving_bodies.lifts, len(links.codes) - 1
    f = ImpulseResponse(answers, last).push
    for k in range(last, 0, -1):
        link, lift = LinkRow(links, k), ResponseFactor(lifts, k)
        rate = power(screw_by(kinds, link.kind, link, step.axes), f)
        if not link.given:
            rate = lift.scale * rate
            f = f - rate * lift.wrench
        ImpulseResponse(answers, k).rate = rate
        if link.has_arm:
            f = carry_wrench(f, Body(step.places, k).arm)
        f = f + ImpulseResponse(answers, k - 1).push
    own = ImpulseResponse(answers, 0)
    own.push = f
    u = answer_at_base(base, Body(step.places, 0).rotation, step.moving_bodies.factors, f)
    own.twist = u
    for k in range(1, last + 1):
        link, own = LinkRow(links, k), ImpulseResponse(answers, k)
        if link.has_arm:
            u = carry_twist(u, Body(step.places, k).arm)
        if not link.given:
            rate = own.rate - power(u, JointStep(step.joints, link.column).reach)
            own.rate = rate
            u = u + rate * screw_by(kinds, link.kind, link, step.axes)
        own.twist = u


@noinline_func
def propagate_impulses(robot: ChainTables, base: int, step: Step) -> None:
    """What the impulses on all bodies add to twists and rates, in all eight places."""
    align_stack()
    moving_bodies = step.moving_bodies
    answers, factors = as_lane_array(moving_bodies.answers), moving_bodies.factors
    if factors.needed[0] > 0:
        respond_robot(robot, base, step)
    for o in range(1, factors.needed.shape[0]):
        if factors.needed[o] > 0:
            own = ImpulseResponse(answers, moving_bodies.first + o - 1)
            own.twist = solve_by(factors, o, own.push, as_lane_array(factors.eight[0]), as_lane_array(factors.eight[1]))


@func
def accept_robot(robot: ChainTables, base: int, step: Step, I: Matrix6) -> None:
    if step.cells is not None:
        accept_cells(robot, base, step, I)
        return
    answers = step.moving_bodies.answers
    for k in range(len(robot.links.codes)):
        own = BodyStep(step.bodies, k)
        own.twist = own.twist + first_twist(answers, k)
    for k in range(1, len(robot.links.codes)):
        link, rate = LinkRow(robot.links, k), answers[k, TWIST + 6, 0]  # which stands behind the twist
        if link.given:
            joint = JointStep(step.joints, link.column)
            joint.pushed = joint.pushed + rate
        else:
            step.rates[link.column] += rate
    accept_base(answers, base, BaseStep(step.base, 0), I)


@noinline_func
def add_response(robot: ChainTables, base: int, step: Step, I: Matrix6) -> None:
    """Add the answers in the first place to what the sweeps have found."""
    moving_bodies = step.moving_bodies
    if moving_bodies.factors.needed[0] > 0:
        accept_robot(robot, base, step, I)
    for o in range(1, moving_bodies.factors.needed.shape[0]):
        if moving_bodies.factors.needed[o] > 0:
            own = BodyStep(step.bodies, moving_bodies.first + o - 1)
            own.twist = own.twist + first_twist(moving_bodies.answers, moving_bodies.first + o - 1)
