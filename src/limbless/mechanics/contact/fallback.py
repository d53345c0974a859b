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

from limbless.mechanics.algebra import Twist, directional_slope, line_search, power
from limbless.mechanics.chain import ChainTables, LinkRow
from limbless.mechanics.compiled import Rows, Scalar, func, kernel, noinline_func, unpack, version_for
from limbless.mechanics.contact import (
    MOST,
    PLAIN,
    BaseStep,
    BodyStep,
    ContactOptions,
    ContactRow,
    FallbackRequest,
    Homotopy,
    HomotopyRow,
    JointStep,
    Step,
    cell_slope,
    contact_velocities,
    contact_wrench,
    explicit_impulse,
    impulse_of,
    newton_iteration,
    put_contacts,
    put_impulse,
    put_rates,
    relative_before,
    relative_twist,
    take_solution,
)
from limbless.mechanics.contact.arc_length import follow_arc, start_arc
from limbless.mechanics.contact.delassus import arm_of, build_delassus, joint_of, put_joints


class FallbackLimits(NamedTuple):
    """How long the first way is tried."""

    soon: int = 50  # bursts before the path is asked: it takes as long as hundreds of them,
    bursts: int = 100  # and in all
    short: int = 5  # iterations in the first ten bursts,
    long: int = 40  # and in later ones


PATIENCE = FallbackLimits()


@noinline_func
def store_iterate(step: Step, count: int) -> None:
    """Remember this iterate."""
    base = BaseStep(step.base, 0)
    base.before = base.twist
    for v in range(step.rates.shape[0]):
        JointStep(step.joints, v).before = step.rates[v]
    for k in range(step.bodies.shape[0]):
        body = BodyStep(step.bodies, k)
        body.before = body.twist
    for a in range(count):
        contact = ContactRow(step.contacts, step.active[a])
        contact.old = impulse_of(contact)


@noinline_func
def interpolate_iterate(step: Step, count: int, share: Scalar) -> None:
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
        contact = ContactRow(step.contacts, step.active[a])
        put_impulse(contact, contact.old + share * (impulse_of(contact) - contact.old))


class LineSearchStep(NamedTuple):
    """The step of Newton's method from the remembered iterate, with frozen radii.

    `straight` and `curve` are what bodies and joints contribute to the slope, which is linear along the step; only
    contact laws are asked again.
    """

    step: Step
    contacts: int  # that are active
    compliance: float
    straight: float
    curve: float


@version_for(directional_slope, LineSearchStep)
@noinline_func
def slope_along(retreat: LineSearchStep, share: Scalar) -> Scalar:
    """du . F(u + share du)"""
    step = retreat.step
    total = retreat.straight + share * retreat.curve
    for a in range(retreat.contacts):
        i = step.active[a]
        contact, before = ContactRow(step.contacts, i), relative_before(step, i)
        du = relative_twist(step, i) - before
        put_rates(contact, before + share * du)
        put_impulse(contact, explicit_impulse(contact, retreat.compliance))
        total -= power(du, contact_wrench(contact))
    return total


@func
def joint_slope(step: Step, link: LinkRow) -> tuple[Scalar, Scalar]:
    """The part of a joint, or of a cell."""
    if step.cells is not None:
        return cell_slope(step, link)
    joint = JointStep(step.joints, link.column)
    dq = step.rates[link.column] - joint.before
    return dq * (joint.resist * joint.before - joint.effort), dq * joint.resist * dq


@func
def body_slope(robot: ChainTables, step: Step) -> tuple[Scalar, Scalar]:
    """What bodies and joints contribute to du . F at the remembered iterate, and its growth along du."""
    straight, curve = 0.0, 0.0
    for k in range(len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.has_body:
            body = BodyStep(step.bodies, k)
            du = body.twist - body.before
            straight += power(du, body.equation.matrix @ body.before) - power(du, body.equation.momentum)
            curve += power(du, body.equation.matrix @ du)
        if k > 0 and not link.given:
            first, second = joint_slope(step, link)
            straight, curve = straight + first, curve + second
    for k in range(len(robot.links.codes), step.bodies.shape[0]):
        body = BodyStep(step.bodies, k)  # an object, or a station within a cell
        du = body.twist - body.before
        straight += power(du, body.equation.matrix @ body.before) - power(du, body.equation.momentum)
        curve += power(du, body.equation.matrix @ du)
    return straight, curve


@func
def search_along(robot: ChainTables, step: Step, count: int, compliance: Scalar) -> Scalar:
    """Share of the step at which the slope of the convex function has all but vanished."""
    straight, curve = body_slope(robot, step)
    return line_search(LineSearchStep(step, count, compliance, straight, curve), 0.05)


@func
def largest_of(d: Twist) -> Scalar:
    return max(
        max(max(abs(d.linear.x), abs(d.linear.y)), abs(d.linear.z)),
        max(max(abs(d.angular.x), abs(d.angular.y)), abs(d.angular.z)),
    )


@func
def change_of(robot: ChainTables, step: Step) -> Scalar:
    """Largest change of a velocity since the remembered iterate."""
    base = BaseStep(step.base, 0)
    change = largest_of(base.twist - base.before)
    for k in range(len(robot.links.codes), step.bodies.shape[0]):
        body = BodyStep(step.bodies, k)
        change = max(change, largest_of(body.twist - body.before))
    for v in range(step.rates.shape[0]):
        change = max(change, abs(step.rates[v] - JointStep(step.joints, v).before))
    return change


@noinline_func
def iterate_again(
    robot: ChainTables, options: ContactOptions, step: Step, count: int, rho: Scalar, frozen: Scalar
) -> Scalar:
    """`newton_iteration`, compiled once for all that is tried here."""
    return newton_iteration(robot, options, step, count, rho, frozen)


@noinline_func
def try_plain(robot: ChainTables, options: ContactOptions, step: Step, count: int, trial: Scalar) -> tuple[int, Scalar]:
    """A few iterations with trial steps of length `trial`. Returns their number and the natural map,
    which belongs to `descent`.
    """
    worst, tolerance = 1e300, options.tolerance
    for n in range(PLAIN):
        worst = iterate_again(robot, options, step, count, trial, 0.0)
        if worst < tolerance:
            if trial != options.descent:
                worst = contact_velocities(step, count, options.compliance, options.descent, 0.0)
            if worst < tolerance:
                return n + 1, worst
    return PLAIN, max(worst, tolerance)


@func
def minimise(robot: ChainTables, options: ContactOptions, step: Step, count: int, most: int) -> int:
    """With frozen radii: Newton's method with an exact line search on a convex function. Returns
    the number of iterations.
    """
    for n in range(most):
        store_iterate(step, count)
        iterate_again(robot, options, step, count, options.descent, 1.0)
        change = change_of(robot, step)
        interpolate_iterate(step, count, search_along(robot, step, count, options.compliance))
        for a in range(count):
            i = step.active[a]
            contact = ContactRow(step.contacts, i)
            put_rates(contact, relative_twist(step, i))
            put_impulse(contact, explicit_impulse(contact, options.compliance))
        if change < 0.1 * options.tolerance:
            return n + 1
    return most


@func
def frozen_radius_newton(
    robot: ChainTables, options: ContactOptions, step: Step, count: int, first: int, last: int
) -> tuple[int, Scalar]:
    """Where Newton's method cycles: freeze the radii of friction, minimise the then convex function, let the radii
    follow, try again.
    """
    iterations, rho = 0, options.descent
    if first == 0:
        for a in range(count):
            contact = ContactRow(step.contacts, step.active[a])
            contact.frozen = max(contact.load, 0.0)
    for burst in range(first, last):
        share = 1.0 if burst < 30 else 0.5 if burst < 60 else 0.2
        most = PATIENCE.short if burst < 10 else PATIENCE.long  # radii that are not right yet need no exact answer
        iterations += minimise(robot, options, step, count, most)
        for a in range(count):
            contact = ContactRow(step.contacts, step.active[a])
            contact.frozen = contact.frozen + share * (max(contact.load, 0.0) - contact.frozen)
        store_iterate(step, count)
        trial = rho if burst % 2 == 0 else 0.3 * rho if burst % 4 == 1 else 0.1 * rho
        used, worst = try_plain(robot, options, step, count, trial)
        iterations += used
        if worst < options.tolerance:
            return iterations, worst
        interpolate_iterate(step, count, 0.0)
    # impulses of frozen radii may obey the laws without being those of the motion: one iterate more has both from the
    # dynamics, and what it leaves of the laws is what is left
    return iterations + 1, iterate_again(robot, options, step, count, rho, 0.0)


@func
def take_joint(step: Step, place: Any, direction: HomotopyRow, arm: Scalar) -> None:
    """Impulse of dry friction or of a stop, and the rate of its joint."""
    v, sense = joint_of(step, place)
    joint = JointStep(step.joints, v)
    if place < step.rates.shape[0]:
        joint.rub = arm * direction.answer
        step.rates[v] = direction.velocity / arm
    else:
        joint.stop = arm * direction.answer
        step.rates[v] = sense * (direction.velocity / arm - joint.room)


@func
def follow_homotopy(robot: ChainTables, options: ContactOptions, step: Step, path: Homotopy, count: int):
    """Follow the path, and try plain iterations from each of its stations. Returns their number and the natural map."""
    iterations, worst, joints, arm = 0, 1e300, 5 * count, arm_of(options.dry)
    if count > MOST:
        return iterations, worst
    rows = put_contacts(path, step.contacts, step.active, count, options.compliance, options.descent)
    rows = put_joints(options.dry, robot, step, path, joints, rows)
    build_delassus(robot, options, step, path, count, rows)
    going = start_arc(path, rows, options.descent)
    while going and worst >= options.tolerance:
        going = follow_arc(path, rows)
        take_solution(path, rows, step.contacts, step.active, joints)
        for j in range(rows):  # impulses and rates of joints
            if path.place[j] >= joints:
                take_joint(step, path.place[j] - joints, HomotopyRow(path.directions, j), arm)
        used, worst = try_plain(robot, options, step, count, options.descent)
        iterations += used
    return iterations, worst


@func
def answer(asked: FallbackRequest, iterations: int, worst: Scalar) -> None:
    asked.iterations = asked.iterations + iterations
    asked.residual = worst


@kernel
def relax_kernel(
    robot: ChainTables, options: ContactOptions, step: Step, request: Rows[FallbackRequest], first: int, last: int
) -> None:
    """Frozen radii that follow, from burst `first` until before `last`; what there is to say goes
    into the `FallbackRequest`.
    """
    asked = FallbackRequest(request, 0)
    iterations, worst = frozen_radius_newton(
        unpack(robot), unpack(options), unpack(step), int(asked.active), first, last
    )
    answer(asked, iterations, worst)


@kernel
def homotopy_kernel(
    robot: ChainTables, options: ContactOptions, step: Step, path: Homotopy, request: Rows[FallbackRequest]
) -> None:
    """The path; where it does not lead to a solution, the step stands where it stood."""
    asked, solve = FallbackRequest(request, 0), unpack(step)
    count = int(asked.active)
    store_iterate(solve, count)
    iterations, worst = follow_homotopy(unpack(robot), unpack(options), solve, unpack(path), count)
    answer(asked, iterations, worst)
    if worst >= options.tolerance:
        interpolate_iterate(solve, count, 0.0)


def run_fallback(robot: Any, options: Any, step: Any, path: Any, request: Any) -> None:
    """What is behind `options.rescue`: each part is compiled when a run first comes to it."""
    asked = FallbackRequest(request, 0)
    relax_kernel(robot, options, step, request, 0, PATIENCE.soon)
    if asked.residual >= options.tolerance:
        homotopy_kernel(robot, options, step, path, request)
    if asked.residual >= options.tolerance:
        relax_kernel(robot, options, step, request, PATIENCE.soon, PATIENCE.bursts)
