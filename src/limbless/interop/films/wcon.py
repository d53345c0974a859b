"""WCON, the format of worm trackers: JSON with `units` and `data`, zipped or not (Javer et al. 2018)."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError, open_archive
from limbless.interop.films.tracks import LARGEST, Array, Track, chosen, text_of
from limbless.interop.log_files.named_arrays import number_in

FORMAT = "WCON"
_PREFIXES = {
    "": 1.0,
    "c": 1e-2,
    "centi": 1e-2,
    "m": 1e-3,
    "milli": 1e-3,
    "u": 1e-6,
    "µ": 1e-6,
    "μ": 1e-6,
    "micro": 1e-6,
    "n": 1e-9,
    "nano": 1e-9,
    "k": 1e3,
    "kilo": 1e3,
    "p": 1e-12,
    "pico": 1e-12,
    "d": 0.1,
    "deci": 0.1,
    "M": 1e6,
    "mega": 1e6,
    "G": 1e9,
    "giga": 1e9,
}
_LENGTHS = {
    "m": 1.0,
    "metre": 1.0,
    "meter": 1.0,
    "in": 0.0254,
    "inch": 0.0254,
    "inche": 0.0254,
    "ft": 0.3048,
    "foot": 0.3048,
    "feet": 0.3048,
    "micron": 1e-6,
    "yd": 0.9144,
    "yard": 0.9144,
    "mi": 1609.344,
    "mile": 1609.344,
}
_TIMES = {
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hour": 3600.0,
    "d": 86400.0,
    "day": 86400.0,
    "week": 604800.0,
}


def unit_of(text: Any, known: Mapping[str, float], what: str, source: str) -> float:
    """A unit as WCON writes it, `mm`, `microns`, `m*1e-3`, `s/100`, in SI units."""
    parts, size = re.split(r"([*/])", str(text).replace(" ", "")), 1.0
    for operation, part in zip(["*", *parts[1::2]], parts[::2], strict=True):
        value = _factor(part, known) if part else 1.0
        if value is None:
            raise InputError(
                f"{source}: {what} is in {text!r}; known units are {', '.join(known)}, with prefixes and factors"
            )
        size = size * value if operation == "*" else size / value
    return size


def _factor(part: str, known: Mapping[str, float]) -> float | None:
    number = number_in([part], 0)
    if number is not None:
        return number
    sizes = (
        size * known[name[len(prefix) :]]
        for name in (part, part.rstrip("s") or part)
        for prefix, size in _PREFIXES.items()
        if name.startswith(prefix) and name[len(prefix) :] in known
    )
    return next(sizes, None)


def read_all(path: Path) -> list[Track]:
    """Every animal of a file, in the order in which they appear."""
    rows: dict[str, list[tuple[float, Array, bool]]] = {}
    notes: list[str] = []
    for document in _documents(path):
        _gather(document, path.name, rows, notes)
    return [_track(label, found, tuple(notes)) for label, found in rows.items()]


def read(path: Path, animal: str | None = None) -> Track:
    """One animal."""
    return chosen(read_all(path), animal, "animal", path)


def _documents(path: Path) -> list[dict[str, Any]]:
    """What the file holds, or each file of an archive."""
    if zipfile.is_zipfile(path):
        with open_archive(path) as archive:
            inside = sorted(
                (item for item in archive.infolist() if item.filename.endswith((".wcon", ".json"))),
                key=lambda item: item.filename,
            )
            if sum(item.file_size for item in inside) > LARGEST:
                raise InputError(f"{path.name}: unpacked it is larger than {LARGEST / 1e9:g} GB; unpack a part of it")
            texts = [archive.read(item).decode("utf-8", "replace") for item in inside]
    else:
        texts = [text_of(path)]
    try:
        found = [json.loads(text) for text in texts]
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path.name}: not JSON ({error})") from None
    if not found or not all(isinstance(each, dict) and "units" in each and "data" in each for each in found):
        raise InputError(f"{path.name}: WCON needs `units` and `data`")
    return found


def _gather(document: Mapping[str, Any], source: str, rows: dict[str, Any], notes: list[str]) -> None:
    units, data = document["units"], document["data"]
    for name in "txy":
        if not isinstance(units, dict) or name not in units:
            raise InputError(f"{source}: WCON needs a unit for {name}")
    second = unit_of(units["t"], _TIMES, "t", source)
    size = {axis: unit_of(units[axis], _LENGTHS, axis, source) for axis in "xy"}
    files = document.get("files")
    if isinstance(files, dict) and files.get("next") and not notes:
        notes.append("files: the film goes on in other files, which are read only from one archive")
    for record in data if isinstance(data, list) else [data]:
        if not isinstance(record, dict):
            raise InputError(f"{source}: each record of `data` has t, x and y; found {str(record)[:40]!r}")
        label, given = str(record.get("id", "")), record.get("t", [])
        times = _numbers(given if isinstance(given, list) else [given], source, "a time") * second
        axes = [_rows(record.get(axis), len(times), axis, source) for axis in "xy"]
        offsets = [_offsets(record.get(f"o{axis}"), len(times), source) for axis in "xy"]
        heads = record.get("head", "L")
        for i, t in enumerate(times):
            if len(axes[0][i]) != len(axes[1][i]):
                raise InputError(
                    f"{source}: animal {label!r} has {len(axes[0][i])} x and {len(axes[1][i])} y at t = {t:g}"
                )
            spine = np.stack([(axes[c][i] + offsets[c][i]) * size["xy"[c]] for c in range(2)], axis=1)
            head = heads[i] if isinstance(heads, list) and i < len(heads) else heads
            rows.setdefault(label, []).append((float(t), spine, str(head).upper().startswith("R")))


def _numbers(values: Any, source: str, what: str = "a coordinate") -> Array:
    try:
        return np.array([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        raise InputError(f"{source}: {what} is not a number") from None


def _rows(values: Any, count: int, name: str, source: str) -> list[Array]:
    """The coordinates of each instant: a number, a row of numbers, or rows."""
    if values is None:
        raise InputError(f"{source}: a record has no {name}")
    listed = values if isinstance(values, list) else [values]
    single = len(listed) != count and not any(isinstance(row, list) for row in listed)
    rows = [_numbers(row if isinstance(row, list) else [row], source) for row in ([listed] if single else listed)]
    if len(rows) != count:
        raise InputError(f"{source}: {count} times, but {len(rows)} rows of {name}")
    return rows


def _offsets(values: Any, count: int, source: str) -> Array:
    """Offsets of each instant: none, one for all, or one each."""
    found = _numbers(values if isinstance(values, list) else [0.0 if values is None else values], source)
    if len(found) not in (1, count):
        raise InputError(f"{source}: {count} times, but {len(found)} offsets")
    return np.broadcast_to(np.nan_to_num(found), (count,))


def _track(label: str, rows: list[tuple[float, Array, bool]], notes: tuple[str, ...]) -> Track:
    rows = sorted(rows, key=lambda row: row[0])
    counts = [len(spine) for _, spine, _ in rows]
    usual = max(sorted(set(counts), reverse=True), key=counts.count)
    spines = np.stack([_evenly(spine if not right else spine[::-1], usual) for _, spine, right in rows])
    if len(set(counts)) > 1:
        notes = (
            *notes,
            f"points: frames have {min(counts)} to {max(counts)} points; all were made {usual}, evenly along the "
            "midline",
        )
    return Track.of_midline(spines, FORMAT, label, time=np.array([t for t, _, _ in rows]), unit=1.0, notes=notes)


def _evenly(spine: Array, count: int) -> Array:
    """A midline of another number of points, evenly along its length; gaps stay gaps where the number is the same."""
    if len(spine) == count:
        return spine
    there = spine[np.isfinite(spine).all(axis=1)]
    if len(there) < 2:
        return np.full((count, 2), np.nan)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(there, axis=0), axis=1))])
    wanted = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(wanted, along, there[:, c]) for c in range(2)], axis=1)
