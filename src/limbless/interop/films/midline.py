"""`Midline`: the points of one animal from head to tail in metres and seconds, ready to be smoothed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from limbless.core import InputError, in_unit
from limbless.interop.films.film_smoothing import median_steps
from limbless.interop.films.midline_kinematics import beat_guess
from limbless.interop.films.tracks import FARTHEST, Array, Track

Given = float | str | None
"""A number, or one with its unit."""
LEAST_POINTS = 6
LEAST_FRAMES = 12
MOST_FRAMES = 50_000  # a quarter of a gigabyte, and minutes of smoothing
MOST_GAPS = 0.5  # of the frames: a point that lacks in more is refused
SPLIT = 1.0 / 3.0  # of a beat: a longer gap splits the film
FITS = 0.05  # a given length that differs by less from the film's own unit leaves the unit as it is


def midline_of(
    track: Track,
    source: Path,
    length: Given = None,
    rate: Given = None,
    points: Sequence[str] | None = None,
    start: Given = None,
    until: Given = None,
) -> xr.Dataset:
    """A track as a `Midline`: dimensions (time, point, axis), attributes length, rate, unit, source and notes; `width`
    (point) where the film has it, diameters as shares of the length.

    Parameters
    ----------
    length : of the animal, m; without it, and without a unit in the file, the unit is one length.
    rate : frames per second, where the file has no times.
    points : names of points from head to tail.
    start, until : the part of the film, s from its first frame.

    All numbers may be texts with a unit, `15 cm`.
    """
    length, rate, start, until = (
        None if value is None else in_unit(value, unit, name)
        for name, unit, value in (
            ("length", "m", length),
            ("rate", "1/s", rate),
            ("from", "s", start),
            ("until", "s", until),
        )
    )
    for name, given in (("length", length), ("rate", rate)):
        if given is not None and not (np.isfinite(given) and given > 0.0):
            raise InputError(f"{name}: must be positive; got {given:g}")
    notes = list(track.notes)
    if track.kymogram is not None:
        if points is not None:
            raise InputError("points: the columns of a kymogram have no names; leave it out")
        return _from_kymogram(track, source, length, rate, start, until, notes)
    where, names = _along(track, points, source)
    far = np.asarray((np.abs(where) > FARTHEST).any(axis=2))
    if far.any():
        notes.append(f"points: {int(far.sum())} have coordinates beyond {FARTHEST:g}, and are gaps")
        where = np.where(far[..., None], np.nan, where)
    time, found_rate = _times(track, rate, source, notes)
    where, time = _cut(where, time, start, until, source)
    where, time, missing = _longest(where, time, found_rate, source, notes)
    _refuse_gaps(where, names, source)
    if len(time) > MOST_FRAMES:
        raise InputError(
            f"{source.name}: {len(time)} frames; films up to {MOST_FRAMES} are taken at once: choose a "
            "part with --from and --until"
        )
    where = where * np.array([1.0, -1.0 if track.down else 1.0])
    scale, unit, scaled = _scale(track, where, length, notes)
    facts = {
        "length": length or 0.0,
        "rate": found_rate,
        "unit": unit,
        "source": source.name,
        "format": track.format,
        "animal": track.label,
        "missing_frames": missing,
        "placed": 1,
        "scaled": int(scaled),
        "notes": notes,
    }
    found, shares = _dataset(where * scale, time - time[0], names, facts), _widths(track, where, points)
    about = {"units": "1", "long_name": "diameter over length, median of all frames"}
    return found if shares is None else found.assign(width=("point", shares, about))


def _widths(track: Track, where: Array, points: Sequence[str] | None) -> Array | None:
    """(P,) diameters as shares of the length, of a film that has them at every point of the midline."""
    if track.width is None or points is not None:
        return None
    seen = np.isfinite(track.width)
    if not seen.any(axis=0).all():
        return None
    shares = np.nanmedian(np.where(seen, track.width, np.nan), axis=0) / np.sum(median_steps(where))
    return np.asarray(shares)


def _dataset(points: Array, time: Array, names: Sequence[str], facts: Mapping[str, object]) -> xr.Dataset:
    data = xr.Dataset(
        {
            "points": (
                ("time", "point", "axis"),
                points,
                {"units": "m", "long_name": "tracked points, NaN where absent"},
            )
        },
        coords={"time": ("time", time, {"units": "s"}), "point": list(names), "axis": ["x", "y"]},
    )
    return data.assign_attrs(facts)


def _along(track: Track, points: Sequence[str] | None, source: Path) -> tuple[Array, tuple[str, ...]]:
    """Points from head to tail."""
    if points is None:
        if track.named:
            shares = ", ".join(f"{name} ({100.0 * share:.0f} % missing)" for name, share in track.gaps.items())
            raise InputError(
                f"{source.name}: its points have names and no order: {shares}; give those of the midline from head to "
                "tail, as --points snout,..,tail"
            )
        where, names = track.points, track.names
    else:
        unknown = [name for name in points if name not in track.names]
        if unknown:
            raise InputError(f"{source.name}: no point {unknown[0]!r}; known: {', '.join(track.names)}")
        if len(set(points)) < len(points):
            raise InputError("points: each may be named once; got " + ", ".join(points))
        where, names = track.points[:, [track.names.index(name) for name in points]], tuple(points)
    if where.shape[1] < LEAST_POINTS:
        raise InputError(
            f"{source.name}: {where.shape[1]} points along the body ({', '.join(names)}); a midline needs at least "
            f"{LEAST_POINTS}"
        )
    return where, names


def _times(track: Track, rate: float | None, source: Path, notes: list[str]) -> tuple[Array, float]:
    """Time of each frame, and frames per second."""
    if track.time is not None and len(track.time) > 1:
        order = np.diff(track.time)
        if np.abs(track.time).max() > FARTHEST:
            raise InputError(f"{source.name}: times go up to {np.abs(track.time).max():g} s, which no film lasts")
        if not (order > 0).all():
            raise InputError(
                f"{source.name}: times must increase; frame {int(np.argmin(order > 0)) + 1} does not follow the one "
                "before"
            )
        own = 1.0 / float(np.median(order))
        if rate is None:
            return track.time, own
        if abs(own / rate - 1.0) > 0.01:
            notes.append(f"rate: {rate:g} /s was given, and the times of the file say {own:.4g}: the given one counts")
        return np.round((track.time - track.time[0]) * own) / rate, rate
    if track.time is not None and track.frames is None:
        return np.asarray(track.time, dtype=float), rate or 1.0
    found = rate or track.rate
    if found is None:
        raise InputError(f"{source.name}: a file without times: give the frames per second as --rate")
    if track.rate and rate and abs(track.rate / rate - 1.0) > 0.01:
        notes.append(f"rate: {rate:g} /s was given, and the file says {track.rate:g}: the given one counts")
    return (np.arange(len(track.points)) if track.frames is None else track.frames) / found, found


def _cut(points: Array, time: Array, start: float | None, until: float | None, source: Path) -> tuple[Array, Array]:
    """The wanted part; frames without any point at its ends and within are left out."""
    there = _between(time, start, until) & np.isfinite(points[..., 0]).any(axis=1)
    if there.sum() < LEAST_FRAMES:
        raise InputError(
            f"{source.name}: {int(there.sum())} frames with points"
            + (" between --from and --until" if start or until else "")
            + f"; a film needs at least {LEAST_FRAMES}"
        )
    return points[there], time[there]


def _between(time: Array, start: float | None, until: float | None) -> NDArray[np.bool_]:
    """Which frames are wanted; both ends count from the first."""
    since = time - time[0]
    return (since >= (start or 0.0) - 1e-9) & (since <= (until + 1e-9 if until is not None else np.inf))


def _longest(points: Array, time: Array, rate: float, source: Path, notes: list[str]) -> tuple[Array, Array, int]:
    """The longest piece without a gap of more than a third of a beat, and how many frames it lacks."""
    enough = np.isfinite(points[..., 0]).sum(axis=1) >= 0.5 * points.shape[1]
    solid = time[enough] if enough.sum() >= LEAST_FRAMES else time
    lost = np.diff(solid) - 1.0 / rate
    if lost.max() > 1.5 / rate:
        beat = beat_guess(time, points)
        cuts = np.flatnonzero(lost > SPLIT * (beat or np.inf))
        if len(cuts):
            pieces = [(solid[a], solid[b - 1]) for a, b in pairwise([0, *(cuts + 1), len(solid)])]
            first, last = max(pieces, key=lambda piece: piece[1] - piece[0])
            notes.append(
                f"gaps: {len(cuts)} longer than a third of a beat split the film into {len(pieces)} pieces; the "
                f"longest, {first:.4g} to {last:.4g} s, was taken (--from and --until choose another)"
            )
            keep = (time >= first) & (time <= last)
            points, time = points[keep], time[keep]
            if len(time) < LEAST_FRAMES:
                raise InputError(f"{source.name}: gaps split the film into pieces of less than {LEAST_FRAMES} frames")
    return points, time, max(round((time[-1] - time[0]) * rate) + 1 - len(time), 0)


def _refuse_gaps(points: Array, names: Sequence[str], source: Path) -> None:
    shares = np.isnan(points[..., 0]).mean(axis=0)
    bad = [f"{name} ({100.0 * share:.0f} %)" for name, share in zip(names, shares, strict=True) if share > MOST_GAPS]
    if bad:
        raise InputError(
            f"{source.name}: missing in more than half of the frames: {', '.join(bad)}; leave such points out of "
            "--points, or choose a part with --from and --until"
        )


def _scale(track: Track, points: Array, length: float | None, notes: list[str]) -> tuple[float, str, bool]:
    """Metres per unit of the file, the unit in which the result is, and whether it comes from the length."""
    own = float(np.sum(median_steps(points)))
    if not own > 0.0:
        raise InputError("all points of the midline lie in one place: it has no length")
    if track.unit is not None:
        found = own * track.unit
        if length is None or abs(found / length - 1.0) <= FITS:
            return track.unit, "m", False
        notes.append(
            f"length: {1e3 * length:.4g} mm was given, and the film in its own unit has {1e3 * found:.4g} mm: all "
            "lengths were scaled to the given one"
        )
        return length / own, "m", True
    if length is not None:
        return length / own, "m", True
    notes.append(
        "length: none was given and the file has no unit: one length is 1 m here, and speeds are in lengths per second"
    )
    return 1.0 / own, "length", True


def _from_kymogram(
    track: Track,
    source: Path,
    length: float | None,
    rate: float | None,
    start: float | None,
    until: float | None,
    notes: list[str],
) -> xr.Dataset:
    """The midline of bends, curvatures or headings of segments: in place where its centre is known."""
    time, found_rate = _times(track, rate, source, notes)
    kept, L = _between(time, start, until), length or 1.0
    if length is None:
        notes.append("length: none was given and a kymogram has no unit: one length is 1 m here")
    time, heading = time[kept], _headings(track.points[kept], track.kymogram, L)
    steps = L / heading.shape[1] * np.stack([np.cos(heading), np.sin(heading)], axis=2)
    points = np.concatenate([np.zeros((len(heading), 1, 2)), np.cumsum(steps, axis=1)], axis=1)
    points = points - (0.5 * (points[:, :-1] + points[:, 1:])).mean(axis=1, keepdims=True)
    if track.centre is not None:
        points = points + L * track.centre[kept, None]
    else:
        notes.append("kymogram: only the shape is known, so the film has no speed of its own to compare with")
    if not len(time) or points.shape[1] < LEAST_POINTS or len(points) < LEAST_FRAMES:
        raise InputError(
            f"{source.name}: a kymogram of {(len(time), *track.points.shape[1:])}; at least {LEAST_FRAMES} frames and "
            f"{LEAST_POINTS - 2} columns are needed"
        )
    facts = {
        "length": length or 0.0,
        "rate": found_rate,
        "unit": "m" if length else "length",
        "source": source.name,
        "format": f"kymogram of {track.kymogram}",
        "animal": "",
        "missing_frames": 0,
        "placed": int(track.centre is not None),
        "scaled": 0,
        "notes": notes,
    }
    return _dataset(points, time - time[0], [str(i + 1) for i in range(points.shape[1])], facts)


def _headings(values: Array, kind: str | None, L: float) -> Array:
    """(T, segments) rad; the first segment's is zero where only bends are known."""
    if kind == "angle":
        return np.unwrap(values, axis=1)
    bends = values if kind == "bend" else values * L / (values.shape[1] + 1)
    return np.concatenate([np.zeros((len(bends), 1)), np.cumsum(bends, axis=1)], axis=1)
