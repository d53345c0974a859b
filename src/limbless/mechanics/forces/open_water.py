"""Water that moves by itself, or that has a surface: drag, added mass and pressure on a slice.

With D in the inertia of the body, the law of a slice that moves with V and turns with w through water of velocity u
leaves (per length, P = D W, W = V - u, T = (W.P + c1 w1²)/2, φ the immersed share)

    force   φ [w x D u - D (w x u) + D (∂u/∂t + (V.∇) u) - (P.∇) u + ρA (Du/Dt - g) + drag] - φ̇ P + T ∂φ/∂r
    moment  φ [V x D u + u x (D V - D u) + drag] + ρA s x (Du/Dt - g) - φ̇ c1 w1 e1 + T ∂φ/∂θ

to push. (P.∇) u has the components Σ P_j ∂u_i/∂x_j (Taylor 1928; Auton, Hunt and Prud'homme 1988). The terms in T keep
energy: without them and φ̇, a body that bobs gains it.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.inertia import Inertia, Wrench, carry_inertia, power, rotate_inertia
from limbless.mechanics.algebra.vectors import Matrix, Symmetric, Vector, cross, dot, product, transpose
from limbless.mechanics.chain.tables import Body, Floating
from limbless.mechanics.compiled.generic import generic, version_for
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_pass
from limbless.mechanics.compiled.scalars import absolute, maximum, minimum, raised, sqrt
from limbless.mechanics.compiled.tables import constants
from limbless.mechanics.forces.element import push, spend_power
from limbless.mechanics.forces.fluid import scaled
from limbless.mechanics.forces.immersion import cut_section, reach_of
from limbless.mechanics.forces.laws import (
    OnSegment,
    Pushed,
    Slice,
    about_body,
    at,
    law,
    law_slice,
    law_wrench,
    segment_motion,
    sliced_wrench,
    sum_slice,
)
from limbless.mechanics.forces.stream import Stream, height_at, stream_at
from limbless.mechanics.forces.surface import hydrostatic
from limbless.mechanics.forces.wake import Wake, wake_at_edge

TURBULENT = 5e5                           # Reynolds' number along the body from which on a skin is turbulent


class Deep(NamedTuple):
    """No surface: all of the body is under water."""


class Still(NamedTuple):
    """A level surface that does not move."""

    level: float                          # m


class Wavy(NamedTuple):
    """A surface with waves."""

    level: float                          # of the still water, m


class Rough(NamedTuple):
    """Drag with constant coefficients, (46)-(47) of paper 001."""


class Skin(NamedTuple):
    """Drag by Reynolds' number: a laminar skin, which may become turbulent; White's fit across."""

    turbulent: bool


@constants
class Open(OnSegment):
    """A straight segment in open water; coefficients per length."""

    quadratic: Vector                     # drag: axial, lateral, vertical; of a skin half of ρ times its perimeter
    quadratic_roll: float
    added: Vector                         # D
    added_roll: float                     # c1
    displaced: float                      # ρA: mass of the displaced water
    half_width: float
    half_height: float
    gravity: Vector                       # g of the water's pressure, world, m/s2
    viscosity: float                      # of a skin: over the length of the whole body, m/s
    slow_width: float                     # of a skin: 10 (ν / 2b)^(2/3) for cross flow along e2,
    slow_height: float                    # 10 (ν / 2a)^(2/3) along e3
    begins: bool                          # the first segment of its body


class OpenLaw(NamedTuple):
    """Marks laws of the table `Open`."""

    flows: Any
    surface: Any                          # Deep, Still or Wavy
    drag: Any                             # Rough or Skin


law(OpenLaw, Open)
version_for(law_wrench, OpenLaw)(sliced_wrench)


# ----------------------------------------------------------------------------------------------------------------- drag

@generic
def open_drag(drag, row, W, rate):
    """Drag per length on a slice that moves with W through the water."""


@version_for(open_drag, Rough)
@inline
def rough_drag(drag, row, W, rate):
    normal, o = sqrt(W.y * W.y + W.z * W.z), 0.0 * W.x
    force = Vector(-row.quadratic.x * absolute(W.x) * W.x, -row.quadratic.y * normal * W.y,
                   -row.quadratic.z * normal * W.z)
    return Wrench(force, Vector(-row.quadratic_roll * absolute(rate.x) * rate.x, o, o))


@version_for(open_drag, Skin)
@inline
def skin_drag(drag, row, W, rate):
    """Along 1.328 / sqrt(Re) or, above 5e5, 0.074 Re^-0.2 - 1742.65 / Re, which joins it; across times
    1 + 10 Re^(-2/3).
    """
    speed, normal, o = absolute(W.x), sqrt(W.y * W.y + W.z * W.z), 0.0 * W.x
    bound = row.viscosity
    rub = 1.328 * sqrt(bound * speed)
    if drag.turbulent and speed > TURBULENT * bound:
        rub = 0.074 * raised(bound, 0.2) * raised(speed, 0.8) - 1742.65 * bound
    slow = raised(normal, 1.0 / 3.0)
    force = Vector(-row.quadratic.x * rub * W.x, -row.quadratic.y * (normal + row.slow_width * slow) * W.y,
                   -row.quadratic.z * (normal + row.slow_height * slow) * W.z)
    return Wrench(force, Vector(-row.quadratic_roll * absolute(rate.x) * rate.x, o, o))


# ------------------------------------------------------------------------------------------------------ in deep water

@inline
def in_slice(E, water):
    """A stream along the axes of a slice."""
    Et = transpose(E)
    return Stream(Et @ water.velocity, Et @ water.rate, product(product(Et, water.gradient), E))


@inline
def immersed_slice(kind, row, V, w, water, gravity):
    """All of the law for φ = 1, along the slice's axes; `gravity` too."""
    u, D = water.velocity, row.added
    W, drifting = V - u, scaled(D, u)
    P, carried = scaled(D, W), water.gradient @ u
    force = (cross(w, drifting) - scaled(D, cross(w, u)) + scaled(D, water.rate + water.gradient @ V)
             - water.gradient @ P + row.displaced * (water.rate + carried - gravity))
    moment = cross(V, drifting) + cross(u, P)
    return Wrench(force, moment) + open_drag(kind.drag, row, W, w)


@version_for(law_slice, OpenLaw)
@inline
def open_slice(kind, row, t, piece):
    """In deep water; with a surface laws come in `FloatingLaws`."""
    water = in_slice(piece.axes, stream_at(kind.flows, t, piece.place))
    return immersed_slice(kind, row, piece.velocity, piece.rate, water, transpose(piece.axes) @ row.gravity)


# ------------------------------------------------------------------------------------------------------- at a surface

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


@version_for(pressing, Wavy, Deep)
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
def floating_slice(kind, row, t, piece):
    """The law of a cut slice per length, φ and φ̇."""
    E, V, w = piece.axes, piece.velocity, piece.rate
    cut, wetting = cut_of(kind.surface, row, kind.flows, t, piece.place, E, V, w)
    water, gravity = in_slice(E, stream_at(kind.flows, t, piece.place)), transpose(E) @ row.gravity
    pressed = pressing(kind.surface, gravity)
    F = cut.share * immersed_slice(kind, row, V, w, water, pressed)
    W = V - water.velocity
    P, roll, o = scaled(row.added, W), row.added_roll * w.x, 0.0 * w.x
    energy = 0.5 * (dot(W, P) + roll * w.x)
    pressure = row.displaced * (water.rate + water.gradient @ water.velocity - pressed)
    return Wrench(F.force - wetting * P + energy * cut.along,
                  F.torque + cross(cut.moment, pressure) - Vector(wetting * roll, o, o) + energy * cut.about), \
        cut.share, wetting


@inline
def sum_panel(kind, row, laws, t, body, motion, low, high, so_far):
    """Add the slices between `low` and `high`."""
    E, velocity, rate = motion
    for j in range(row.first, row.first + row.count):
        s, ds = low + laws.nodes[j] * (high - low), laws.weights[j] * (high - low)
        place = body.origin + E @ Vector(row.start.x + s, row.start.y, row.start.z)
        F, share, wetting = floating_slice(kind, row, t, Slice(E, place, at(velocity, rate, s), rate, s))
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


@version_for(push, FloatingLaws)
@lean_pass
def push_floating(laws, t, inside, robot, memory):
    align_stack()
    for i in range(len(laws.rows.codes)):
        row = Open(laws.rows, i)
        body, water = Body(memory.bodies, row.body), Floating(laws.floating, row.body)
        E, total = sum_segment(laws.kind, row, laws, t, body)
        F = about_body(row, E, total.force, total.torque)
        Pushed(laws.pushed, i).wrench = F
        body.wrench = body.wrench + F
        own, joined = wet_inertia(row, E, total.wet), 0.0 * F
        if absolute(total.wetting.x) > 0.0:                              # a link under water, or dry, has no need
            joined = wet_inertia(row, E, total.wetting) @ body.velocity
        if row.begins:
            water.inertia = own
            water.joining = joined
        else:
            water.inertia = water.inertia + own
            water.joining = water.joining + joined


@version_for(spend_power, FloatingLaws)
@lean_pass
def spend_floating(laws, inside, memory):
    """What the pushes do, and half of what the growing inertia takes along: in still water the terms of φ̇ cancel."""
    spent = 0.0
    for i in range(len(laws.rows.codes)):
        spent += power(Body(memory.bodies, Open(laws.rows, i).body).velocity, Pushed(laws.pushed, i).wrench)
    for k in range(laws.floating.shape[0]):
        spent += 0.5 * power(Body(memory.bodies, k).velocity, Floating(laws.floating, k).joining)
    memory.law_powers[laws.owner] += spent


# --------------------------------------------------------------------------------------------------------------- wake

class OpenWakeLaw(NamedTuple):
    """Marks `RowLaws` of the table `Wake` in water that moves or has a surface."""

    flows: Any
    surface: Any


law(OpenWakeLaw, Wake)


@generic
def share_at(surface, wake, flows, t, place, E):
    """Immersed share of the edge."""


@version_for(share_at, Deep)
@inline
def all_of_it(surface, wake, flows, t, place, E):
    return 1.0 + 0.0 * place.x


@version_for(share_at, Still, Wavy)
@inline
def share_below(surface, wake, flows, t, place, E):
    plane = plane_at(surface, flows, t, place, 0.0 * place)
    return cut_section(wake.half_width, wake.half_height, transpose(E) @ plane.normal, plane.depth).share


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
