"""Files of logs as arrays by name: what every format has in common, before anybody asks what the names mean."""

from __future__ import annotations

import csv
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, load_arrays, open_archive, open_hdf5, reading, refuse_special

Array = NDArray[Any]

KNOWN = "CSV, TSV, JSON lines (.jsonl), MATLAB (.mat), .xlsx, ROS bags (.mcap, .bag, a folder), .npz, result.nc"
LARGEST = 500_000_000  # bytes of a file, or of a sheet in it
_PACKED = 15  # kind of an element of a MATLAB 5 file
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_SEPARATORS = ",;\t"
_DECIMAL = re.compile(r"^(\s*[-+]?\d*),(\d+(?:[eE][-+]?\d+)?\s*)$")


def named_arrays(path: str | Path) -> dict[str, Array]:
    """Name -> numbers (T,) or (T, joints), or words; a table without names has its columns numbered from 0."""
    source = Path(path).expanduser()
    if source.is_dir() or source.suffix.lower() in (".mcap", ".bag", ".db3"):
        from limbless.interop.log_files.ros_bag import read_bag

        return read_bag(source)
    if not source.exists():
        raise InputError(f"there is no log {str(path)!r}")
    refuse_special(source)
    if source.stat().st_size > LARGEST:
        raise InputError(
            f"{source.name} has {source.stat().st_size / 1e6:.0f} MB; logs up to {LARGEST / 1e6:g} are read"
        )
    with reading(source, "a log"):
        return _read(source)


def _read(source: Path) -> dict[str, Array]:
    with source.open("rb") as file:
        start = file.read(512)
    if start.startswith(_HDF5) or b"MATLAB 7.3" in start[:128]:
        return _hdf5(source)
    if source.suffix.lower() == ".mat" or start.startswith(b"MATLAB 5"):
        return _matlab(source)
    if source.suffix.lower() == ".npz":
        return dict(load_arrays(source))
    if start.startswith(b"PK"):
        return columns(source, sheet_rows(source))
    return _text(source)


def _text(source: Path) -> dict[str, Array]:
    try:
        every = source.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{source.name}: neither text nor a file of numbers that is known; read are {KNOWN}") from None
    lines = [line for line in every if line.strip() and not line.lstrip().startswith("#")]
    if lines and lines[0].lstrip().startswith("{"):
        return _json_lines(source, lines)
    parted = any(sign in line for line in lines[:1] for sign in _SEPARATORS)
    return columns(source, cells_of(lines) if parted else [line.split() for line in lines])


def cells_of(lines: Sequence[str]) -> list[list[str]]:
    """Rows of cells, parted by what the first line has most of. Where these are no commas, numbers may have a comma in
    place of the point."""
    between = max(_SEPARATORS, key=lines[0].count) if lines else ","
    rows = list(csv.reader(lines, delimiter=between))
    return rows if between == "," else [[_DECIMAL.sub(r"\1.\2", cell) for cell in row] for row in rows]


def number_in(row: Sequence[str], column: int) -> float | None:
    """The number in a cell; None where there is no cell, or no number in it (an array of floats has NaN there)."""
    try:
        return float(row[column])
    except (ValueError, IndexError):
        return None


def _json_lines(source: Path, lines: list[str]) -> dict[str, Array]:
    try:
        rows = [json.loads(line) for line in lines]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: np.array([row.get(name, np.nan) for row in rows], dtype=float) for name in names}
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{source.name}: lines of JSON must be objects of numbers of one size ({error})") from None


def columns(source: Path, rows: list[list[str]]) -> dict[str, Array]:
    """Rows of cells as columns by name; an empty cell is a gap."""
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise InputError(f"{source.name}: there is no row in it")
    named = any(number_in(rows[0], j) is None for j, cell in enumerate(rows[0]) if cell.strip())
    names = [cell.strip() if named else str(j) for j, cell in enumerate(rows[0])]
    numbers = [[number_in(row, j) for row in rows[named:]] for j in range(len(names))]
    twice = [name for name in names if names.count(name) > 1 and name]
    if twice:
        raise InputError(f"{source.name}: two columns are called {twice[0]!r}; each needs a name of its own")
    return {
        name: np.array(column, dtype=float)
        for name, column in zip(names, numbers, strict=True)
        if name and any(cell is not None for cell in column)
    }


def _unpacked(source: Path) -> int:
    """Bytes that the packed parts of a MATLAB 5 file unpack to, counted up to the most that is read."""
    total = 0
    with source.open("rb") as file:
        order = "<" if file.read(128)[126:] == b"IM" else ">"
        while len(tag := file.read(8)) == 8 and total <= LARGEST:
            kind, size = struct.unpack(f"{order}II", tag)
            packed, engine = file.read(size), zlib.decompressobj()
            while kind == _PACKED and packed and total <= LARGEST:
                total += len(engine.decompress(packed, 1 << 20))
                packed = engine.unconsumed_tail
    return total


def _matlab(source: Path) -> dict[str, Array]:
    from scipy.io import loadmat

    with reading(source, "a MATLAB file"):
        if _unpacked(source) > LARGEST:
            raise InputError(f"{source.name}: it unpacks to more than {LARGEST / 1e6:g} MB")
        held = loadmat(source, squeeze_me=True, simplify_cells=True, verify_compressed_data_integrity=False)
    return _flat({name: value for name, value in held.items() if not name.startswith("__")})


def _flat(held: dict[str, Any], prefix: str = "") -> dict[str, Array]:
    """Arrays of structures under `structure.field`."""
    found: dict[str, Array] = {}
    for name, value in held.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            array = np.asarray(value)
            words = array.dtype.kind == "O" and all(isinstance(each, str) for each in array.ravel())
            found[f"{prefix}{name}"] = array.astype(str) if words else array
    return {name: values for name, values in found.items() if values.dtype.kind in "fiubU" and values.ndim in (1, 2)}


def _hdf5(source: Path) -> dict[str, Array]:
    found: dict[str, Array] = {}
    ours = False
    try:
        with open_hdf5(source) as file:
            ours = "limbless" in file.attrs
            items: list[Any] = []
            file.visititems(lambda name, item: items.append((name, item)))
            for name, item in items:
                if hasattr(item, "dtype") and item.ndim in (1, 2):
                    values = item[()]
                    words = item.dtype.kind in "OS"
                    found[name.replace("/", ".")] = np.array([_word(each) for each in values]) if words else values
    except OSError as error:
        raise InputError(f"{source.name}: a damaged HDF5 file ({error})") from None
    # MATLAB 7.3 has its arrays the other way round
    return found if ours else {name: values.T for name, values in found.items() if values.dtype.kind in "fiub"}


def _word(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def sheet_rows(source: Path) -> list[list[str]]:
    """Cells of the first sheet of an .xlsx, row after row, by the standard library alone."""
    from xml.etree.ElementTree import ParseError

    try:
        with open_archive(source) as archive:
            names = [item.filename for item in archive.infolist()]
            sheets = {int(found[1]): name for name in names if (found := _SHEET.fullmatch(name))}
            if not sheets:
                raise InputError(f"{source.name}: a zip without a sheet; logs are {KNOWN}")
            shared = _parsed(archive, "xl/sharedStrings.xml") if "xl/sharedStrings.xml" in names else []
            words = ["".join(part.text or "" for part in item.iter() if _tag(part) == "t") for item in shared]
            return [_cells(row, words) for row in _parsed(archive, sheets[min(sheets)]).iter() if _tag(row) == "row"]
    except InputError:
        raise
    except (ParseError, KeyError, ValueError, IndexError) as error:
        raise InputError(f"{source.name}: a damaged sheet ({error})") from None


def _parsed(archive: zipfile.ZipFile, name: str) -> Any:
    from xml.etree import ElementTree

    if archive.getinfo(name).file_size > LARGEST:
        raise InputError(f"{archive.filename}: {name} claims {archive.getinfo(name).file_size} bytes")
    text = archive.read(name)
    if b"<!DOCTYPE" in text[:4096] or b"<!ENTITY" in text:
        raise InputError(f"{archive.filename}: {name} declares entities, which a sheet has no need of")
    return ElementTree.fromstring(text)


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _cells(row: Any, words: list[str]) -> list[str]:
    found: dict[int, str] = {}
    for cell in row:
        place = 0
        for letter in cell.get("r", "").rstrip("0123456789"):
            place = 26 * place + ord(letter) - 64
        text = next((part.text or "" for part in cell.iter() if _tag(part) in ("v", "t")), "")
        found[place - 1 if place else len(found)] = words[int(text)] if cell.get("t") == "s" and text else text
    return [found.get(i, "") for i in range(max(found, default=-1) + 1)] if max(found, default=0) < 20_000 else []
