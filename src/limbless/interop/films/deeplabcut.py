"""DeepLabCut: tables with three or four rows of header (CSV), and pandas frames (HDF5), read without pandas."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError
from limbless.interop.films.tracks import FARTHEST, Array, Track, chosen, table_of, words
from limbless.interop.log_files.named_arrays import number_in

FORMAT = "DeepLabCut"
LIKELIHOOD = 0.6
_LEVELS = ("scorer", "individuals", "bodyparts", "coords")


def is_csv(header: list[str]) -> bool:
    """The first of its header rows begins with `scorer`."""
    return header[:1] == ["scorer"]


def read_csv(path: Path, animal: str | None = None, likelihood: float = LIKELIHOOD) -> Track:
    """Header rows scorer, (individuals,) bodyparts, coords; then a frame number and its numbers."""
    rows = table_of(path)
    first = next((i for i, row in enumerate(rows) if not row or row[0] not in _LEVELS), len(rows))
    heads = {row[0]: row[1:] for row in rows[:first]}
    if not {"bodyparts", "coords"} <= set(heads):
        raise InputError(
            f"{path.name}: a table of DeepLabCut has header rows scorer, bodyparts and coords; found "
            f"{', '.join(heads) or 'none'}"
        )
    width = len(heads["coords"])
    short = [name for name, row in heads.items() if name != "scorer" and len(row) != width]
    if short:
        raise InputError(f"{path.name}: the header rows {' and '.join(short)} and coords have different lengths")
    people = heads.get("individuals") or [""] * width
    rows = [row for row in rows[first:] if row and row[0].strip()]
    values = np.array([[number_in(row, j) for j in range(1, width + 1)] for row in rows], dtype=np.float64)
    frames = np.array([_frame(row[0], i) for i, row in enumerate(rows)], dtype=np.int64)
    labels = list(zip(people, heads["bodyparts"], heads["coords"], strict=True))
    return _choose(path, labels, values.reshape(len(rows), width), frames, animal, likelihood)


def is_hdf5(file: Any) -> bool:
    """A pandas frame."""
    return any("pandas_type" in getattr(item, "attrs", {}) for item in file.values())


def read_hdf5(path: Path, file: Any, animal: str | None = None, likelihood: float = LIKELIHOOD) -> Track:
    """The frames that pandas writes as `table` or as `fixed`."""
    (name, group), *_ = [(name, item) for name, item in file.items() if "pandas_type" in item.attrs]
    layout = words([group.attrs["pandas_type"]])[0]
    if layout == "frame_table" and "table" in group:
        table = group["table"]
        blocks = [field for field in table.dtype.names or () if field.startswith("values_block")]
        labels = [label for block in blocks for label in _unpickled(table.attrs.get(f"{block}_kind"), path)]
        values = np.concatenate(
            [np.asarray(table[block], dtype=np.float64).reshape(len(table), -1) for block in blocks], axis=1
        )
        frames = np.asarray(table["index"])
    elif layout == "frame" and "block0_values" in group:
        labels, values = _fixed_labels(group, path), np.asarray(group["block0_values"], dtype=np.float64)
        frames = np.asarray(group["axis1"]) if "axis1" in group else np.arange(len(values))
    else:
        raise InputError(
            f"{path.name}: /{name} is a pandas object of the layout {layout!r}, which is not read; write it as a "
            "table (DeepLabCut does), or as CSV"
        )
    if not np.issubdtype(frames.dtype, np.number):
        frames = np.arange(len(values))
    columns = [(label[-3] if len(label) == 4 else "", label[-2], label[-1]) for label in labels if len(label) in (3, 4)]
    if len(columns) != values.shape[1]:
        raise InputError(
            f"{path.name}: /{name} has {values.shape[1]} columns with {len(columns)} names of three or four levels; "
            "DeepLabCut's are scorer, (individual,) bodypart, coordinate"
        )
    return _choose(path, columns, values, frames.astype(np.int64), animal, likelihood)


class _Plain(pickle.Unpickler):
    """Names of columns are pickled lists of tuples of text: nothing else is made, and nothing is called."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}")


def _unpickled(attribute: Any, path: Path) -> list[tuple[str, ...]]:
    raw = bytes(attribute) if attribute is not None else b""
    try:
        return [words(label) for label in _Plain(io.BytesIO(raw)).load()]
    except Exception as error:  # damaged, or more than text
        raise InputError(
            f"{path.name}: the names of its columns cannot be read ({error}); write the film as CSV"
        ) from None


def _fixed_labels(group: Any, path: Path) -> list[tuple[str, ...]]:
    levels = [words(group[f"axis0_level{i}"][()]) for i in range(4) if f"axis0_level{i}" in group]
    codes = [np.asarray(group[f"axis0_label{i}"]) for i in range(len(levels))]
    if len(levels) < 3:
        raise InputError(f"{path.name}: its columns have {len(levels)} levels; DeepLabCut's have three or four")
    return [tuple(level[code] for level, code in zip(levels, each, strict=True)) for each in zip(*codes, strict=True)]


def _choose(
    path: Path,
    labels: Sequence[tuple[str, str, str]],
    values: Array,
    frames: NDArray[np.int64],
    animal: str | None,
    likelihood: float,
) -> Track:
    """One animal's points; those that are less likely are gaps."""
    places = {label: i for i, label in enumerate(labels)}
    tracks = []
    for who in dict.fromkeys(person for person, _, _ in labels):
        parts = [
            part
            for part in dict.fromkeys(part for person, part, _ in labels if person == who)
            if (who, part, "x") in places and (who, part, "y") in places
        ]
        points = np.stack([values[:, [places[who, part, "x"], places[who, part, "y"]]] for part in parts], axis=1)
        for p, part in enumerate(parts):
            sure = places.get((who, part, "likelihood"))
            if sure is not None:
                points[~(values[:, sure] >= likelihood), p] = np.nan
        track = Track.of_nodes(points, parts, FORMAT, who, frames=frames, down=True)
        tracks += [track] if np.isfinite(track.points).any() else []
    if not tracks:
        raise InputError(f"{path.name}: no point has a likelihood of {likelihood:g} or more; --likelihood lowers it")
    return chosen(tracks, animal, "animal", path)


def _frame(cell: str, fallback: int) -> int:
    digits = "".join(c for c in cell if c.isdigit())
    return int(digits) if digits and int(digits[:20]) < FARTHEST else fallback
