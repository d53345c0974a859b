"""SLEAP: tables of predicted instances (CSV), and analysis files (HDF5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError
from limbless.interop.films.tracks import FARTHEST, Track, attribute_of, chosen, numbered, ordered, table_of, words

FORMAT = "SLEAP"


def is_csv(header: list[str]) -> bool:
    """`track,frame_idx,instance.score,<node>.x,..`"""
    return "frame_idx" in header and any(name.endswith(".x") for name in header)


def read_csv(path: Path, track: str | None = None) -> Track:
    """One row per frame and instance. Of several in a frame the best `instance.score` counts, one without a score (set
    by hand) before all."""
    rows = table_of(path)
    header, column = rows[0], {name: i for i, name in enumerate(rows[0])}
    names = tuple(name[:-2] for name in header if name.endswith(".x"))
    for name in names:
        if f"{name}.y" not in column:
            raise InputError(f"{path.name}: the column '{name}.y' is missing beside '{name}.x'")
    labels = [row[column["track"]] if "track" in column else "" for row in rows[1:]]
    frames = np.array([_whole(row, column["frame_idx"], path, n + 2) for n, row in enumerate(rows[1:])], dtype=np.int64)
    keep, notes = _of_track(labels, frames, track, path)
    best: dict[int, tuple[float, list[str]]] = {}
    for number in keep:
        row = rows[number + 1]
        score = _number(row, column.get("instance.score"), np.inf)
        if frames[number] not in best or score > best[int(frames[number])][0]:
            best[int(frames[number])] = score, row
    order = sorted(best)
    points = np.array(
        [[[_number(best[f][1], column[f"{name}.{axis}"], np.nan) for axis in "xy"] for name in names] for f in order]
    ).reshape(len(order), len(names), 2)
    return _track(points, names, np.array(order, dtype=np.int64), track or "", notes)


def _of_track(labels: list[str], frames: Any, track: str | None, path: Path) -> tuple[list[int], tuple[str, ...]]:
    """Rows of the wanted track. Tracks that never share a frame are pieces of one animal's."""
    known = sorted({label for label in labels if label})
    if track is not None:
        if track not in known:
            raise InputError(
                f"{path.name}: no track {track!r}; known: {', '.join(known) or 'none, the rows have no names'}"
            )
        return [i for i, label in enumerate(labels) if label == track], ()
    named = [i for i, label in enumerate(labels) if label]
    if len(known) < 2 or len({frames[i] for i in named}) == len(named):
        return list(range(len(labels))), ()
    counts = {label: labels.count(label) for label in known}
    longest = max(known, key=lambda label: counts[label])
    said = ", ".join(f"{label} ({counts[label]} frames)" for label in known)
    return (
        [i for i, label in enumerate(labels) if label == longest],
        (f"track: {len(known)} animals are tracked, {said}; {longest} was taken, --track chooses another",),
    )


def read_hdf5(path: Path, file: Any, track: str | None = None) -> Track:
    """`/tracks` (instances, 2, nodes, frames), `/node_names`."""
    tracks = np.asarray(file["tracks"], dtype=np.float64)
    names = words(file["node_names"][()])
    if tracks.ndim != 4 or tracks.shape[1] != 2 or tracks.shape[2] != len(names):
        raise InputError(
            f"{path.name}: /tracks has the shape {tracks.shape}; SLEAP's analysis files have "
            f"(instances, 2, nodes, frames) with {len(names)} nodes"
        )
    labels = words(file["track_names"][()]) if "track_names" in file else ()
    if len(labels) != len(tracks):
        labels = tuple(f"track_{i}" for i in range(len(tracks)))
    found = [
        _track(np.moveaxis(each, (0, 1, 2), (2, 1, 0)), names, np.arange(tracks.shape[3]), label, ())
        for each, label in zip(tracks, labels, strict=True)
    ]
    one = chosen([each for each in found if np.isfinite(each.points).any()], track, "track", path)
    rate = attribute_of([file.attrs], "fps", "frame_rate")
    return one if rate is None else Track(**{**vars(one), "rate": rate})


def _track(points: Any, names: tuple[str, ...], frames: Any, label: str, notes: tuple[str, ...]) -> Track:
    named = not numbered(names)
    if not named:
        points, names = ordered(points, names)
    return Track(points, names, FORMAT, label, frames=frames, down=True, named=named, notes=notes)


def _number(row: list[str], column: int | None, absent: float) -> float:
    try:
        value = float(row[column]) if column is not None else absent
    except (ValueError, IndexError):
        return absent
    return value if np.isfinite(value) else absent


def _whole(row: list[str], column: int, path: Path, line: int) -> int:
    try:
        found = float(row[column])
    except (ValueError, IndexError):
        found = np.nan
    if not abs(found) < FARTHEST:
        raise InputError(f"{path.name}: line {line} has no frame number in the column frame_idx")
    return int(found)
