"""Geometry of URDF and SDF as shapes: the words are almost the same in both.

How far a mesh reaches: bounding boxes of STL and OBJ files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from limbless.core import InputError
from limbless.interop.robots.tree import FileShape
from limbless.interop.robots.xml_text import Array, Element, find_file, number, numbers

_LONGEST = 200_000_000
_HEADER = 84


def bounds(path: Path) -> tuple[Array, Array] | None:
    """Lowest and highest corner of a mesh in its own units, or None where it is no STL or OBJ that can be read."""
    try:
        if path.stat().st_size > _LONGEST:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    suffix = path.suffix.lower()
    corners = _stl(data) if suffix == ".stl" else _lines(data, b"v ") if suffix == ".obj" else None
    if corners is None or len(corners) == 0 or not np.isfinite(corners).all():
        return None
    return corners.min(axis=0), corners.max(axis=0)


def _stl(data: bytes) -> Array | None:
    count = int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1
    if len(data) == _HEADER + 50 * count:
        facet = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
        return np.frombuffer(data, facet, offset=_HEADER)["corners"].reshape(-1, 3).astype(np.float64)
    return _lines(data, b"vertex ")


def _lines(data: bytes, word: bytes) -> Array | None:
    """The three numbers behind a word at the beginning of lines."""
    rows = [line.split()[1:4] for line in data.splitlines() if line.lstrip().startswith(word)]
    try:
        return np.array([[float(number) for number in row] for row in rows]).reshape(-1, 3)
    except ValueError:
        return None


def value(element: Element, name: str) -> str | None:
    """A number as an attribute (URDF) or as an element of its own (SDF)."""
    found = element.get(name)
    return found if found is not None else element.findtext(name)


def shapes_of(
    link: Element, place_of: Callable[[Element], Array], beside: Path, what: str
) -> Iterator[tuple[Element, FileShape]]:
    """What a link touches with and what is seen of it, each with its element."""
    for tag in ("collision", "visual"):
        for item in link.findall(tag):
            shape = shape_of(item.find("geometry"), place_of(item), tag == "collision", beside, f"{what}: {tag}")
            if shape is not None:
                yield item, shape


def shape_of(geometry: Element | None, pose: Array, collides: bool, beside: Path, what: str) -> FileShape | None:
    """The first shape of a `<geometry>` at a pose in the file frame; None for what has no extent (a plane)."""
    kinds = {"sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh"}
    found = None if geometry is None else next((item for item in geometry if item.tag in kinds), None)
    if found is None:
        return None
    if found.tag == "mesh":
        return mesh_shape(
            value(found, "filename") or value(found, "uri") or "",
            numbers(value(found, "scale"), 3, f"{what} mesh scale", (1.0, 1.0, 1.0)),
            pose,
            collides,
            beside,
        )
    if found.tag == "box":
        half = numbers(value(found, "size"), 3, f"{what} box size") / 2
    elif found.tag == "ellipsoid":
        half = numbers(value(found, "radii"), 3, f"{what} ellipsoid radii")
    else:
        radius = number(value(found, "radius"), f"{what} radius")
        length = number(value(found, "length"), f"{what} length") / 2 if found.tag != "sphere" else radius
        half = np.array([radius, radius, length + (radius if found.tag == "capsule" else 0.0)])
    if np.any(half < 0):
        raise InputError(f"{what} {found.tag} has a negative size")
    return FileShape(found.tag, half, pose, collides)


def mesh_shape(name: str, scale: Array, pose: Array, collides: bool, beside: Path) -> FileShape:
    """A mesh with its bounding box where its file is found."""
    path = find_file(name, beside) if name else None
    box = bounds(path) if path else None
    if path is None or box is None:
        return FileShape("mesh", None, pose, collides, path, Path(name).name, scale, pose)
    low, high = np.sort(np.array(box) * scale, axis=0)
    centred = pose.copy()
    centred[:3, 3] = pose[:3, 3] + pose[:3, :3] @ ((low + high) / 2)
    return FileShape("mesh", (high - low) / 2, centred, collides, path, Path(name).name, scale, pose)
