"""Time integration of a chain: classical fourth-order Runge-Kutta from knot to knot, with the run's own bookkeeping.

The flat state x holds position (7 + joint positions), velocity (6 + joint velocities) and `INTEGRALS` sums: the work of the
actuators, of the environment and of springs and friction in the joints, and the impulse (6) on body and added mass. The sums are
integrated with the motion, so that differences of recorded energy and momentum can be held against them.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import get_matrix, put_quaternion_at, put_vector_at, quaternion_at, vector_at
from limbless.mechanics.algebra.inertia import Wrench, carry_wrench
from limbless.mechanics.algebra.lie import normalised, quaternion_conjugate, quaternion_log, quaternion_product
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.chain.row_saturation import WISH, answer, relent, take_wish
from limbless.mechanics.chain.rows import (
    ACCELERATION,
    AROUND,
    BASE,
    COLUMN,
    COULOMB,
    DAMPING,
    EFFORT,
    GAIN,
    GIVEN,
    HAS_BODY,
    INERTIA_GAIN,
    KIND,
    ORIGIN,
    OWN,
    POSITION,
    RATE_GAIN,
    REST,
    ROTATION,
    SATURATION,
    SECOND,
    SPHERICAL,
    START,
    STIFFNESS,
    VELOCITY,
    VISCOUS,
    ChainTable,
    hybrid_dynamics,
    mass_speed,
    move,
)
from limbless.mechanics.chain.tables import INTEGRALS
from limbless.mechanics.compiled.kernel import careful_kernel, inline, lean_kernel
from limbless.mechanics.compiled.scalars import value_of
from limbless.mechanics.forces.chain_rows import apply_laws, put_powers
from limbless.mechanics.integrate.tally import add_laws, add_smooth_works, look_and_keep

ACTUATOR_WORK, ENVIRONMENT_WORK, PASSIVE_WORK, IMPULSE = np.array([0, 1, 2, 3])
PUSH = 13                                     # power, sum of external wrenches (6), wrench that holds the base (6): see `gather`
PUSHED, HELD = np.array([1, 7])
LOCKED = 1e12                                 # a torque-given joint with this many times less inertia than the body around it is singular


class Setting(NamedTuple):
    """What does not change during a run: how the base moves, and whether torque-given joints exist and follow the drive by feedback."""

    base: int
    any_free: bool
    feedback: bool
    plain: bool                        # every joint motion-given, no springs, dampers or friction
    leads: bool                        # feedback answers to accelerations too
    feedforward: bool                  # torques of inverse dynamics are added to the feedback
    all_given: NDArray[np.int64]       # layout of the chain with every joint motion-given: what inverse dynamics takes


class DriveTable(NamedTuple):
    """The gait at the stage times of a block: knot, middle, knot, middle, ..., knot."""

    position: NDArray[np.float64]      # (2 K + 1, joint positions)
    velocity: NDArray[np.float64]      # (2 K + 1, joint velocities)
    acceleration: NDArray[np.float64]
    torque: NDArray[np.float64]        # (2 K + 1, joint velocities), or (1, joint velocities) held over the block


class Scratch(NamedTuple):
    """Working memory of one run, allocated once."""

    work: NDArray[np.float64]          # (n + 1, WORK_COLUMNS)
    wrench: NDArray[np.float64]        # (n + 1, 6)
    push: NDArray[np.float64]          # (PUSH,)
    acceleration: NDArray[np.float64]  # (6 + joints,)
    torque: NDArray[np.float64]        # (joints,) what the actuators give
    effort: NDArray[np.float64]        # (joints,) what acts along the joint axes: torque plus springs and friction
    stage: NDArray[np.float64]         # (x,)
    rate: NDArray[np.float64]          # (x,)
    total: NDArray[np.float64]         # (x,)
    wish: NDArray[np.float64]          # (WISH_ROWS, joints) what feedback and feed-forward ask of the actuators: see `saturation`
    powers: NDArray[np.float64]        # (4, joints) W, of each actuator at each stage
    given: NDArray[np.float64]         # (joints,) what each actuator gives


class Records(NamedTuple):
    """What is kept at recorded instants."""

    x: NDArray[np.float64]             # (R, x)
    acceleration: NDArray[np.float64]  # (R, 6 + joints) rate of the base twist, joint accelerations
    torque: NDArray[np.float64]        # (R, joints)
    powers: NDArray[np.float64]        # (R, 3) actuators, environment, passive
    rotation: NDArray[np.float64]      # (R, n + 1, 9)
    origin: NDArray[np.float64]        # (R, n + 1, 3)
    twist: NDArray[np.float64]         # (R, n + 1, 6) world axes
    twist_rate: NDArray[np.float64]    # (R, n + 1, 6) spatial acceleration, world axes
    wrench: NDArray[np.float64]        # (R, n + 1, 6) of the environment, world axes, without the reaction of added mass
    hold: NDArray[np.float64]          # (R, 6) wrench that holds the base, world axes


@inline
def passive_torque(joints, v, q, qd):
    """Spring, damper and friction of one degree of freedom (28), (37); Coulomb friction is 0 at rest."""
    sign = 0.0 * qd
    if qd > 0.0:
        sign = sign + 1.0
    elif qd < 0.0:
        sign = sign - 1.0
    return (joints[v, STIFFNESS] * (joints[v, REST] - q) - (joints[v, DAMPING] + joints[v, VISCOUS]) * qd
            - joints[v, COULOMB] * sign)


@inline
def take(drive, i, p, width, v, turns, position, velocity, acceleration):
    """A motion-given joint takes the drive's row i."""
    for c in range(width):
        position[7 + p + c] = drive.position[i, p + c]
    for c in range(turns):
        velocity[6 + v + c] = drive.velocity[i, v + c]
        acceleration[6 + v + c] = drive.acceleration[i, v + c]


@inline
def feedback_torque(joints, v, error, rate_error, acceleration):
    """Feedback on position, rate and acceleration error, without the part -A q̈ of the latter: that is known after the dynamics."""
    return joints[v, GAIN] * error + joints[v, RATE_GAIN] * rate_error + joints[v, INERTIA_GAIN] * acceleration


@inline
def follow(drive, i, position, velocity, acceleration):
    """Every joint motion-given and none with springs or friction: all joints take the drive's row i."""
    for c in range(drive.position.shape[1]):
        position[7 + c] = drive.position[i, c]
    for c in range(drive.velocity.shape[1]):
        velocity[6 + c] = drive.velocity[i, c]
        acceleration[6 + c] = drive.acceleration[i, c]


@lean_kernel
def actuate(chain, feedback, drive, i, position, velocity, acceleration, torque, effort):
    """Before the dynamics: motion-given joints take the drive; torque-given ones their torque; `effort` becomes the passive part."""
    held = min(i, drive.torque.shape[0] - 1)
    _, layout, joints = chain
    for k in range(1, layout.shape[0]):
        p, v = layout[k, POSITION], layout[k, COLUMN]
        turns = 3 if layout[k, KIND] == SPHERICAL else 1
        given = layout[k, GIVEN]
        if given:
            take(drive, i, p, 4 if turns == 3 else 1, v, turns, position, velocity, acceleration)
        if turns == 3:
            turned = quaternion_at(position, 7 + p)
            angles, error = quaternion_log(turned), quaternion_log(turned)
            if feedback and not given:                   # from the present orientation to the reference, in the child's axes
                error = quaternion_log(quaternion_product(quaternion_conjugate(turned), quaternion_at(drive.position[i], p)))
        else:
            q = position[7 + p]
            angles, error = Vector(q, q, q), Vector(q, q, q)
            if feedback and not given:
                error = Vector(drive.position[i, p] - q, q, q)
        for c in range(turns):
            rate = velocity[6 + v + c]
            effort[v + c] = passive_torque(joints, v + c, angles[c], rate)
            if not given:
                torque[v + c] = drive.torque[held, v + c]
                if feedback:
                    torque[v + c] += feedback_torque(joints, v + c, error[c], drive.velocity[i, v + c] - rate,
                                                     drive.acceleration[i, v + c])


@lean_kernel
def forecast(chain, laws, setting, drive, i, t, inside, position, velocity, work, wrench, push, acceleration, wish):
    """Inverse dynamics of the present state with the accelerations of the drive's row i: torques along all axes, passive part included."""
    given = ChainTable(chain.links, setting.all_given, chain.joints)
    for v in range(wish.shape[1]):
        acceleration[6 + v] = drive.acceleration[i, v]
    move(given, position, velocity, acceleration, work)
    apply_laws(laws, t, inside, work, wrench)
    hybrid_dynamics(given, setting.base, wish[WISH], wrench, work, push, acceleration)


@lean_kernel
def bound(chain, feedforward, torque, effort, wish):
    """Torques that enter the dynamics: feedback, with the forecast in `wish` if there is one, within the saturation."""
    bounds = chain.joints[:, SATURATION:]
    for k in range(1, chain.layout.shape[0]):
        if not chain.layout[k, GIVEN]:
            v = chain.layout[k, COLUMN]
            for c in range(v, v + 3 if chain.layout[k, KIND] == SPHERICAL else v + 1):
                wanted = torque[c] + (wish[WISH, c] - effort[c]) if feedforward else torque[c]
                torque[c] = take_wish(bounds, c, wanted, wish)


@inline
def put_quaternion_rate(position, i, w, rate):
    """q̇ = ½ q ω, with ω in the turning body's axes."""
    a, b, c, d = position[i], position[i + 1], position[i + 2], position[i + 3]
    rate[i] = -0.5 * (b * w.x + c * w.y + d * w.z)
    rate[i + 1] = 0.5 * (a * w.x + c * w.z - d * w.y)
    rate[i + 2] = 0.5 * (a * w.y + d * w.x - b * w.z)
    rate[i + 3] = 0.5 * (a * w.z + b * w.y - c * w.x)


@lean_kernel
def put_joint_rates(chain, position, velocity, acceleration, effort, rate, powers):
    """Rates of the joint coordinates, none where motion-given; there the passive part is not the actuator's work."""
    layout = chain.layout
    split = position.shape[0]
    driven = split + 6 + effort.shape[0] + ACTUATOR_WORK
    for k in range(1, layout.shape[0]):
        p, v, kind = 7 + layout[k, POSITION], layout[k, COLUMN], layout[k, KIND]
        turns, given = 3 if kind == SPHERICAL else 1, layout[k, GIVEN]
        for c in range(turns):
            if given:
                taken = effort[v + c] * velocity[6 + v + c]
                rate[driven], powers[v + c] = rate[driven] - taken, powers[v + c] - taken
                rate[split + 6 + v + c] = 0.0 * effort[v]
            else:
                rate[split + 6 + v + c] = acceleration[6 + v + c]
        if given:
            for c in range(4 if turns == 3 else 1):
                rate[p + c] = 0.0 * effort[v]
        elif kind == SPHERICAL:
            put_quaternion_rate(position, p, vector_at(velocity, 6 + v), rate)
        else:
            rate[p] = velocity[6 + v]


@inline
def put_rates(position, velocity, work, push, acceleration, torque, effort, rate, powers):
    """Rates of the flat state: base kinematics and accelerations, powers and impulse; joint coordinates are left to `put_joint_rates`."""
    split, freedoms = position.shape[0], torque.shape[0]
    put_vector_at(rate, START, get_matrix(work, BASE, ROTATION) @ vector_at(velocity, START))
    put_quaternion_rate(position, SECOND, vector_at(velocity, SECOND), rate)
    for j in range(6):
        rate[split + j] = acceleration[j]
    driven, passive = 0.0 * position[0], 0.0 * position[0]
    for v in range(freedoms):                            # of a motion-given joint `torque` holds all that acts along its axis
        powers[v] = torque[v] * velocity[6 + v]
        driven += powers[v]
        passive += effort[v] * velocity[6 + v]
    sums = split + 6 + freedoms
    rate[sums + ACTUATOR_WORK], rate[sums + ENVIRONMENT_WORK], rate[sums + PASSIVE_WORK] = driven, push[0], passive
    outer = Wrench(vector_at(push, PUSHED) + vector_at(push, HELD), vector_at(push, PUSHED + 3) + vector_at(push, HELD + 3))
    about_world = carry_wrench(outer, vector_at(position, START))
    put_vector_at(rate, sums + IMPULSE, about_world.force)
    put_vector_at(rate, sums + IMPULSE + 3, about_world.torque)


@careful_kernel
def is_locked(chain, work):
    """Row of the outermost torque-given joint that has no inertia to move (gimbal lock, a rod about itself, massless end), or 0."""
    layout = chain.layout
    for k in range(layout.shape[0] - 1, 0, -1):
        if not layout[k, GIVEN] and LOCKED * abs(value_of(work[k, OWN])) <= value_of(work[k, AROUND]):
            return k
    return 0


@inline
def chain_rate(chain, laws, setting, drive, i, t, inside, position, velocity, work, wrench, push, acceleration, torque, effort, wish,
               rate, powers):
    """Rate of a state at time t, with the drive's row i; accelerations, torques and body quantities stay in the scratch arrays."""
    if setting.plain:
        follow(drive, i, position, velocity, acceleration)
    else:
        actuate(chain, setting.feedback, drive, i, position, velocity, acceleration, torque, effort)
        if setting.feedforward:
            forecast(chain, laws, setting, drive, i, t, inside, position, velocity, work, wrench, push, acceleration, wish)
        if setting.feedback:
            bound(chain, setting.feedforward, torque, effort, wish)
    move(chain, position, velocity, acceleration, work)
    apply_laws(laws, t, inside, work, wrench)
    again, rounds = True, 0
    while again:
        if setting.any_free:
            exchange_passive(chain, 1.0, torque, effort)     # along a torque-given axis acts the actuator plus the passive part
        hybrid_dynamics(chain, setting.base, torque, wrench, work, push, acceleration)
        if setting.any_free:
            exchange_passive(chain, -1.0, torque, effort)
        again = setting.leads and relent(chain.joints[:, SATURATION:], rounds, 0.0, wish, acceleration[6:], torque)
        rounds += 1
    if setting.leads:
        answer(chain.joints[:, SATURATION:], wish, acceleration[6:], torque)
    put_rates(position, velocity, work, push, acceleration, torque, effort, rate, powers)
    if not setting.plain:                                # else the rates of the joint coordinates stay zero, as they were allocated
        put_joint_rates(chain, position, velocity, acceleration, effort, rate, powers)


@lean_kernel
def exchange_passive(chain, sign, torque, effort):
    """Add the passive torque of torque-given joints to their torque, or take it off again."""
    for k in range(1, chain.layout.shape[0]):
        if not chain.layout[k, GIVEN]:
            v = chain.layout[k, COLUMN]
            for c in range(3 if chain.layout[k, KIND] == SPHERICAL else 1):
                torque[v + c] += sign * effort[v + c]


@lean_kernel
def put_given(chain, plain, torque, effort, given):
    """What each actuator gives: along a motion-given axis, all that acts there less the passive part."""
    copy(torque, given)
    for k in range(chain.layout.shape[0] if plain else 1, chain.layout.shape[0]):
        if chain.layout[k, GIVEN]:
            v = chain.layout[k, COLUMN]
            for c in range(3 if chain.layout[k, KIND] == SPHERICAL else 1):
                given[v + c] -= effort[v + c]


@lean_kernel
def store(chain, scratch, records, r):
    """Keep everything of this instant in record r."""
    for c in range(scratch.stage.shape[0]):
        records.x[r, c] = scratch.stage[c]
    for c in range(scratch.acceleration.shape[0]):
        records.acceleration[r, c] = scratch.acceleration[c]
    sums = scratch.stage.shape[0] - INTEGRALS
    for c in range(3):
        records.powers[r, c] = scratch.rate[sums + c]
    for c in range(6):
        records.hold[r, c] = scratch.push[7 + c]
    for v in range(scratch.given.shape[0]):
        records.torque[r, v] = scratch.given[v]
    for k in range(chain.layout.shape[0]):
        if chain.layout[k, HAS_BODY]:
            for c in range(9):
                records.rotation[r, k, c] = scratch.work[k, ROTATION + c]
            for c in range(3):
                records.origin[r, k, c] = scratch.work[k, ORIGIN + c]
            for c in range(6):
                records.twist[r, k, c] = scratch.work[k, VELOCITY + c]
                records.wrench[r, k, c] = scratch.wrench[k, c]
                records.twist_rate[r, k, c] = scratch.work[k, ACCELERATION + c] + scratch.work[k, EFFORT + c]


@lean_kernel
def normalise_joints(chain, x):
    """Unit quaternions of spherical joints again, after a step."""
    for k in range(1, chain.layout.shape[0]):
        if chain.layout[k, KIND] == SPHERICAL:
            put_quaternion_at(x, 7 + chain.layout[k, POSITION], normalised(quaternion_at(x, 7 + chain.layout[k, POSITION])))


@inline
def copy(source, target):
    for c in range(source.shape[0]):
        target[c] = source[c]


@inline
def add(first, last, start, step, rate, end):
    for c in range(first, last):
        end[c] = start[c] + step * rate[c]


@inline
def add_moving(split, free, start, step, rate, end):
    """end = start + step rate; the coordinates of joints that are all motion-given do not take part."""
    if free:
        add(0, start.shape[0], start, step, rate, end)
    else:
        add(0, 7, start, step, rate, end)
        add(split, split + 6, start, step, rate, end)
        add(start.shape[0] - INTEGRALS, start.shape[0], start, step, rate, end)


@inline
def stage_lead(stage):
    """How far into the step a stage of the classical Runge-Kutta method lies, and its weight in sixths."""
    if stage == 0:
        return 0.0, 1.0
    if stage == 3:
        return 1.0, 1.0
    return 0.5, 2.0


@lean_kernel
def advance(chain, laws, setting, drive, knots, record, x, split, scratch, records, tally, tallied):
    """Step x from the first knot to the last and record where asked. Returns the row of a locked joint (0: none) and its step.

    `tally` counts on at every step, `tallied` has it at the records; None for both where derivatives are carried along.
    """
    r, steps, sums = 0, knots.shape[0] - 1, x.shape[0] - INTEGRALS
    work, wrench, push, acceleration, torque, effort, state, rate, total, wish, powers, given = scratch
    position, velocity, free = state[:split], state[split:], setting.any_free
    for n in range(steps + 1):
        last = n == steps
        if last and not record[n]:
            break
        t = knots[n]
        h = 0.0 if last else knots[n + 1] - t
        inside = t + 0.5 * h if h > 0.0 else 0.5 * (t + knots[max(n - 1, 0)])
        for stage in range(4):
            lead, weight = stage_lead(stage)
            if stage == 0:
                copy(x, state)
            else:
                add_moving(split, free, x, lead * h, rate, state)
            chain_rate(chain, laws, setting, drive, 2 * n + int(2.0 * lead), t + lead * h, inside, position, velocity,
                       work, wrench, push, acceleration, torque, effort, wish, rate, powers[stage])
            if stage == 0:
                joint = is_locked(chain, work) if setting.any_free else 0
                if joint > 0:
                    return joint, n
                put_given(chain, setting.plain, torque, effort, given)
                if tally is not None:
                    look_and_keep(tally, tallied, r, record[n], last, t, given, mass_speed(chain, work))
                if record[n]:
                    store(chain, scratch, records, r)
                    r += 1
                if last:
                    return 0, steps
                copy(rate, total)
            else:
                add_moving(split, free, total, weight, rate, total)
            if tally is not None:                              # after a record of this instant: the step has only begun
                put_powers(laws, inside, work)
                add_laws(tally, weight * h / 6.0, laws.power, rate[sums], rate[sums + 1], rate[sums + 2])
        add_moving(split, free, x, h / 6.0, total, x)
        if tally is not None:
            add_smooth_works(tally, h, powers)
        put_quaternion_at(x, SECOND, normalised(quaternion_at(x, SECOND)))
        if setting.any_free:
            normalise_joints(chain, x)
    return 0, steps
