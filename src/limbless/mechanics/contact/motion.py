"""Moreau's midpoint time-stepping of a chain with contacts: from knot to knot, with the run's own bookkeeping.

    q_M = q_A + h/2 F(q) u_A;   all forces, gaps and directions at q_M;   solve for u_E and P;   q_E = q_M + h/2 F(q_M) u_E

Joint angles are coordinates, so that no joint can open. Bodies remember their own velocity (centre of mass in the world, rotation in
body axes): momentum is carried from step to step as the paper's maximal coordinates carry it, without a Coriolis recursion. The
gyroscopic moment is that of the middle of the step, linearised: a body that spins fast stays bounded at any step.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import (
    get_matrix,
    get_twist,
    get_vector,
    get_wrench,
    put_pair,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    vector_at,
)
from limbless.mechanics.algebra.inertia import Twist, Wrench, carry_twist, carry_wrench, power
from limbless.mechanics.algebra.lie import Quaternion, normalised, quaternion_product
from limbless.mechanics.algebra.vectors import Vector, rotation_from_quaternion, transpose
from limbless.mechanics.chain.row_motion import copy
from limbless.mechanics.chain.row_saturation import ACTS, LEADING, LIMIT, relent, take_wish
from limbless.mechanics.chain.row_saturation import GAIN as HOLD
from limbless.mechanics.chain.rows import (
    BASE,
    BREAKAWAY,
    COLUMN,
    COULOMB,
    DAMPING,
    GAIN,
    GIVEN,
    HAS_BODY,
    INERTIA_GAIN,
    ORIGIN,
    POSITION,
    RATE_GAIN,
    REST,
    ROTATION,
    ROTOR,
    SATURATION,
    SECOND,
    START,
    STIFFNESS,
    STRIBECK,
    VELOCITY,
    VISCOUS,
    move,
)
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.contact.bodies import CENTER, MASS, prepare, twist_at_start
from limbless.mechanics.contact.gap import SIZE, find_contacts, rouse
from limbless.mechanics.contact.law import (
    ARM,
    GAP,
    IMPULSE,
    LOAD,
    OPEN,
    RATE,
    RESTITUTION,
    SHIFT,
    contact_wrench,
    press,
    put_rates,
    state_of,
)
from limbless.mechanics.contact.law import GIVEN as PRESSED
from limbless.mechanics.contact.rescue import solve_contacts
from limbless.mechanics.contact.solver import give_torques
from limbless.mechanics.forces.chain_rows import apply_laws, lay_slab, put_powers
from limbless.mechanics.integrate.tally import add_step, add_work, compare, keep

SPEED = 20.0                                      # m/s: gaps that no body faster than this can close in a step are left out
DEEPEST = 1.0                                     # radii: a sphere or capsule that sinks in farther, axis and all, ends the run
FEEDBACK, PRESCRIBED, TORQUES = np.arange(3)
SLACK = 100.0                                     # 1/m: error of joint rates over that of the contact laws which a solved step may keep
RESISTANCE, EFFORT = np.array([3, 4])             # of a joint beside its actuator: columns of `Room.control`, after those of `bounds`


class Rule(NamedTuple):
    """What does not change during a run."""

    base: int
    control: int                       # FEEDBACK, PRESCRIBED or TORQUES
    theta: float                       # share of the position feedback taken at the end of the step; 0: explicit control
    saturates: bool                    # whether control that looks at the end of the step has a bound
    backlash: float                    # rad
    anticipate: bool                   # anticipative activation; otherwise contacts act from g <= 0 on, (49)
    recovery: float                    # share of a penetration that is taken back in a step
    compliance: float                  # e, 1/kg
    descent: float                     # ρ, kg
    tolerance: float                   # m/s
    bound: float                       # m/s: a step with more residual fails the run


class Moving(NamedTuple):
    """The state, as views into its flat array."""

    position: NDArray[np.float64]      # (7 + joints,) base position, quaternion, joints
    velocity: NDArray[np.float64]      # (6 + joints,) base twist in its own axes, joint rates
    earlier: NDArray[np.float64]       # (6 + joints,) the same a step before: the guess goes on in a straight line
    links: NDArray[np.float64]         # (rows, 6) velocity of the centre of mass (world), rotation rate (body axes)
    impulses: NDArray[np.float64]      # (slots, 5) load, shear, twist of the last step
    torque: NDArray[np.float64]        # (joints,) of the last step
    rub: NDArray[np.float64]           # (joints,) impulse of dry friction in the joints, of the last step
    sums: NDArray[np.float64]          # (9,) works of actuators, environment, joints; impulse of all outer forces


class Room(NamedTuple):
    """Working memory."""

    middle: NDArray[np.float64]        # (7 + joints,)
    still: NDArray[np.float64]         # (6 + joints,) zeros
    work: NDArray[np.float64]          # (rows, WORK_COLUMNS)
    wrench: NDArray[np.float64]        # (rows, 6) laws, then all outer forces of the last step
    rates: NDArray[np.float64]         # (rows, 6) change of `links` per second in the last step
    contact: NDArray[np.float64]       # (slots, CONTACT_COLUMNS)
    active: NDArray[np.int64]          # (slots,)
    powers: NDArray[np.float64]        # (3,)
    control: NDArray[np.float64]       # (joints, 5) bounds and resistance of the actuators (see `saturation`), RESISTANCE and EFFORT
    push: NDArray[np.float64]          # (joints,) impulses of the actuators, without what their resistance takes
    wish: NDArray[np.float64]          # (WISH_ROWS, joints)
    counts: NDArray[np.float64]        # (6,) steps, iterations, fallbacks; since the last record: worst residual, deepest
                                       # penetration as a share of the radius of what has sunk in, and the slot where that was


class Kept(NamedTuple):
    """What is kept at recorded instants."""

    x: NDArray[np.float64]             # (R, position + velocity + sums)
    torque: NDArray[np.float64]
    powers: NDArray[np.float64]
    rotation: NDArray[np.float64]      # (R, rows, 9)
    origin: NDArray[np.float64]
    links: NDArray[np.float64]         # (R, rows, 6)
    rates: NDArray[np.float64]
    wrench: NDArray[np.float64]
    force: NDArray[np.float64]         # (R, slots, 3)
    place: NDArray[np.float64]
    state: NDArray[np.float64]         # (R, slots)
    gap: NDArray[np.float64]
    resultant: NDArray[np.float64]     # (R, 6) of all contacts, about the base's origin, along the base's axes
    residual: NDArray[np.float64]      # (R,)
    depth: NDArray[np.float64]         # (R,)


@inline
def quaternion_rate(q, w):
    """½ q ω (8), as a quaternion."""
    return quaternion_product(q, Quaternion(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z))


@inline
def half_step(position, velocity, h, middle):
    """q_M: the quaternion by the closed form of the implicit (72)."""
    q, w = quaternion_at(position, SECOND), vector_at(velocity, SECOND)
    d = quaternion_rate(q, w)
    a = 0.5 * h
    scale = 1.0 / (1.0 + 0.25 * a * a * (w.x * w.x + w.y * w.y + w.z * w.z))
    moved = Quaternion(scale * (q.w + a * d.w), scale * (q.x + a * d.x), scale * (q.y + a * d.y), scale * (q.z + a * d.z))
    put_quaternion_at(middle, SECOND, moved)
    for c in range(7, position.shape[0]):
        middle[c] = position[c] + a * velocity[c - 1]


@inline
def control_joints(table, rule, drive, i, h, middle, velocity, room, resist, effort):
    """Impulses and resistances of all joints over a step (68)-(69): actuator, spring, damper and rotor."""
    _, layout, joints = table
    held, control = min(i, drive.torque.shape[0] - 1), room.control
    for k in range(1, layout.shape[0]):
        v = layout[k, COLUMN]
        q, rate = middle[7 + v], velocity[6 + v]
        push, hold = h * drive.torque[held, v], 0.0
        if rule.control == FEEDBACK:
            Kp, Kd, A = joints[v, GAIN], joints[v, RATE_GAIN], joints[v, INERTIA_GAIN]
            error, wanted = drive.position[i, v] - q, drive.velocity[i, v]
            if abs(error) <= 0.5 * rule.backlash:
                Kp, Kd, A = 0.0, 0.0, 0.0
            else:
                error -= 0.5 * rule.backlash * (1.0 if error > 0.0 else -1.0)
            if rule.theta > 0.0:
                push += h * (Kp * error + Kd * wanted)
                hold = h * (Kd + rule.theta * h * Kp)
            else:
                push += h * (Kp * error + Kd * (wanted - rate))
            if A > 0.0:                                  # A (q̈_ref - q̈), with the acceleration that the step will have
                push, hold = push + A * (h * drive.acceleration[i, v] + rate), hold + A
        control[v, LIMIT], control[v, HOLD] = h * joints[v, SATURATION], hold
        room.push[v] = take_wish(control, v, push, room.wish)
        control[v, RESISTANCE] = joints[v, ROTOR] + h * (joints[v, DAMPING] + joints[v, VISCOUS]) + 0.5 * h * h * joints[v, STIFFNESS]
        control[v, EFFORT] = h * joints[v, STIFFNESS] * (joints[v, REST] - q) + joints[v, ROTOR] * rate
        put_control(control, room.push, v, resist, effort)
        if layout[k, GIVEN]:
            room.wish[ACTS, v] = 0.0
            effort[v] = drive.velocity[i + 1, v]


@lean_kernel
def limit_control(layout, grips, rounds, slack, room, step):
    """After a solve: whether some actuator gives what it should not; then the step's equations for the next one."""
    again = relent(room.control, rounds, slack, room.wish, step.velocity[6:], room.push)
    for k in range(1, layout.shape[0]):
        v = layout[k, COLUMN]
        if again and not layout[k, GIVEN]:
            put_control(room.control, room.push, v, step.resist, step.effort)
            if grips:
                step.free[v, 0], step.free[v, 1] = step.resist[v], step.effort[v]
    return again


@inline
def put_control(control, push, v, resist, effort):
    """Resistance and impulse of a joint: the actuator, as it stands now, and the rest."""
    resist[v], effort[v] = control[v, RESISTANCE] + control[v, LEADING], control[v, EFFORT] + push[v]


@inline
def grip_joints(joints, h, velocity, moving, step):
    """The most that dry friction in each joint can do in a step, by Stribeck's curve at the rate that the step starts with."""
    grip, free = step.grip, step.free
    for v in range(grip.shape[0]):
        level, rise = joints[v, COULOMB], joints[v, BREAKAWAY] - joints[v, COULOMB]
        if rise > 0.0:
            share = velocity[6 + v] / joints[v, STRIBECK]
            level += rise * np.exp(-share * share)
        grip[v] = h * level
        step.rub[v] = step.held[v] = moving.rub[v]
        free[v, 0], free[v, 1] = step.resist[v], step.effort[v]


@inline
def dry_friction(step, v, given, rate):
    """Its impulse on joint v; a motion-given joint slips whenever it moves."""
    if step.grip.shape[0] == 0:
        return 0.0
    if given:
        return -step.grip[v] if rate > 0.0 else step.grip[v] if rate < 0.0 else 0.0
    return step.rub[v]


@inline
def set_shifts(rule, scene, bodies, links, work, h, contact, active, count, counts):
    """The shift of every active contact: how much of its gap may be closed in this step; bounces; (49) if asked for."""
    owner, kept = scene.owner, 0
    for a in range(count):
        i = active[a]
        gap = contact[i, GAP]
        if -gap > counts[4] * scene.features[i, SIZE]:
            counts[4], counts[5] = -gap / scene.features[i, SIZE], i
        if not rule.anticipate and gap > 0.0:
            for c in range(IMPULSE):
                contact[i, LOAD + c] = 0.0
            continue
        shift = gap / h if gap > 0.0 else rule.recovery * gap / h
        if not rule.anticipate:
            shift = 0.0
        if contact[i, RESTITUTION] > 0.0:
            k = owner[i]
            put_rates(contact, i, twist_at_start(bodies, links, k, get_matrix(work, k, ROTATION)))
            approach = contact[i, RATE]
            if approach < 0.0 and gap + h * approach < 0.0:
                shift = contact[i, RESTITUTION] * approach
        contact[i, SHIFT] = shift
        if contact[i, PRESSED] > 0.0:
            press(contact, i, h)
        active[kept] = i
        kept += 1
    return kept


@inline
def finish(table, bodies, laws, scene, t, h, velocity_before, step, room, moving, count, tally):
    """After the solve: velocities, positions at the end of the step, works, impulse, and the outer force on every body.

    Every force works along the mean of the velocities before and after the step; `work` holds that mean in the end.
    """
    _, layout, joints = table
    work, wrench, links, twist = room.work, room.wrench, moving.links, step.twist
    for a in range(count):
        i = room.active[a]
        k, W = scene.owner[i], contact_wrench(room.contact, i)
        put_pair(wrench, k, START, get_wrench(wrench, k, START) + (1.0 / h) * W)
        before = twist_at_start(bodies, links, k, get_matrix(work, k, ROTATION))
        tally.contacts[i] += 0.5 * (power(before, W) + power(get_twist(twist, k, START), W))
    environment, mass, travel = 0.0, 0.0, Vector(0.0, 0.0, 0.0)
    hold = step.hold                                     # stays zero under a free base
    push = carry_wrench(Wrench(vector_at(hold, START), vector_at(hold, SECOND)), get_vector(work, BASE, ORIGIN))
    for k in range(layout.shape[0]):
        if not layout[k, HAS_BODY]:
            continue
        R = get_matrix(work, k, ROTATION)
        before, after, F = twist_at_start(bodies, links, k, R), get_twist(twist, k, START), get_wrench(wrench, k, START)
        environment += 0.5 * h * (power(before, F) + power(after, F))
        put_pair(work, k, VELOCITY, Twist(0.5 * (before.linear + after.linear), 0.5 * (before.angular + after.angular)))
        push = push + h * carry_wrench(F, get_vector(work, k, ORIGIN))
        v, w = carry_twist(after, R @ get_vector(bodies, k, CENTER)).linear, transpose(R) @ after.angular
        mass, travel = mass + bodies[k, MASS], travel + (0.5 * h * bodies[k, MASS]) * (v + get_vector(links, k, START))
        for c in range(3):
            room.rates[k, c], room.rates[k, 3 + c] = (v[c] - links[k, c]) / h, (w[c] - links[k, 3 + c]) / h
            links[k, c], links[k, 3 + c] = v[c], w[c]
    driven, passive = 0.0, 0.0
    for k in range(1, layout.shape[0]):
        v = layout[k, COLUMN]
        old, new = velocity_before[6 + v], step.velocity[6 + v]
        q = room.middle[7 + v]
        own = (h * joints[v, STIFFNESS] * (joints[v, REST] - q - 0.5 * h * new)
               - h * (joints[v, DAMPING] + joints[v, VISCOUS]) * new + dry_friction(step, v, layout[k, GIVEN], new))
        if layout[k, GIVEN]:
            given = step.effort[v] - own + joints[v, ROTOR] * (new - old)
        else:
            given = room.push[v] - room.control[v, LEADING] * new
        moving.torque[v] = given / h
        if step.grip.shape[0] > 0:
            moving.rub[v] = step.rub[v]
        driven += 0.5 * given * (old + new)
        passive += 0.5 * own * (old + new)
        add_work(tally.actuators, v, 0.5 * given * (old + new))
        compare(tally.actuators, v, t + h, moving.torque[v])
    lay_slab(laws.bands.members, work, laws.bands.slab)
    put_powers(laws, t + 0.5 * h, work)
    add_step(tally, h, laws.power, driven, environment, passive, travel, mass)
    room.powers[0], room.powers[1], room.powers[2] = driven / h, environment / h, passive / h
    sums = moving.sums
    sums[0], sums[1], sums[2] = sums[0] + driven, sums[1] + environment, sums[2] + passive
    put_vector_at(sums, START + 3, vector_at(sums, START + 3) + push.force)
    put_vector_at(sums, START + 6, vector_at(sums, START + 6) + push.torque)


@inline
def end_positions(table, drive, i, h, step, room, moving):
    """q_E and u_E."""
    layout = table.layout
    R = get_matrix(room.work, BASE, ROTATION)
    velocity, position, middle = moving.velocity, moving.position, room.middle
    linear, angular = vector_at(step.velocity, START), vector_at(step.velocity, SECOND)
    copy(velocity, moving.earlier)
    put_vector_at(position, START, vector_at(middle, START) + 0.5 * h * linear)
    w, q = transpose(R) @ angular, quaternion_at(middle, SECOND)
    d = quaternion_rate(q, w)
    put_quaternion_at(position, SECOND, normalised(Quaternion(q.w + 0.5 * h * d.w, q.x + 0.5 * h * d.x, q.y + 0.5 * h * d.y,
                                                              q.z + 0.5 * h * d.z)))
    put_vector_at(velocity, SECOND, w)
    for k in range(1, layout.shape[0]):
        v = layout[k, COLUMN]
        velocity[6 + v] = step.velocity[6 + v]
        position[7 + v] = drive.position[i + 1, v] if layout[k, GIVEN] else middle[7 + v] + 0.5 * h * velocity[6 + v]
    turned = transpose(base_rotation(position)) @ linear
    put_vector_at(velocity, START, turned)


@inline
def base_rotation(position):
    q = normalised(quaternion_at(position, SECOND))
    return rotation_from_quaternion(q.w, q.x, q.y, q.z)


@inline
def advance_step(table, bodies, laws, scene, rule, drive, i, t, h, everything, step, room, moving, tally):
    """One step from t to t + h with the drive's row i, that of its middle. Returns the residual (m/s).

    With `everything` the gaps of all slots are measured, also of those that are too far away to matter.
    """
    layout = table.layout
    middle, velocity, contact, work = room.middle, moving.velocity, room.contact, room.work
    R = base_rotation(moving.position)
    half_step(moving.position, velocity, h, middle)
    put_vector_at(middle, START, vector_at(moving.position, START) + 0.5 * h * (R @ vector_at(velocity, START)))
    for k in range(1, layout.shape[0]):
        if layout[k, GIVEN]:
            middle[7 + layout[k, POSITION]] = drive.position[i, layout[k, POSITION]]
    shrunk = quaternion_at(middle, SECOND)
    put_quaternion_at(middle, SECOND, normalised(shrunk))
    move(table, middle, velocity, room.still, work)
    put_quaternion_at(middle, SECOND, shrunk)
    for k in range(room.wrench.shape[0]):                # what contacts have added in the step before
        for c in range(6):
            room.wrench[k, c] = 0.0
    apply_laws(laws, t + 0.5 * h, t + 0.5 * h, work, room.wrench)
    control_joints(table, rule, drive, i, h, middle, velocity, room, step.resist, step.effort)
    grip_joints(table.joints, h, velocity, moving, step)
    prepare(table, bodies, moving.links, room.wrench, work, h, step.blocks)
    awake, all_awake = scene.rest.awake, scene.rest.extent.shape[0] == 0
    if not all_awake:
        rouse(scene, work, SPEED * h, everything)
    for s in range(contact.shape[0]):
        if all_awake or awake[s]:
            for c in range(IMPULSE):
                contact[s, LOAD + c] = moving.impulses[s, c]
    count = find_contacts(scene, work, t + 0.5 * h, SPEED * h, contact, room.active)
    count = set_shifts(rule, scene, bodies, moving.links, work, h, contact, room.active, count, room.counts)
    turn = get_matrix(work, BASE, ROTATION)
    for c in range(step.velocity.shape[0]):
        step.velocity[c] = 2.0 * velocity[c] - moving.earlier[c]
    put_vector_at(step.velocity, START, turn @ vector_at(step.velocity, START))
    put_vector_at(step.velocity, SECOND, turn @ vector_at(step.velocity, SECOND))
    again, rounds, iterations, worst, fell = True, 0, 0, 0.0, False
    while again:
        more, worst, fell = solve_contacts(rule.base, layout, work, contact, scene.owner, room.active, count, step,
                                           rule.compliance, rule.descent, rule.tolerance)
        iterations += more
        again = rule.saturates and limit_control(layout, step.grip.shape[0] > 0, rounds, SLACK * rule.tolerance, room, step)
        rounds += 1
    give_torques(layout, step.sweep, work, step.twist, step.effort)
    finish(table, bodies, laws, scene, t, h, velocity, step, room, moving, count, tally)
    end_positions(table, drive, i, h, step, room, moving)
    for s in range(contact.shape[0]):
        if all_awake or awake[s]:
            for c in range(IMPULSE):
                moving.impulses[s, c] = contact[s, LOAD + c]
    counts = room.counts
    counts[0], counts[1], counts[3] = counts[0] + 1.0, counts[1] + iterations, max(counts[3], worst)
    if fell:
        counts[2] += 1.0
    return worst


@inline
def put_numbers(array, r, first, numbers):
    for c in range(numbers.shape[0]):
        array[r, first + c] = numbers[c]


@lean_kernel
def store(table, scene, room, moving, h, kept, r):
    """Keep everything of this instant in record r; forces are means over the step that ended here."""
    layout, work, contact = table.layout, room.work, room.contact
    move(table, moving.position, moving.velocity, room.still, work)
    p, v = moving.position.shape[0], moving.velocity.shape[0]
    put_numbers(kept.x, r, 0, moving.position)
    put_numbers(kept.x, r, p, moving.velocity)
    put_numbers(kept.x, r, p + v, moving.sums)
    put_numbers(kept.torque, r, 0, moving.torque)
    put_numbers(kept.powers, r, 0, room.powers)
    for k in range(layout.shape[0]):
        for c in range(6):
            kept.links[r, k, c], kept.rates[r, k, c], kept.wrench[r, k, c] = moving.links[k, c], room.rates[k, c], room.wrench[k, c]
        for c in range(9):
            kept.rotation[r, k, c] = work[k, ROTATION + c]
        for c in range(3):
            kept.origin[r, k, c] = work[k, ORIGIN + c]
    foot, turn = get_vector(work, BASE, ORIGIN), transpose(get_matrix(work, BASE, ROTATION))
    for i in range(contact.shape[0]):
        kept.gap[r, i] = contact[i, GAP]
        kept.state[r, i] = state_of(contact, i)
        if kept.state[r, i] != OPEN:
            F, k = (1.0 / h) * contact_wrench(contact, i), scene.owner[i]
            about_base = carry_wrench(F, get_vector(work, k, ORIGIN) - foot)
            push, moment = turn @ about_base.force, turn @ about_base.torque
            for c in range(3):
                kept.force[r, i, c] = F.force[c]
                kept.place[r, i, c] = work[k, ORIGIN + c] + contact[i, ARM + c]
                kept.resultant[r, c], kept.resultant[r, 3 + c] = kept.resultant[r, c] + push[c], kept.resultant[r, 3 + c] + moment[c]
    kept.residual[r], kept.depth[r] = room.counts[3], room.counts[4]
    room.counts[3] = room.counts[4] = 0.0


@lean_kernel
def advance(table, bodies, laws, scene, rule, drive, knots, record, step, room, moving, kept, tally, tallied):
    """Step from the first knot to the last and record where asked. Returns the number of good steps and the last residual."""
    steps, r, worst = knots.shape[0] - 1, 0, 0.0
    for n in range(steps + 1):
        if record[n]:
            h = knots[n] - knots[n - 1] if n > 0 else knots[1] - knots[0]
            store(table, scene, room, moving, h if h > 0.0 else 1.0, kept, r)
            keep(tally, tallied, r)
            r += 1
        if n == steps:
            break
        row, h = n if rule.control == FEEDBACK else 2 * n + 1, knots[n + 1] - knots[n]
        if h > 0.0:
            everything = n == 0 or record[n + 1]
            worst = advance_step(table, bodies, laws, scene, rule, drive, row, knots[n], h, everything, step, room, moving, tally)
        if not worst <= rule.bound or room.counts[4] > DEEPEST:
            return n, worst
    return steps, worst


@lean_kernel
def start_links(table, bodies, position, velocity, still, work, links):
    """Velocities of all bodies at the start, from base twist and joint rates."""
    move(table, position, velocity, still, work)
    for k in range(links.shape[0]):
        if table.layout[k, HAS_BODY]:
            R = get_matrix(work, k, ROTATION)
            u = carry_twist(get_twist(work, k, ORIGIN + 3), R @ get_vector(bodies, k, CENTER))
            w = transpose(R) @ u.angular
            for c in range(3):
                links[k, c], links[k, 3 + c] = u.linear[c], w[c]
