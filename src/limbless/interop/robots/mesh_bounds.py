"""How far a mesh reaches: bounding boxes of STL and OBJ files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
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
