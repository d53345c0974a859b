"""What readers of films return: tracked points as they stand in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError, refuse_unknown
from limbless.interop.log_files.named_arrays import cells_of

LARGEST = 2_000_000_000  # bytes of a file
FARTHEST = 1e12  # of a coordinate or a frame's number: beyond it nothing is filmed
UNITS = {
    "m": 1.0,
    "cm": 1e-2,
    "mm": 1e-3,
    "um": 1e-6,
    "µm": 1e-6,
    "micron": 1e-6,
    "microns": 1e-6,
    "px": None,
    "pixel": None,
    "pixels": None,
}
"""Units of length as files write them -> metres; None for pixels."""


@dataclass(frozen=True)
class Track:
    """One animal in a film: points (T, P, 2), NaN where one was not found."""

    points: Array
    names: tuple[str, ...]  # of the points, as in the file
    format: str  # what kind of file it was
    label: str = ""  # of the animal or its track
    frames: NDArray[np.int64] | None = None  # number of each frame, where the file has no times
    time: Array | None = None  # s
    unit: float | None = None  # metres per unit of the file; None where it says nothing
    down: bool = False  # whether y points down, as in pictures
    named: bool = True  # whether the points have names, and no order
    kymogram: str | None = None  # bend, curvature or angle: `points` is (T, P) then
    centre: Array | None = None  # (T, 2) of a kymogram, where known
    width: Array | None = None  # (T, P) diameters in units of the file
    rate: float | None = None  # frames per second, where the file says so
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def of_nodes(cls, points: Array, names: Sequence[str], form: str, label: str = "", **more: Any) -> Track:
        """Points by their names: numbered ones in their order; one without both coordinates is a gap."""
        named = not numbered(names)
        points, names = (points, names) if named else ordered(points, names)
        points = np.where(np.isfinite(points).all(axis=2, keepdims=True), points, np.nan)
        return cls(points, tuple(names), form, label, named=named, **more)

    @classmethod
    def of_midline(cls, points: Array, form: str, label: str = "", **more: Any) -> Track:
        """Points that are in order, and have no names."""
        return cls(points, tuple(str(i + 1) for i in range(points.shape[1])), form, label, named=False, **more)

    @property
    def gaps(self) -> dict[str, float]:
        """Share of the frames without each point."""
        return {
            name: float(share)
            for name, share in zip(self.names, np.isnan(self.points[..., 0]).mean(axis=0), strict=True)
        }


def chosen(tracks: Sequence[Track], label: str | None, option: str, source: Path) -> Track:
    """The track that the user names, or the only one."""
    if not tracks:
        raise InputError(f"{source.name}: the file is a film, but there is no animal in it")
    by_label = {track.label: track for track in tracks}
    if label is not None:
        refuse_unknown([label], by_label, f"{source.name}: no {option}")
        return by_label[label]
    if len(tracks) > 1:
        found = ", ".join(f"{track.label} ({len(track.points)} frames)" for track in tracks[:12])
        more = f" and {len(tracks) - 12} more" if len(tracks) > 12 else ""
        raise InputError(f"{source.name}: {len(tracks)} animals, {found}{more}; choose one with --{option}")
    return tracks[0]


def words(values: Any) -> tuple[str, ...]:
    """Names in a data file, which may be bytes."""
    return tuple(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values)


def numbered(names: Sequence[str]) -> bool:
    """Whether names of points are numbers, with or without one common word before them; the first and the last may
    have words of their own (snout, .., tail)."""
    inner = [name for i, name in enumerate(names) if name[-1:].isdigit() or 0 < i < len(names) - 1]
    stems = {name.rstrip("0123456789") for name in inner}
    return len(inner) > 1 and len(stems) == 1 and all(name[-1:].isdigit() for name in inner)


def ordered(points: Array, names: Sequence[str]) -> tuple[Array, tuple[str, ...]]:
    """Numbered points in the order of their numbers; a first and a last without a number stay where they are."""

    def place(i: int) -> tuple[int, int]:
        digits = names[i][len(names[i].rstrip("0123456789")) :]
        return (1, int(digits)) if digits else (0 if i == 0 else 2, 0)

    order = sorted(range(len(names)), key=place)
    return points[:, order], tuple(names[i] for i in order)


def text_of(path: Path) -> str:
    """The text of a file, or a refusal."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: not a text file, though its name says so") from None


def table_of(path: Path) -> list[list[str]]:
    """The rows of a table, cell by cell."""
    return cells_of(text_of(path).splitlines())


def attribute_of(places: Sequence[Mapping[str, Any]], *names: str) -> float | None:
    """The first of some attributes that is a positive number."""
    for attributes in places:
        for name in names:
            try:
                value = float(np.ravel(attributes[name])[0])
            except (KeyError, TypeError, ValueError, IndexError):
                continue
            if np.isfinite(value) and value > 0.0:
                return value
    return None
