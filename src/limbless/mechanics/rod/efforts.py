"""What the actuators of a rod give, at every knot of a run: the wrench inside the body (24) less its passive part, and its power.

The same as `models.macro_continuous.recording` finds for records in NumPy, here in the loop: eight nodes side by side for what each slice
needs, then one sum from the head on. Sections are the middle nodes of panels that have a length.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import get_matrix, get_twist, get_vector, get_wrench, put_pair
from limbless.mechanics.algebra.inertia import Wrench, twist_cross, wrench_cross
from limbless.mechanics.algebra.vectors import Vector, cross, dot, transpose
from limbless.mechanics.compiled.kernel import align_stack, inline, kernel
from limbless.mechanics.compiled.lanes import LANES, as_lanes, total
from limbless.mechanics.integrate.tally import PATH, POSITIVE, POWER, SPEED, TIME, WORK, add_laws, compare, keep
from limbless.mechanics.rod.sweep import PLACE, POKE, PUSH, ROTATION, SURGE, SWING, first_half, second_half, to_head, to_section

START = np.int64(0)
INNER = np.int64(6)                    # columns of `Muscles.room`: surge and push of a node, and what it needs, in the head frame
STIFFNESS, DAMPING, NATURAL, ACTUATED = np.arange(4)


class Muscles(NamedTuple):
    """The actuators of a rod, and room to find what they give."""

    half: NDArray[np.float64]          # (panels,) half the length of each panel, m
    X: NDArray[np.float64]             # (nodes,) m
    inertia: NDArray[np.float64]       # (nodes / 8, 6, 8) diagonal of M + Ma
    share: NDArray[np.float64]         # (nodes / 8, 8) of the mass
    strains: NDArray[np.float64]       # (4, 6) passive stiffness and damping, strain at rest, 1 where actuated
    room: NDArray[np.float64]          # (nodes / 8, 18, 8) surge, push, need
    inner: NDArray[np.float64]         # (sections, 6) what the body before a section needs, in the head frame
    effort: NDArray[np.float64]        # (6 sections,) of each strain of each section
    power: NDArray[np.float64]         # (6 sections,) W/m
    place: NDArray[np.float64]         # (0,) and
    touch: NDArray[np.float64]         # (0, 6): no contacts


@kernel
def lay_room(work, room):
    """Surge and push of all nodes, eight neighbours side by side."""
    for k in range(work.shape[0]):
        for c in range(6):
            room[k // LANES, c, k % LANES], room[k // LANES, 6 + c, k % LANES] = work[k, SURGE + c], work[k, PUSH + c]


@kernel
def put_needs(muscles, twist, rate, slab):
    """What every node needs from the rest of the body, per length, in the head frame (13). Returns the speed of the centre of mass."""
    align_stack()
    nodes, room, inertia, share = as_lanes(slab), as_lanes(muscles.room), as_lanes(muscles.inertia), as_lanes(muscles.share)
    o = 0.0 * nodes[0, 0]
    flow = Vector(o, o, o)
    for b in range(slab.shape[0]):
        R, p, swing = get_matrix(nodes, b, ROTATION), get_vector(nodes, b, PLACE), get_twist(nodes, b, SWING)
        u = twist + swing
        V, A = to_section(R, p, u), to_section(R, p, rate + get_twist(room, b, START) + twist_cross(twist, swing))
        need = moved(inertia, b, A) + wrench_cross(V, moved(inertia, b, V)) - get_wrench(room, b, INNER)
        put_pair(room, b, 2 * INNER, to_head(R, p, need))
        flow = flow + share[b] * (u.linear + cross(u.angular, p))
    v = Vector(total(flow.x), total(flow.y), total(flow.z))
    return np.sqrt(dot(v, v))


@inline
def moved(inertia, b, V):
    """Diagonal inertia times a twist."""
    return Wrench(Vector(inertia[b, 0] * V.linear.x, inertia[b, 1] * V.linear.y, inertia[b, 2] * V.linear.z),
                  Vector(inertia[b, 3] * V.angular.x, inertia[b, 4] * V.angular.y, inertia[b, 5] * V.angular.z))


@inline
def node_pair(room, k, column):
    """A pair of node k out of the room."""
    b, j = k // LANES, k % LANES
    return Wrench(Vector(room[b, column, j], room[b, column + 1, j], room[b, column + 2, j]),
                  Vector(room[b, column + 3, j], room[b, column + 4, j], room[b, column + 5, j]))


@inline
def poked(work, k):
    """What acts at node k alone, in the head frame."""
    return to_head(get_matrix(work, k, ROTATION), get_vector(work, k, PLACE), get_wrench(work, k, POKE))


@kernel
def add_needs(muscles, work, inner):
    """∫ of the needs from the head to every section, less what acts at single nodes on the way."""
    half, room = muscles.half, muscles.room
    so_far, s = Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0)), 0
    for panel in range(half.shape[0]):
        k, d = 2 * panel, half[panel]
        so_far = so_far - poked(work, k)
        if d > 0.0:
            a, b, c = node_pair(room, k, 12), node_pair(room, k + 1, 12), node_pair(room, k + 2, 12)
            so_far = so_far + first_half(a, b, c, d)
            put_pair(inner, s, START, so_far)
            so_far = so_far + second_half(a, b, c, d)
            s += 1
        so_far = so_far - poked(work, k + 1)


@kernel
def find_needs(muscles, twist, rate, work, slab, inner):
    """All of one instant that does not depend on what holds the body. Returns the speed of the centre of mass."""
    lay_room(work, muscles.room)
    speed = put_needs(muscles, twist, rate, slab)
    add_needs(muscles, work, inner)
    return speed


@kernel
def put_efforts(muscles, inner, hold, place, touch, work, strain, rate):
    """Efforts and their powers: with what holds the head, and contacts at abscissae `place` (P,) with wrenches `touch` (P, 6) about it."""
    half, strains, effort, power = muscles.half, muscles.strains, muscles.effort, muscles.power
    s = 0
    for panel in range(half.shape[0]):
        if half[panel] <= 0.0:
            continue
        k = 2 * panel + 1
        F = get_wrench(inner, s, START) - hold
        for i in range(place.shape[0]):
            if place[i] < muscles.X[k]:
                F = F - get_wrench(touch, i, START)
        Rt = transpose(get_matrix(work, k, ROTATION))
        inside = Wrench(Rt @ F.force, Rt @ (F.torque - cross(get_vector(work, k, PLACE), F.force)))
        for c in range(6):
            along = inside.force[c] if c < 3 else inside.torque[c - 3]
            given = strains[STIFFNESS, c] * (strain[k, c] - strains[NATURAL, c]) + strains[DAMPING, c] * rate[k, c] - along
            effort[6 * s + c] = given * strains[ACTUATED, c]
            power[6 * s + c] = effort[6 * s + c] * rate[k, c]
        s += 1


@inline
def positive_line(before, after):
    """Mean of the positive part of a power that goes in a straight line."""
    if before >= 0.0 and after >= 0.0:
        return 0.5 * (before + after)
    if before <= 0.0 and after <= 0.0:
        return 0.0
    top = max(before, after)
    return 0.5 * top * top / abs(after - before)


@kernel
def look_at_strains(actuators, run, t, efforts, powers, speed):
    """What stands at a knot of a rod: efforts, work and path since the knot before, in straight lines."""
    h = t - run[TIME]
    for a in range(efforts.shape[0]):
        before, now = actuators[POWER, a], powers[a]
        actuators[WORK, a] += 0.5 * h * (before + now)
        actuators[POSITIVE, a] += h * positive_line(before, now)
        actuators[POWER, a] = now
        compare(actuators, a, t, efforts[a])
    run[PATH] += 0.5 * h * (run[SPEED] + speed)
    run[SPEED], run[TIME] = speed, t


@kernel
def count_instants(muscles, tally, kept, record, knots, grid, law_powers, contact_powers, powers, inner, speed, hold, place, touch, stage,
                   work, strain, rate, stands):
    """The tally of a block whose motion contacts decide, and what it holds at recorded knots.

    grid : (K, 3) instants at the start, in the middle and at the end of every step; the end is the next start unless something switches.
    law_powers, contact_powers, powers : (E, ..) W, of each law and each contact, and of actuators, environment and passive strains.
    stands : (E,) row of `place`, `touch` and `inner`, which are there for knots alone.
    """
    r = 0
    for n in range(grid.shape[0] + 1):
        if n < grid.shape[0] and (n == 0 or grid[n, 0] != grid[n - 1, 2]):
            i = grid[n, 0]                               # the step begins with powers of its own
            j, row = stands[i], stage[i]
            put_efforts(muscles, inner[j], as_wrench(hold, i), place[j], touch[j], work[row], strain[row], rate[row])
            tally.run[TIME], tally.run[SPEED] = knots[n], speed[j]
            look_at_strains(tally.actuators, tally.run, knots[n], muscles.effort, muscles.power, speed[j])
        if record[n]:
            keep(tally, kept, r)
            r += 1
        if n == grid.shape[0]:
            break
        for side in range(3):
            e, weight = grid[n, side], (knots[n + 1] - knots[n]) * (4.0 if side == 1 else 1.0) / 6.0
            for c in range(contact_powers.shape[1]):
                tally.contacts[c] += weight * contact_powers[e, c]
            add_laws(tally, weight, law_powers[e], powers[e, 0], powers[e, 1], powers[e, 2])
        i = grid[n, 2]
        j, row = stands[i], stage[i]
        put_efforts(muscles, inner[j], as_wrench(hold, i), place[j], touch[j], work[row], strain[row], rate[row])
        look_at_strains(tally.actuators, tally.run, knots[n + 1], muscles.effort, muscles.power, speed[j])


@inline
def as_wrench(rows, i):
    return Wrench(Vector(rows[i, 0], rows[i, 1], rows[i, 2]), Vector(rows[i, 3], rows[i, 4], rows[i, 5]))


@kernel
def look_and_keep_strains(muscles, tally, kept, r, recorded, last, t, speed):
    """`look_at_strains` at a knot and, where it is recorded, `keep`; as `tally.look_and_keep`."""
    if last:
        keep(tally, kept, r)
        look_at_strains(kept.actuators[r], kept.run[r], t, muscles.effort, muscles.power, speed)
    else:
        look_at_strains(tally.actuators, tally.run, t, muscles.effort, muscles.power, speed)
        if recorded:
            keep(tally, kept, r)
