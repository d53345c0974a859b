"""Where a body touches its surroundings: gaps, normals and contact points between capsules and surfaces.

A feature is a sphere (both ends equal) or the capsule between two spheres of one body; a slot pairs one feature with one surface.
Every slot keeps its own friction memory. A contact point lies on the feature, the normal points from the surface to the body.

PLANE  normal (3), offset: n . x = offset; spheres
PEG    ends a (3) and b (3), radius: a round bar with round ends; capsules
BOX    centre (3), axes (9, in rows), half sizes (3); spheres, and capsules between their ends
FIELD  corner x, y, spacing x, y, counts x, y, first number in `heights`: two triangles per cell, and upright sides from its border down;
       spheres, and capsules against ridges and the upright edges of its four corners
WHEEL  load (N), 1 for a box of friction (0: an ellipse), axle (3, in the body's frame): one wheel that always touches under that load;
       its feature has the place in the first three numbers and the rolling direction in the next
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import get_matrix, get_vector, put_vector
from limbless.mechanics.algebra.vectors import Vector, cross, dot, transpose
from limbless.mechanics.chain.rows import ORIGIN, ROTATION
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.scalars import sqrt
from limbless.mechanics.contact.law import (
    ARM,
    FORWARD,
    GAP,
    GIVEN,
    LOAD,
    NORMAL,
    RADIUS,
    RESTITUTION,
    SHEAR,
    SHEAR_BEFORE,
    TANGENT,
    TWIST_BEFORE,
)
from limbless.mechanics.contact.law import BOX as IS_BOX

PLANE, PEG, BOX, FIELD, WHEEL = np.arange(5)
(CODE, FROM, UNTIL, FRICTION, BOUNCE, SHAPE) = np.array([0, 1, 2, 3, 7, 8])
SURFACE_COLUMNS = 24
BEGIN, END, SIZE, RANK = np.array([0, 3, 6, 7])
FEATURE_COLUMNS = 8
PATCH_COLUMNS = 9                    # surface, x from, until, y from, until, then the four coefficients
FAR = 1e9
DOWN = 1e3                           # m: how far the upright edges of a height field reach below its corners
MARGIN = 0.999                       # of a gap: what a sleeping slot relies on, short of the whole by far more than rounding
DEEPER = 1e-7                        # m: a capsule touches between its ends where it is nearer by this; a flat face is left to the ends


class Rest(NamedTuple):
    """What lets slots sleep that are too far from their surface to matter: how far each body has come, and when each slot must look again.

    A gap shrinks by no more than its body moves. A slot that is measured notes how far its body may go before the gap can be within
    reach, and sleeps until then; the answer is the same as if all slots were measured in every step.
    """

    extent: NDArray[np.float64]      # (bodies,) largest distance of a feature from the body's origin; (0,) if nothing ever sleeps
    pose: NDArray[np.float64]        # (bodies, 12) rotation and origin when last seen
    travel: NDArray[np.float64]      # (bodies,) bound of the way that any feature of the body has come so far
    limit: NDArray[np.float64]       # (slots,) the slot sleeps while travel + reach is below
    awake: NDArray[np.int64]         # (slots,)


class Scene(NamedTuple):
    """All slots of a robot in its surroundings, sorted by body."""

    owner: NDArray[np.int64]         # (slots,) row of the body
    surface: NDArray[np.int64]       # (slots,) row of `surfaces`
    features: NDArray[np.float64]    # (slots, 8) ends in the body's frame (3 + 3), radius, rank among the slots of the same pair
    surfaces: NDArray[np.float64]    # (surfaces, 24) code, active from, until, friction (4), restitution, shape
    patches: NDArray[np.float64]     # (patches, 9)
    heights: NDArray[np.float64]     # of all height fields, one after the other
    rest: Rest


@inline
def length_of(v):
    return sqrt(dot(v, v))


@inline
def nearest_on_segment(a, b, p):
    """Share of the way from a to b of the point nearest to p."""
    d = b - a
    square = dot(d, d)
    if square <= 0.0:
        return 0.0
    return min(max(dot(p - a, d) / square, 0.0), 1.0)


@inline
def nearest_of_segments(a, b, p, q):
    """Shares along a-b and p-q of their nearest points."""
    d, e, r = b - a, q - p, a - p
    dd, ee, de = dot(d, d), dot(e, e), dot(d, e)
    bulk = dd * ee - de * de
    s = 0.5
    if dd <= 0.0:
        s = 0.0
    elif bulk > 1e-12 * dd * ee:
        s = min(max((de * dot(e, r) - dot(d, r) * ee) / bulk, 0.0), 1.0)
    t = nearest_on_segment(p, q, a + s * d)
    s = nearest_on_segment(a, b, p + t * e)
    t = nearest_on_segment(p, q, a + s * d)
    return s, t


@inline
def away(d, fallback):
    """Unit vector along d and its length; `fallback` where d is nothing."""
    size = length_of(d)
    if size > 1e-12:
        return (1.0 / size) * d, size
    return fallback, size


@lean_kernel
def box_distance(surfaces, j, p):
    """Signed distance from p to a box, and the outward normal in the world."""
    E = get_matrix(surfaces, j, SHAPE + 3)
    x = E @ (p - get_vector(surfaces, j, SHAPE))
    h = get_vector(surfaces, j, SHAPE + 12)
    inside = Vector(min(max(x.x, -h.x), h.x), min(max(x.y, -h.y), h.y), min(max(x.z, -h.z), h.z))
    out = x - inside
    size = length_of(out)
    if size > 1e-12:
        return size, transpose(E) @ ((1.0 / size) * out)
    dx, dy, dz = h.x - abs(x.x), h.y - abs(x.y), h.z - abs(x.z)
    if dx <= dy and dx <= dz:
        return -dx, transpose(E) @ Vector(1.0 if x.x > 0.0 else -1.0, 0.0, 0.0)
    if dy <= dz:
        return -dy, transpose(E) @ Vector(0.0, 1.0 if x.y > 0.0 else -1.0, 0.0)
    return -dz, transpose(E) @ Vector(0.0, 0.0, 1.0 if x.z > 0.0 else -1.0)


@lean_kernel
def box_gap(surfaces, j, a, b, rank):
    """Gap of a sphere, or of a capsule whose nearest point lies between its ends (the distance is convex along it).

    The rank tells which: two roundings of one point may differ, so that a sphere cannot be told by its ends.
    """
    if rank < 1.5:
        distance, n = box_distance(surfaces, j, a)
        return distance, n, a
    low, high = 0.0, 1.0
    for _ in range(40):
        left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if box_distance(surfaces, j, a + left * (b - a))[0] < box_distance(surfaces, j, a + right * (b - a))[0]:
            high = right
        else:
            low = left
    s = 0.5 * (low + high)
    p = a + s * (b - a)
    distance, n = box_distance(surfaces, j, p)
    ends = min(box_distance(surfaces, j, a)[0], box_distance(surfaces, j, b)[0])
    return distance if distance < ends - DEEPER else FAR, n, p


@lean_kernel
def peg_gap(surfaces, j, a, b):
    """Gap between the axis of a capsule and a round bar."""
    p, q = get_vector(surfaces, j, SHAPE), get_vector(surfaces, j, SHAPE + 3)
    s, t = nearest_of_segments(a, b, p, q)
    here = a + s * (b - a)
    n, distance = away(here - (p + t * (q - p)), Vector(0.0, 0.0, 1.0))
    return distance - surfaces[j, SHAPE + 6], n, here


@lean_kernel
def triangle_gap(p, a, b, c):
    """Distance from p to a triangle (counter-clockwise seen from above), and the direction to p; none from below its face."""
    face, _ = away(cross(b - a, c - a), Vector(0.0, 0.0, 1.0))
    height = dot(face, p - a)
    if height < 0.0:                                       # behind it, perhaps on the other side of a ridge: another triangle has it
        return FAR, face
    foot = p - height * face
    if (dot(cross(b - a, foot - a), face) >= 0.0 and dot(cross(c - b, foot - b), face) >= 0.0
            and dot(cross(a - c, foot - c), face) >= 0.0):
        return height, face
    best = nearest_edge(p, a, b)
    other = nearest_edge(p, b, c)
    if length_of(p - other) < length_of(p - best):
        best = other
    other = nearest_edge(p, c, a)
    if length_of(p - other) < length_of(p - best):
        best = other
    n, distance = away(p - best, face)
    return distance, n


@inline
def nearest_edge(p, a, b):
    return a + nearest_on_segment(a, b, p) * (b - a)


@lean_kernel
def grid_point(surfaces, heights, j, ix, iy):
    """A corner of a height field."""
    x = surfaces[j, SHAPE] + ix * surfaces[j, SHAPE + 2]
    y = surfaces[j, SHAPE + 1] + iy * surfaces[j, SHAPE + 3]
    return Vector(x, y, heights[int(surfaces[j, SHAPE + 6]) + ix * int(surfaces[j, SHAPE + 5]) + iy])


@inline
def grid_range(surfaces, j, axis, low, high):
    """First and last cell that an interval meets."""
    spacing, corner, cells = surfaces[j, SHAPE + 2 + axis], surfaces[j, SHAPE + axis], int(surfaces[j, SHAPE + 4 + axis]) - 1
    return max(int(np.floor((low - corner) / spacing)), 0), min(int(np.floor((high - corner) / spacing)) + 1, cells)


@lean_kernel
def field_gap(surfaces, heights, j, p, reach, rank):
    """Gap of a sphere over a height field: the nearest triangle, or (rank 1) the nearest of another direction, as in a groove."""
    x0, x1 = grid_range(surfaces, j, 0, p.x - reach, p.x + reach)
    y0, y1 = grid_range(surfaces, j, 1, p.y - reach, p.y + reach)
    first, n1 = nearest_of_field(surfaces, heights, j, p, x0, x1, y0, y1, False, Vector(0.0, 0.0, 1.0))
    if rank < 0.5:
        return first, n1
    return nearest_of_field(surfaces, heights, j, p, x0, x1, y0, y1, True, n1)


@lean_kernel
def nearest_of_field(surfaces, heights, j, p, x0, x1, y0, y1, other, n1):
    """Nearest of the triangles and the sides; inside the solid, below its top, the way out that is shortest."""
    best, normal = nearest_triangle(surfaces, heights, j, p, x0, x1, y0, y1, other, n1)
    last_x, last_y = int(surfaces[j, SHAPE + 4]) - 1, int(surfaces[j, SHAPE + 5]) - 1
    west, south = surfaces[j, SHAPE] - p.x, surfaces[j, SHAPE + 1] - p.y
    east, north = -west - last_x * surfaces[j, SHAPE + 2], -south - last_y * surfaces[j, SHAPE + 3]
    if west <= 0.0 and east <= 0.0 and south <= 0.0 and north <= 0.0:
        depth, face = depth_below(surfaces, heights, j, p, min(int(-west / surfaces[j, SHAPE + 2]), last_x - 1),
                                  min(int(-south / surfaces[j, SHAPE + 3]), last_y - 1))
        nearest = max(max(west, east), max(south, north))
        if depth >= 0.0:
            return best, normal
        if other or depth > nearest:
            return FAR if other else depth, face
        return nearest, (Vector(-1.0, 0.0, 0.0) if nearest == west else Vector(1.0, 0.0, 0.0) if nearest == east else
                         Vector(0.0, -1.0, 0.0) if nearest == south else Vector(0.0, 1.0, 0.0))
    if west > 0.0 or east > 0.0:
        ix, out = (0, Vector(-1.0, 0.0, 0.0)) if west > 0.0 else (last_x, Vector(1.0, 0.0, 0.0))
        for iy in range(y0, y1):
            distance, n = side_gap(p, grid_point(surfaces, heights, j, ix, iy), grid_point(surfaces, heights, j, ix, iy + 1), out)
            if distance < best and not (other and dot(n, n1) > 0.999):
                best, normal = distance, n
    if south > 0.0 or north > 0.0:
        iy, out = (0, Vector(0.0, -1.0, 0.0)) if south > 0.0 else (last_y, Vector(0.0, 1.0, 0.0))
        for ix in range(x0, x1):
            distance, n = side_gap(p, grid_point(surfaces, heights, j, ix, iy), grid_point(surfaces, heights, j, ix + 1, iy), out)
            if distance < best and not (other and dot(n, n1) > 0.999):
                best, normal = distance, n
    return best, normal


@lean_kernel
def depth_below(surfaces, heights, j, p, ix, iy):
    """Height of p over the plane of the triangle above or below it, in cell (ix, iy), and that triangle's normal: negative in the solid."""
    a, c = grid_point(surfaces, heights, j, ix, iy), grid_point(surfaces, heights, j, ix + 1, iy + 1)
    lower = (p.x - a.x) * surfaces[j, SHAPE + 3] >= (p.y - a.y) * surfaces[j, SHAPE + 2]
    if lower:
        face, _ = away(cross(grid_point(surfaces, heights, j, ix + 1, iy) - a, c - a), Vector(0.0, 0.0, 1.0))
    else:
        face, _ = away(cross(c - a, grid_point(surfaces, heights, j, ix, iy + 1) - a), Vector(0.0, 0.0, 1.0))
    return dot(face, p - a), face


@lean_kernel
def side_gap(p, a, b, out):
    """Distance from p to the upright side below the edge a-b of a border, and the direction to p; `out` where p lies in the side."""
    dx, dy = b.x - a.x, b.y - a.y
    s = min(max(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    top = a + s * (b - a)
    n, distance = away(p - Vector(top.x, top.y, min(p.z, top.z)), out)
    m, other = away(p - nearest_edge(p, a, b), out)
    return (other, m) if other < distance else (distance, n)


@lean_kernel
def nearest_triangle(surfaces, heights, j, p, x0, x1, y0, y1, other, n1):
    best, normal = FAR, Vector(0.0, 0.0, 1.0)
    for ix in range(x0, x1):
        for iy in range(y0, y1):
            a, b = grid_point(surfaces, heights, j, ix, iy), grid_point(surfaces, heights, j, ix + 1, iy)
            c, d = grid_point(surfaces, heights, j, ix + 1, iy + 1), grid_point(surfaces, heights, j, ix, iy + 1)
            for half in range(2):
                distance, n = triangle_gap(p, a, b, c) if half == 0 else triangle_gap(p, a, c, d)
                if distance < best and not (other and dot(n, n1) > 0.999):
                    best, normal = distance, n
    return best, normal


@lean_kernel
def ridge_gap(surfaces, heights, j, a, b, reach):
    """Gap of a capsule over the edges of a height field, those of its upright corners too, that pass between its ends."""
    x0, x1 = grid_range(surfaces, j, 0, min(a.x, b.x) - reach, max(a.x, b.x) + reach)
    y0, y1 = grid_range(surfaces, j, 1, min(a.y, b.y) - reach, max(a.y, b.y) + reach)
    best, normal, here = FAR, Vector(0.0, 0.0, 1.0), a
    last_x, last_y = int(surfaces[j, SHAPE + 4]) - 1, int(surfaces[j, SHAPE + 5]) - 1
    for ix in range(x0, x1 + 1):
        for iy in range(y0, y1 + 1):
            corner = grid_point(surfaces, heights, j, ix, iy)
            upright = (ix == 0 or ix == last_x) and (iy == 0 or iy == last_y)
            for way in range(4):
                jx, jy = (ix + 1, iy) if way == 0 else (ix, iy + 1) if way == 1 else (ix + 1, iy + 1) if way == 2 else (ix, iy)
                if jx > x1 or jy > y1 or (way == 3 and not upright):
                    continue
                far = grid_point(surfaces, heights, j, jx, jy) if way < 3 else corner - Vector(0.0, 0.0, DOWN)
                s, t = nearest_of_segments(a, b, corner, far)
                p = a + s * (b - a)
                n, distance = away(p - (corner + t * (far - corner)), normal)
                if (n.z > 0.0 or way == 3) and distance < best:
                    best, normal, here = distance, n, p
    if best < FAR:
        up = Vector(0.0, 0.0, 1.0)
        ends = min(nearest_of_field(surfaces, heights, j, a, x0, x1, y0, y1, False, up)[0],
                   nearest_of_field(surfaces, heights, j, b, x0, x1, y0, y1, False, up)[0])
        if best >= ends - DEEPER:
            best = FAR
    return best, normal, here


@inline
def tangent_along(R, n):
    """The body's x axis made tangential (27); for a body that stands upright, its z axis, to which the tangent tends as it pitches up."""
    Rt = transpose(R)
    t = Rt.x - dot(Rt.x, n) * n
    size = length_of(t)
    if size > 1e-6:
        return (1.0 / size) * t
    side = -1.0 if dot(Rt.x, n) > 0.0 else 1.0
    t = side * (Rt.z - dot(Rt.z, n) * n)
    return (1.0 / length_of(t)) * t


@inline
def put_friction(contact, i, surfaces, patches, j, place):
    """Coefficients of the surface, or of the last patch that holds the place."""
    for c in range(4):
        contact[i, FORWARD + c] = surfaces[j, FRICTION + c]
    for m in range(patches.shape[0]):
        if (patches[m, 0] == j and patches[m, 1] <= place.x <= patches[m, 2] and patches[m, 3] <= place.y <= patches[m, 4]):
            for c in range(4):
                contact[i, FORWARD + c] = patches[m, 5 + c]


@inline
def put_wheel(contact, i, R, arm, features, surfaces, j):
    """A wheel at `arm`: its frame along its own rolling direction and axle, and the load it carries."""
    t, axle = R @ get_vector(features, i, END), R @ get_vector(surfaces, j, SHAPE + 2)
    put_vector(contact, i, ARM, arm)
    put_vector(contact, i, NORMAL, cross(t, axle))
    put_vector(contact, i, TANGENT, t)
    for c in range(4):
        contact[i, FORWARD + c] = surfaces[j, FRICTION + c]
    contact[i, GIVEN], contact[i, IS_BOX] = surfaces[j, SHAPE], surfaces[j, SHAPE + 1]


@inline
def remember(contact, i):
    """Friction of the step before, from which this one goes on."""
    for c in range(2):
        contact[i, SHEAR_BEFORE + c], contact[i, TWIST_BEFORE + c] = contact[i, SHEAR + c], contact[i, SHEAR + 2 + c]


@inline
def body_travel(work, k, extent, pose):
    """Bound of how far any feature of body k has moved since it was last seen; it is seen now."""
    shift, turn = 0.0, 0.0
    for c in range(3):
        d = work[k, ORIGIN + c] - pose[k, 9 + c]
        shift += d * d
        pose[k, 9 + c] = work[k, ORIGIN + c]
    for c in range(9):
        d = work[k, ROTATION + c] - pose[k, c]
        turn += d * d
        pose[k, c] = work[k, ROTATION + c]
    return sqrt(shift) + sqrt(turn) * extent[k]


@lean_kernel
def rouse(scene, work, reach, everything):
    """Wake every slot whose gap may be below `reach` at the present posture, or all."""
    owner = scene.owner
    extent, pose, travel, limit, awake = scene.rest
    if extent.shape[0] == 0:
        return
    for k in range(extent.shape[0]):
        if extent[k] > 0.0:
            travel[k] += body_travel(work, k, extent, pose)
    for i in range(owner.shape[0]):
        awake[i] = 1 if everything or travel[owner[i]] + reach >= limit[i] else 0


@inline
def slot_gap(surfaces, heights, features, i, j, R, origin, a, reach):
    """Gap, normal and place on the axis of slot i, and a bound of the gap that shrinks no faster than the body moves (0: no such bound)."""
    code, r, rank = surfaces[j, CODE], features[i, SIZE], features[i, RANK]
    gap, n, here, bound = FAR, Vector(0.0, 0.0, 1.0), a, 0.0
    if code == PLANE:
        n = get_vector(surfaces, j, SHAPE)
        gap = dot(n, a) - surfaces[j, SHAPE + 3]
    elif code == WHEEL:
        gap = 0.0 if surfaces[j, SHAPE] > 0.0 else FAR
    else:
        b = origin + R @ get_vector(features, i, END)
        if code == PEG:
            gap, n, here = peg_gap(surfaces, j, a, b)
            bound = gap - r
        elif code == BOX:
            gap, n, here = box_gap(surfaces, j, a, b, rank)
            bound = box_distance(surfaces, j, 0.5 * (a + b))[0] - 0.5 * length_of(b - a) - r
        elif rank > 1.5:
            gap, n, here = ridge_gap(surfaces, heights, j, a, b, r + reach)
        else:
            gap, n = field_gap(surfaces, heights, j, a, r + reach, rank)
    return gap - r, n, here, bound


@lean_kernel
def find_contacts(scene, work, time, reach, contact, active):
    """Gaps of all slots that are awake at the present posture; those nearer than `reach` become active. Returns how many.

    A slot that is not active forgets its impulses.
    """
    owner, surface, features, surfaces, patches, heights, rest = scene
    travel, limit, awake = rest.travel, rest.limit, rest.awake
    sleeping, count = rest.extent.shape[0] > 0, 0
    for i in range(owner.shape[0]):
        if sleeping and not awake[i]:
            continue
        k, j, r = owner[i], surface[i], features[i, SIZE]
        R, origin = get_matrix(work, k, ROTATION), get_vector(work, k, ORIGIN)
        a = origin + R @ get_vector(features, i, BEGIN)
        gap, n, here, bound = FAR, Vector(0.0, 0.0, 1.0), a, 0.0
        if surfaces[j, FROM] <= time <= surfaces[j, UNTIL]:
            gap, n, here, bound = slot_gap(surfaces, heights, features, i, j, R, origin, a, reach)
        contact[i, GAP] = gap
        if sleeping:
            limit[i] = travel[k] + MARGIN * bound
        if gap >= reach:
            for c in range(5):
                contact[i, LOAD + c] = 0.0
            continue
        if surfaces[j, CODE] == WHEEL:
            put_wheel(contact, i, R, a - origin, features, surfaces, j)
        else:
            place = here - r * n
            put_vector(contact, i, ARM, place - origin)
            put_vector(contact, i, NORMAL, n)
            put_vector(contact, i, TANGENT, tangent_along(R, n))
            put_friction(contact, i, surfaces, patches, j, place)
            contact[i, RADIUS], contact[i, RESTITUTION] = r, surfaces[j, BOUNCE]
        remember(contact, i)
        active[count] = i
        count += 1
    return count
