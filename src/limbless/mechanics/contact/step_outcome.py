"""What a step did: works, impulse, the outer force on every body, and the record of a knot.

Every force works along the mean of the velocities before and after the step; `Body.velocity` holds that mean in the
end.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Twist,
    Vector,
    Wrench,
    carry_twist,
    carry_wrench,
    copy,
    copy_part,
    fill,
    power,
    transpose,
    vector_at,
    wrench_at,
)
from limbless.mechanics.chain import (
    AddedMassState,
    Body,
    BodyRecord,
    ChainMemory,
    ChainTables,
    HeldBody,
    IntegralSums,
    LinkRow,
    VaryingAddedMass,
    forward_kinematics,
)
from limbless.mechanics.compiled import Array, Rows, Scalar, func, kernel, noinline_func, unpack
from limbless.mechanics.contact import (
    STATES,
    BaseStep,
    BodyInertia,
    BodyOutcome,
    BodyStep,
    BodyVelocity,
    ContactMemory,
    ContactProblem,
    ContactRecord,
    ContactRecords,
    ContactRow,
    Scene,
    StateLayout,
    Step,
    StepCounters,
    StepRecord,
    contact_wrench,
    end_objects,
    find_contacts,
    finish_joints,
    held_directions,
    is_on_robot,
    keep_body,
    keep_objects,
    mean_twist,
    move_surfaces,
    place_objects,
    push_other,
    state_of,
    wake_contacts,
)
from limbless.mechanics.forces import look_again_all, spend_all
from limbless.mechanics.integrate.running_totals import add_step, record_totals


@func
def finish_contacts(
    solids: Rows[BodyInertia], step: Step, count: int, h: Scalar, x: Array, start: int, works: Array
) -> None:
    """The forces of all contacts on their bodies, and their works."""
    for a in range(count):
        i = step.active[a]
        k, W = step.owner[i], contact_wrench(ContactRow(step.contacts, i))
        body = Body(step.places, k)
        body.wrench = body.wrench + (1.0 / h) * W
        works[i] += power(mean_twist(solids, step, k, x, start), W)
        if step.moving_bodies is not None:
            push_other(solids, step, i, W, h, x, start, works)


@func
def finish_clamp(clamp: HeldBody, step: Step, h: Scalar) -> None:
    """What a clamp does over the step, as a force, which it stays in the clamp's memory."""
    for c in range(6):
        clamp.hold[c] /= h
    if clamp.body[0] >= 0:
        body = Body(step.places, clamp.body[0])
        body.wrench = body.wrench + wrench_at(clamp.hold, 0)


@func
def joined(awash: VaryingAddedMass | None, k: int) -> Wrench:
    """How fast the momentum of the water that body k carries grows by what gets wet; none without a surface."""
    if awash is None:
        return Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    floating = AddedMassState(awash.rows, k)
    return floating.joining if floating.state == 0.0 else 0.0 * floating.joining


@noinline_func
def finish_bodies(
    robot: ChainTables,
    solids: Rows[BodyInertia],
    step: Step,
    outcomes: Rows[BodyOutcome],
    h: Scalar,
    x: Array,
    start: int,
    awash: VaryingAddedMass | None,
) -> tuple[Scalar, Wrench, Scalar, Vector]:
    """New `BodyVelocity`. Returns work and impulse of the environment, mass, and mass times the mean velocity
    of its centre over the step.

    That velocity is the one at the middle pose: with the speeds that bodies remember, which belong to the pose of the
    step before, it would be right to first order only.
    """
    environment, mass, flow = 0.0, 0.0, Vector(0.0, 0.0, 0.0)
    # `hold` stays zero under a free base
    push = carry_wrench(BaseStep(step.base, 0).hold, Body(step.places, 0).origin)
    for k in range(len(robot.links.codes)):
        if not LinkRow(robot.links, k).has_body:
            continue
        body, solid, speeds, outcome = (
            Body(step.places, k),
            BodyInertia(solids, k),
            BodyVelocity(x, start + 6 * k),
            BodyOutcome(outcomes, k),
        )
        R, F = body.rotation, body.wrench
        before, after, arm = BodyStep(step.bodies, k).start, BodyStep(step.bodies, k).twist, R @ solid.center
        more = joined(awash, k)
        environment += 0.5 * h * (power(before, F) + power(after, F)) + 0.25 * h * (
            power(before, more) + power(after, more)
        )
        push = push + h * carry_wrench(F + more, body.origin)
        both = carry_twist(body.velocity + after, arm)
        mass, flow = mass + solid.mass, flow + (0.5 * solid.mass) * both.linear
        body.velocity = 0.5 * (before + after)
        now = Twist(carry_twist(after, arm).linear, transpose(R) @ after.angular)
        outcome.wrench = F
        outcome.rates = (1.0 / h) * (now - Twist(speeds.linear, speeds.angular))
        speeds.linear = now.linear
        speeds.angular = now.angular
    return environment, push, mass, flow


@func
def finish(problem: ContactProblem, t: Scalar, h: Scalar, x: Array) -> None:
    """After the solve: velocities of all bodies, torques, works and impulse."""
    robot, solids, forces, options = problem.robot, problem.solids, problem.forces, problem.options
    where, memory = problem.where, problem.memory
    chain, step = memory.chain, memory.step
    finish_contacts(solids, step, int(StepCounters(memory.counts, 0).active), h, x, where.speeds, chain.tally.contacts)
    if step.clamp is not None:
        finish_clamp(step.clamp, step, h)
    slid = Body(step.places, 0).velocity.linear
    environment, push, mass, flow = finish_bodies(
        robot, solids, step, memory.outcomes, h, x, where.speeds, options.awash
    )
    if step.moving_bodies is not None:
        end_objects(solids, step, memory.outcomes, x, where, t, h, 0.5)
    place = LinkRow(robot.links, 0).position
    # half of the base's way: by its axes before the step
    gone = vector_at(chain.state, place) - vector_at(x, place)
    way = h * flow + mass * (gone - 0.5 * h * slid)
    driven, passive = finish_joints(robot, options, where, t, h, chain, step, x)
    spend_step(forces, chain, t, h, driven, environment, passive, way, mass)
    add_sums(IntegralSums(x, where.sums), driven, environment, passive, push)


@func
def spend_step(
    forces: tuple,
    chain: ChainMemory,
    t: Scalar,
    h: Scalar,
    driven: Scalar,
    environment: Scalar,
    passive: Scalar,
    way: Vector,
    mass: Scalar,
) -> None:
    """What a step from time t did, with the powers of all laws at its middle, into the totals: see `add_step`."""
    look_again_all(forces, chain)
    fill(chain.law_powers, 0.0)
    spend_all(forces, t + 0.5 * h, chain)
    add_step(chain.tally, h, chain.law_powers, driven, environment, passive, way, mass)


@func
def add_sums(sums: IntegralSums, driven: Scalar, environment: Scalar, passive: Scalar, push: Wrench) -> None:
    """Works (J) and impulse of a step."""
    sums.actuators = sums.actuators + driven
    sums.environment = sums.environment + environment
    sums.passive = sums.passive + passive
    sums.impulse = sums.impulse + push


@noinline_func
def keep_step(
    solids: Rows[BodyInertia],
    where: StateLayout,
    memory: ContactMemory,
    records: ContactRecords,
    bodies: Rows[BodyRecord],
    x: Array,
    h: Scalar,
    r: int,
) -> None:
    """Objects, contacts and what is left of their laws, in record r."""
    step, counts, whole = memory.step, StepCounters(memory.counts, 0), StepRecord(records.steps, r)
    if step.moving_bodies is not None:
        keep_objects(solids, step, memory.outcomes, x, where, bodies, records.objects, r)
    whole.resultant = keep_forces(step, records, h, r)
    whole.residual = counts.residual
    whole.depth = counts.depth
    counts.residual = 0.0
    counts.depth = 0.0


@func
def keep_forces(step: Step, records: ContactRecords, h: Scalar, r: int) -> Wrench:
    """Forces and places of all contacts, means over the step that ended here; returns their
    resultant about the base.
    """
    base = Body(step.places, 0)
    turned, total = transpose(base.rotation), Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    for i in range(step.contacts.shape[0]):
        contact, record = ContactRow(step.contacts, i), ContactRecord(records.contacts, r, i)
        record.gap = contact.gap
        record.state = state_of(contact) + 0.0
        if state_of(contact) != STATES.open:
            origin, F = Body(step.places, step.owner[i]).origin, (1.0 / h) * contact_wrench(contact)
            record.force = F.force
            record.held = held_directions(contact) + 0.0
            record.place = origin + contact.arm
            if is_on_robot(step, i):
                total = total + carry_wrench(F, origin - base.origin)
    return Wrench(turned @ total.force, turned @ total.torque)


@kernel
def contact_means(contacts: Rows[ContactRow], h: Scalar, force: Array, state: Array) -> None:
    """Mean forces (contacts, 3), N, world, and states (contacts,) of the step of length h that left these rows."""
    rows = unpack(contacts)
    for i in range(rows.shape[0]):
        contact = ContactRow(rows, i)
        F = (1.0 / h) * contact_wrench(contact)
        force[i, 0], force[i, 1], force[i, 2] = F.force.x, F.force.y, F.force.z
        state[i] = state_of(contact) + 0.0


@noinline_func
def keep_instant(
    robot: ChainTables,
    solids: Rows[BodyInertia],
    where: StateLayout,
    memory: ContactMemory,
    records: ContactRecords,
    x: Array,
    h: Scalar,
    r: int,
) -> None:
    """Everything of this knot, once bodies have been moved there, in record r; forces are means over
    the step that ended here.
    """
    chain, step = memory.chain, memory.step
    copy(x, records.x[r])
    copy_part(x, where.torque, records.torque[r], 0, step.rates.shape[0])
    for k in range(len(robot.links.codes)):
        outcome, record = BodyOutcome(memory.outcomes, k), BodyRecord(records.bodies, r, k)
        keep_body(
            BodyInertia(solids, k), BodyVelocity(x, where.speeds + 6 * k), outcome.rates, Body(step.places, k), record
        )
        record.wrench = outcome.wrench
    keep_step(solids, where, memory, records, records.bodies, x, h, r)
    if step.clamp is not None:
        StepRecord(records.steps, r).clamp = wrench_at(step.clamp.hold, 0)
    record_totals(chain.tally, records.tally, r)


@func
def put_speeds(robot: ChainTables, solids: Rows[BodyInertia], chain: ChainMemory, x: Array, start: int) -> None:
    forward_kinematics(robot, x, chain)
    for k in range(len(robot.links.codes)):
        if LinkRow(robot.links, k).has_body:
            body, speeds = Body(chain.bodies, k), BodyVelocity(x, start + 6 * k)
            u = carry_twist(body.velocity, body.rotation @ BodyInertia(solids, k).center)
            speeds.linear = u.linear
            speeds.angular = transpose(body.rotation) @ u.angular


@func
def measure_gaps(scene: Scene, memory: ContactMemory, x: Array, objects: int, reach: Scalar) -> None:
    """Gaps of all contacts in a state that the robot's bodies have taken; its objects stand from `objects` on."""
    if memory.step.moving_bodies is not None:
        place_objects(memory.step.moving_bodies, memory.chain.bodies, x, objects)
        move_surfaces(memory.step.moving_bodies, scene, memory.chain.bodies)
    wake_contacts(scene, memory.rest, memory.chain.bodies, reach, reach <= 0.0)
    find_contacts(scene, memory.rest, memory.chain.bodies, reach, reach, memory.step.contacts, memory.step.active)


@kernel
def stand(robot: ChainTables, solids: Array, scene: Scene, memory: ContactMemory, x: Array, where: StateLayout) -> None:
    """At time 0: `BodyVelocity` of all links from base twist and joint rates, and the gaps of all contacts."""
    held, state = unpack(memory), unpack(x)
    put_speeds(unpack(robot), unpack(solids), held.chain, state, where.speeds)
    measure_gaps(unpack(scene), held, state, where.objects, 0.0)
