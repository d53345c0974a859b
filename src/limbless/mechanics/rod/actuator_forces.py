"""What the actuators of a rod give, at every knot of a run: the wrench inside the body (24) less its passive part, and
its power.

The same as `models.macro_continuous.recording` finds for records in NumPy, here in the loop: eight nodes side by side
for what each slice needs, then one sum from the head on. Sections are the middle nodes of panels that have a length.
"""

from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra import Twist, Vector, Wrench, cross, dot, twist_cross, wrench_cross
from limbless.mechanics.compiled import (
    LANES,
    Array,
    Rows,
    Scalar,
    align_stack,
    as_lane_array,
    func,
    kernel,
    noinline_func,
    total,
)
from limbless.mechanics.forces import LawWrench, lane_wrench
from limbless.mechanics.integrate.running_totals import (
    Totals,
    add_path_length,
    at_record,
    compare,
    record_totals,
)
from limbless.mechanics.rod import (
    Instant,
    Muscle,
    RodMemory,
    RodShape,
    RodTables,
    Section,
    current,
    first_half,
    from_head,
    nothing,
    second_half,
    to_head,
    to_section,
)


@func
def moved(section: Section, V: Twist) -> Wrench:
    """Diagonal inertia times a twist."""
    m, j, v, w = section.mass, section.turn, V.linear, V.angular
    return Wrench(Vector(m.x * v.x, m.y * v.y, m.z * v.z), Vector(j.x * w.x, j.y * w.y, j.z * w.z))


@noinline_func
def put_needs(robot: RodTables, memory: RodMemory) -> Scalar:
    """What every node needs from the rest of the body, per length, in the head frame (13). Returns the speed of the
    centre of mass."""
    align_stack()
    sections, nodes = as_lane_array(robot.octets), as_lane_array(memory.slab)
    pushes, needs = as_lane_array(memory.pushes), as_lane_array(memory.needs)
    instant, o = Instant(memory.instant, 0), 0.0 * nodes[0, 0]
    twist, flow = instant.twist, Vector(o, o, o)
    for b in range(nodes.shape[0]):
        section, shape = Section(sections, b), RodShape(nodes, b)
        R, p, swing = shape.rotation, shape.place, shape.swing
        u = twist + swing
        V, A = to_section(R, p, u), to_section(R, p, instant.rate + shape.surge + twist_cross(twist, swing))
        need = moved(section, A) + wrench_cross(V, moved(section, V)) - LawWrench(pushes, b).wrench
        LawWrench(needs, b).wrench = to_head(R, p, need)
        flow = flow + section.share * (u.linear + cross(u.angular, p))
    v = Vector(total(flow.x), total(flow.y), total(flow.z))
    return np.sqrt(dot(v, v))


@func
def need_of(needs: Rows[LawWrench], k: int) -> Wrench:
    return lane_wrench(needs, k // LANES, k % LANES)


@func
def poked(memory: RodMemory, shapes: Rows[RodShape], k: int) -> Wrench:
    """What acts at node k alone, in the head frame."""
    F = LawWrench(memory.pokes, k).wrench
    if dot(F.force, F.force) + dot(F.torque, F.torque) == 0.0:  # at nearly all nodes
        return nothing()
    shape = RodShape(shapes, k)
    return to_head(shape.rotation, shape.place, F)


@noinline_func
def add_needs(halves: Array, memory: RodMemory, shapes: Rows[RodShape], inner: Rows[LawWrench]) -> None:
    """∫ of the needs from the head to every section, less what acts at single nodes on the way."""
    so_far, s = nothing(), 0
    for panel in range(halves.shape[0]):
        k, d = 2 * panel, halves[panel]
        so_far = so_far - poked(memory, shapes, k)
        if d > 0.0:
            a, b, c = need_of(memory.needs, k), need_of(memory.needs, k + 1), need_of(memory.needs, k + 2)
            so_far = so_far + first_half(a, b, c, d)
            LawWrench(inner, s).wrench = so_far
            so_far = so_far + second_half(a, b, c, d)
            s += 1
        so_far = so_far - poked(memory, shapes, k + 1)


@func
def find_needs(robot: RodTables, memory: RodMemory, inner: Rows[LawWrench]) -> Scalar:
    """All of one instant that does not depend on what holds the body, from its shape, loads and twist.

    inner : Pushed (sections,). Returns the speed of the centre of mass.
    """
    speed = put_needs(robot, memory)
    add_needs(robot.halves, memory, memory.shapes[current(memory)], inner)
    return speed


@noinline_func
def put_efforts(
    robot: RodTables,
    memory: RodMemory,
    inner: Rows[LawWrench],
    hold: Wrench,
    shapes: Rows[RodShape],
    strain: Array,
    rate: Array,
) -> None:
    """Efforts and their powers, with what holds the head; strain and rate : (nodes, 6)."""
    s = 0
    for panel in range(robot.halves.shape[0]):
        if robot.halves[panel] <= 0.0:
            continue
        k = 2 * panel + 1
        shape = RodShape(shapes, k)
        inside = from_head(shape.rotation, shape.place, LawWrench(inner, s).wrench - hold)
        for c in range(6):
            muscle, along = Muscle(robot.muscles, 6 * s + c), inside.force[c] if c < 3 else inside.torque[c - 3]
            given = muscle.stiffness * (strain[k, c] - muscle.rest) + muscle.damping * rate[k, c] - along
            memory.efforts[6 * s + c] = given * muscle.acts
            memory.powers[6 * s + c] = memory.efforts[6 * s + c] * rate[k, c]
        s += 1


@func
def positive_line(before: Scalar, after: Scalar) -> Scalar:
    """Mean of the positive part of a power that goes in a straight line."""
    if before >= 0.0 and after >= 0.0:
        return 0.5 * (before + after)
    if before <= 0.0 and after <= 0.0:
        return 0.0
    top = max(before, after)
    return 0.5 * top * top / abs(after - before)


@kernel
def look_at_strains(tally: Totals, t: Scalar, efforts: Array, powers: Array, speed: Scalar) -> None:
    """What stands at a knot of a rod: efforts, work and path since the knot before, in straight lines."""
    h = add_path_length(tally, t, speed)
    for a in range(efforts.shape[0]):
        before, now = tally.power[a], powers[a]
        tally.work[a] += 0.5 * h * (before + now)
        tally.positive[a] += h * positive_line(before, now)
        tally.power[a] = now
        compare(tally, a, t, efforts[a])


@func
def look_and_keep_strains(
    memory: RodMemory, kept: Totals, r: int, recorded: bool, last: bool, t: Scalar, speed: Scalar
) -> None:
    """`look_at_strains` at a knot and, where it is recorded, `record_totals`; as `tally.compare_and_record`."""
    tally, efforts, powers = memory.tally, memory.efforts, memory.powers
    if last:
        record_totals(tally, kept, r)
        look_at_strains(at_record(kept, r), t, efforts, powers, speed)
    else:
        look_at_strains(tally, t, efforts, powers, speed)
        if recorded:
            record_totals(tally, kept, r)
