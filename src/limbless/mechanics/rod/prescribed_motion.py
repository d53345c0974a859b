"""A rod whose net motion is given, by contacts: its pose along the motion, and what this motion takes (paper 000, Fig.
5)."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Pose, Quaternion, Vector, compose, pose_exp, power, quaternion_from_rotation
from limbless.mechanics.compiled import Array, IntArray, Rows, Table, func, kernel, noinline_func, table, unpack
from limbless.mechanics.forces import LawWrench
from limbless.mechanics.rod import (
    HeadState,
    Instant,
    Load,
    RodMemory,
    RodTables,
    ShapeSums,
    StrainRow,
    current,
    find_needs,
    head_pose_of,
    inertial_wrench,
    keep_loads,
    lay_slab,
    load_all,
    magnus_first,
    magnus_second,
    push_rod,
)


@table
class HeadPose(Table):
    """Position and quaternion of the head; the first numbers of a `HeadState`."""

    position: Vector
    turn: Quaternion


class HeadPath(NamedTuple):
    """The motion of the head at E instants."""

    times: Array  # (E,) s
    window_time: Array  # (E,) times within the steps: which windows are open
    poses: Array  # HeadPose (E,)
    twist: Array  # Screw (E,)
    rate: Array  # Screw (E,) of the components of the twist
    stage: IntArray  # (E,) instant of the drive: row of the shapes
    stands: IntArray  # (E,) which of the J instants at knots it is, or -1


class MotionLoads(NamedTuple):
    """What the motion takes."""

    bias: Array  # Pushed (E,) inertial wrench without the rate of the twist, head frame
    push: Array  # Pushed (E,) of the environment
    powers: Array  # (E, 2) of the strains' drive without that rate, and of the environment, W
    laws: Array  # (E, environments) W
    loads: Rows[Load]  # (J, nodes)
    inner: Rows[LawWrench]  # (J, sections): what the body before every section needs, head frame
    speed: Array  # (J,) of the centre of mass, m/s


@kernel
def follow_twist(knots: Array, twist: Rows[StrainRow], x: Array, poses: Rows[HeadPose]) -> None:
    """Pose of the head along an imposed twist, Screw (steps, 3: start, middle and end of each step): fourth-order
    Magnus steps.

    poses : HeadPose (steps, 3); x, a `HeadState`, ends at the last of them.
    """
    for n in range(knots.shape[0] - 1):
        d = 0.5 * (knots[n + 1] - knots[n])
        a, b, c = StrainRow(twist, n, 0).twist, StrainRow(twist, n, 1).twist, StrainRow(twist, n, 2).twist
        head = HeadState(x, 0)
        start, near = head_pose_of(head), head.turn
        middle = compose(start, pose_exp(magnus_first(a, b, c, d)))
        end = compose(middle, pose_exp(magnus_second(a, b, c, d)))
        first, last = HeadPose(poses, n, 0), HeadPose(poses, n, 2)
        first.position = head.position
        first.turn = near
        put_pose(HeadPose(poses, n, 1), middle, near)
        put_pose(last, end, near)
        head.position = last.position
        head.turn = last.turn


@func
def put_pose(row: HeadPose, g: Pose, near: Quaternion) -> None:
    """Store a pose; of its two quaternions the one nearer to that of the start."""
    q = quaternion_from_rotation(g.rotation)
    sign = 1.0 if q.w * near.w + q.x * near.x + q.y * near.y + q.z * near.z >= 0.0 else -1.0
    row.position = g.position
    row.turn = Quaternion(sign * q.w, sign * q.x, sign * q.y, sign * q.z)


@kernel
def loads_many(robot: RodTables, forces: tuple, motion: HeadPath, memory: RodMemory, taken: MotionLoads) -> None:
    """What pushes, and the inertial wrench without η̇_o, at instants of a given motion; the shapes are in the
    memory."""
    find_loads(unpack(robot), unpack(forces), unpack(motion), unpack(memory), unpack(taken))


@noinline_func
def find_loads(robot: RodTables, forces: tuple, motion: HeadPath, memory: RodMemory, taken: MotionLoads) -> None:
    instant = Instant(memory.instant, 0)
    for i in range(motion.times.shape[0]):
        place_instant(motion, memory, i)
        push_rod(forces, motion.times[i], motion.window_time[i], robot, memory)
        twist = instant.twist
        bias, along = inertial_wrench(ShapeSums(memory.sums, current(memory)), twist)
        LawWrench(taken.bias, i).wrench = bias
        LawWrench(taken.push, i).wrench = instant.push
        taken.powers[i, 0] = along - instant.along
        taken.powers[i, 1] = instant.along + power(twist, instant.push)
        for c in range(memory.law_powers.shape[0]):
            taken.laws[i, c] = memory.law_powers[c]
        j = motion.stands[i]
        if j >= 0:
            load_all(forces, memory)
            keep_loads(memory.pushes, memory.pokes, taken.loads, j)
            taken.speed[j] = find_needs(robot, memory, taken.inner[j])


@func
def place_instant(motion: HeadPath, memory: RodMemory, i: int) -> None:
    """Instant i of the motion as the instant at hand."""
    instant, pose = Instant(memory.instant, 0), head_pose_of(HeadPose(motion.poses, i))
    instant.rotation = pose.rotation
    instant.position = pose.position
    instant.twist = StrainRow(motion.twist, i).twist
    instant.rate = StrainRow(motion.rate, i).twist
    memory.now[0] = motion.stage[i]
    lay_slab(memory.shapes[current(memory)], memory.slab)
