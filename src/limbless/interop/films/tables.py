"""Plain tables: CSV with a row per point, arrays (npy, npz), kymograms, and datasets of `movement`."""
from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

from limbless.errors import InputError
from limbless.interop.films.tracks import UNITS, Array, Track, chosen, text_of, words

KINDS = ("bend", "curvature", "angle")
"""What a table (T, P) without x and y may hold: angles between neighbouring segments, curvatures, headings of segments.
"""
_COLUMN = re.compile(r"m?([xy])[\s_.\[(]*([a-zµ]*)[\])]*")
_FRAME, _POINT, _TIME = ("frame", "frame_idx", "frameidx", "image"), ("point", "pt", "node", "keypoint"), ("t", "time")


def columns_of(header: list[str]) -> dict[str, tuple[int, str]]:
    """Columns by meaning -> number, unit: frame, point, t, x, y. `x`, `x_mm`, `mx [mm]` are columns of x."""
    found: dict[str, tuple[int, str]] = {}
    for i, raw in enumerate(header):
        name = raw.strip().lower()
        for meaning, spelled in (("frame", _FRAME), ("point", _POINT), ("t", _TIME)):
            if name in spelled:
                found.setdefault(meaning, (i, ""))
        match = _COLUMN.fullmatch(name)
        if match and (match[2] in UNITS or not match[2]):
            found.setdefault(match[1], (i, match[2]))
    return found


def is_csv(header: list[str]) -> bool:
    """A row per frame and point."""
    return {"x", "y", "point"} <= set(columns_of(header)) and bool({"frame", "t"} & set(columns_of(header)))


def read_csv(path: Path) -> Track:
    """Columns frame or t (or both), point, x and y, in any order; an empty cell is a gap."""
    rows = list(csv.reader(text_of(path).splitlines()))
    columns = columns_of(rows[0])
    key = "frame" if "frame" in columns else "t"
    cells = [row for row in rows[1:] if any(row)]
    when = np.array([_number(row, columns[key][0]) for row in cells])
    if not np.isfinite(when).all():
        raise InputError(f"{path.name}: line {int(np.argmin(np.isfinite(when))) + 2} has no {key}")
    names = list(dict.fromkeys(row[columns["point"][0]].strip() for row in cells))
    if all(name.isdigit() for name in names):
        names.sort(key=int)
    instants, place = np.unique(when, return_inverse=True)
    points = np.full((len(instants), len(names), 2), np.nan)
    for row, i in zip(cells, place, strict=True):
        points[i, names.index(row[columns["point"][0]].strip())] = [_number(row, columns[axis][0]) for axis in "xy"]
    points[~np.isfinite(points).all(axis=2)] = np.nan
    unit, down = columns["x"][1], columns["x"][1] in ("px", "pixel", "pixels")
    time = None
    if "t" in columns:
        given = np.array([_number(row, columns["t"][0]) for row in cells])
        time = np.array([given[place == i][0] for i in range(len(instants))])
        time = time if np.isfinite(time).all() and (np.diff(time) > 0).all() else None
    return Track(points, tuple(names), "table", frames=instants.astype(np.int64) if key == "frame" else None, time=time,
                 unit=UNITS.get(unit), unit_name=unit or "no unit", down=down,
                 named=not all(name.isdigit() for name in names))


def _number(row: list[str], column: int) -> float:
    try:
        return float(row[column])
    except (ValueError, IndexError):
        return float("nan")


def read_matrix(path: Path, kind: str | None) -> Track:
    """A kymogram as text: rows of frames, columns along the body."""
    try:
        values = np.genfromtxt(path, delimiter="," if "," in text_of(path)[:10_000] else None, ndmin=2)
    except ValueError as error:
        raise InputError(f"{path.name}: rows of different lengths ({str(error).splitlines()[0]})") from None
    return _kymogram(values, kind, path)


def read_array(path: Path, kind: str | None) -> Track:
    """`.npy`: (T, P, 2), or (T, P) with a kind."""
    return from_array(_loaded(path), kind, path)


def read_arrays(path: Path, kind: str | None, array: str | None) -> Track:
    """`.npz`: x and y (T, P), one array (T, P, 2), or one (T, P) with a kind; `time` or `t`, `centre` (T, 2) beside."""
    held = _loaded(path)
    arrays = {name: np.asarray(held[name]) for name in held.files if held[name].dtype.kind in "fiu"}
    time = next((np.ravel(arrays.pop(name)).astype(float) for name in ("time", "t") if name in arrays), None)
    if {"x", "y"} <= set(arrays) and arrays["x"].ndim == 2 and array is None:
        values: Array = np.stack([arrays["x"], arrays["y"]], axis=2).astype(float)
    else:
        wide = {name: each for name, each in arrays.items() if (each.ndim in (2, 3) and each.shape[-1] > 2)
                or each.ndim == 3}
        if array is not None and array not in arrays:
            raise InputError(f"{path.name}: no array {array!r}; it holds {', '.join(arrays)}")
        if array is None and len(wide) != 1:
            raise InputError(f"{path.name}: arrays {', '.join(arrays)}; --array names the one with the midline")
        values = arrays[array if array is not None else next(iter(wide))].astype(float)
    track = from_array(values, kind, path)
    centre = arrays.get("centre", arrays.get("center"))
    fits = centre is not None and centre.shape == (len(values), 2) and track.kymogram is not None
    return Track(**{**vars(track), "time": time if time is not None and len(time) == len(values) else None,
                    "centre": centre.astype(float) if fits and centre is not None else None})


def from_array(values: Array, kind: str | None, path: Path) -> Track:
    """An array (T, P, 2), or (T, P) of a kind."""
    values = np.asarray(values)
    if values.dtype.kind not in "fiu":
        raise InputError(f"{path.name}: the array holds {values.dtype}, not numbers")
    if values.ndim == 2:
        return _kymogram(values.astype(float), kind, path)
    if values.ndim != 3 or values.shape[2] != 2:
        raise InputError(f"{path.name}: an array of shape {values.shape}; midlines are (frames, points, 2), kymograms "
                         "(frames, points) with --kind")
    points = np.where(np.isfinite(values.sum(axis=2, keepdims=True)), values, np.nan).astype(float)
    return Track(points, tuple(str(i + 1) for i in range(points.shape[1])), "array", frames=np.arange(len(points)),
                 unit_name="no unit", named=False)


def _kymogram(values: Array, kind: str | None, path: Path) -> Track:
    if kind not in KINDS:
        raise InputError(f"{path.name}: a table of shape {values.shape} without x and y is a kymogram: say what it "
                         "holds "
                         f"with --kind {' | '.join(KINDS)}")
    if not np.isfinite(values).all():
        raise InputError(f"{path.name}: a kymogram has no gaps; found a missing or infinite number")
    return Track(values, tuple(str(i + 1) for i in range(values.shape[1])), "kymogram", frames=np.arange(len(values)),
                 unit_name="no unit", named=False, kymogram=kind)


def _loaded(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path.name}: cannot be read as a NumPy file ({str(error).splitlines()[0]})") from None


def from_movement(dataset: Any, source: Path, animal: str | None, likelihood: float) -> Track:
    """A dataset of `movement`: `position` (time, space, keypoints, individuals), with `confidence` or not."""
    position = dataset["position"]
    if "individuals" not in position.dims:
        position = position.expand_dims(individuals=["individual_0"])
    values = position.transpose("individuals", "time", "keypoints", "space").sel(space=["x", "y"]).values.astype(float)
    sure = dataset.get("confidence")
    if sure is not None:
        sure = sure if "individuals" in sure.dims else sure.expand_dims(individuals=["individual_0"])
        least = sure.transpose("individuals", "time", "keypoints").values
        values = np.where((least < likelihood)[..., None], np.nan, values)
    rate = dataset.attrs.get("fps")
    seconds = str(dataset.attrs.get("time_unit", "")).startswith("s") or rate is not None
    names = words(dataset["keypoints"].values)
    tracks = [Track(points, names, "movement", who, down=True, rate=float(rate) if rate else None,
                    time=dataset["time"].values.astype(float) if seconds else None,
                    frames=None if seconds else np.arange(len(points)))
              for who, points in zip(words(position["individuals"].values), values, strict=True)]
    return chosen(tracks, animal, "animal", source)
