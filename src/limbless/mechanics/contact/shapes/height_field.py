"""A height field as a shape: two triangles per cell, and upright sides from its border down.

Touched by spheres, and by capsules against ridges and the upright edges of its four corners.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import Vector, cross, dot
from limbless.mechanics.compiled import Array, Scalar, Table, constants, func, kernel, noinline_func, version_for
from limbless.mechanics.contact.scene import Feature, Scene
from limbless.mechanics.contact.shapes.primitives import (
    DEEPER,
    FAR,
    SHAPE,
    NearestPoint,
    away,
    collide,
    contact_shape,
    length_of,
    nearest_of_segments,
    nearest_on_segment,
)

DOWN = 1e3  # m: how far the upright edges of a height field reach below its corners
ALIKE = 0.999  # cosine: two directions that are one


@contact_shape(spheres=2)
class HeightField(NamedTuple):
    """Marks surfaces of the table `FieldShape`."""

    code = 3


@constants
class FieldShape(Table):
    corner_x: float
    corner_y: float
    spacing_x: float
    spacing_y: float
    count_x: float
    count_y: float
    first: float  # number of its first height among those of all fields


class Grid(NamedTuple):
    """A height field where it is asked for: its numbers, all heights, and the cells from and until that matter."""

    field: FieldShape
    heights: Array
    x0: int
    x1: int
    y0: int
    y1: int


@noinline_func
def triangle_gap(p: Vector, a: Vector, b: Vector, c: Vector):
    """Distance from p to a triangle (counter-clockwise seen from above), and the direction to p;
    none from below its face.
    """
    face, _ = away(cross(b - a, c - a), Vector(0.0, 0.0, 1.0))
    height = dot(face, p - a)
    if height < 0.0:  # behind it, perhaps on the other side of a ridge: another triangle has it
        return FAR, face
    foot = p - height * face
    if (
        dot(cross(b - a, foot - a), face) >= 0.0
        and dot(cross(c - b, foot - b), face) >= 0.0
        and dot(cross(a - c, foot - c), face) >= 0.0
    ):
        return height, face
    best = nearest_edge(p, a, b)
    for u, v in ((b, c), (c, a)):
        other = nearest_edge(p, u, v)
        if length_of(p - other) < length_of(p - best):
            best = other
    n, distance = away(p - best, face)
    return distance, n


@func
def nearest_edge(p: Vector, a: Vector, b: Vector):
    return a + nearest_on_segment(a, b, p) * (b - a)


@noinline_func
def grid_point(grid: Grid, ix: int, iy: int) -> Vector:
    """A corner of a height field."""
    field = grid.field
    return Vector(
        field.corner_x + ix * field.spacing_x,
        field.corner_y + iy * field.spacing_y,
        grid.heights[int(field.first) + ix * int(field.count_y) + iy],
    )


@func
def cells(corner: Any, spacing: Any, count: int, low: Scalar, high: Scalar):
    """First and last cell that an interval meets."""
    return max(int(np.floor((low - corner) / spacing)), 0), min(
        int(np.floor((high - corner) / spacing)) + 1, int(count) - 1
    )


@func
def grid_between(field: FieldShape, heights: Any, low: Any, high: Any) -> Grid:
    """The cells over a rectangle."""
    x0, x1 = cells(field.corner_x, field.spacing_x, field.count_x, low.x, high.x)
    y0, y1 = cells(field.corner_y, field.spacing_y, field.count_y, low.y, high.y)
    return Grid(field, heights, x0, x1, y0, y1)


@func
def is_other(n: Any, known: Any, other: Any):
    """Whether a direction counts: where `other` is asked for, not if it is one with the `known`."""
    return not (other and dot(n, known) > ALIKE)


@noinline_func
def field_gap(field: Any, heights: Any, p: Vector, reach: Scalar, rank: Any):
    """Gap of a sphere over a height field: the nearest triangle, or (rank 1) the nearest of another
    direction, as in a groove.
    """
    around = Vector(reach, reach, reach)
    grid = grid_between(field, heights, p - around, p + around)
    first, n = nearest_of_field(grid, p, False, Vector(0.0, 0.0, 1.0))
    return (first, n) if rank < 0.5 else nearest_of_field(grid, p, True, n)


@noinline_func
def nearest_of_field(grid: Grid, p: Vector, other: Any, known: Any):
    """Nearest of the triangles and the sides; inside the solid, below its top, the way out that is shortest."""
    field = grid.field
    last_x, last_y = int(field.count_x) - 1, int(field.count_y) - 1
    west, south = field.corner_x - p.x, field.corner_y - p.y
    east, north = -west - last_x * field.spacing_x, -south - last_y * field.spacing_y
    best, normal = nearest_triangle(grid, p, other, known)
    if west <= 0.0 and east <= 0.0 and south <= 0.0 and north <= 0.0:
        depth, face = depth_below(
            grid, p, min(int(-west / field.spacing_x), last_x - 1), min(int(-south / field.spacing_y), last_y - 1)
        )
        nearest = max(max(west, east), max(south, north))
        if depth >= 0.0:
            return best, normal
        if other or depth > nearest:
            return FAR if other else depth, face
        return nearest, (
            Vector(-1.0, 0.0, 0.0)
            if nearest == west
            else Vector(1.0, 0.0, 0.0)
            if nearest == east
            else Vector(0.0, -1.0, 0.0)
            if nearest == south
            else Vector(0.0, 1.0, 0.0)
        )
    if west > 0.0 or east > 0.0:
        ix, out = (0, Vector(-1.0, 0.0, 0.0)) if west > 0.0 else (last_x, Vector(1.0, 0.0, 0.0))
        for iy in range(grid.y0, grid.y1):
            distance, n = side_gap(p, grid_point(grid, ix, iy), grid_point(grid, ix, iy + 1), out)
            if distance < best and is_other(n, known, other):
                best, normal = distance, n
    if south > 0.0 or north > 0.0:
        iy, out = (0, Vector(0.0, -1.0, 0.0)) if south > 0.0 else (last_y, Vector(0.0, 1.0, 0.0))
        for ix in range(grid.x0, grid.x1):
            distance, n = side_gap(p, grid_point(grid, ix, iy), grid_point(grid, ix + 1, iy), out)
            if distance < best and is_other(n, known, other):
                best, normal = distance, n
    return best, normal


@noinline_func
def depth_below(grid: Grid, p: Vector, ix: Any, iy: Any):
    """Height of p over the plane of the triangle above or below it, in cell (ix, iy), and that triangle's normal:
    negative in the solid.
    """
    a, c = grid_point(grid, ix, iy), grid_point(grid, ix + 1, iy + 1)
    lower = (p.x - a.x) * grid.field.spacing_y >= (p.y - a.y) * grid.field.spacing_x
    up = cross(grid_point(grid, ix + 1, iy) - a, c - a) if lower else cross(c - a, grid_point(grid, ix, iy + 1) - a)
    face, _ = away(up, Vector(0.0, 0.0, 1.0))
    return dot(face, p - a), face


@noinline_func
def side_gap(p: Vector, a: Vector, b: Vector, out: Any):
    """Distance from p to the upright side below the edge a-b of a border, and the direction to p; `out`
    where p lies in the side.
    """
    dx, dy = b.x - a.x, b.y - a.y
    s = min(max(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    top = a + s * (b - a)
    n, distance = away(p - Vector(top.x, top.y, min(p.z, top.z)), out)
    m, other = away(p - nearest_edge(p, a, b), out)
    return (other, m) if other < distance else (distance, n)


@noinline_func
def nearest_triangle(grid: Grid, p: Vector, other: Any, known: Any):
    best, normal = FAR, Vector(0.0, 0.0, 1.0)
    for ix in range(grid.x0, grid.x1):
        for iy in range(grid.y0, grid.y1):
            a, b = grid_point(grid, ix, iy), grid_point(grid, ix + 1, iy)
            c, d = grid_point(grid, ix + 1, iy + 1), grid_point(grid, ix, iy + 1)
            for half in range(2):
                distance, n = triangle_gap(p, a, b, c) if half == 0 else triangle_gap(p, a, c, d)
                if distance < best and is_other(n, known, other):
                    best, normal = distance, n
    return best, normal


@func
def edge_from(grid: Grid, ix: Any, iy: Any, way: Any, upright: Any):
    """The far corner of an edge of a cell: along x, along y, across, or down; and whether there is one."""
    jx = ix + 1 if way == 0 or way == 2 else ix
    jy = iy + 1 if way == 1 or way == 2 else iy
    if way == 3:
        return grid_point(grid, ix, iy) - Vector(0.0, 0.0, DOWN), upright
    there = jx <= grid.x1 and jy <= grid.y1
    return grid_point(grid, jx if there else ix, jy if there else iy), there


@noinline_func
def ridge_gap(field: FieldShape, heights: Any, a: Vector, b: Vector, reach: Scalar):
    """Gap of a capsule over the edges of a height field, those of its upright corners too,
    that pass between its ends.
    """
    low = Vector(min(a.x, b.x) - reach, min(a.y, b.y) - reach, 0.0)
    high = Vector(max(a.x, b.x) + reach, max(a.y, b.y) + reach, 0.0)
    grid, up = grid_between(field, heights, low, high), Vector(0.0, 0.0, 1.0)
    best, normal, here = FAR, up, a
    last_x, last_y = int(field.count_x) - 1, int(field.count_y) - 1
    for ix in range(grid.x0, grid.x1 + 1):
        for iy in range(grid.y0, grid.y1 + 1):
            corner = grid_point(grid, ix, iy)
            upright = (ix == 0 or ix == last_x) and (iy == 0 or iy == last_y)
            for way in range(4):
                far, there = edge_from(grid, ix, iy, way, upright)
                if not there:
                    continue
                s, t = nearest_of_segments(a, b, corner, far)
                p = a + s * (b - a)
                n, distance = away(p - (corner + t * (far - corner)), normal)
                if (n.z > 0.0 or way == 3) and distance < best:
                    best, normal, here = distance, n, p
    if best < FAR:
        ends = min(nearest_of_field(grid, a, False, up)[0], nearest_of_field(grid, b, False, up)[0])
        best = best if best < ends - DEEPER else FAR
    return best, normal, here


@version_for(collide, HeightField)
@kernel
def touch_field(scene: Scene, i: int, j: int, a: Vector, b: Vector, reach: Scalar) -> NearestPoint:
    feature, field = Feature(scene.features, i), FieldShape(scene.surfaces, j, SHAPE)
    if feature.rank > 1.5:
        gap, n, here = ridge_gap(field, scene.heights, a, b, feature.radius + reach)
        return NearestPoint(gap, n, here, 0.0)
    gap, n = field_gap(field, scene.heights, a, feature.radius + reach, feature.rank)
    return NearestPoint(gap, n, a, 0.0)
