"""Plain tables: CSV with a row per point, arrays (npy, npz), kymograms, and datasets of `movement`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError, load_arrays, refuse_unknown
from limbless.interop.films.tracks import FARTHEST, UNITS, Array, Track, chosen, table_of, text_of, words
from limbless.interop.log_files.named_arrays import number_in

MOVEMENT = "movement"
KINDS = ("bend", "curvature", "angle")
"""What a table (T, P) without x and y may hold: angles between neighbouring segments,
curvatures, headings of segments.
"""
_COLUMN = re.compile(r"m?([xy])[\s_.\[(]*([a-zµ]*)[\])]*")
_PAIR = re.compile(r"([xy])[\s_.]*(\w+?)|(\w+?)[\s_.]+([xy])")
_UNIT = re.compile(r"(.+?)(?:[\s_.]+|[\s_.]*[\[(])(" + "|".join(sorted(UNITS, key=len, reverse=True)) + r")[\])]?")
_FEWEST = 3
"""Pairs of columns that make a table with a row per frame."""
_CLOCK = re.compile(r"(?:t|time)[\s_.\[(]*(?:(ms|milli|min|s|)(?:ec|econds?|utes?|seconds?)?)[\])]*")
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "milli": 1e-3, "min": 60.0}
_MEANINGS = {
    "frame": ("frame", "frame_idx", "frameidx", "image"),
    "point": ("point", "pt", "node", "keypoint"),
    "animal": ("animal", "track", "id", "individual", "individuals", "worm", "fish", "instance"),
}


def columns_of(header: list[str]) -> dict[str, tuple[int, str]]:
    """Columns by meaning -> number, unit: frame, point, animal, t, x, y. `x`, `x_mm`, `mx [mm]` are columns of x,
    `t`, `time_ms` of t.
    """
    found: dict[str, tuple[int, str]] = {}
    for i, raw in enumerate(header):
        name = raw.strip().lower()
        for meaning, spelled in _MEANINGS.items():
            if name in spelled:
                found.setdefault(meaning, (i, ""))
        clock, match = _CLOCK.fullmatch(name), _COLUMN.fullmatch(name)
        if clock:
            found.setdefault("t", (i, clock[1]))
        if match and (match[2] in UNITS or not match[2]):
            found.setdefault(match[1], (i, match[2]))
    return found


def pairs_of(header: list[str]) -> dict[str, tuple[tuple[int, str], tuple[int, str]]]:
    """Points of a table with a row per frame -> their columns of x and y, each with its unit: `x0, y0`, `x_0, y_0`,
    `nose_x, nose_y`, `x0_um, y0_um`, `nose_x [mm], nose_y [mm]`."""
    found: dict[str, dict[str, tuple[int, str]]] = {}
    for i, raw in enumerate(header):
        name = raw.strip().lower()
        said = _UNIT.fullmatch(name)
        match = _PAIR.fullmatch(said[1] if said else name)
        if match and (match[2] or match[3]) not in UNITS:
            found.setdefault(match[2] or match[3], {}).setdefault(match[1] or match[4], (i, said[2] if said else ""))
    both = {name: (axes["x"], axes["y"]) for name, axes in found.items() if len(axes) == 2}
    return both if len(both) >= _FEWEST else {}


def is_csv(header: list[str]) -> bool:
    """A row per frame and point, or a row per frame."""
    known = set(columns_of(header))
    return ({"x", "y", "point"} <= known and bool({"frame", "t"} & known)) or bool(pairs_of(header))


def read_csv(path: Path, who: str | None = None) -> Track:
    """Columns frame or t (or both), point, x and y, and animal where there are several, in any order; an empty cell is
    a gap. Or columns of x and y for each point, frame after frame.
    """
    rows = table_of(path)
    columns = columns_of(rows[0])
    cells = [(line, row) for line, row in enumerate(rows[1:], start=2) if any(row)]
    if not {"x", "y", "point"} <= set(columns):
        cells, columns = _by_points(cells, columns, pairs_of(rows[0]), path)
    if "animal" not in columns:
        return _animal(path, "", cells, columns)
    labels = [_cell(row, columns["animal"][0]) for _, row in cells]
    counts = {label: labels.count(label) for label in dict.fromkeys(labels)}
    if who is None and len(counts) > 1:
        found = ", ".join(f"{label} ({count} rows)" for label, count in list(counts.items())[:12])
        raise InputError(f"{path.name}: {len(counts)} animals, {found}; choose one with --animal")
    refuse_unknown([] if who is None else [who], counts, f"{path.name}: no animal")
    label = who if who is not None else next(iter(counts), "")
    return _animal(path, label, [cell for cell, own in zip(cells, labels, strict=True) if own == label], columns)


def _by_points(
    cells: list[tuple[int, list[str]]],
    columns: dict[str, tuple[int, str]],
    pairs: dict[str, tuple[tuple[int, str], tuple[int, str]]],
    path: Path,
) -> tuple[list[tuple[int, list[str]]], dict[str, tuple[int, str]]]:
    """The rows of frames as rows of points; frames that have neither number nor time are counted."""
    kept = {meaning: columns[meaning] for meaning in ("frame", "t", "animal") if meaning in columns}
    counted = not {"frame", "t"} & set(kept)
    found = [
        (line, [*(_cell(row, i) for i, _ in kept.values()), str(number), name, _cell(row, x), _cell(row, y)])
        for number, (line, row) in enumerate(cells)
        for name, ((x, _), (y, _)) in pairs.items()
    ]
    units = {axis: {pair[k][1] for pair in pairs.values()} for k, axis in enumerate("xy")}
    for axis, several in units.items():
        if len(several) > 1:
            raise InputError(
                f"{path.name}: columns of {axis} in {', '.join(sorted(unit or 'no unit' for unit in several))}; "
                "give all points in one unit"
            )
    places = [*kept, "frame" if counted else "row", "point", "x", "y"]
    told = {meaning: unit for meaning, (_, unit) in kept.items()} | {
        axis: min(several) for axis, several in units.items()
    }
    return found, {meaning: (i, told.get(meaning, "")) for i, meaning in enumerate(places)}


def _animal(path: Path, label: str, cells: list[tuple[int, list[str]]], columns: dict[str, tuple[int, str]]) -> Track:
    """The rows of one animal."""
    key = "frame" if "frame" in columns else "t"
    when = _numbers(cells, columns[key][0])
    known = np.abs(when) < FARTHEST
    if not known.all():
        raise InputError(f"{path.name}: line {cells[int(np.argmin(known))][0]} has no {key}")
    places = np.stack([_numbers(cells, columns[axis][0]) for axis in "xy"], axis=-1)
    of = [re.sub(r"^(\d+)\.0+$", r"\1", _cell(row, columns["point"][0])) for _, row in cells]
    names = tuple(dict.fromkeys(of))
    instants, first, place = np.unique(when, return_index=True, return_inverse=True)
    points = np.full((len(instants), len(names), 2), np.nan)
    lines: dict[tuple[int, str], int] = {}
    for (line, _), name, i, at in zip(cells, of, place, places, strict=True):
        if (i, name) in lines:
            raise InputError(
                f"{path.name}: lines {lines[i, name]} and {line} both have point {name!r} at {key} "
                f"{instants[i]:g}; of several animals, a column 'animal' says whose it is"
            )
        lines[i, name] = line
        points[i, names.index(name)] = at
    unit, ratio = _unit(columns, path)
    time = None
    if "t" in columns:
        time = (_numbers(cells, columns["t"][0]) * _SECONDS[columns["t"][1]])[first]
        time = time if np.isfinite(time).all() and (np.diff(time) > 0).all() else None
    return Track.of_nodes(
        points * np.array([1.0, ratio]),
        names,
        "table",
        label,
        frames=instants.astype(np.int64) if key == "frame" else None,
        time=time,
        unit=UNITS.get(unit),
        down=unit in ("px", "pixel", "pixels"),
    )


def _unit(columns: dict[str, tuple[int, str]], path: Path) -> tuple[str, float]:
    """The unit of x, and that of y in it; one that is not named is the other's."""
    x, y = (columns[axis][1] for axis in "xy")
    x, y = x or y, y or x
    sizes = UNITS.get(x), UNITS.get(y)
    if sizes[0] is not None and sizes[1] is not None:
        return x, sizes[1] / sizes[0]
    if (sizes[0] is None) != (sizes[1] is None):
        raise InputError(f"{path.name}: x is in {x} and y in {y}; give both in one unit")
    return x, 1.0


def _cell(row: list[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""


def _numbers(cells: list[tuple[int, list[str]]], column: int) -> Array:
    """(rows,) of a column; NaN where there is no number."""
    return np.array([number_in(row, column) for _, row in cells], dtype=np.float64)


def read_matrix(path: Path, kind: str | None) -> Track:
    """A kymogram as text: rows of frames, columns along the body."""
    try:
        start = text_of(path)[:10_000]
        values = np.genfromtxt(path, delimiter=next((sign for sign in ",;" if sign in start), None), ndmin=2)
    except ValueError as error:
        raise InputError(f"{path.name}: rows of different lengths ({str(error).splitlines()[0]})") from None
    return _kymogram(values, kind, path)


def read_array(path: Path, kind: str | None) -> Track:
    """`.npy`: (T, P, 2), or (T, P) with a kind."""
    return from_array(load_arrays(path), kind, path)


def read_arrays(path: Path, kind: str | None, array: str | None) -> Track:
    """`.npz`: x and y (T, P), one array (T, P, 2), or one (T, P) with a kind; `time` or `t`, `centre` (T, 2) beside."""
    held = load_arrays(path)
    if not isinstance(held, dict):
        raise InputError(f"{path.name}: one array, which is called NAME.npy")
    arrays = {name: values for name, values in held.items() if values.dtype.kind in "fiu"}
    time = next((np.ravel(arrays.pop(name)).astype(float) for name in ("time", "t") if name in arrays), None)
    if {"x", "y"} <= set(arrays) and arrays["x"].ndim == 2 and array is None:
        values: Array = np.stack([arrays["x"], arrays["y"]], axis=2).astype(float)
    else:
        wide = {
            name: each
            for name, each in arrays.items()
            if (each.ndim in (2, 3) and each.shape[-1] > 2) or each.ndim == 3
        }
        if array is not None and array not in arrays:
            raise InputError(f"{path.name}: no array {array!r}; it holds {', '.join(arrays)}")
        if array is None and len(wide) != 1:
            raise InputError(f"{path.name}: arrays {', '.join(arrays)}; --array names the one with the midline")
        values = arrays[array if array is not None else next(iter(wide))].astype(float)
    track = from_array(values, kind, path)
    centre = arrays.get("centre", arrays.get("center"))
    fits = centre is not None and centre.shape == (len(values), 2) and track.kymogram is not None
    return replace(
        track,
        time=time if time is not None and len(time) == len(values) else None,
        centre=centre.astype(float) if fits and centre is not None else None,
    )


def from_array(values: Array, kind: str | None, path: Path) -> Track:
    """An array (T, P, 2), or (T, P) of a kind."""
    values = np.asarray(values)
    if values.dtype.kind not in "fiu":
        raise InputError(f"{path.name}: the array holds {values.dtype}, not numbers")
    if values.ndim == 2:
        return _kymogram(values.astype(float), kind, path)
    if values.ndim != 3 or values.shape[2] != 2:
        raise InputError(
            f"{path.name}: an array of shape {values.shape}; midlines are (frames, points, 2), kymograms "
            "(frames, points) with --kind"
        )
    points = np.where(np.isfinite(values.sum(axis=2, keepdims=True)), values, np.nan).astype(float)
    return Track.of_midline(points, "array", frames=np.arange(len(points)))


def _kymogram(values: Array, kind: str | None, path: Path) -> Track:
    if kind not in KINDS:
        raise InputError(
            f"{path.name}: a table of shape {values.shape} without x and y is a kymogram: say what it holds with "
            f"--kind {' | '.join(KINDS)}"
        )
    if not np.isfinite(values).all():
        raise InputError(f"{path.name}: a kymogram has no gaps; found a missing or infinite number")
    return Track.of_midline(values, "kymogram", frames=np.arange(len(values)), kymogram=kind)


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
    tracks = [
        Track.of_nodes(
            points,
            words(dataset["keypoints"].values),
            MOVEMENT,
            who,
            down=True,
            rate=float(rate) if rate else None,
            time=dataset["time"].values.astype(float) if seconds else None,
            frames=None if seconds else np.arange(len(points)),
        )
        for who, points in zip(words(position["individuals"].values), values, strict=True)
    ]
    return chosen(tracks, animal, "animal", source)
