"""Where the surface of water cuts a body: the law of `open_water` on a slice, with the immersed share φ of its section,
and its sums over a segment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Symmetric,
    Vector,
    Wrench,
    carry_inertia,
    cross,
    dot,
    rotate_inertia,
    transpose,
)
from limbless.mechanics.compiled import Array, Scalar, absolute, func, maximum, minimum, sqrt, version_for
from limbless.mechanics.forces import (
    Cut,
    Flows,
    Hydrostatic,
    OpenWater,
    OpenWaterLaw,
    Slice,
    cut_section,
    deep_slice,
    flow_at,
    height_at,
    hydrostatic,
    immersed_slice,
    in_slice,
    law_slice,
    reach_of,
    scaled,
    segment_motion,
    slice_of,
    sum_slice,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body
    from limbless.mechanics.forces.free_surface import FreeSurfaceLaws


class WaterSurface(NamedTuple):
    """Where water ends."""

    level: float  # of the still water, m
    swell: float | None  # as far as all waves together can lift it, m; None: it does not move


class SegmentSums(NamedTuple):
    """Sums over a segment, along its axes, about its start."""

    force: Vector
    torque: Vector
    wet: Vector  # ∫ φ ds, ∫ s φ ds, ∫ s² φ ds
    wetting: Vector  # the same of φ̇


class WaterPlane(NamedTuple):
    """The plane of the water over a place that moves."""

    normal: Vector  # unit vector, world
    depth: float  # of the place below it, m
    rising: float  # along the normal, where the place is, m/s
    turning: Vector  # rate of the normal as the place moves, 1/s
    shrinking: float  # d(n_z)/dt / n_z: of a depth that is measured along the normal, 1/s


@func
def plane_at(surface: WaterSurface, flows: Flows, t: Scalar, place: Vector, velocity: Vector) -> WaterPlane:
    """The plane over a place that moves with `velocity`, world axes."""
    if surface.swell is None:
        o = 0.0 * place.x
        return WaterPlane(Vector(o, o, 1.0 + o), surface.level - place.z, o, Vector(o, o, o), o)
    height = height_at(flows, surface.level, t, place, velocity)
    size, bend = 1.0 / sqrt(1.0 + height.x * height.x + height.y * height.y), height.turning
    normal = Vector(-size * height.x, -size * height.y, size)
    shrinking = -size * size * (height.x * bend.x + height.y * bend.y)
    turning = Vector(-size * bend.x, -size * bend.y, 0.0 * size) + shrinking * normal
    return WaterPlane(normal, size * (height.level - place.z), size * height.rate, turning, shrinking)


@func
def lie_still(
    surface: WaterSurface, row: OpenWater, E: Matrix, depth: Scalar, nodes: Array, weights: Array, so_far: SegmentSums
):
    """Add the lift of still water in closed form."""
    if surface.swell is not None:
        return so_far
    lift = transpose(E) @ (-row.displaced * row.gravity)
    force, torque = hydrostatic(row, E, depth, lift, nodes, weights)
    return SegmentSums(so_far.force + force, so_far.torque + torque, so_far.wet, so_far.wetting)


@func
def cut_of(
    surface: Hydrostatic, row: OpenWater, flows: Flows, t: Scalar, place: Vector, E: Matrix, V: Vector, w: Vector
) -> tuple[Cut, Scalar]:
    """The cut of a slice and φ̇: by its own motion, as the surface rises, and as its slope changes."""
    plane = plane_at(surface, flows, t, place, E @ V)
    n, turning = transpose(E) @ plane.normal, transpose(E) @ plane.turning
    cut = cut_section(row.half_width, row.half_height, n, plane.depth)
    e, pull = reach_of(row.half_width, row.half_height, n)
    sloping = cut.upward * plane.depth * (plane.shrinking - dot(pull, turning) / (e * e))
    return cut, dot(cut.along, V) + dot(cut.about, w) + cut.upward * plane.rising + sloping


@func
def floating_slice(
    kind: OpenWaterLaw, row: OpenWater, t: Scalar, piece: Slice, pressed: Vector
) -> tuple[Wrench, Scalar, Scalar]:
    """The law of a cut slice per length, with the gravity `pressed` of the water's pressure (its axes); φ and φ̇."""
    E, V, w = piece.axes, piece.velocity, piece.rate
    cut, wetting = cut_of(kind.surface, row, kind.flows, t, piece.place, E, V, w)
    water = in_slice(E, flow_at(kind.flows, t, piece.place))
    F = cut.share * immersed_slice(kind, row, V, w, water, pressed)
    W = V - water.velocity
    P, roll, o = scaled(row.added, W), row.added_roll * w.x, 0.0 * w.x
    energy = 0.5 * (dot(W, P) + roll * w.x)
    pressure = row.displaced * (water.rate + water.gradient @ water.velocity - pressed)
    return (
        Wrench(
            F.force - wetting * P + energy * cut.along,
            F.torque + cross(cut.moment, pressure) - Vector(wetting * roll, o, o) + energy * cut.about,
        ),
        cut.share,
        wetting,
    )


@version_for(law_slice, OpenWaterLaw)
@func
def slice_in_open_water(kind: OpenWaterLaw, row: OpenWater, t: Scalar, piece: Slice):
    if kind.surface is None:
        return deep_slice(kind, row, t, piece)
    F, _, _ = floating_slice(kind, row, t, piece, transpose(piece.axes) @ row.gravity)
    return F


@func
def sum_panel(
    kind: OpenWaterLaw,
    row: OpenWater,
    laws: FreeSurfaceLaws,
    t: Scalar,
    body: Body,
    motion: tuple[Matrix, Vector, Vector],
    low: Scalar,
    high: Scalar,
    so_far: SegmentSums,
) -> SegmentSums:
    """Add the slices between `low` and `high`."""
    E, velocity, rate = motion
    # the pressure of still water is taken in closed form: see `lie_still`
    pressed = (0.0 if kind.surface.swell is None else 1.0) * (transpose(E) @ row.gravity)
    for j in range(row.first, row.first + row.count):
        s, ds = low + laws.nodes[j] * (high - low), laws.weights[j] * (high - low)
        piece = slice_of(row, body, E, velocity, rate, s)
        F, share, wetting = floating_slice(kind, row, t, piece, pressed)
        force, torque = sum_slice(F, s, ds, so_far.force, so_far.torque)
        a, b = ds * share, ds * wetting
        so_far = SegmentSums(
            force, torque, so_far.wet + Vector(a, s * a, s * s * a), so_far.wetting + Vector(b, s * b, s * s * b)
        )
    return so_far


@func
def sum_segment(
    kind: OpenWaterLaw, row: OpenWater, laws: FreeSurfaceLaws, t: Scalar, body: Body
) -> tuple[Matrix, SegmentSums]:
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
    steep = 1e-9 * (1.0 + absolute(first)) / L  # changes less than that are none
    run = 1.0 / slope if absolute(slope) > steep else 1e12 + o
    one, other = (-1.0 - first) * run, (1.0 - first) * run
    low = minimum(maximum(minimum(one, other), o), L + o)
    high = minimum(maximum(maximum(one, other), o), L + o)
    total = SegmentSums(0.0 * n, 0.0 * n, 0.0 * n, 0.0 * n)
    for low_end, high_end in ((o, low), (low, high), (high, L + o)):
        # waves may wet a stretch that looks dry from the middle of its link
        there = first + slope * 0.5 * (low_end + high_end)
        if high_end - low_end > 1e-12 * L and (there > -1.0 or kind.surface.swell is not None):
            total = sum_panel(kind, row, laws, t, body, motion, low_end, high_end, total)
    return E, lie_still(kind.surface, row, E, depth + 0.5 * L * n.x, laws.nodes, laws.weights, total)


@func
def wet_inertia(row: OpenWater, E: Matrix, wet: Vector) -> Inertia:
    """Added inertia of a segment with these moments of φ along it, about its body's origin, world axes."""
    o, D = 0.0 * wet.x, row.added
    zero = Vector(o, o, o)
    M = Symmetric(wet.x * D.x, o, o, wet.x * D.y, o, wet.x * D.z)
    H = Matrix(zero, Vector(o, o, -wet.y * D.z), Vector(o, wet.y * D.y, o))
    J = Symmetric(wet.x * row.added_roll, o, o, wet.z * D.z, o, wet.z * D.y)
    return rotate_inertia(E, carry_inertia(Inertia(M, H, J), row.start))
