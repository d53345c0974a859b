"""How much of a sphere, a capsule or a box is under a plane of water: share of its volume, first moment, and how both
change as it moves.

Of a box all comes from the parts of its six faces that are wet: with x from a point of the plane the cut itself adds
nothing to ∫ x.n dA = 3 V and ∫ x (x.n) dA = 4 M, and what it adds to ∫ n dA = 0 and ∫ r x n dA = 0 is its area, and the
moment of that. Of a round one sections are summed along its axis, split where the water begins and ends to cut them,
with nodes that stand denser towards both ends: the cut grows there with a square root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbless.mechanics.algebra import Vector, cross, dot
from limbless.mechanics.compiled import Array, Scalar, Table, constants, func, sincos, sqrt
from limbless.mechanics.forces import THIN, cut_section


@constants
class Hull(Table):
    """An object in water, along its own axes, about its centre."""

    half: Vector  # half of the sizes of the box that holds it
    volume: float  # m3
    displaced: float  # mass of the water in its place
    added: Vector  # D, kg
    added_turn: Vector  # kg m2
    quadratic: Vector  # drag over |W| W
    quadratic_turn: Vector  # over |ω| ω
    gravity: Vector  # g of the water's pressure, world, m/s2
    box: bool


class HullCut(NamedTuple):
    """What of an object is under water, along its own axes."""

    share: float  # φ of its volume
    moment: Vector  # first moment of that over the whole volume, m
    along: Vector  # dφ/dr, 1/m
    about: Vector  # dφ/dθ


class Face(NamedTuple):
    """The wet part of a face, corner after corner."""

    corners: int
    first: Vector
    last: Vector
    area: float
    moment: Vector  # first moment of the area


class Rule(NamedTuple):
    """Gauss points in [0, 1] and weights."""

    nodes: Array
    weights: Array


@func
def no_cut(share: Scalar) -> HullCut:
    """Of an object that is all wet (1) or dry (0)."""
    zero = Vector(0.0, 0.0, 0.0)
    return HullCut(share, zero, zero, zero)


# ---------------------------------------------------------------------------------------------------------------- boxes


@func
def next_corner(face: Face, p: Vector, outward: Vector) -> Face:
    """The face with one more corner; `outward` is its unit normal."""
    if face.corners == 0:
        return Face(1, p, p, 0.0, face.moment)
    area = 0.5 * dot(cross(face.last - face.first, p - face.first), outward)
    middle = (1.0 / 3.0) * (face.first + face.last + p)
    return Face(face.corners + 1, face.first, p, face.area + area, face.moment + area * middle)


@func
def wet_face(center: Vector, b: Vector, c: Vector, outward: Vector, n: Vector, depth: Scalar) -> tuple[Scalar, Vector]:
    """The part below the plane of a face with these half edges, of which b x c points outwards."""
    zero = Vector(0.0, 0.0, 0.0)
    face = Face(0, zero, zero, 0.0, zero)
    before = center + b - c
    under = depth - dot(n, before)
    for i, j in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)):
        corner = center + i * b + j * c
        d = depth - dot(n, corner)
        if (d > 0.0) != (under > 0.0):
            face = next_corner(face, before + (under / (under - d)) * (corner - before), outward)
        if d > 0.0:
            face = next_corner(face, corner, outward)
        before, under = corner, d
    return face.area, face.moment


@func
def cut_box(hull: Hull, n: Vector, depth: Scalar) -> HullCut:
    """A box whose centre is `depth` below the plane of normal n."""
    zero, size = Vector(0.0, 0.0, 0.0), hull.half
    start, volume, moment, open_area, turning = depth * n, 0.0, zero, zero, zero
    for axis in range(3):
        for side in (-1.0, 1.0):
            e = Vector(1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
            b = Vector(size.x if axis == 2 else 0.0, size.y if axis == 0 else 0.0, size.z if axis == 1 else 0.0)
            c = Vector(size.x if axis == 1 else 0.0, size.y if axis == 2 else 0.0, size.z if axis == 0 else 0.0)
            reach, outward = dot(size, e), side * e
            area, arm = wet_face((side * reach) * e, b, side * c, outward, n, depth)
            high = reach - dot(start, outward)
            volume += high * area / 3.0
            moment = moment + (0.25 * high) * (arm - area * start)
            open_area = open_area + area * outward
            turning = turning + cross(arm, outward)
    per = 1.0 / hull.volume
    return HullCut(per * volume, per * (moment + volume * start), (per * dot(n, open_area)) * n, per * turning)


# ---------------------------------------------------------------------------------------------------- spheres, capsules


@func
def add_sections(
    hull: Hull, rule: Rule, n: Vector, depth: Scalar, low: Scalar, high: Scalar, end: Scalar, total: HullCut
) -> HullCut:
    """Add the sections between `low` and `high` on the axis: those of a ball about `end` where this is
    not 0, else of a cylinder.
    """
    r, per = hull.half.y, np.pi / hull.volume
    for j in range(rule.nodes.shape[0]):
        sine, cosine = sincos(np.pi * (rule.nodes[j] - 0.5))
        s = 0.5 * (low + high) + 0.5 * (high - low) * sine
        square = r * r if end == 0.0 else max(r * r - (s - end) * (s - end), 0.0)
        radius = max(sqrt(square), THIN * r)
        cut = cut_section(radius, radius, n, depth - s * n.x)
        volume = per * square * 0.5 * (high - low) * np.pi * cosine * rule.weights[j]
        arm = Vector(s, 0.0, 0.0)
        total = HullCut(
            total.share + volume * cut.share,
            total.moment + volume * (cut.share * arm + cut.moment),
            total.along + volume * cut.along,
            total.about + volume * (cut.about + cross(arm, cut.along)),
        )
    return total


@func
def add_stretch(
    hull: Hull, rule: Rule, n: Vector, depth: Scalar, stretch: tuple[Scalar, Scalar], end: Scalar, total: HullCut
) -> HullCut:
    """Add a stretch of the axis, in panels that end where the water begins and ends to cut it."""
    low, high = stretch
    r, q = hull.half.y, max(sqrt(n.y * n.y + n.z * n.z), THIN)
    if end == 0.0:
        run = 1.0 / n.x if abs(n.x) > 1e-9 else 1e9
        one, other = (depth - r * q) * run, (depth + r * q) * run
    else:
        under = depth - end * n.x
        wide = q * sqrt(max(r * r - under * under, 0.0))
        one, other = end + under * n.x - wide, end + under * n.x + wide
    first, second = min(max(min(one, other), low), high), min(max(max(one, other), low), high)
    for a, b in ((low, first), (first, second), (second, high)):
        if b - a > 1e-14 * r:
            total = add_sections(hull, rule, n, depth, a, b, end, total)
    return total


@func
def cut_round(hull: Hull, rule: Rule, n: Vector, depth: Scalar) -> HullCut:
    """A sphere or capsule along its own x."""
    r, zero = hull.half.y, Vector(0.0, 0.0, 0.0)
    end = max(hull.half.x - r, 1e-12 * r)  # of the axis; 0 would tell a cylinder
    total = HullCut(0.0, zero, zero, zero)
    total = add_stretch(hull, rule, n, depth, (-end - r, -end), -end, total)
    total = add_stretch(hull, rule, n, depth, (-end, end), 0.0, total)
    return add_stretch(hull, rule, n, depth, (end, end + r), end, total)


@func
def cut_hull(hull: Hull, rule: Rule, n: Vector, depth: Scalar) -> HullCut:
    """What of an object is under water, whose centre is `depth` below the plane of normal n (its own axes)."""
    size = hull.half
    if hull.box:
        reach = abs(n.x) * size.x + abs(n.y) * size.y + abs(n.z) * size.z
    else:
        reach = size.y + abs(n.x) * (size.x - size.y)
    if depth >= reach or depth <= -reach:
        return no_cut(1.0 if depth > 0.0 else 0.0)
    return cut_box(hull, n, depth) if hull.box else cut_round(hull, rule, n, depth)
