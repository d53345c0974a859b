"""What is tried for the contacts of a step where the iterations of `solver` do not end; compiled when it is first
needed.

1. Radii of friction frozen: what remains is convex, and Newton's method with an exact line search minimises it; the
  radii follow.
2. The path of `path`, on the dense coupling of all contacts, which the sweeps give column by column. It also leads to a
  solution where friction is too strong for radii that follow (coefficients from about 0.8 on); 22 contacts take some 50
  ms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.inertia import power
from limbless.mechanics.algebra.search import share_of_step, slope_at
from limbless.mechanics.chain.tables import Link
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import inline, lean_kernel, lean_pass
from limbless.mechanics.compiled.lean import lean
from limbless.mechanics.contact.company import relative_before, relative_twist
from limbless.mechanics.contact.coupling import arm_of, couple, joint_of, put_joints
from limbless.mechanics.contact.following import begin, follow
from limbless.mechanics.contact.law import (
    contact_wrench,
    explicit_impulse,
    impulse_of,
    put_impulse,
    put_rates,
)
from limbless.mechanics.contact.path import MOST, Direction, put_contacts, take_answer
from limbless.mechanics.contact.solver import PLAIN, iterate, measure
from limbless.mechanics.contact.step_tables import BaseStep, BodyStep, JointStep, Plea
from limbless.mechanics.contact.tables import Contact


class Patience(NamedTuple):
    """How long the first way is tried."""

    soon: int = 20  # bursts before the path is asked,
    bursts: int = 100  # and in all
    short: int = 5  # iterations in the first ten bursts,
    long: int = 40  # and in later ones


PATIENCE = Patience()


@lean_pass
def keep(step, count):
    """Remember this iterate."""
    base = BaseStep(step.base, 0)
    base.before = base.twist
    for v in range(step.rates.shape[0]):
        JointStep(step.joints, v).before = step.rates[v]
    for k in range(step.bodies.shape[0]):
        body = BodyStep(step.bodies, k)
        body.before = body.twist
    for a in range(count):
        contact = Contact(step.contacts, step.active[a])
        contact.old = impulse_of(contact)


@lean_pass
def retreat(step, count, share):
    """Move `share` of the way from the remembered iterate to this one. Both satisfy the dynamics, and so does every
    point between.
    """
    base = BaseStep(step.base, 0)
    base.twist = base.before + share * (base.twist - base.before)
    for v in range(step.rates.shape[0]):
        before = JointStep(step.joints, v).before
        step.rates[v] = before + share * (step.rates[v] - before)
    for k in range(step.bodies.shape[0]):
        body = BodyStep(step.bodies, k)
        body.twist = body.before + share * (body.twist - body.before)
    for a in range(count):
        contact = Contact(step.contacts, step.active[a])
        put_impulse(contact, contact.old + share * (impulse_of(contact) - contact.old))


class Retreat(NamedTuple):
    """The step of Newton's method from the remembered iterate, with frozen radii.

    `straight` and `curve` are what bodies and joints contribute to the slope, which is linear along the step; only
    contact laws are asked again.
    """

    step: Any
    contacts: int  # that are active
    compliance: float
    straight: float
    curve: float


@version_for(slope_at, Retreat)
@lean_pass
def slope_along(retreat, share):
    """du . F(u + share du)"""
    step = retreat.step
    total = retreat.straight + share * retreat.curve
    for a in range(retreat.contacts):
        i = step.active[a]
        contact, before = Contact(step.contacts, i), relative_before(step.crowd, step, i)
        du = relative_twist(step.crowd, step, i) - before
        put_rates(contact, before + share * du)
        put_impulse(contact, explicit_impulse(contact, retreat.compliance))
        total -= power(du, contact_wrench(contact))
    return total


@inline
def body_slope(robot, step):
    """What bodies and joints contribute to du . F at the remembered iterate, and its growth along du."""
    straight, curve = 0.0, 0.0
    for k in range(len(robot.links.codes)):
        link = Link(robot.links, k)
        if link.has_body:
            body = BodyStep(step.bodies, k)
            du = body.twist - body.before
            straight += power(du, body.matrix @ body.before) - power(du, body.momentum)
            curve += power(du, body.matrix @ du)
        if k > 0 and not link.given:
            joint = JointStep(step.joints, link.column)
            dq = step.rates[link.column] - joint.before
            straight += dq * (joint.resist * joint.before - joint.effort)
            curve += dq * joint.resist * dq
    for k in range(len(robot.links.codes), step.bodies.shape[0]):
        body = BodyStep(step.bodies, k)  # an object
        du = body.twist - body.before
        straight += power(du, body.matrix @ body.before) - power(du, body.momentum)
        curve += power(du, body.matrix @ du)
    return straight, curve


@inline
def search(robot, step, count, compliance):
    """Share of the step at which the slope of the convex function has all but vanished."""
    straight, curve = body_slope(robot, step)
    return share_of_step(Retreat(step, count, compliance, straight, curve), 0.05)


@inline
def largest_of(d):
    return max(
        max(max(abs(d.linear.x), abs(d.linear.y)), abs(d.linear.z)),
        max(max(abs(d.angular.x), abs(d.angular.y)), abs(d.angular.z)),
    )


@inline
def change_of(robot, step):
    """Largest change of a velocity since the remembered iterate."""
    base = BaseStep(step.base, 0)
    change = largest_of(base.twist - base.before)
    for k in range(len(robot.links.codes), step.bodies.shape[0]):
        body = BodyStep(step.bodies, k)
        change = max(change, largest_of(body.twist - body.before))
    for v in range(step.rates.shape[0]):
        change = max(change, abs(step.rates[v] - JointStep(step.joints, v).before))
    return change


@lean_pass
def iterate_again(robot, options, step, count, rho, frozen):
    """`iterate`, compiled once for all that is tried here."""
    return iterate(robot, options, step, count, rho, frozen)


@lean_pass
def try_plain(robot, options, step, count, trial):
    """A few iterations with trial steps of length `trial`. Returns their number and the natural map, which belongs to
    `descent`.
    """
    worst, tolerance = 1e300, options.tolerance
    for n in range(PLAIN):
        worst = iterate_again(robot, options, step, count, trial, 0.0)
        if worst < tolerance:
            if trial != options.descent:
                worst = measure(step, count, options.compliance, options.descent, 0.0)
            if worst < tolerance:
                return n + 1, worst
    return PLAIN, max(worst, tolerance)


@inline
def minimise(robot, options, step, count, most):
    """With frozen radii: Newton's method with an exact line search on a convex function. Returns the number of
    iterations.
    """
    for n in range(most):
        keep(step, count)
        iterate_again(robot, options, step, count, options.descent, 1.0)
        change = change_of(robot, step)
        retreat(step, count, search(robot, step, count, options.compliance))
        for a in range(count):
            i = step.active[a]
            contact = Contact(step.contacts, i)
            put_rates(contact, relative_twist(step.crowd, step, i))
            put_impulse(contact, explicit_impulse(contact, options.compliance))
        if change < 0.1 * options.tolerance:
            return n + 1
    return most


@inline
def fallback(robot, options, step, count, first, last):
    """Where Newton's method cycles: freeze the radii of friction, minimise the then convex function, let the radii
    follow, try again.
    """
    iterations, rho = 0, options.descent
    if first == 0:
        for a in range(count):
            contact = Contact(step.contacts, step.active[a])
            contact.frozen = max(contact.load, 0.0)
    for burst in range(first, last):
        share = 1.0 if burst < 30 else 0.5 if burst < 60 else 0.2
        most = PATIENCE.short if burst < 10 else PATIENCE.long  # radii that are not right yet need no exact answer
        iterations += minimise(robot, options, step, count, most)
        for a in range(count):
            contact = Contact(step.contacts, step.active[a])
            contact.frozen = contact.frozen + share * (max(contact.load, 0.0) - contact.frozen)
        keep(step, count)
        trial = rho if burst % 2 == 0 else 0.3 * rho if burst % 4 == 1 else 0.1 * rho
        used, worst = try_plain(robot, options, step, count, trial)
        iterations += used
        if worst < options.tolerance:
            return iterations, worst
        retreat(step, count, 0.0)
    # impulses of frozen radii may obey the laws without being those of the motion: one iterate more has both from the
    # dynamics, and what it leaves of the laws is what is left
    return iterations + 1, iterate_again(robot, options, step, count, rho, 0.0)


@inline
def take_joint(step, place, direction, arm):
    """Impulse of dry friction or of a stop, and the rate of its joint."""
    v, sense = joint_of(step, place)
    joint = JointStep(step.joints, v)
    if place < step.rates.shape[0]:
        joint.rub = arm * direction.answer
        step.rates[v] = direction.velocity / arm
    else:
        joint.stop = arm * direction.answer
        step.rates[v] = sense * (direction.velocity / arm - joint.room)


@inline
def take_path(robot, options, step, path, count):
    """Follow the path, and try plain iterations from each of its stations. Returns their number and the natural map."""
    iterations, worst, joints, arm = 0, 1e300, 5 * count, arm_of(options.dry)
    if count > MOST:
        return iterations, worst
    rows = put_contacts(path, step.contacts, step.active, count, options.compliance, options.descent)
    rows = put_joints(options.dry, robot, step, path, joints, rows)
    couple(robot, options, step, path, count, rows)
    going = begin(path, rows, options.descent)
    while going and worst >= options.tolerance:
        going = follow(path, rows)
        take_answer(path, rows, step.contacts, step.active, joints)
        for j in range(rows):  # impulses and rates of joints
            if path.place[j] >= joints:
                take_joint(step, path.place[j] - joints, Direction(path.directions, j), arm)
        used, worst = try_plain(robot, options, step, count, options.descent)
        iterations += used
    return iterations, worst


@inline
def answer(asked, iterations, worst):
    asked.iterations = asked.iterations + iterations
    asked.residual = worst


@inline
def relax_radii(robot, options, step, asked, first, last):
    iterations, worst = fallback(robot, options, step, int(asked.active), first, last)
    answer(asked, iterations, worst)


@inline
def trace_path(robot, options, step, path, asked):
    count = int(asked.active)
    keep(step, count)
    iterations, worst = take_path(robot, options, step, path, count)
    answer(asked, iterations, worst)
    if worst >= options.tolerance:
        retreat(step, count, 0.0)


@lean_kernel
def relax(robot, options, step, plea, first, last):
    """Frozen radii that follow, from burst `first` until before `last`; what there is to say goes into the `Plea`."""
    relax_radii(lean(robot), options, lean(step), Plea(plea, 0), first, last)


@lean_kernel
def trace(robot, options, step, path, plea):
    """The path; where it does not lead to a solution, the step stands where it stood."""
    trace_path(lean(robot), options, lean(step), lean(path), Plea(plea, 0))


def rescue(robot: Any, options: Any, step: Any, path: Any, plea: Any) -> None:
    """What is behind `options.rescue`: each part is compiled when a run first comes to it."""
    asked = Plea(plea, 0)
    relax(robot, options, step, plea, 0, PATIENCE.soon)
    if asked.residual >= options.tolerance:
        trace(robot, options, step, path, plea)
    if asked.residual >= options.tolerance:
        relax(robot, options, step, plea, PATIENCE.soon, PATIENCE.bursts)
