"""`MarkerTrack`: where markers on a robot were, from a film or from motion capture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import Array, InputError, refuse_unknown
from limbless.interop.log_files.joint_log import CLOCK, clock
from limbless.interop.log_files.named_arrays import named_arrays, number_in, sheet_rows

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
FARTHEST = 1e3  # m: no marker goes there
_AXIS = re.compile(r"(.*?)[._ ]?([xyz])(?:[._ \[(]+(m|cm|mm|um)[\])]?)?", re.IGNORECASE)


@dataclass(frozen=True)
class MarkerTrack:
    """Places (T, markers, 2 or 3), m, over time (T,), s; NaN where a marker was not seen."""

    source: str
    time: Array
    markers: tuple[str, ...]
    places: Array
    notes: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """Samples a second."""
        return float(1.0 / np.median(np.diff(self.time)))

    def marker(self, name: str | None = None) -> Array:
        """(T, 2 or 3) of one marker; the first if absent."""
        refuse_unknown([] if name is None else [name], self.markers, f"{self.source}: no marker")
        return np.asarray(self.places[:, 0 if name is None else self.markers.index(name)])

    def lines(self) -> list[str]:
        """What `limbless log` prints of it."""
        span, named = self.time[-1] - self.time[0], ", ".join(self.markers)
        told = [f"track      {len(self.time)} samples in {span:.4g} s, {self.rate:.4g} /s; markers {named}"]
        for k, name in enumerate(self.markers):
            seen = np.isfinite(self.places[:, k, 0])
            if seen.sum() > 1:
                first, *_, last = self.places[seen, k]
                way = np.linalg.norm(last - first)
                gaps = int((~seen).sum())
                told.append(f"{name:<10} {way:.4g} m from first to last, {way / span:.4g} m/s; {gaps} gaps")
        return told + [f"note       {note}" for note in self.notes]


def read_track(
    path: str | Path, column: str | None = None, rate: float | None = None, unit: str | None = None
) -> MarkerTrack:
    """Read the positions of markers.

    Parameters
    ----------
    path : CSV with t, x, y (and z), or NAME_x, NAME_y; .xlsx with several tracks side by side, each under one heading;
        .mat, .npz, a ROS bag with odometry or poses, or result.nc of a run.
    column : which track of a sheet (its heading), which marker, or which topic of a bag.
    rate : samples per second, if the file has no time.
    unit : m, cm or mm, if the names of the columns do not tell.

    Returns
    -------
    MarkerTrack : positions over time.
    """
    source = Path(path).expanduser()
    if unit is not None and unit not in UNITS:
        raise InputError(f"unit: {unit!r} is none of {', '.join(UNITS)}")
    headed = _headed(source, column) if source.suffix.lower() == ".xlsx" else None
    arrays = named_arrays(source) if headed is None else headed
    wanted = column if headed is None else None
    if "head_position" in arrays and wanted is None:  # a run of limbless
        arrays = {"time": arrays["time"], "head": arrays["head_position"]}
    found: dict[str, dict[str, tuple[Any, str]]] = {}
    for key, values in arrays.items():
        match = _AXIS.fullmatch(key)
        if np.ndim(values) == 1 and match and np.asarray(values).dtype.kind in "fiu":
            found.setdefault(match[1], {})[match[2].lower()] = values, (match[3] or "").lower()
        elif np.ndim(values) == 2 and np.shape(values)[1] in (2, 3) and key != "time":
            found[key] = {axis: (values[:, k], "") for k, axis in enumerate("xyz"[: np.shape(values)[1]])}
    found = {name: axes for name, axes in found.items() if {"x", "y"} <= set(axes)}
    if wanted is not None:
        found = {name: axes for name, axes in found.items() if name.strip("/") == wanted.strip("/")}
    if not found:
        raise InputError(
            f"{source.name}: no marker{'' if column is None else f' {column!r}'} with x and y among "
            f"{', '.join(list(arrays)[:12])}"
        )
    first = next(iter(found))
    time = _clock(arrays, first, rate, source, len(next(iter(found[first].values()))[0]))
    places = [
        np.stack([np.asarray(values, dtype=float) * UNITS[said or unit or "m"] for values, said in axes.values()], 1)
        for axes in found.values()
    ]
    assumed = unit is None and not all(any(said for _, said in axes.values()) for axes in found.values())
    if len({place.shape for place in places}) > 1:
        raise InputError(f"{source.name}: markers {', '.join(found)} differ in length or axes; choose one with column")
    every = np.stack(places, axis=1)
    if np.nanmax(np.abs(every)) > FARTHEST:
        raise InputError(f"{source.name}: a marker at {np.nanmax(np.abs(every)):.3g} m; give its unit, unit='mm'")
    names = tuple(name or column or "marker" for name in found)
    return MarkerTrack(source.name, time, names, every, ("units: places taken as metres",) if assumed else ())


def _clock(arrays: Any, name: str, rate: float | None, source: Path, rows: int) -> Array:
    keys = [key for key in arrays if key == f"{name}.time" or CLOCK.fullmatch(key.lower())]
    if rate:
        return np.arange(rows) / float(rate)
    if not keys:
        raise InputError(f"{source.name}: no time in it: say how often it was filmed, rate=30 for 30 frames a second")
    time = clock(arrays, keys[0])[0][:rows]
    if len(time) != rows or not (np.diff(time) > 0.0).all():
        raise InputError(f"{source.name}: its times must increase, one for each of {rows} rows")
    return time - time[0]


def _headed(source: Path, column: str | None) -> dict[str, Array] | None:
    """Tracks side by side in a sheet, each t, x, y under one heading: the one that is asked for; None where the sheet
    has one heading row."""
    rows = sheet_rows(source)
    names = [cell.strip().lower() for cell in rows[1]] if len(rows) > 1 else []
    starts = [i for i, name in enumerate(names) if CLOCK.fullmatch(name)]
    headings = {rows[0][i].strip(): i for i in starts if i < len(rows[0]) and rows[0][i].strip()}
    if not headings:
        return None
    if column is None and len(headings) > 1:
        raise InputError(f"{source.name}: {len(headings)} tracks, {', '.join(headings)}; choose one with column")
    chosen = column if column is not None else next(iter(headings))
    refuse_unknown([chosen], headings, f"{source.name}: no track")
    first = headings[chosen]
    last = min((i for i in starts if i > first), default=len(names))
    body = [row for row in rows[2:] if len(row) > first and row[first].strip()]
    return {
        name: np.array([number_in(row, k) for row in body], dtype=float)
        for k, name in enumerate(names[first:last], start=first)
        if name
    }


def laid_on(places: Array, there: Array) -> Array:
    """Places moved and turned about the vertical as one, so that they lie best on others."""
    own, other = places - places.mean(axis=0), there - there.mean(axis=0)
    own[:, :2] = turned(own[:, :2], turn_between(own[:, :2], other[:, :2]))
    return np.asarray(own + there.mean(axis=0))


def turn_between(these: Array, those: Array) -> Array:
    """The angle by which points (.., N, 2) about their mean are best turned onto others, by least squares."""
    (x, y), (p, q) = np.moveaxis(these, -1, 0), np.moveaxis(those, -1, 0)
    return np.asarray(np.arctan2((x * q - y * p).sum(axis=-1), (these * those).sum(axis=(-2, -1))))


def turned(vectors: Array, angle: Array) -> Array:
    """Vectors (.., 2) of a plane, turned by angles (..)."""
    c, s, x, y = np.cos(angle), np.sin(angle), vectors[..., 0], vectors[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def motion_of(time: Array, places: Array, period: float | None) -> Array:
    """(3,): speed from first to last, mean speed of the path averaged over a period, m/s, and turning rate, rad/s."""
    span = float(time[-1] - time[0])
    net = float(np.linalg.norm(places[-1, :2] - places[0, :2])) / span
    even = np.linspace(time[0], time[-1], max(len(time), 16))
    way = np.stack([np.interp(even, time, places[:, c]) for c in range(2)], axis=1)
    size = min(max(round((period or 0.0) / (even[1] - even[0])), 1), len(even) // 2)
    way = np.stack([np.convolve(column, np.full(size, 1.0 / size), "valid") for column in way.T], axis=1)
    velocity = np.gradient(way, even[1] - even[0], axis=0)
    heading = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    turn = float(np.polyfit(np.arange(len(heading)) * (even[1] - even[0]), heading, 1)[0])
    return np.array([net, float(np.linalg.norm(velocity, axis=1).mean()), turn])
