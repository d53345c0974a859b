"""A rod whose net motion is given, by contacts: its pose along the motion, and what this motion takes (paper 000, Fig.
5)."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Pose, Quaternion, Vector, compose, pose_exp, power, quaternion_from_rotation
from limbless.mechanics.compiled import Array, IntArray, Rows, Scalar, Table, func, kernel, table, unpack
from limbless.mechanics.forces import LawWrench
from limbless.mechanics.integrate.running_totals import RunTotals, Totals, add_laws, record_totals
from limbless.mechanics.rod import (
    HeadState,
    Instant,
    Load,
    RodMemory,
    RodTables,
    ShapeSums,
    StrainRow,
    Strains,
    current,
    find_needs,
    head_pose_of,
    inertial_wrench,
    keep_loads,
    lay_slab,
    load_all,
    look_at_strains,
    magnus_first,
    magnus_second,
    push_rod,
    put_efforts,
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
    robot, forces, motion, memory, taken = unpack((robot, forces, motion, memory, taken))
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
        taken.laws[i][:] = memory.law_powers
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


# ------------------------------------------------------------------------------------------------- the tally of a block


class Steps(NamedTuple):
    """The instants of a block of K steps."""

    knots: Array  # (K + 1,) s
    record: IntArray  # (K + 1,) whether a knot is recorded
    # (K, 3) instants at start, middle and end of every step; the end of one is the start of the next unless
    # something switches
    grid: IntArray
    stage: IntArray  # (E,) instant of the drive
    stands: IntArray  # (E,) which of the J instants at knots it is, or -1


class HeldPowers(NamedTuple):
    """What is known of E instants, and of the J of them at knots, once contacts have their forces."""

    contacts: Array  # (E, contacts) W
    whole: Array  # (E, 3) actuators, environment and passive strains, W
    hold: Rows[LawWrench]  # (J,): what holds the head


@kernel
def take_contacts_off(robot: RodTables, place: Array, touch: Rows[LawWrench], inner: Rows[LawWrench]) -> None:
    """What contacts at abscissae `place` (J, P), with wrenches `touch`, Pushed (J, P), about the head, give to the body
    before a section."""
    body, found = unpack(robot), unpack(inner)
    for j in range(place.shape[0]):
        s = 0
        for panel in range(body.halves.shape[0]):
            if body.halves[panel] > 0.0:
                part = LawWrench(found, j, s)
                for i in range(place.shape[1]):
                    if place[j, i] < body.abscissae[2 * panel + 1]:
                        part.wrench = part.wrench - LawWrench(touch, j, i).wrench
                s += 1


@func
def look_at_instant(
    robot: RodTables,
    memory: RodMemory,
    strains: Strains,
    steps: Steps,
    taken: MotionLoads,
    powers: HeldPowers,
    i: int,
    t: Scalar,
) -> None:
    j, row = steps.stands[i], steps.stage[i]
    strain, rate, hold = strains.value[row], strains.rate[row], LawWrench(powers.hold, j).wrench
    put_efforts(robot, memory, taken.inner[j], hold, memory.shapes[row], strain, rate)
    look_at_strains(memory.tally, t, memory.efforts, memory.powers, taken.speed[j])


@kernel
def count_instants(
    robot: RodTables,
    memory: RodMemory,
    strains: Strains,
    kept: Totals,
    steps: Steps,
    taken: MotionLoads,
    powers: HeldPowers,
) -> None:
    """The tally of a block whose motion contacts decide, and what it holds at recorded knots (`kept`)."""
    robot, memory, strains, kept, steps, taken, powers = unpack((robot, memory, strains, kept, steps, taken, powers))
    r, tally, knots, grid = 0, memory.tally, steps.knots, steps.grid
    for n in range(grid.shape[0] + 1):
        if n < grid.shape[0] and (n == 0 or grid[n, 0] != grid[n - 1, 2]):
            i = grid[n, 0]  # the step begins with powers of its own
            whole = RunTotals(tally.whole, 0)
            whole.time = knots[n]
            whole.speed = taken.speed[steps.stands[i]]
            look_at_instant(robot, memory, strains, steps, taken, powers, i, knots[n])
        if steps.record[n]:
            record_totals(tally, kept, r)
            r += 1
        if n == grid.shape[0]:
            break
        for side in range(3):
            e, weight = grid[n, side], (knots[n + 1] - knots[n]) * (4.0 if side == 1 else 1.0) / 6.0
            for c in range(powers.contacts.shape[1]):
                tally.contacts[c] += weight * powers.contacts[e, c]
            add_laws(tally, weight, taken.laws[e], powers.whole[e, 0], powers.whole[e, 1], powers.whole[e, 2])
        look_at_instant(robot, memory, strains, steps, taken, powers, grid[n, 2], knots[n + 1])
