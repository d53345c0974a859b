"""Films that the tests make themselves: a travelling wave of known numbers, in every format, with the usual traps."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RATE, LENGTH, FREQUENCY, WAVELENGTH, SPEED = 50.0, 0.16, 3.7, 0.65, 1.5  # Hz, m, Hz, L, L/s


def swimmer(frames: int = 80, points: int = 20, noise: float = 0.0, seed: int = 0, turn: float = 0.4) -> Array:
    """(frames, points, 2) m: a wave that runs to the tail, while the mean point goes straight at a known speed."""
    s, t = np.linspace(0.0, 1.0, 401), np.arange(frames) / RATE
    curvature = (3.0 + 3.0 * s) * np.cos(2.0 * np.pi * (s / WAVELENGTH - FREQUENCY * t[:, None]))
    steps = 0.5 * (curvature[:, 1:] + curvature[:, :-1]) / 400.0
    heading = np.concatenate([np.zeros((frames, 1)), np.cumsum(steps, axis=1)], axis=1)
    heading += turn - heading.mean(axis=1, keepdims=True)
    direction = np.stack([np.cos(heading), np.sin(heading)], axis=2)
    pieces = 0.5 * (direction[:, 1:] + direction[:, :-1]) / 400.0
    body = np.concatenate([np.zeros((frames, 1, 2)), np.cumsum(pieces, axis=1)], axis=1)
    body -= body.mean(axis=1, keepdims=True)
    body -= (SPEED * t)[:, None, None] * np.array([np.cos(turn), np.sin(turn)])  # towards the head
    made = body[:, np.linspace(0, 400, points).round().astype(int)] * LENGTH
    return np.asarray(made + noise * np.random.default_rng(seed).normal(size=made.shape))


def write_table(path: Path, points: Array) -> Path:
    """Columns as an R table has them: t, frame, point, mxmm, mymm; empty where there is nothing."""
    rows = ["t,frame,point,mxmm,mymm"]
    for f, frame in enumerate(points):
        for p, (x, y) in enumerate(frame):
            cells = ("", "") if np.isnan(x) else (repr(1e3 * float(x)), repr(1e3 * float(y)))
            rows.append(f"{(f + 1) / RATE},{f + 1},{p + 1},{cells[0]},{cells[1]}")
    path.write_text("\n".join(rows) + "\n")
    return path


def write_sleap(
    path: Path, points: Array, names: list[str], drop: tuple[int, ...] = (), worse: bool = False, track: str = ""
) -> Path:
    """Pixels with y down; a second, worse instance in every frame; frames left out."""
    rows = [
        "track,frame_idx,instance.score," + ",".join(f"{name}.{part}" for name in names for part in ("x", "y", "score"))
    ]
    for f, frame in enumerate(points):
        if f in drop:
            continue
        cells = ",".join(",," if np.isnan(x) else f"{4e3 * x + 900.0},{700.0 - 4e3 * y},0.9" for x, y in frame)
        if worse:
            rows.append(f"{track},{f},1.0," + ",".join("5.0,5.0,0.1" for _ in names))
        rows.append(f"{track},{f},6.0,{cells}")
    path.write_text("\n".join(rows) + "\n")
    return path


def write_sleap_hdf5(path: Path, points: Array, names: list[str]) -> Path:
    import h5py

    with h5py.File(path, "w") as file:
        file["tracks"] = np.moveaxis(points * np.array([4e3, -4e3]), (0, 1, 2), (2, 1, 0))[None]
        file["node_names"] = np.array([name.encode() for name in names])
        file["track_names"] = np.array([b"track_0"])
    return path


def dlc_columns(names: list[str]) -> list[tuple[str, str, str]]:
    return [("net", name, part) for name in names for part in ("x", "y", "likelihood")]


def dlc_values(points: Array) -> Array:
    sure = np.where(np.isnan(points[..., :1]), 0.1, 0.95)
    pixels = np.where(np.isnan(points), 3.0, points * np.array([4e3, -4e3]))
    return np.concatenate([pixels, sure], axis=2).reshape(len(points), -1)


def write_dlc(path: Path, points: Array, names: list[str]) -> Path:
    """What is missing has numbers with a likelihood of 0.1."""
    columns = dlc_columns(names)
    rows = [
        f"{level}," + ",".join(column[i] for column in columns)
        for i, level in enumerate(("scorer", "bodyparts", "coords"))
    ]
    rows += [f"{f}," + ",".join(repr(float(v)) for v in row) for f, row in enumerate(dlc_values(points))]
    path.write_text("\n".join(rows) + "\n")
    return path


def write_dlc_hdf5(path: Path, points: Array, names: list[str], layout: str = "frame_table") -> Path:
    """As pandas writes it, with names of columns as a pickled list."""
    import h5py

    values = dlc_values(points)
    with h5py.File(path, "w") as file:
        group = file.create_group("df_with_missing")
        group.attrs["pandas_type"] = np.bytes_(layout.encode())
        table = np.zeros(len(values), dtype=[("index", "<i8"), ("values_block_0", "<f8", (values.shape[1],))])
        table["index"], table["values_block_0"] = np.arange(len(values)), values
        made = group.create_dataset("table", data=table)
        made.attrs["values_block_0_kind"] = np.void(pickle.dumps(dlc_columns(names), protocol=0))
    return path


def wcon(points: Array, **more: object) -> dict[str, object]:
    """Millimetres, with offsets, nulls for gaps, and units of other things that no library knows."""
    mm = 1e3 * points
    record = {
        "id": "worm",
        "t": [f / RATE for f in range(len(mm))],
        "x": [[None if np.isnan(v) else v - 1.0 for v in row] for row in mm[..., 0]],
        "y": [[None if np.isnan(v) else v for v in row] for row in mm[..., 1]],
        "ox": [1.0] * len(mm),
        **more,
    }
    return {"units": {"t": "s", "x": "mm", "y": "millimetres", "ox": "mm", "temperature": "°C"}, "data": [record]}


def write_wcon(path: Path, points: Array, **more: object) -> Path:
    text = json.dumps(wcon(points, **more))
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("film.wcon", text)
    else:
        path.write_text(text)
    return path


def write_tierpsy(path: Path, points: Array) -> Path:
    import h5py

    with h5py.File(path, "w") as file:
        two = np.concatenate([1e6 * points * np.array([1.0, -1.0]), np.full((3, *points.shape[1:]), 5.0)])
        file["coordinates/skeletons"] = two
        table = np.zeros(len(two), dtype=[("worm_index", "<i4"), ("timestamp", "<i4")])
        table["worm_index"][len(points) :] = 2
        table["timestamp"][: len(points)] = np.arange(len(points))
        made = file.create_dataset("timeseries_data", data=table)
        made.attrs["fps"] = RATE
    return path
