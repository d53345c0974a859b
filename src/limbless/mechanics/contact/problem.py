"""A chain among hard things as a problem for Moreau's rule.

Joint angles are coordinates, so that no joint can open. Bodies remember their own velocity (centre of mass in the
world, rotation in body axes): momentum is carried from step to step as the paper's maximal coordinates carry it,
without a Coriolis recursion. The gyroscopic moment is that of the middle of the step, linearised: a body that spins
fast stays bounded at any step.

The state holds that of a chain (position, velocity, `IntegralSums`), and what `StateLayout` says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbless.mechanics.algebra import (
    Matrix,
    Quaternion,
    Twist,
    copy_part,
    fill,
    half_turn,
    normalised,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    quaternion_rate,
    rotation_from_quaternion,
    transpose,
    vector_at,
)
from limbless.mechanics.chain import Body, ChainMemory, ChainTables, LinkRow, forward_kinematics, return_to_seat
from limbless.mechanics.compiled import Array, Rows, Scalar, func, noinline_func, version_for
from limbless.mechanics.contact import (
    BaseStep,
    BodyInertia,
    ContactMemory,
    ContactOptions,
    ContactProblem,
    ContactRow,
    ContactSurface,
    Feature,
    Pair,
    Scene,
    SleepState,
    SoftContactProblem,
    Step,
    StepCounters,
    WarmStart,
    contact_wrench,
    control_joints,
    depth_scale,
    end_joints,
    find_contacts,
    finish,
    give_torques,
    impulse_of,
    is_asleep,
    joint_friction_limits,
    keep_instant,
    load_of_force,
    move_surfaces,
    no_impulse,
    place_objects,
    prepare,
    prepare_water,
    put_impulse,
    put_rates,
    row_of,
    run_controllers,
    solve_contacts,
    start_objects,
    take_middle,
    twist_before,
    violates_limits,
    wake_contacts,
)
from limbless.mechanics.contact.shapes.primitives import scaled_friction
from limbless.mechanics.control.closed_loop import sample_all
from limbless.mechanics.forces import push_all
from limbless.mechanics.integrate import check_ranges, midpoint_step, record_knot

SPEED = 20.0  # m/s: gaps that no body faster than this can close in a step are left out
DEEPEST = 1.0  # radii: a sphere or capsule that sinks in farther, axis and all, ends the run


class StopReasons(NamedTuple):
    """What ends a run."""

    unsolved: int = 1
    sunk: int = 2
    crowded: int = 3


ENDS = StopReasons()


@func
def base_rotation(x: Array) -> Matrix:
    return rotation_from_quaternion(x[3], x[4], x[5], x[6])


@func
def half_step(robot: ChainTables, h: Scalar, x: Array, state: Array) -> None:
    """q_M, the quaternion by the closed form of the implicit (72); velocities as they are."""
    base, a = LinkRow(robot.links, 0), 0.5 * h
    place, turned, velocity = base.position, base.position + 3, base.velocity
    put_vector_at(state, place, vector_at(x, place) + a * (base_rotation(x) @ vector_at(x, velocity)))
    put_quaternion_at(state, turned, half_turn(quaternion_at(x, turned), vector_at(x, velocity + 3), a))
    for c in range(7, velocity):
        state[c] = x[c] + a * x[velocity + c - 1]
    copy_part(x, velocity, state, velocity, velocity - 1)


@func
def predict_velocities(robot: ChainTables, earlier: int, step: Step, x: Array) -> None:
    """Velocities at the end of the step, gone on in a straight line."""
    velocity, base, R = LinkRow(robot.links, 0).velocity, BaseStep(step.base, 0), Body(step.places, 0).rotation
    linear = 2.0 * vector_at(x, velocity) - vector_at(x, earlier)
    angular = 2.0 * vector_at(x, velocity + 3) - vector_at(x, earlier + 3)
    base.twist = Twist(R @ linear, R @ angular)
    for v in range(step.rates.shape[0]):
        step.rates[v] = 2.0 * x[velocity + 6 + v] - x[earlier + 6 + v]


@func
def load_warm_start(scene: Scene, rest: SleepState, contacts: Rows[ContactRow], x: Array, start: int) -> None:
    """The impulses of the step before, from the state."""
    for i in range(contacts.shape[0]):
        if not is_asleep(scene, rest, i):
            put_impulse(ContactRow(contacts, i), WarmStart(x, start + 5 * i).impulse)


@func
def store_warm_start(scene: Scene, rest: SleepState, contacts: Rows[ContactRow], x: Array, start: int) -> None:
    """The impulses of this step, into the state."""
    for i in range(contacts.shape[0]):
        if not is_asleep(scene, rest, i):
            WarmStart(x, start + 5 * i).impulse = impulse_of(ContactRow(contacts, i))


@func
def stabilisation_velocity(options: ContactOptions, contact: ContactRow, approach: Scalar, h: Scalar) -> Scalar:
    """How much of a gap may be closed in this step, as a velocity; bounces."""
    gap = contact.gap
    if contact.restitution > 0.0 and approach < 0.0 and gap + h * approach < 0.0:
        return contact.restitution * approach
    if not options.anticipate:
        return 0.0
    return gap / h if gap > 0.0 else options.recovery * gap / h


@func
def stribeck_factor(surface: ContactSurface, slip: Pair):
    """Stribeck's curve: friction at the slip with which the step starts, over that of fast sliding."""
    square = (slip.along * slip.along + slip.across * slip.across) / (surface.stribeck * surface.stribeck)
    return 1.0 + (surface.breakaway - 1.0) * np.exp(-square)


@func
def set_stabilisation(
    options: ContactOptions,
    solids: Rows[BodyInertia],
    scene: Scene,
    step: Step,
    counts: StepCounters,
    count: int,
    h: Scalar,
    x: Array,
    start: int,
) -> int:
    """The shift of every active contact; (49) if asked for. Returns how many remain active;
    `BodyVelocity` begin at `start`.
    """
    kept = 0
    for a in range(count):
        i = step.active[a]
        contact, radius = (
            ContactRow(step.contacts, i),
            depth_scale(step, i, Feature(scene.features, i).radius),
        )
        gap = contact.gap
        if -gap > counts.depth * radius:
            counts.depth = -gap / radius
            counts.deepest = i + 0.0
        if not options.anticipate and gap > 0.0:
            put_impulse(contact, no_impulse())
            continue
        surface = ContactSurface(scene.surfaces, scene.surface[i])
        if contact.restitution > 0.0 or surface.breakaway > 1.0:
            put_rates(contact, twist_before(solids, step, i, x, start))
        if surface.breakaway > 1.0:
            contact.friction = scaled_friction(contact.friction, stribeck_factor(surface, contact.slip))
        contact.shift = stabilisation_velocity(options, contact, contact.approach, h)
        if contact.given > 0.0:
            load_of_force(contact, h)
        step.active[kept] = i
        kept += 1
    return kept


@version_for(midpoint_step, ContactProblem)
@func
def contact_step(problem: ContactProblem, n: int, t: Scalar, h: Scalar, watched: bool, x: Array):
    go_halfway(problem, n, t, h, watched, x)
    found = solve_step(problem.robot, problem.options, problem.memory, t)
    if found == 0:
        complete_step(problem, n, t, h, x)
        store_warm_start(problem.scene, problem.memory.rest, problem.memory.step.contacts, x, problem.where.impulses)
    return found


@noinline_func
def gather_touch(step: Step, h: Scalar, chain: ChainMemory) -> None:
    """What the contacts of the step that ended did to each body, for those who sense it."""
    for k in range(chain.touch.shape[0]):
        fill(chain.touch[k], 0.0)
    for i in range(step.owner.shape[0]):
        k = step.owner[i]
        if k < chain.touch.shape[0]:
            force = (1.0 / h) * contact_wrench(ContactRow(step.contacts, i)).force
            put_vector_at(chain.touch[k], 0, vector_at(chain.touch[k], 0) + force)


@func
def go_halfway(problem: ContactProblem, n: int, t: Scalar, h: Scalar, watched: bool, x: Array) -> None:
    """To the middle of the step: q_M, all smooth forces, gaps and directions there, in the problem's memory."""
    robot, solids, drive = problem.robot, problem.solids, problem.drive
    options, where, memory = problem.options, problem.where, problem.memory
    chain, step = memory.chain, memory.step
    i, middle = row_of(options.feedback, n), t + 0.5 * h
    half_step(robot, h, x, chain.state)
    take_middle(robot, drive, i, chain.state)
    forward_kinematics(robot, chain.state, chain)
    push_all(problem.forces, middle, middle, robot, chain)
    if options.controllers is not None:
        gather_touch(step, h, chain)
        run_controllers(options.controllers, robot, where, middle, h, chain, x)
    control_joints(options, robot, drive, i, h, chain, step, x)
    if options.dry is not None:
        joint_friction_limits(options.dry, robot, step, h, x, where.rub)
    prepare(robot, solids, step, x, where.speeds, h)
    if options.wet is not None:
        prepare_water(options.wet, options.awash, robot, solids, step, x, where.speeds, h)
    go_to_gaps(problem, t, h, 0.5, watched, x)
    predict_velocities(robot, where.earlier, step, x)


@func
def go_to_gaps(
    problem: ContactProblem | SoftContactProblem, t: Scalar, h: Scalar, share: Scalar, watched: bool, x: Array
) -> None:
    """Gaps and directions at `share` of a step, where the robot stands, with the impulses of the step before."""
    scene, where, memory = problem.scene, problem.where, problem.memory
    step, bodies, counts = memory.step, memory.chain.bodies, StepCounters(memory.counts, 0)
    if step.moving_bodies is not None:
        start_objects(problem.solids, step, x, where, t, h, share)
        move_surfaces(step.moving_bodies, scene, bodies)
    wake_contacts(scene, memory.rest, bodies, SPEED * h, watched)
    load_warm_start(scene, memory.rest, step.contacts, x, where.impulses)
    if step.cells is not None:
        scale_warm_start(step.contacts, h / step.cells.clock[3] if step.cells.clock[3] > 0.0 else 1.0)
        step.cells.clock[3] = h
    count = find_contacts(scene, memory.rest, bodies, t + share * h, SPEED * h, step.contacts, step.active)
    count = set_stabilisation(problem.options, problem.solids, scene, step, counts, count, h, x, where.speeds)
    counts.active = count + 0.0


@func
def scale_warm_start(contacts: Rows[ContactRow], share: Scalar) -> None:
    """Impulses belong to a step: those of one of another length are as many times larger."""
    if share != 1.0:
        for i in range(contacts.shape[0]):
            contact = ContactRow(contacts, i)
            put_impulse(contact, share * impulse_of(contact))


@func
def solve_step(robot: ChainTables, options: ContactOptions, memory: ContactMemory, t: Scalar) -> int:
    """Velocities and impulses, with what the actuators can give. Returns 0, or what cannot be solved."""
    counts = StepCounters(memory.counts, 0)
    again, rounds, worst, count = True, 0, 0.0, int(counts.active)
    while again:
        more, worst, fell = solve_contacts(robot, options, memory.step, memory.request, count, t, options.tolerance)
        counts.iterations = counts.iterations + more
        slack = options.rate_slack
        again = False if slack is None else violates_limits(slack, rounds, memory.chain, memory.step)
        rounds += 1
        if fell and not again:
            counts.fallbacks = counts.fallbacks + 1.0
    counts.steps = counts.steps + 1.0
    counts.last = worst
    counts.residual = max(counts.residual, worst)
    if memory.step.moving_bodies is not None and memory.step.moving_bodies.crowded[0] > 0:
        return ENDS.crowded
    if not worst <= options.bound:
        return ENDS.unsolved
    return ENDS.sunk if counts.depth > DEEPEST else 0


@func
def complete_step(problem: ContactProblem, n: int, t: Scalar, h: Scalar, x: Array) -> None:
    """The state at the end of the step, from its middle and the new velocities; works and counts of the step."""
    robot, options, where, memory = problem.robot, problem.options, problem.where, problem.memory
    give_torques(robot, memory.step)
    finish(problem, t, h, x)
    i = row_of(options.feedback, n)
    end_base(robot, where.earlier, h, memory.chain.state, memory.step, x)
    end_joints(robot, problem.drive, i, h, memory.chain, memory.step, x)
    for c in range(where.control, where.sums):
        x[c] += h * memory.chain.slope[c]
    if problem.memory.chain.clamp is not None:
        return_to_seat(robot, memory.chain, x, False)
    if problem.options.controllers is not None:
        sample_all(problem.options.controllers, robot, x, memory.chain)
    check_ranges(memory.chain.tally.ranges, t + h, x)


@func
def end_base(robot: ChainTables, earlier: int, h: Scalar, state: Array, step: Step, x: Array) -> None:
    """q_E and u_E of the base; the velocities before are kept."""
    link, base, R = LinkRow(robot.links, 0), BaseStep(step.base, 0), Body(step.places, 0).rotation
    place, turned, velocity = link.position, link.position + 3, link.velocity
    copy_part(x, velocity, x, earlier, 6 + step.rates.shape[0])
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


@version_for(record_knot, ContactProblem)
@func
def keep_contacts(problem: ContactProblem, x: Array, h: Scalar, r: int) -> None:
    forward_kinematics(problem.robot, x, problem.memory.chain)
    if problem.memory.step.moving_bodies is not None:
        place_objects(problem.memory.step.moving_bodies, problem.memory.chain.bodies, x, problem.where.objects)
    keep_instant(problem.robot, problem.solids, problem.where, problem.memory, problem.records, x, h, r)
