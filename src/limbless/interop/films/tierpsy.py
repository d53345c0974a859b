"""Tierpsy Tracker and WormPose: skeletons in HDF5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError
from limbless.interop.films.tracks import Track, attribute_of, chosen

PLACES = ("coordinates/skeletons", "skeletons", "skeleton")
_WIDTHS = ("coordinates/widths", "widths", "contour_width")
_TABLES = ("timeseries_data", "trajectories_data")
_WORMS = ("worm_index", "worm_index_joined")
_FRAMES = ("timestamp", "timestamp_raw", "frame_number")
_RATES = ("fps", "expected_fps", "frame_rate")


def is_hdf5(file: Any) -> bool:
    """Whether it holds skeletons."""
    return any(place in file for place in PLACES)


def read(path: Path, file: Any, animal: str | None = None) -> Track:
    """One worm: skeletons (rows, points, 2), with the worm and the frame of each row where a table says so."""
    place = next(name for name in PLACES if name in file)
    skeletons = np.asarray(file[place], dtype=np.float64)
    if skeletons.ndim != 3 or skeletons.shape[2] != 2:
        raise InputError(f"{path.name}: /{place} has the shape {skeletons.shape}; skeletons have (frames, points, 2)")
    widths = next((np.asarray(file[name], dtype=np.float64) for name in _WIDTHS if name in file), None)
    worms, frames = _rows(file, len(skeletons))
    attributes = [file.attrs, *(item.attrs for item in file.values()), file[place].attrs]
    rate, scale = attribute_of(attributes, *_RATES), attribute_of(attributes, "microns_per_pixel")
    # /coordinates is in micrometres already; skeletons of other files are in pixels
    unit = 1e-6 if place.startswith("coordinates") else scale * 1e-6 if scale else None
    made = "Tierpsy" if place.startswith("coordinates") else "WormPose or Tierpsy"
    tracks = []
    for worm in dict.fromkeys(worms.tolist()):
        own = worms == worm
        width = None if widths is None or widths.shape[:2] != skeletons.shape[:2] else widths[own]
        facts: dict[str, Any] = {"frames": frames[own], "width": width, "unit": unit, "rate": rate, "down": True}
        if np.isfinite(skeletons[own]).any():
            tracks.append(Track.of_midline(skeletons[own], made, str(worm), **facts))
    return chosen(tracks, animal, "animal", path)


def _rows(file: Any, count: int) -> tuple[Any, Any]:
    """Worm and frame of every row."""
    for name in _TABLES:
        table = file.get(name)
        fields = getattr(getattr(table, "dtype", None), "names", None) or ()
        worm = next((field for field in _WORMS if field in fields), None)
        frame = next((field for field in _FRAMES if field in fields), None)
        if worm and frame and len(table) == count:
            return np.asarray(table[worm]), np.asarray(table[frame], dtype=np.float64).astype(np.int64)
    return np.zeros(count, dtype=np.int64), np.arange(count)
