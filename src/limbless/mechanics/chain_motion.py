"""Time integration of a chain: classical fourth-order Runge-Kutta from knot to knot, with the run's own bookkeeping.

The flat state x holds position (7 + joint positions), velocity (6 + joint velocities) and `INTEGRALS` sums: the work of the
actuators, of the environment and of springs and friction in the joints, and the impulse (6) on body and added mass. The sums are
integrated with the motion, so that differences of recorded energy and momentum can be held against them.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import (
    BASE,
    COLUMN,
    COULOMB,
    DAMPING,
    GAIN,
    GIVEN,
    HAS_BODY,
    KIND,
    MOBILITY,
    ORIGIN,
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
    hybrid_dynamics,
    move,
    true_acceleration,
)
from limbless.mechanics.columns import get_matrix, put_pair, put_vector_at, vector_at
from limbless.mechanics.inertia import Wrench, carry_wrench
from limbless.mechanics.kernel import inline, kernel
from limbless.mechanics.laws import apply_laws
from limbless.mechanics.lie import quaternion_log
from limbless.mechanics.scalars import maximum, minimum, sqrt, value_of
from limbless.mechanics.vectors import Vector

INTEGRALS = 9
ACTUATOR_WORK, ENVIRONMENT_WORK, PASSIVE_WORK, IMPULSE = np.array([0, 1, 2, 3])
PUSH = 13                                     # power, momentum-changing wrench (6), holding wrench of the base (6): see `gather`
LOCKED = 1e12                                 # ratio of joint mobilities beyond which a torque-given joint counts as singular


class Setting(NamedTuple):
    """What does not change during a run: how the base moves, and whether torque-given joints exist and follow the drive by feedback."""

    base: int
    any_free: bool
    feedback: bool


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
    rates: NDArray[np.float64]         # (4, x)


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
def passive_torque(chain, v, q, qd):
    """Spring, damper and friction of one degree of freedom (28), (37); Coulomb friction is 0 at rest."""
    sign = 0.0 * qd
    if qd > 0.0:
        sign = sign + 1.0
    elif qd < 0.0:
        sign = sign - 1.0
    return (chain.joints[v, STIFFNESS] * (chain.joints[v, REST] - q) - (chain.joints[v, DAMPING] + chain.joints[v, VISCOUS]) * qd
            - chain.joints[v, COULOMB] * sign)


@inline
def joint_angles(position, p):
    """Rotation vector of a spherical joint whose quaternion starts at column p."""
    return quaternion_log(position[p], position[p + 1], position[p + 2], position[p + 3])


@inline
def angles_between(position, p, reference, i, c):
    """Rotation vector, in the child's axes, from the present orientation to the reference: log(q* r)."""
    w, x, y, z = position[p], -position[p + 1], -position[p + 2], -position[p + 3]
    a, b, d, e = reference[i, c], reference[i, c + 1], reference[i, c + 2], reference[i, c + 3]
    return quaternion_log(w * a - x * b - y * d - z * e, w * b + x * a + y * e - z * d,
                          w * d - x * e + y * a + z * b, w * e + x * d - y * b + z * a)


@inline
def take(drive, i, p, width, v, turns, position, velocity, acceleration):
    """A motion-given joint takes the drive's row i."""
    for c in range(width):
        position[7 + p + c] = drive.position[i, p + c]
    for c in range(turns):
        velocity[6 + v + c] = drive.velocity[i, v + c]
        acceleration[6 + v + c] = drive.acceleration[i, v + c]


@inline
def feedback_torque(chain, v, error, rate_error):
    """Proportional and derivative feedback, clipped at the actuator's saturation."""
    wanted = chain.joints[v, GAIN] * error + chain.joints[v, RATE_GAIN] * rate_error
    return minimum(maximum(wanted, -chain.joints[v, SATURATION]), chain.joints[v, SATURATION])


@kernel
def actuate(chain, feedback, drive, i, position, velocity, acceleration, torque, effort):
    """Before the dynamics: motion-given joints take the drive; torque-given ones their torque; `effort` starts as the passive part."""
    held = min(i, drive.torque.shape[0] - 1)
    for k in range(1, chain.index.shape[0]):
        p, v = chain.index[k, POSITION], chain.index[k, COLUMN]
        turns = 3 if chain.index[k, KIND] == SPHERICAL else 1
        if chain.index[k, GIVEN]:
            take(drive, i, p, 4 if turns == 3 else 1, v, turns, position, velocity, acceleration)
        if turns == 3:
            q = joint_angles(position, 7 + p)
            effort[v] = passive_torque(chain, v, q.x, velocity[6 + v])
            effort[v + 1] = passive_torque(chain, v + 1, q.y, velocity[7 + v])
            effort[v + 2] = passive_torque(chain, v + 2, q.z, velocity[8 + v])
        else:
            effort[v] = passive_torque(chain, v, position[7 + p], velocity[6 + v])
        if not chain.index[k, GIVEN]:
            for c in range(turns):
                torque[v + c] = drive.torque[held, v + c]
            if feedback:
                if turns == 3:
                    error = angles_between(position, 7 + p, drive.position, i, p)
                else:
                    gap = drive.position[i, p] - position[7 + p]
                    error = Vector(gap, 0.0 * gap, 0.0 * gap)
                torque[v] += feedback_torque(chain, v, error.x, drive.velocity[i, v] - velocity[6 + v])
                if turns == 3:
                    torque[v + 1] += feedback_torque(chain, v + 1, error.y, drive.velocity[i, v + 1] - velocity[7 + v])
                    torque[v + 2] += feedback_torque(chain, v + 2, error.z, drive.velocity[i, v + 2] - velocity[8 + v])


@inline
def put_quaternion_rate(position, i, w, rate):
    """q̇ = ½ q ω, with ω in the turning body's axes."""
    a, b, c, d = position[i], position[i + 1], position[i + 2], position[i + 3]
    rate[i] = -0.5 * (b * w.x + c * w.y + d * w.z)
    rate[i + 1] = 0.5 * (a * w.x + c * w.z - d * w.y)
    rate[i + 2] = 0.5 * (a * w.y + d * w.x - b * w.z)
    rate[i + 3] = 0.5 * (a * w.z + b * w.y - c * w.x)


@kernel
def put_rates(chain, x, split, scratch, rate):
    """Rates of the flat state: kinematics, accelerations, powers and impulse."""
    position, velocity, acceleration = x[:split], x[split:], scratch.acceleration
    R = get_matrix(scratch.work, BASE, ROTATION)
    put_vector_at(rate, START, R @ vector_at(velocity, START))
    put_quaternion_rate(position, SECOND, vector_at(velocity, SECOND), rate)
    for j in range(6):
        rate[split + j] = acceleration[j]
    work, passive = 0.0 * x[0], 0.0 * x[0]
    for k in range(1, chain.index.shape[0]):
        p, v, kind = 7 + chain.index[k, POSITION], chain.index[k, COLUMN], chain.index[k, KIND]
        turns = 3 if kind == SPHERICAL else 1
        for c in range(turns):
            if chain.index[k, GIVEN]:                       # `effort` holds the passive part until here, `torque` what acts on the joint
                work += (scratch.torque[v + c] - scratch.effort[v + c]) * velocity[6 + v + c]
                rate[split + 6 + v + c] = 0.0 * work
            else:
                work += scratch.torque[v + c] * velocity[6 + v + c]
                rate[split + 6 + v + c] = acceleration[6 + v + c]
            passive += scratch.effort[v + c] * velocity[6 + v + c]
        if chain.index[k, GIVEN]:
            for c in range(4 if turns == 3 else 1):
                rate[p + c] = 0.0 * work
        elif kind == SPHERICAL:
            put_quaternion_rate(position, p, vector_at(velocity, 6 + v), rate)
        else:
            rate[p] = velocity[6 + v]
    sums = x.shape[0] - INTEGRALS
    rate[sums + ACTUATOR_WORK], rate[sums + ENVIRONMENT_WORK], rate[sums + PASSIVE_WORK] = work, scratch.push[0], passive
    push = Wrench(vector_at(scratch.push, np.int64(1)) + vector_at(scratch.push, np.int64(7)),
                  vector_at(scratch.push, np.int64(4)) + vector_at(scratch.push, np.int64(10)))
    about_world = carry_wrench(push, vector_at(position, START))
    put_vector_at(rate, sums + IMPULSE, about_world.force)
    put_vector_at(rate, sums + IMPULSE + 3, about_world.torque)


@kernel
def is_locked(chain, work):
    """Number of a torque-given joint that has no inertia to move (gimbal lock, massless end), or 0: spec, H <= 1e-12 max H."""
    largest, smallest, joint = -1.0, 1e300, 0
    for k in range(1, chain.index.shape[0]):
        if not chain.index[k, GIVEN] and chain.index[k, KIND] != SPHERICAL:
            mobility = abs(value_of(work[k, MOBILITY]))
            if mobility > largest:
                largest, joint = mobility, k
            smallest = min(smallest, mobility)
    return joint if largest >= LOCKED * smallest else 0


@kernel
def chain_rate(chain, laws, setting, drive, i, t, step_time, x, split, scratch, rate):
    """dx/dt at time t, with the drive's row i. Leaves accelerations, torques and body quantities in `scratch`."""
    position, velocity = x[:split], x[split:]
    actuate(chain, setting.feedback, drive, i, position, velocity, scratch.acceleration, scratch.torque, scratch.effort)
    move(chain, position, velocity, scratch.acceleration, scratch.work)
    apply_laws(laws, t, step_time, ROTATION, VELOCITY, ORIGIN, scratch.work, scratch.wrench)
    if setting.any_free:                               # what acts along a torque-given axis: actuator plus passive part
        for v in range(scratch.torque.shape[0]):
            scratch.torque[v] += scratch.effort[v]
    hybrid_dynamics(chain, setting.base, scratch.torque, scratch.wrench, scratch.work, scratch.push, scratch.acceleration)
    if setting.any_free:
        for k in range(1, chain.index.shape[0]):
            if not chain.index[k, GIVEN]:
                v = chain.index[k, COLUMN]
                for c in range(3 if chain.index[k, KIND] == SPHERICAL else 1):
                    scratch.torque[v + c] -= scratch.effort[v + c]
    put_rates(chain, x, split, scratch, rate)


@kernel
def store(chain, x, split, scratch, rate, records, r):
    """Keep everything of this instant in record r."""
    records.x[r, :] = x
    records.acceleration[r, :] = scratch.acceleration
    sums = x.shape[0] - INTEGRALS
    for c in range(3):
        records.powers[r, c] = rate[sums + c]
    for c in range(6):
        records.hold[r, c] = scratch.push[7 + c]
    for k in range(chain.index.shape[0]):
        v = chain.index[k, COLUMN]
        for c in range(0 if k == 0 else 3 if chain.index[k, KIND] == SPHERICAL else 1):
            passive = scratch.effort[v + c] if chain.index[k, GIVEN] else 0.0 * x[0]
            records.torque[r, v + c] = scratch.torque[v + c] - passive
        if chain.index[k, HAS_BODY]:
            for c in range(9):
                records.rotation[r, k, c] = scratch.work[k, ROTATION + c]
            for c in range(3):
                records.origin[r, k, c] = scratch.work[k, ORIGIN + c]
            for c in range(6):
                records.twist[r, k, c] = scratch.work[k, VELOCITY + c]
                records.wrench[r, k, c] = scratch.wrench[k, c]
            put_pair(records.twist_rate[r], k, START, true_acceleration(scratch.work, k))


@kernel
def normalise(chain, x):
    """Unit quaternions again, after a step."""
    scale_quaternion(x, 3)
    for k in range(1, chain.index.shape[0]):
        if chain.index[k, KIND] == SPHERICAL:
            scale_quaternion(x, 7 + chain.index[k, POSITION])


@inline
def scale_quaternion(x, i):
    scale = 1.0 / sqrt(x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2] + x[i + 3] * x[i + 3])
    for c in range(4):
        x[i + c] = scale * x[i + c]


@kernel
def advance(chain, laws, setting, drive, knots, record, x, split, scratch, records):
    """Step x from the first knot to the last and record where asked. Returns the number of a locked joint (0: none) and its step."""
    size, r, stage, rates = x.shape[0], 0, scratch.stage, scratch.rates
    steps = knots.shape[0] - 1
    for n in range(steps + 1):
        last = n == steps
        if last and not record[n]:
            break
        h = 0.0 if last else knots[n + 1] - knots[n]
        t = knots[n]
        inside = t + 0.5 * h if h > 0.0 else 0.5 * (t + knots[max(n - 1, 0)])
        chain_rate(chain, laws, setting, drive, 2 * n, t, inside, x, split, scratch, rates[0])
        if setting.any_free:
            joint = is_locked(chain, scratch.work)
            if joint > 0:
                return joint, n
        if record[n]:
            store(chain, x, split, scratch, rates[0], records, r)
            r += 1
        if last:
            break
        for c in range(size):
            stage[c] = x[c] + 0.5 * h * rates[0, c]
        chain_rate(chain, laws, setting, drive, 2 * n + 1, t + 0.5 * h, inside, stage, split, scratch, rates[1])
        for c in range(size):
            stage[c] = x[c] + 0.5 * h * rates[1, c]
        chain_rate(chain, laws, setting, drive, 2 * n + 1, t + 0.5 * h, inside, stage, split, scratch, rates[2])
        for c in range(size):
            stage[c] = x[c] + h * rates[2, c]
        chain_rate(chain, laws, setting, drive, 2 * n + 2, t + h, inside, stage, split, scratch, rates[3])
        for c in range(size):
            x[c] += h / 6.0 * (rates[0, c] + 2.0 * rates[1, c] + 2.0 * rates[2, c] + rates[3, c])
        normalise(chain, x)
    return 0, steps


