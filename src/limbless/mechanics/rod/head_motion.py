"""The motion of the head at one instant (paper 000, Fig. 2): its twist from the state, its acceleration from what
pushes the rod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Pose,
    Twist,
    Vector,
    Wrench,
    power,
    rotation_from_quaternion,
    rows,
)
from limbless.mechanics.chain import (
    BalanceScratch,
    at_scaled_speed,
    balance,
    put_quaternion_rate,
    solve_free,
    total_wrench,
)
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func, version_for
from limbless.mechanics.forces import LawWrench
from limbless.mechanics.rod import (
    TURN,
    HeadState,
    Instant,
    RodMemory,
    RodOptions,
    RodProblem,
    RodTables,
    ShapeSums,
    StrainRow,
    current,
    from_head,
    inertial_wrench,
    push_paced,
    to_head,
)

if TYPE_CHECKING:
    from limbless.mechanics.rod.prescribed_motion import HeadPose


@func
def head_pose_of(state: HeadPose | HeadState) -> Pose:
    q = state.turn
    return Pose(rotation_from_quaternion(q.w, q.x, q.y, q.z), state.position)


@func
def put_full(matrix: Array, I: Inertia) -> None:
    """An inertia as a full 6 x 6 matrix."""
    M, J = rows(I.M), rows(I.J)
    for r in range(3):
        for c in range(3):
            matrix[r, c], matrix[3 + r, 3 + c] = M[r][c], J[r][c]
            matrix[3 + r, c], matrix[c, 3 + r] = I.H[r][c], I.H[r][c]


@func
def held_part(free: Array, F: Wrench) -> Wrench:
    """The components of a wrench along which the head is held."""
    f, n = F.force, F.torque
    return Wrench(
        Vector((1.0 - free[0]) * f.x, (1.0 - free[1]) * f.y, (1.0 - free[2]) * f.z),
        Vector((1.0 - free[3]) * n.x, (1.0 - free[4]) * n.y, (1.0 - free[5]) * n.z),
    )


@func
def solve_for(F: Wrench, desk: BalanceScratch) -> tuple[bool, Twist]:
    """The twist, or its rate, that the matrix of the memory makes this wrench of. False if there is none."""
    LawWrench(desk.unknown, 0).wrench = F
    sound = solve_free(desk.matrix, desk.unknown, desk.free, desk.system)
    return sound, StrainRow(desk.unknown, 0).twist


# ------------------------------------------------------------------------------------------------- the forms of a state


@func
def find_twist(problem: RodProblem, t: Scalar, window_time: Scalar, x: Array) -> bool:
    """The head's twist into the instant. False if there is none."""
    if problem.options.momentum is not None:
        return twist_of_momentum(problem, x)
    Instant(problem.memory.instant, 0).twist = HeadState(x, 0).motion
    if problem.options.inertialess is not None:
        return balance_rod(problem.robot, problem.forces, t, window_time, problem.memory)
    return True


@func
def twist_of_momentum(problem: RodProblem, x: Array) -> bool:
    memory, motion = problem.memory, HeadState(x, 0).motion
    instant, sums = Instant(memory.instant, 0), ShapeSums(memory.sums, current(memory))
    whole = from_head(instant.rotation, instant.position, Wrench(motion.linear, motion.angular))
    sound, twist = solve_for(whole - sums.momentum, memory.balance)
    instant.twist = twist
    return sound


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
def rod_at_pace(floating: FloatingRod, pace: Scalar) -> FloatingRod:
    return FloatingRod(floating.robot, floating.forces, floating.t, floating.window_time, floating.memory, pace)


@version_for(total_wrench, FloatingRod)
@func
def push_floating(floating: FloatingRod, twist: Any):
    robot, forces, t, window_time, memory, pace = floating
    instant = Instant(memory.instant, 0)
    instant.twist = twist
    push_paced(forces, t, window_time, robot, memory, pace)
    return instant.push


@noinline_func
def balance_rod(robot: RodTables, forces: tuple, t: Scalar, window_time: Scalar, memory: RodMemory):
    """The twist at which the external wrench vanishes, into the instant. False if there is none."""
    instant = Instant(memory.instant, 0)
    found, twist = balance(FloatingRod(robot, forces, t, window_time, memory, 1.0), memory.balance, instant.twist)
    instant.twist = twist
    return found


@func
def accelerate(options: RodOptions, memory: RodMemory) -> bool:
    """η̇_o of (18) and what holds the head into the instant, from its bias and push. False if there is no unique
    answer."""
    instant, free = Instant(memory.instant, 0), memory.balance.free
    if options.inertialess is not None:
        still = Vector(0.0, 0.0, 0.0)
        instant.rate = Twist(still, still)
        instant.hold = held_part(free, -1.0 * instant.push)
        return True
    sums = ShapeSums(memory.sums, current(memory))
    left = instant.push - instant.bias
    sound, rate = solve_for(left, memory.balance)
    instant.rate = rate
    instant.hold = held_part(free, sums.inertia @ rate - left)
    return sound


# ---------------------------------------------------------------------------------------------------------- one instant


@noinline_func
def place_head(memory: RodMemory, x: Array) -> None:
    """The pose of the head."""
    instant, pose = Instant(memory.instant, 0), head_pose_of(HeadState(x, 0))
    instant.rotation = pose.rotation
    instant.position = pose.position


@noinline_func
def put_inertia(memory: RodMemory) -> None:
    """The inertia of the whole as a matrix."""
    put_full(memory.balance.matrix, ShapeSums(memory.sums, current(memory)).inertia)


@noinline_func
def find_acceleration(options: RodOptions, memory: RodMemory, x: Array, out: Array) -> bool:
    """The rate of the state from what pushes. False if the motion is not determined.

    The power of the actuators is -∫ Λᵀ ξ̇ dX; by parts, and with a free tail, it is ∫ L' . J dX.
    """
    instant, sums = Instant(memory.instant, 0), ShapeSums(memory.sums, current(memory))
    twist, push = instant.twist, instant.push
    bias, along = inertial_wrench(sums, twist)
    instant.bias = bias
    sound = accelerate(options, memory)
    instant.actuators = along - instant.along + power(instant.rate, sums.momentum)
    instant.environment = instant.along + power(twist, push) + instant.joining
    slope, outside = HeadState(out, 0), push + instant.hold + instant.joined
    outer = to_head(instant.rotation, instant.position, outside)
    slope.position = instant.rotation @ twist.linear
    put_quaternion_rate(x, TURN, twist.angular, out)
    slope.motion = instant.rate if options.momentum is None else Twist(outer.force, outer.torque)
    slope.actuators = instant.actuators
    slope.environment = instant.environment
    slope.impulse = outer
    return sound
