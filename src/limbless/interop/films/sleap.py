"""SLEAP: tables of predicted instances (CSV), and analysis files (HDF5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError
from limbless.interop.films.tracks import FARTHEST, Track, attribute_of, chosen, table_of, words
from limbless.interop.log_files.named_arrays import number_in

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
    numbers = [_whole(row, column["frame_idx"], path, line) for line, row in enumerate(rows[1:], start=2)]
    keep, notes = _of_track(labels, numbers, track, path)
    best: dict[int, tuple[float, list[str]]] = {}
    for number in keep:
        row = rows[number + 1]
        score = number_in(row, column["instance.score"]) if "instance.score" in column else None
        score = np.inf if score is None or not np.isfinite(score) else score
        if numbers[number] not in best or score > best[numbers[number]][0]:
            best[numbers[number]] = score, row
    points = np.array(
        [[[number_in(row, column[f"{name}.{axis}"]) for axis in "xy"] for name in names] for _, row in best.values()],
        dtype=np.float64,
    ).reshape(len(best), len(names), 2)
    frames = np.array(list(best), dtype=np.int64)
    return Track.of_nodes(points, names, FORMAT, track or "", frames=frames, down=True, notes=notes)


def _of_track(labels: list[str], frames: list[int], track: str | None, path: Path) -> tuple[list[int], tuple[str, ...]]:
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
    facts: dict[str, Any] = {
        "frames": np.arange(tracks.shape[3]),
        "rate": attribute_of([file.attrs], "fps", "frame_rate"),
    }
    found = [
        Track.of_nodes(np.moveaxis(each, (0, 1, 2), (2, 1, 0)), names, FORMAT, label, down=True, **facts)
        for each, label in zip(tracks, labels, strict=True)
    ]
    return chosen([each for each in found if np.isfinite(each.points).any()], track, "track", path)


def _whole(row: list[str], column: int, path: Path, line: int) -> int:
    found = number_in(row, column)
    if found is None or not abs(found) < FARTHEST:
        raise InputError(f"{path.name}: line {line} has no frame number in the column frame_idx")
    return int(found)
