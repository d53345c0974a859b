"""The motion of the head at one instant (paper 000, Fig. 2): its twist from the state, its acceleration from what
pushes the rod."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.lie import Pose
from limbless.mechanics.algebra.spatial import Twist, Wrench, carry_wrench, power
from limbless.mechanics.algebra.vectors import Vector, cross, rotation_from_quaternion, rows, transpose
from limbless.mechanics.chain.force_balance import BalanceScratch, at_scaled_speed, balance, solve_free, total_wrench
from limbless.mechanics.chain.joints import put_quaternion_rate
from limbless.mechanics.compiled.generic import generic, version_for
from limbless.mechanics.compiled.kernel import func, noinline_func
from limbless.mechanics.forces.laws import LawWrench
from limbless.mechanics.rod.composite_inertia import inertial_wrench
from limbless.mechanics.rod.shape_batch import current
from limbless.mechanics.rod.slice_forces import push_paced
from limbless.mechanics.rod.tables import (
    TURN,
    HeadState,
    InertialessForm,
    Instant,
    MomentumForm,
    ShapeSums,
    StrainRow,
    VelocityForm,
)


@func
def head_pose_of(state):
    q = state.turn
    return Pose(rotation_from_quaternion(q.w, q.x, q.y, q.z), state.position)


@func
def into_head(instant, F):
    """A wrench about the world origin, along the world axes, about the head and along its axes."""
    Rt = transpose(instant.rotation)
    return Wrench(Rt @ F.force, Rt @ (F.torque - cross(instant.position, F.force)))


@func
def into_world(instant, F):
    return carry_wrench(Wrench(instant.rotation @ F.force, instant.rotation @ F.torque), instant.position)


@func
def put_full(matrix, I):
    """An inertia as a full 6 x 6 matrix."""
    M, J = rows(I.M), rows(I.J)
    for r in range(3):
        for c in range(3):
            matrix[r, c], matrix[3 + r, 3 + c] = M[r][c], J[r][c]
            matrix[3 + r, c], matrix[c, 3 + r] = I.H[r][c], I.H[r][c]


@func
def held_part(free, F):
    """The components of a wrench along which the head is held."""
    f, n = F.force, F.torque
    return Wrench(
        Vector((1.0 - free[0]) * f.x, (1.0 - free[1]) * f.y, (1.0 - free[2]) * f.z),
        Vector((1.0 - free[3]) * n.x, (1.0 - free[4]) * n.y, (1.0 - free[5]) * n.z),
    )


@func
def solve_for(F, free, memory):
    """The twist, or its rate, that the matrix of the memory makes this wrench of. False if there is none."""
    LawWrench(memory.unknown, 0).wrench = F
    sound = solve_free(memory.matrix, memory.unknown, free, memory.system)
    return sound, StrainRow(memory.unknown, 0).twist


# ------------------------------------------------------------------------------------------------- the forms of a state


@generic
def find_twist(form, problem, t, window_time, x):
    """The head's twist into the instant. False if there is none."""


@generic
def accelerate(form, free, memory):
    """η̇_o of (18) and what holds the head into the instant, from its bias and push. False if there is no unique
    answer."""


@generic
def motion_rate(form, instant, outer):
    """Rate of the motion in the state; `outer` is all that acts from outside, about the world origin."""


@version_for(find_twist, VelocityForm)
@func
def twist_of_state(form, problem, t, window_time, x):
    Instant(problem.memory.instant, 0).twist = HeadState(x, 0).motion
    return True


@version_for(find_twist, MomentumForm)
@func
def twist_of_momentum(form, problem, t, window_time, x):
    memory, motion = problem.memory, HeadState(x, 0).motion
    instant, sums = Instant(memory.instant, 0), ShapeSums(memory.sums, current(memory))
    whole = into_head(instant, Wrench(motion.linear, motion.angular))
    sound, twist = solve_for(whole - sums.momentum, problem.robot.free, memory)
    instant.twist = twist
    return sound


@version_for(find_twist, InertialessForm)
@func
def twist_of_balance(form, problem, t, window_time, x):
    Instant(problem.memory.instant, 0).twist = HeadState(x, 0).motion
    return balance_rod(problem.robot, problem.forces, t, window_time, problem.memory)


class FloatingRod(NamedTuple):
    """A rod whose shape is that of an instant."""

    robot: Any
    forces: tuple
    t: float
    window_time: float
    memory: Any
    pace: float


@version_for(at_scaled_speed, FloatingRod)
@func
def rod_at_pace(floating, pace):
    robot, forces, t, window_time, memory, _ = floating
    return FloatingRod(robot, forces, t, window_time, memory, pace)


@version_for(total_wrench, FloatingRod)
@func
def push_floating(floating, twist):
    robot, forces, t, window_time, memory, pace = floating
    instant = Instant(memory.instant, 0)
    instant.twist = twist
    push_paced(forces, t, window_time, robot, memory, pace)
    return instant.push


@noinline_func
def balance_rod(robot, forces, t, window_time, memory):
    """The twist at which the external wrench vanishes (spec, section 7), into the instant. False if there is none."""
    instant = Instant(memory.instant, 0)
    desk = BalanceScratch(robot.free, memory.matrix, memory.system, memory.unknown)
    found, twist = balance(FloatingRod(robot, forces, t, window_time, memory, 1.0), desk, instant.twist)
    instant.twist = twist
    return found


@version_for(accelerate, VelocityForm, MomentumForm)
@func
def accelerate_inertia(form, free, memory):
    instant, sums = Instant(memory.instant, 0), ShapeSums(memory.sums, current(memory))
    left = instant.push - instant.bias
    sound, rate = solve_for(left, free, memory)
    instant.rate = rate
    instant.hold = held_part(free, sums.inertia @ rate - left)
    return sound


@version_for(accelerate, InertialessForm)
@func
def accelerate_nothing(form, free, memory):
    instant, still = Instant(memory.instant, 0), Vector(0.0, 0.0, 0.0)
    instant.rate = Twist(still, still)
    instant.hold = held_part(free, -1.0 * instant.push)
    return True


@version_for(motion_rate, VelocityForm, InertialessForm)
@func
def twist_rate(form, instant, outer):
    return instant.rate


@version_for(motion_rate, MomentumForm)
@func
def momentum_rate(form, instant, outer):
    return Twist(outer.force, outer.torque)


# ---------------------------------------------------------------------------------------------------------- one instant


@noinline_func
def place_head(memory, x):
    """The pose of the head."""
    instant, pose = Instant(memory.instant, 0), head_pose_of(HeadState(x, 0))
    instant.rotation = pose.rotation
    instant.position = pose.position


@noinline_func
def put_inertia(memory):
    """The inertia of the whole as a matrix."""
    put_full(memory.matrix, ShapeSums(memory.sums, current(memory)).inertia)


@noinline_func
def find_acceleration(form, free, memory, x, out):
    """The rate of the state from what pushes. False if the motion is not determined.

    The power of the actuators is -∫ Λᵀ ξ̇ dX; by parts, and with a free tail, it is ∫ L' . J dX.
    """
    instant, sums = Instant(memory.instant, 0), ShapeSums(memory.sums, current(memory))
    twist, push = instant.twist, instant.push
    bias, along = inertial_wrench(sums, twist)
    instant.bias = bias
    sound = accelerate(form, free, memory)
    instant.actuators = along - instant.along + power(instant.rate, sums.momentum)
    instant.environment = instant.along + power(twist, push) + instant.joining
    slope, outer = HeadState(out, 0), into_world(instant, push + instant.hold + instant.joined)
    slope.position = instant.rotation @ twist.linear
    put_quaternion_rate(x, TURN, twist.angular, out)
    slope.motion = motion_rate(form, instant, outer)
    slope.actuators = instant.actuators
    slope.environment = instant.environment
    slope.impulse = outer
    return sound
