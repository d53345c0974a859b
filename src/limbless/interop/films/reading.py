"""Which reader a film needs, found from the file itself."""
from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from limbless.errors import InputError
from limbless.interop.films import deeplabcut, sleap, tables, tierpsy, wcon
from limbless.interop.films.tracks import LARGEST, Track, text_of

KNOWN = ("SLEAP (CSV, analysis HDF5), DeepLabCut (CSV, HDF5), WCON (also zipped), Tierpsy and WormPose (HDF5), "
         "movement "
         "(NetCDF), tables with columns frame, point, x, y (CSV), arrays (npy, npz)")
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def read_track(path: str | Path, track: str | None = None, animal: str | None = None,
               likelihood: float = deeplabcut.LIKELIHOOD, kind: str | None = None, array: str | None = None) -> Track:
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
        raise InputError(f"{source.name} has {source.stat().st_size / 1e9:.1f} GB; films up to {LARGEST / 1e9:g} GB "
                         "are read")
    if kind is not None and kind not in tables.KINDS:
        raise InputError(f"kind: {kind!r} is none of {', '.join(tables.KINDS)}")
    with source.open("rb") as file:
        start = file.read(4096)
    who = animal if animal is not None else track
    if start.startswith(_SIGNATURE):
        return _hdf5(source, who, likelihood)
    if source.suffix == ".npy":
        return tables.read_array(source, kind)
    if source.suffix == ".npz":
        return tables.read_arrays(source, kind, array)
    if start.startswith(b"PK") or source.suffix in (".wcon", ".json") or start.lstrip()[:1] == b"{":
        return wcon.read(source, who)
    return _text(source, track, animal, likelihood, kind)


def _text(source: Path, track: str | None, animal: str | None, likelihood: float, kind: str | None) -> Track:
    lines = text_of(source).splitlines()
    header = next(csv.reader(lines[:1]), [])
    if sleap.is_csv(header):
        return sleap.read_csv(source, track if track is not None else animal)
    if deeplabcut.is_csv(header):
        return deeplabcut.read_csv(source, animal if animal is not None else track, likelihood)
    if tables.is_csv(header):
        return tables.read_csv(source)
    try:
        [float(cell) for cell in lines[0].replace(",", " ").split()]
    except (ValueError, IndexError):
        raise InputError(f"{source.name}: no film that is known by its first line "
                         f"({', '.join(header[:5]) or 'empty'}, ..); "
                         f"read are {KNOWN}") from None
    return tables.read_matrix(source, kind)


def _hdf5(source: Path, who: str | None, likelihood: float) -> Track:
    import h5py

    try:
        with h5py.File(source, "r") as file:
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
    raise InputError(f"{source.name}: an HDF5 file that holds {', '.join(held[:8]) or 'nothing'}; known are SLEAP "
                     "(/tracks, "
                     "/node_names), DeepLabCut (a pandas table), Tierpsy and WormPose (/coordinates/skeletons, "
                     "/skeletons), movement (position)")


def _movement(source: Path, who: str | None, likelihood: float) -> Track:
    import xarray as xr

    engine: Any = "h5netcdf"
    with xr.open_dataset(source, engine=engine) as dataset:
        return tables.from_movement(dataset, source, who, likelihood)
