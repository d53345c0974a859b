"""Which reader a film needs, found from the file itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError, open_hdf5, reading, refuse_special
from limbless.interop.films import deeplabcut, sleap, table_files, tierpsy, wcon
from limbless.interop.films.tracks import LARGEST, Track, text_of
from limbless.interop.log_files.named_arrays import cells_of

KNOWN = (
    "SLEAP (CSV, analysis HDF5), DeepLabCut (CSV, HDF5), WCON (also zipped), Tierpsy and WormPose (HDF5), movement "
    "(NetCDF), tables with columns frame, point, x, y, or t, x0, y0, x1, y1, .. (CSV), arrays (npy, npz)"
)
_VIDEOS = (".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v")
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def read_track(
    path: str | Path,
    track: str | None = None,
    animal: str | None = None,
    likelihood: float = deeplabcut.LIKELIHOOD,
    kind: str | None = None,
    array: str | None = None,
) -> Track:
    """The tracked points of one animal, as they stand in the file.

    Parameters
    ----------
    track, animal : which one, where there are several (SLEAP calls them tracks).
    likelihood : points that are less likely are gaps (DeepLabCut, movement).
    kind : what a table without x and y holds: `bend`, `curvature` or `angle`.
    array : which array of a `.npz`.
    """
    source = Path(path).expanduser()
    if not source.is_file():
        raise InputError(f"there is no film {str(path)!r}")
    if source.stat().st_size > LARGEST:
        raise InputError(
            f"{source.name} has {source.stat().st_size / 1e9:.1f} GB; films up to {LARGEST / 1e9:g} GB are read"
        )
    if source.suffix.lower() in _VIDEOS:
        raise InputError(
            f"{source.name} is a video: track points along the animal first (SLEAP, DeepLabCut, Tierpsy, "
            "..), and give the file that they write"
        )
    if kind is not None and kind not in table_files.KINDS:
        raise InputError(f"kind: {kind!r} is none of {', '.join(table_files.KINDS)}")
    if array is not None and source.suffix != ".npz":
        raise InputError(f"array: {array!r} names one of a .npz file, and {source.name} is none; leave it out")
    who = track if animal is None else animal
    with reading(source, "a film"):
        found = _read(source, who, likelihood, kind, array)
    _refuse_idle(found, who, likelihood, kind, source)
    return _in_order(found, source)


def _in_order(track: Track, source: Path) -> Track:
    """Frames in the order of their numbers, each once."""
    if track.frames is None or track.time is not None:
        return track
    order = np.argsort(track.frames, kind="stable")
    twice = np.flatnonzero(np.diff(track.frames[order]) == 0)
    if len(twice):
        raise InputError(
            f"{source.name}: frame {track.frames[order][twice[0]]} stands there twice; each may have one row"
        )
    if (np.diff(order) == 1).all():
        return track
    given = {
        name: value[order]
        for name in ("points", "frames", "centre", "width")
        if (value := getattr(track, name)) is not None
    }
    return replace(track, **given)


def _refuse_idle(found: Track, who: str | None, likelihood: float, kind: str | None, source: Path) -> None:
    """Options that mean nothing for such a file, and a file without frames."""
    if not len(found.points):
        raise InputError(f"{source.name}: there is no frame in it")
    if kind is not None and found.kymogram is None:
        raise InputError(
            f"kind: {source.name} has points with x and y; {kind!r} is for tables of shape alone: leave it out"
        )
    if likelihood != deeplabcut.LIKELIHOOD and found.format not in (deeplabcut.FORMAT, table_files.MOVEMENT):
        raise InputError(f"likelihood: a file of {found.format} has none that is read; leave it out")
    if who is not None and not found.label:
        raise InputError(f"animal: {source.name} has one without a name; leave {who!r} out")


def _read(source: Path, who: str | None, likelihood: float, kind: str | None, array: str | None) -> Track:
    refuse_special(source)
    with source.open("rb") as file:
        start = file.read(4096)
    if start.startswith(_SIGNATURE) and source.suffix.lower() != ".mat":
        return _hdf5(source, who, likelihood)
    if source.suffix == ".npy":
        return table_files.read_array(source, kind)
    if source.suffix == ".npz":
        return table_files.read_arrays(source, kind, array)
    if source.suffix.lower() in (".xlsx", ".mat"):
        raise InputError(
            f"{source.name}: films of midlines are {KNOWN}; a {source.suffix} with markers or joints of a robot is "
            "read by `limbless log`, ll.read_track and ll.read_log"
        )
    if start.startswith(b"PK") or source.suffix in (".wcon", ".json") or start.lstrip()[:1] == b"{":
        return wcon.read(source, who)
    return _text(source, who, likelihood, kind)


def _text(source: Path, who: str | None, likelihood: float, kind: str | None) -> Track:
    lines = text_of(source).splitlines()
    header = next(iter(cells_of(lines[:1])), [])
    if sleap.is_csv(header):
        return sleap.read_csv(source, who)
    if deeplabcut.is_csv(header):
        return deeplabcut.read_csv(source, who, likelihood)
    if table_files.is_csv(header):
        return table_files.read_csv(source, who)
    try:
        [float(cell) for cell in re.split(r"[,;\s]+", lines[0].strip())]
    except (ValueError, IndexError):
        raise InputError(
            f"{source.name}: no film that is known by its first line ({', '.join(header[:5]) or 'empty'}, ..); read "
            f"are {KNOWN}"
        ) from None
    return table_files.read_matrix(source, kind)


def _hdf5(source: Path, who: str | None, likelihood: float) -> Track:
    try:
        with open_hdf5(source) as file:
            if "tracks" in file and "node_names" in file:
                return sleap.read_hdf5(source, file, who)
            if tierpsy.is_hdf5(file):
                return tierpsy.read(source, file, who)
            if deeplabcut.is_hdf5(file):
                return deeplabcut.read_hdf5(source, file, who, likelihood)
            held = sorted(file)
    except OSError as error:
        raise InputError(f"{source.name}: a damaged HDF5 file ({error})") from None
    if {"position", "keypoints"} <= set(held):
        return _movement(source, who, likelihood)
    raise InputError(
        f"{source.name}: an HDF5 file that holds {', '.join(held[:8]) or 'nothing'}; known are SLEAP (/tracks, "
        "/node_names), DeepLabCut (a pandas table), Tierpsy and WormPose (/coordinates/skeletons, /skeletons), "
        "movement (position)"
    )


def _movement(source: Path, who: str | None, likelihood: float) -> Track:
    import xarray as xr

    engine: Any = "h5netcdf"
    with xr.open_dataset(source, engine=engine) as dataset:
        return table_files.from_movement(dataset, source, who, likelihood)
