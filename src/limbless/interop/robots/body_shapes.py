"""Shapes of a part -> the body on which water acts, the spheres that touch the ground, and what is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limbless.interop.robots.tree import SMALLEST, Array, FilePart, FileShape
from limbless.interop.robots.xml_text import pose
from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.robots import BodyShape, Box, Capsule, EllipticCylinder, HalfEllipsoid, Mesh, Solid, Sphere, total

_THIN = 0.02
"""Of its length: the half width of a body whose shape is flat or a line."""


class Dress(NamedTuple):
    """What a link wears."""

    body: BodyShape | None
    spheres: tuple[Sphere, ...]
    mesh: tuple[Mesh, ...]
    how: str  # shapes, or inertia where there is no shape to go by


def seen_shapes(part: FilePart) -> list[FileShape]:
    """The shapes of a part that have an extent: those that collide, or else those that are only seen."""
    known = [shape for shape in part.shapes if shape.half is not None and shape.half.max() > SMALLEST]
    return [shape for shape in known if shape.collides] or known


def inertia_box(part: FilePart, axes: Array) -> FileShape | None:
    """A box of the part's own mass and inertia along given axes (rows), or None for a point."""
    if part.mass <= 0:
        return None
    central = axes @ part.central_inertia() @ axes.T
    second = np.diag(np.trace(central) / 2 * np.eye(3) - central) / part.mass
    half = np.sqrt(3.0 * np.maximum(second, 0.0))
    return FileShape("box", half, pose(part.centre, axes.T)) if half.max() > 0 else None


def dress(part: FilePart, origin: Array, axes: Array, start: float | None, stop: float | None, reach: float) -> Dress:
    """The dress of a part whose link has its origin and axes (rows, along the body first) there.

    `start` and `stop` are the joints before and after it along the body, m from the origin; None at an end of the
    robot. No half width that comes from inertia is above `reach`: made-up inertias would give bodies like houses.
    """
    mesh = tuple(_mesh(shape, origin, axes) for shape in _drawn(part))
    shapes = seen_shapes(part)
    how = "shapes" if shapes else "inertia"
    if not shapes and (box := inertia_box(part, axes)) is not None:
        shapes = [box]
    if not shapes:
        return Dress(None, (), mesh, how)
    low, high = (
        np.array([pick(shape.extent(axis)[end] for shape in shapes) - axis @ origin for axis in axes])
        for end, pick in ((0, min), (1, max))
    )
    begin, end = low[0] if start is None else start, high[0] if stop is None else stop
    if end - begin <= 1e-6 * reach:
        begin, end = low[0], high[0]
    length = end - begin
    if not length > 1e-9 * reach:
        return Dress(None, (), mesh, how)
    half = np.maximum((high - low)[1:] / 2, _THIN * length)
    half = np.minimum(half, reach) if how == "inertia" else half
    middle = (high + low)[1:] / 2
    body = BodyShape(
        position=(float(begin), *map(float, middle)),
        length=float(length),
        half_width=float(half[0]),
        half_height=float(half[1]),
    )
    rims = tuple(_rim(shape, origin, axes) for shape in shapes if _is_disc(shape))
    if not rims:
        return Dress(body, _spheres(begin, end, middle, float(half.min())), mesh, how)
    others = [shape for shape in shapes if not _is_disc(shape)]
    beside = dress(replace(part, shapes=others), origin, axes, start, stop, reach).spheres if others else ()
    return Dress(body, beside + rims, mesh, how)


def _is_disc(shape: FileShape) -> bool:
    """Whether it is a cylinder that is wider than long: it touches with its round edge."""
    return (
        shape.kind == "cylinder" and shape.half is not None and shape.collides and bool(shape.half[2] < shape.half[0])
    )


def _rim(shape: FileShape, origin: Array, axes: Array) -> Sphere:
    """The edge of a disc, rounded by half its thickness."""
    radius, _, thin = (0.0, 0.0, 0.0) if shape.half is None else (float(size) for size in shape.half)
    centre, axis = axes @ (shape.pose[:3, 3] - origin), axes @ shape.pose[:3, 2]
    thin = max(thin, _THIN * radius)
    return Sphere(
        centre=tuple(map(float, centre)), radius=thin, rim=radius - thin, axis=tuple(float(x) + 0.0 for x in axis)
    )


def _spheres(begin: float, end: float, middle: Array, radius: float) -> tuple[Sphere, ...]:
    inside = min(radius, (end - begin) / 2)
    places = [begin + inside, end - inside] if end - begin > 2 * inside * (1 + 1e-9) else [(begin + end) / 2]
    return tuple(Sphere(centre=(float(x), float(middle[0]), float(middle[1])), radius=radius) for x in places)


def _drawn(part: FilePart) -> list[FileShape]:
    found = [shape for shape in part.shapes if shape.mesh is not None]
    return [shape for shape in found if not shape.collides] or found


def _mesh(shape: FileShape, origin: Array, axes: Array) -> Mesh:
    place = shape.pose if shape.mesh_pose is None else shape.mesh_pose
    return Mesh(
        file=str(shape.mesh),
        scale=tuple(map(float, shape.scale)),
        position=tuple(map(float, axes @ (place[:3, 3] - origin))),
        orientation=tuple(map(float, matrix_to_quaternion(axes @ place[:3, :3]))),
    )


def add_density(part: FilePart, density: float) -> None:
    """Mass of a part that has none, from its shapes."""
    for shape in seen_shapes(part):
        add_solid(part, shape, density)


def add_solid(part: FilePart, shape: FileShape, density: float) -> None:
    """Mass of a shape that is solid; of a mesh, the box around it."""
    mass, moment, inertia, *_ = total(tuple(_solids(shape, density)))
    part.mass += mass
    part.moment, part.inertia = part.moment + moment, part.inertia + inertia
    part.boxed = part.boxed or (mass > 0 and shape.kind == "mesh")


def _solids(shape: FileShape, density: float) -> list[Solid]:
    """A shape as homogeneous solids, in the file's frame."""
    if shape.half is None or min(shape.half) <= 0:
        return []
    R, centre, (a, b, c) = shape.pose[:3, :3], shape.pose[:3, 3], map(float, shape.half)

    def placed(at: float, sign: float = 1.0) -> dict:
        return {
            "position": tuple(map(float, centre + at * R[:, 2])),
            "axis": tuple(map(float, sign * R[:, 2])),
            "lateral": tuple(map(float, R[:, 0])),
            "density": density,
        }

    if shape.kind == "cylinder":
        return [EllipticCylinder(length=2 * c, half_width=a, half_height=b, **placed(-c))]
    if shape.kind == "capsule":
        return [Capsule(length=2 * max(c - a, 0.0), radius=a, **placed(-max(c - a, 0.0)))]
    if shape.kind in ("sphere", "ellipsoid"):
        return [HalfEllipsoid(depth=c, half_width=a, half_height=b, **placed(0.0, sign)) for sign in (1.0, -1.0)]
    return [Box(length=2 * c, half_width=a, half_height=b, **placed(-c))]
