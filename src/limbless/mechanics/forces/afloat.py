"""Water with a surface: what a slice that it cuts feels, links that are cut, under water or dry, and their wake.

The law of `open_water` counts with the immersed share φ of a section. The added inertia of a body that is cut follows
its pose; bodies all of which is under water are taken as in deep water, eight at a time, and dry ones not at all.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.inertia import Inertia, Wrench, carry_inertia, power, rotate_inertia
from limbless.mechanics.algebra.vectors import Matrix, Symmetric, Vector, cross, dot, product, transpose
from limbless.mechanics.chain.tables import Body, Floating
from limbless.mechanics.compiled.generic import by_scalar, generic, version_for
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_pass
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.lean import in_lanes
from limbless.mechanics.compiled.scalars import absolute, maximum, minimum, sqrt, value_of
from limbless.mechanics.compiled.tables import Rows
from limbless.mechanics.forces.element import push, spend_power
from limbless.mechanics.forces.fluid import scaled
from limbless.mechanics.forces.immersion import cut_section, reach_of
from limbless.mechanics.forces.laws import (
    Pushed,
    Slice,
    about_body,
    at,
    lane_wrench,
    law,
    law_wrench,
    lay_slab,
    segment_motion,
    sum_slice,
)
from limbless.mechanics.forces.open_water import Deep, Open, deep_wrench, immersed_slice, in_slice, open_slice
from limbless.mechanics.forces.stream import height_at, stream_at
from limbless.mechanics.forces.surface import hydrostatic
from limbless.mechanics.forces.wake import Wake, wake_at_edge


class Depths(NamedTuple):
    """How a link lies in the water: `Floating.state`."""

    under: float = 1.0
    cut: float = 0.0                      # by the surface
    dry: float = -1.0


DEPTHS = Depths()


class Still(NamedTuple):
    """A level surface that does not move."""

    level: float                          # m


class Wavy(NamedTuple):
    """A surface with waves."""

    level: float                          # of the still water, m
    swell: float                          # as far as all waves together can lift it, m


class Sum(NamedTuple):
    """Sums over a segment, along its axes, about its start."""

    force: Vector
    torque: Vector
    wet: Vector                           # ∫ φ ds, ∫ s φ ds, ∫ s² φ ds
    wetting: Vector                       # the same of φ̇


class Plane(NamedTuple):
    """The plane of the water over a place that moves."""

    normal: Vector                        # unit vector, world
    depth: float                          # of the place below it, m
    rising: float                         # along the normal, where the place is, m/s
    turning: Vector                       # rate of the normal as the place moves, 1/s
    shrinking: float                      # d(n_z)/dt / n_z: of a depth that is measured along the normal, 1/s


@generic
def plane_at(surface, flows, t, place, velocity):
    """The plane over a place that moves with `velocity`, world axes."""


@version_for(plane_at, Still)
@inline
def still_plane(surface, flows, t, place, velocity):
    o = 0.0 * place.x
    return Plane(Vector(o, o, 1.0 + o), surface.level - place.z, o, Vector(o, o, o), o)


@version_for(plane_at, Wavy)
@inline
def wavy_plane(surface, flows, t, place, velocity):
    height = height_at(flows, surface.level, t, place, velocity)
    size, bend = 1.0 / sqrt(1.0 + height.x * height.x + height.y * height.y), height.turning
    normal = Vector(-size * height.x, -size * height.y, size)
    shrinking = -size * size * (height.x * bend.x + height.y * bend.y)
    turning = Vector(-size * bend.x, -size * bend.y, 0.0 * size) + shrinking * normal
    return Plane(normal, size * (height.level - place.z), size * height.rate, turning, shrinking)


@generic
def pressing(surface, gravity):
    """The gravity that slices feel in the water's pressure: that of still water is taken in closed form."""


@version_for(pressing, Still)
@inline
def pressing_elsewhere(surface, gravity):
    return 0.0 * gravity


@version_for(pressing, Wavy)
@inline
def pressing_here(surface, gravity):
    return gravity


@generic
def lie_still(surface, row, E, depth, nodes, weights, so_far):
    """Add the lift of still water in closed form."""


@version_for(lie_still, Still)
@inline
def lie_on_level(surface, row, E, depth, nodes, weights, so_far):
    lift = transpose(E) @ (-row.displaced * row.gravity)
    force, torque = hydrostatic(row, E, depth, lift, nodes, weights)
    return Sum(so_far.force + force, so_far.torque + torque, so_far.wet, so_far.wetting)


@version_for(lie_still, Wavy)
@inline
def lie_on_waves(surface, row, E, depth, nodes, weights, so_far):
    return so_far


@inline
def cut_of(surface, row, flows, t, place, E, V, w):
    """The cut of a slice and φ̇: by its own motion, as the surface rises, and as its slope changes."""
    plane = plane_at(surface, flows, t, place, E @ V)
    n, turning = transpose(E) @ plane.normal, transpose(E) @ plane.turning
    cut = cut_section(row.half_width, row.half_height, n, plane.depth)
    e, pull = reach_of(row.half_width, row.half_height, n)
    sloping = cut.upward * plane.depth * (plane.shrinking - dot(pull, turning) / (e * e))
    return cut, dot(cut.along, V) + dot(cut.about, w) + cut.upward * plane.rising + sloping


@inline
def floating_slice(kind, row, t, piece, pressed):
    """The law of a cut slice per length, with the gravity `pressed` of the water's pressure (its axes); φ and φ̇."""
    E, V, w = piece.axes, piece.velocity, piece.rate
    cut, wetting = cut_of(kind.surface, row, kind.flows, t, piece.place, E, V, w)
    water = in_slice(E, stream_at(kind.flows, t, piece.place))
    F = cut.share * immersed_slice(kind, row, V, w, water, pressed)
    W = V - water.velocity
    P, roll, o = scaled(row.added, W), row.added_roll * w.x, 0.0 * w.x
    energy = 0.5 * (dot(W, P) + roll * w.x)
    pressure = row.displaced * (water.rate + water.gradient @ water.velocity - pressed)
    return Wrench(F.force - wetting * P + energy * cut.along,
                  F.torque + cross(cut.moment, pressure) - Vector(wetting * roll, o, o) + energy * cut.about), \
        cut.share, wetting


@version_for(open_slice, Still, Wavy)
@inline
def slice_at_surface(surface, kind, row, t, piece):
    F, _, _ = floating_slice(kind, row, t, piece, transpose(piece.axes) @ row.gravity)
    return F


@inline
def sum_panel(kind, row, laws, t, body, motion, low, high, so_far):
    """Add the slices between `low` and `high`."""
    E, velocity, rate = motion
    pressed = pressing(kind.surface, transpose(E) @ row.gravity)
    for j in range(row.first, row.first + row.count):
        s, ds = low + laws.nodes[j] * (high - low), laws.weights[j] * (high - low)
        place = body.origin + E @ Vector(row.start.x + s, row.start.y, row.start.z)
        piece = Slice(E, place, at(velocity, rate, s), rate, s)
        F, share, wetting = floating_slice(kind, row, t, piece, pressed)
        force, torque = sum_slice(F, s, ds, so_far.force, so_far.torque)
        a, b = ds * share, ds * wetting
        so_far = Sum(force, torque, so_far.wet + Vector(a, s * a, s * s * a),
                     so_far.wetting + Vector(b, s * b, s * s * b))
    return so_far


@inline
def sum_segment(kind, row, laws, t, body):
    """All slices of a segment; panels end where the surface begins and ends to cut it, so that no kink lies inside
    one."""
    motion = segment_motion(row, body)
    E, L = motion[0], row.length
    start = body.origin + E @ row.start
    middle = start + (0.5 * L) * Vector(E.x.x, E.y.x, E.z.x)
    plane = plane_at(kind.surface, kind.flows, t, middle, 0.0 * middle)
    n, depth = transpose(E) @ plane.normal, plane.depth
    e, _ = reach_of(row.half_width, row.half_height, n)
    first, slope, o = (depth + 0.5 * L * n.x) / e, -n.x / e, 0.0 * e
    steep = 1e-9 * (1.0 + absolute(first)) / L                           # changes less than that are none
    run = 1.0 / slope if absolute(slope) > steep else 1e12 + o
    one, other = (-1.0 - first) * run, (1.0 - first) * run
    low = minimum(maximum(minimum(one, other), o), L + o)
    high = minimum(maximum(maximum(one, other), o), L + o)
    total = Sum(0.0 * n, 0.0 * n, 0.0 * n, 0.0 * n)
    for low_end, high_end in ((o, low), (low, high), (high, L + o)):
        there = first + slope * 0.5 * (low_end + high_end)
        if high_end - low_end > 1e-12 * L and (there > -1.0 or is_wavy(kind.surface)):
            total = sum_panel(kind, row, laws, t, body, motion, low_end, high_end, total)
    level_depth = depth + 0.5 * L * n.x
    return E, lie_still(kind.surface, row, E, level_depth, laws.nodes, laws.weights, total)


@generic
def is_wavy(surface):
    """Whether a stretch that looks dry from the middle of its link may be wet."""


version_for(is_wavy, Still)(inline(lambda surface: False))
version_for(is_wavy, Wavy)(inline(lambda surface: True))


@inline
def wet_inertia(row, E, wet):
    """Added inertia of a segment with these moments of φ along it, about its body's origin, world axes."""
    o, D = 0.0 * wet.x, row.added
    zero = Vector(o, o, o)
    M = Symmetric(wet.x * D.x, o, o, wet.x * D.y, o, wet.x * D.z)
    H = Matrix(zero, Vector(o, o, -wet.y * D.z), Vector(o, wet.y * D.y, o))
    J = Symmetric(wet.x * row.added_roll, o, o, wet.z * D.z, o, wet.z * D.y)
    return rotate_inertia(E, carry_inertia(Inertia(M, H, J), row.start))


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


version_for(swell_of, Still)(inline(lambda surface: 0.0))
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
    row = Open(Rows(in_lanes(laws.bands.numbers), laws.bands.codes), b)
    F = deep_wrench(laws.kind.flows, laws.kind, row, laws, t, Body(in_lanes(laws.slab), b))
    Pushed(in_lanes(laws.lifted), b).wrench = F
    for j in range(LANES):
        i = laws.numbers[b, j]
        if i >= 0:
            body, wrench = Body(bodies, laws.members[b, j]), lane_wrench(laws.lifted, b, j)
            Pushed(laws.pushed, i).wrench = wrench
            body.wrench = body.wrench + wrench


@lean_pass
def push_afloat_bands(bodies, laws, t):
    """Eight laws at a time where all their bodies are under water, else one after the other."""
    align_stack()
    find_states(bodies, laws)
    lay_slab(laws.members, bodies, laws.slab)
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
        spent += power(Body(memory.bodies, Open(laws.rows, i).body).velocity, Pushed(laws.pushed, i).wrench)
    for k in range(laws.floating.shape[0]):
        water = Floating(laws.floating, k)
        if water.state == DEPTHS.cut:
            spent += 0.5 * power(Body(memory.bodies, k).velocity, water.joining)
    memory.law_powers[laws.owner] += spent


# --------------------------------------------------------------------------------------------------------------- wake

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
