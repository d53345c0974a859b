"""A chain among hard things as a problem for Moreau's rule.

Joint angles are coordinates, so that no joint can open. Bodies remember their own velocity (centre of mass in the
world, rotation in body axes): momentum is carried from step to step as the paper's maximal coordinates carry it,
without a Coriolis recursion. The gyroscopic moment is that of the middle of the step, linearised: a body that spins
fast stays bounded at any step.

The state holds that of a chain (position, velocity, `Sums`), and what `Where` says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbless.mechanics.algebra.columns import put_quaternion_at, put_vector_at, quaternion_at, vector_at
from limbless.mechanics.algebra.inertia import Twist
from limbless.mechanics.algebra.lie import Quaternion, normalised
from limbless.mechanics.algebra.vectors import rotation_from_quaternion, transpose
from limbless.mechanics.chain.kinematics import move
from limbless.mechanics.chain.tables import Body, Link
from limbless.mechanics.compiled.generic import idle, version_for
from limbless.mechanics.compiled.kernel import inline
from limbless.mechanics.contact.bodies import prepare, prepare_water
from limbless.mechanics.contact.company import (
    carry_surfaces,
    depth_scale,
    is_crowded,
    stand_objects,
    start_objects,
    twist_before,
)
from limbless.mechanics.contact.control import control_joints, end_joints, overloaded, row_of, take_middle
from limbless.mechanics.contact.dry_friction import grip_joints
from limbless.mechanics.contact.gap import find_contacts, is_asleep, rouse
from limbless.mechanics.contact.law import impulse_of, no_impulse, press, put_impulse, put_rates
from limbless.mechanics.contact.midpoint import half_turn, quaternion_rate
from limbless.mechanics.contact.outcome import finish, keep_instant
from limbless.mechanics.contact.shapes import scaled_friction
from limbless.mechanics.contact.solver import give_torques, solve_contacts
from limbless.mechanics.contact.step_tables import BaseStep, ContactProblem, Counts
from limbless.mechanics.contact.tables import Contact, Feature, Remembered, Surface
from limbless.mechanics.forces.element import push_all
from limbless.mechanics.integrate.problem import arrive, complete, halfway, keep_knot, keep_step, meet
from limbless.mechanics.integrate.tally import watch

SPEED = 20.0  # m/s: gaps that no body faster than this can close in a step are left
# out
DEEPEST = 1.0  # radii: a sphere or capsule that sinks in farther, axis and all, ends
# the run


class Ends(NamedTuple):
    """What ends a run."""

    unsolved: int = 1
    sunk: int = 2
    crowded: int = 3


ENDS = Ends()


@inline
def base_rotation(x):
    return rotation_from_quaternion(x[3], x[4], x[5], x[6])


@inline
def half_step(robot, h, x, state):
    """q_M, the quaternion by the closed form of the implicit (72); velocities as they are."""
    base, a = Link(robot.links, 0), 0.5 * h
    place, turned, velocity = base.position, base.position + 3, base.velocity
    put_vector_at(state, place, vector_at(x, place) + a * (base_rotation(x) @ vector_at(x, velocity)))
    put_quaternion_at(state, turned, half_turn(quaternion_at(x, turned), vector_at(x, velocity + 3), a))
    for c in range(7, velocity):
        state[c] = x[c] + a * x[velocity + c - 1]
    for c in range(velocity, 2 * velocity - 1):
        state[c] = x[c]


@inline
def guess(robot, earlier, step, x):
    """Velocities at the end of the step, gone on in a straight line."""
    velocity, base, R = Link(robot.links, 0).velocity, BaseStep(step.base, 0), Body(step.places, 0).rotation
    linear = 2.0 * vector_at(x, velocity) - vector_at(x, earlier)
    angular = 2.0 * vector_at(x, velocity + 3) - vector_at(x, earlier + 3)
    base.twist = Twist(R @ linear, R @ angular)
    for v in range(step.rates.shape[0]):
        step.rates[v] = 2.0 * x[velocity + 6 + v] - x[earlier + 6 + v]


@inline
def recall(scene, rest, contacts, x, start):
    """The impulses of the step before, from the state."""
    for i in range(contacts.shape[0]):
        if not is_asleep(scene, rest, i):
            put_impulse(Contact(contacts, i), Remembered(x, start + 5 * i).impulse)


@inline
def retain(scene, rest, contacts, x, start):
    """The impulses of this step, into the state."""
    for i in range(contacts.shape[0]):
        if not is_asleep(scene, rest, i):
            Remembered(x, start + 5 * i).impulse = impulse_of(Contact(contacts, i))


@inline
def shift_of(options, contact, approach, h):
    """How much of a gap may be closed in this step, as a velocity; bounces."""
    gap = contact.gap
    if contact.restitution > 0.0 and approach < 0.0 and gap + h * approach < 0.0:
        return contact.restitution * approach
    if not options.anticipate:
        return 0.0
    return gap / h if gap > 0.0 else options.recovery * gap / h


@inline
def rise_at_rest(surface, slip):
    """Stribeck's curve: friction at the slip with which the step starts, over that of fast sliding."""
    square = (slip.along * slip.along + slip.across * slip.across) / (surface.stribeck * surface.stribeck)
    return 1.0 + (surface.breakaway - 1.0) * np.exp(-square)


@inline
def set_shifts(options, solids, scene, step, counts, count, h, x, start):
    """The shift of every active contact; (49) if asked for. Returns how many remain active; `Speeds` begin at `start`."""
    kept = 0
    for a in range(count):
        i = step.active[a]
        contact, radius = Contact(step.contacts, i), depth_scale(step.crowd, i, Feature(scene.features, i).radius)
        gap = contact.gap
        if -gap > counts.depth * radius:
            counts.depth = -gap / radius
            counts.deepest = i + 0.0
        if not options.anticipate and gap > 0.0:
            put_impulse(contact, no_impulse())
            continue
        surface = Surface(scene.surfaces, scene.surface[i])
        if contact.restitution > 0.0 or surface.breakaway > 1.0:
            put_rates(contact, twist_before(step.crowd, solids, step, i, x, start))
        if surface.breakaway > 1.0:
            contact.friction = scaled_friction(contact.friction, rise_at_rest(surface, contact.slip))
        contact.shift = shift_of(options, contact, contact.approach, h)
        if contact.given > 0.0:
            press(contact, h)
        step.active[kept] = i
        kept += 1
    return kept


@version_for(halfway, ContactProblem)
@inline
def go_halfway(problem, n, t, h, watched, x):
    robot, solids, scene, forces, options, where, drive, memory, _ = problem
    chain, step, counts = memory.chain, memory.step, Counts(memory.counts, 0)
    i, middle = row_of(options.control, n), t + 0.5 * h
    half_step(robot, h, x, chain.state)
    take_middle(options.control, robot, drive, i, chain.state)
    move(robot, chain.state, chain)
    push_all(forces, middle, middle, robot, chain)
    control_joints(options.control, robot, options, drive, i, h, chain, step)
    grip_joints(options.dry, robot, step, h, x, where.rub)
    prepare(robot, solids, step, x, where.speeds, h)
    prepare_water(options.water, robot, solids, step, x, where.speeds, h)
    start_objects(step.crowd, solids, step, x, where, t, h)
    carry_surfaces(step.crowd, scene, chain.bodies)
    rouse(scene, memory.rest, chain.bodies, SPEED * h, watched)
    recall(scene, memory.rest, step.contacts, x, where.impulses)
    count = find_contacts(scene, memory.rest, chain.bodies, middle, SPEED * h, step.contacts, step.active)
    counts.active = set_shifts(options, solids, scene, step, counts, count, h, x, where.speeds) + 0.0
    guess(robot, where.earlier, step, x)
    return 0


@version_for(meet, ContactProblem)
@inline
def meet_contacts(problem, t, h, x):
    return solve_step(problem.robot, problem.options, problem.memory, t)


@inline
def solve_step(robot, options, memory, t):
    """Velocities and impulses, with what the actuators can give."""
    counts = Counts(memory.counts, 0)
    again, rounds, worst, count = True, 0, 0.0, int(counts.active)
    while again:
        more, worst, fell = solve_contacts(robot, options, memory.step, memory.plea, count, t)
        counts.iterations = counts.iterations + more
        again = overloaded(options.bounds, options, rounds, memory.chain, memory.step)
        rounds += 1
        if fell and not again:
            counts.fallbacks = counts.fallbacks + 1.0
    counts.steps = counts.steps + 1.0
    counts.last = worst
    counts.residual = max(counts.residual, worst)
    if is_crowded(memory.step.crowd):
        return ENDS.crowded
    if not worst <= options.bound:
        return ENDS.unsolved
    return ENDS.sunk if counts.depth > DEEPEST else 0


@version_for(complete, ContactProblem)
@inline
def complete_step(problem, n, t, h, x):
    robot, options, where, memory = problem.robot, problem.options, problem.where, problem.memory
    give_torques(options.control, robot, memory.step)
    finish(problem, t, h, x)
    i = row_of(options.control, n)
    end_base(robot, where.earlier, h, memory.chain.state, memory.step, x)
    end_joints(options.control, robot, problem.drive, i, h, memory.chain, memory.step, x)
    watch(memory.chain.tally.ranges, t + h, x)
    retain(problem.scene, memory.rest, memory.step.contacts, x, where.impulses)


@inline
def end_base(robot, earlier, h, state, step, x):
    """q_E and u_E of the base; the velocities before are kept."""
    link, base, R = Link(robot.links, 0), BaseStep(step.base, 0), Body(step.places, 0).rotation
    place, turned, velocity = link.position, link.position + 3, link.velocity
    for c in range(6 + step.rates.shape[0]):
        x[earlier + c] = x[velocity + c]
    put_vector_at(x, place, vector_at(state, place) + 0.5 * h * base.twist.linear)
    w, q = transpose(R) @ base.twist.angular, quaternion_at(state, turned)
    d = quaternion_rate(q, w)
    put_quaternion_at(
        x,
        turned,
        normalised(Quaternion(q.w + 0.5 * h * d.w, q.x + 0.5 * h * d.x, q.y + 0.5 * h * d.y, q.z + 0.5 * h * d.z)),
    )
    put_vector_at(x, velocity, transpose(base_rotation(x)) @ base.twist.linear)
    put_vector_at(x, velocity + 3, w)


@version_for(keep_knot, ContactProblem)
@inline
def keep_contacts(problem, x, h, r):
    move(problem.robot, x, problem.memory.chain)
    stand_objects(problem.memory.step.crowd, problem.memory.chain.bodies, x, problem.where.objects)
    keep_instant(problem.robot, problem.solids, problem.where, problem.memory, problem.records, x, h, r)


@version_for(keep_step, ContactProblem)
@inline
def keep_nothing(problem, x, r):
    return None  # what is recorded of forces are means over the step that ended


idle(arrive, ContactProblem)
