"""Water with a surface: links that it cuts (see `waterline`), that are under water or dry, and their wake.

The added inertia of a body that is cut follows its pose; bodies all of which is under water are taken as in deep water,
eight at a time, and dry ones not at all.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.inertia import Wrench, power
from limbless.mechanics.algebra.vectors import cross, dot, product, transpose
from limbless.mechanics.chain.tables import Body, Floating
from limbless.mechanics.compiled.generic import always, by_scalar, generic, version_for
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_pass
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.lean import in_lanes
from limbless.mechanics.compiled.scalars import absolute, maximum, value_of
from limbless.mechanics.compiled.tables import Rows
from limbless.mechanics.forces.element import push, spend_power
from limbless.mechanics.forces.immersion import cut_section
from limbless.mechanics.forces.laws import (
    Pushed,
    about_body,
    lane_wrench,
    law,
    law_wrench,
    lay_band,
)
from limbless.mechanics.forces.open_water import Deep, Open, deep_wrench
from limbless.mechanics.forces.stream import stream_at
from limbless.mechanics.forces.wake import Wake, wake_at_edge
from limbless.mechanics.forces.waterline import Still, Wavy, plane_at, sum_segment, wet_inertia


class Depths(NamedTuple):
    """How a link lies in the water: `Floating.state`."""

    under: float = 1.0
    cut: float = 0.0                      # by the surface
    dry: float = -1.0


DEPTHS = Depths()


class FloatingLaws(NamedTuple):
    """Water with a surface on a chain: the added inertia of its bodies changes as they move."""

    owner: int
    kind: Any
    rows: Any                             # Open
    pushed: Any                           # Pushed (rows,): memory for the wrenches
    nodes: Any
    weights: Any
    floating: Any                         # Floating (bodies,): added inertia now, for the dynamics
    bands: Any                            # the rows, eight side by side
    members: Any                          # (bands, 8) the bodies they act on,
    numbers: Any                          # (bands, 8) and which rows they are; -1 where a band has fewer than eight
    slab: Any                             # Body (bands, 8): memory for the motion of these bodies
    lifted: Any                           # Pushed (bands, 8): memory for their wrenches


@generic
def swell_of(surface):
    """As far as waves can lift the surface, m."""


always(swell_of, 0.0, Still)
version_for(swell_of, Wavy)(inline(lambda surface: surface.swell))


@inline
def state_of(surface, row, body):
    """Whether a segment is surely under water or dry, by the heights of its ends and its larger half axis."""
    up = body.rotation.z
    if row.turned:
        up = transpose(row.frame) @ up
    start = value_of(body.origin.z + dot(up, row.start))
    end = start + value_of(row.length * up.x)
    reach, swell = value_of(maximum(row.half_width, row.half_height)), swell_of(surface)
    if max(start, end) + reach < surface.level - swell:
        return DEPTHS.under
    return DEPTHS.dry if min(start, end) - reach > surface.level + swell else DEPTHS.cut


@lean_pass
def find_states(bodies, laws):
    """Which bodies may be cut: those with all segments under water, or all of them dry, are not."""
    for i in range(len(laws.rows.codes)):
        row = Open(laws.rows, i)
        body, water = Body(bodies, row.body), Floating(laws.floating, row.body)
        state = state_of(laws.kind.surface, row, body)
        if not row.begins and value_of(water.state) != state:
            state = DEPTHS.cut
        water.state = state + 0.0 * water.state
        if state == DEPTHS.cut:
            water.inertia = 0.0 * water.inertia
            water.joining = 0.0 * water.joining


@inline
def push_cut(row, laws, t, body, water):
    """The wrench on a segment that may be cut; its added inertia is noted."""
    E, total = sum_segment(laws.kind, row, laws, t, body)
    F = about_body(row, E, total.force, total.torque)
    water.inertia = water.inertia + wet_inertia(row, E, total.wet)
    if absolute(total.wetting.x) > 0.0:                                  # a link under water, or dry, has no need
        water.joining = water.joining + wet_inertia(row, E, total.wetting) @ body.velocity
    return F


@inline
def push_one(bodies, laws, t, i):
    """Law i on its body."""
    row = Open(laws.rows, i)
    body, water = Body(bodies, row.body), Floating(laws.floating, row.body)
    state, F = value_of(water.state), 0.0 * body.wrench
    if state > DEPTHS.cut:
        F = deep_wrench(laws.kind.flows, laws.kind, row, laws, t, body)
    elif state == DEPTHS.cut:
        F = push_cut(row, laws, t, body, water)
    put_push(bodies, laws, row.body, i, F)


@inline
def put_push(bodies, laws, k, i, F):
    """What law i does to body k."""
    body = Body(bodies, k)
    Pushed(laws.pushed, i).wrench = F
    body.wrench = body.wrench + F


@lean_pass
def push_afloat_rows(bodies, laws, t):
    """One law after the other."""
    align_stack()
    find_states(bodies, laws)
    for i in range(len(laws.rows.codes)):
        push_one(bodies, laws, t, i)


@inline
def push_under(bodies, laws, t, b):
    """Band b, all of whose bodies are under water, side by side."""
    lay_band(laws.members, bodies, laws.slab, b)
    row = Open(Rows(in_lanes(laws.bands.numbers), laws.bands.codes), b)
    F = deep_wrench(laws.kind.flows, laws.kind, row, laws, t, Body(in_lanes(laws.slab), b))
    Pushed(in_lanes(laws.lifted), b).wrench = F
    for j in range(LANES):
        i = laws.numbers[b, j]
        if i >= 0:
            put_push(bodies, laws, laws.members[b, j], i, lane_wrench(laws.lifted, b, j))


@lean_pass
def push_afloat_bands(bodies, laws, t):
    """Eight laws at a time where all their bodies are under water, else one after the other."""
    align_stack()
    find_states(bodies, laws)
    for b in range(laws.members.shape[0]):
        under = True
        for j in range(LANES):
            under = under and Floating(laws.floating, laws.members[b, j]).state > DEPTHS.cut
        if under:
            push_under(bodies, laws, t, b)
        else:
            for j in range(LANES):
                if laws.numbers[b, j] >= 0:
                    push_one(bodies, laws, t, laws.numbers[b, j])


push_afloat = by_scalar(push_afloat_bands, push_afloat_rows)


@version_for(push, FloatingLaws)
@inline
def push_floating(laws, t, inside, robot, memory):
    push_afloat(memory.bodies, laws, t)


@version_for(spend_power, FloatingLaws)
@lean_pass
def spend_floating(laws, inside, memory):
    """What the pushes do, and half of what the growing inertia takes along: in still water the terms of φ̇ cancel."""
    spent = 0.0
    for i in range(len(laws.rows.codes)):
        row = Open(laws.rows, i)
        V, water = Body(memory.bodies, row.body).velocity, Floating(laws.floating, row.body)
        spent += power(V, Pushed(laws.pushed, i).wrench)
        if row.begins and water.state == DEPTHS.cut:                     # once for every body
            spent += 0.5 * power(V, water.joining)
    memory.law_powers[laws.owner] += spent


# ----------------------------------------------------------------------------------------------------------------- wake

class OpenWakeLaw(NamedTuple):
    """Marks `RowLaws` of the table `Wake` in water that moves or has a surface."""

    flows: Any
    surface: Any


law(OpenWakeLaw, Wake)


@generic
def share_at(surface, row, flows, t, place, E):
    """Immersed share of a section of the half axes in a row, at `place`, with the axes E."""


@version_for(share_at, Deep)
@inline
def all_of_it(surface, row, flows, t, place, E):
    return 1.0 + 0.0 * place.x


@version_for(share_at, Still, Wavy)
@inline
def share_below(surface, row, flows, t, place, E):
    plane = plane_at(surface, flows, t, place, 0.0 * place)
    return cut_section(row.half_width, row.half_height, transpose(E) @ plane.normal, plane.depth).share


@version_for(law_wrench, OpenWakeLaw)
@inline
def open_wake(kind, wake, laws, t, body):
    E, arm, V = product(body.rotation, wake.frame), body.rotation @ wake.start, body.velocity
    place = body.origin + arm
    u = stream_at(kind.flows, t, place).velocity
    W = transpose(E) @ (V.linear + cross(V.angular, arm) - u)
    F = share_at(kind.surface, wake, kind.flows, t, place, E) * wake_at_edge(wake, W, transpose(E) @ V.angular)
    force = E @ F.force
    return Wrench(force, E @ F.torque + cross(arm, force))
