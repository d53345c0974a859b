"""Files of numbers that others wrote: HDF5, npy, npz and other archives, looked into before anything is read.

A file may lead out of itself (HDF5 holds links and variables whose numbers lie in other files), may claim far more
numbers than it has, which would fill the memory, and may hold Python objects, which run code when they are loaded. All
of these are refused in one sentence.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from limbless.core.errors import InputError

SMALL = 200_000_000  # bytes of numbers that any file may claim
DENSEST = 100  # times its own size that a larger one may claim: ours are not compressed, others may be
DEEPEST = 50  # groups within groups


def refuse_special(path: Path) -> None:
    """Refuse what is no ordinary file: a pipe or a device would be read for ever."""
    if not path.is_file():
        raise InputError(f"{path.name}: {'no ordinary file' if path.exists() else 'there is no such file'}")


def refuse_pipe(path: Path) -> None:
    """Refuse a named pipe, for which one would wait for ever; what a shell hands over (`<(...)`) is read."""
    if path.is_fifo() and not path.is_relative_to("/dev"):
        raise InputError(f"{path} is a pipe, no file")


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Whatever libraries raise about a file, many kinds that mean one thing for the user, in one sentence."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        words = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path.name}: cannot be read as {what} ({words})") from None


def refuse_claims(path: Path, total: int) -> None:
    """Refuse a file whose numbers would take far more memory than the file has bytes."""
    size = path.stat().st_size
    if total > max(SMALL, DENSEST * size):
        raise InputError(f"{path.name}: it claims {total} bytes of numbers, and has {size}")


@contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """An HDF5 file, open for reading, in which every group and variable lies in the file itself."""
    import h5py

    refuse_special(path)
    with h5py.File(path, "r") as file:
        refuse_claims(path, _bytes_in(file, path.name, set(), (hash(file.id),)))
        yield file


def _bytes_in(group: Any, where: str, seen: set[int], above: tuple[int, ...]) -> int:
    """Bytes of all variables below a group; `above` are the groups that it lies in, itself the last."""
    import h5py

    total = 0
    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise InputError(f"{where}: {name!r} is a link")
        item = group[name]
        address = hash(item.id)
        if address in above or len(above) > DEEPEST:
            raise InputError(f"{where}: the group {name!r} holds itself, or lies in more than {DEEPEST} others")
        if address in seen:
            continue  # one variable may stand in several groups
        seen.add(address)
        if isinstance(item, h5py.Group):
            total += _bytes_in(item, where, seen, (*above, address))
        elif isinstance(item, h5py.Dataset):
            if item.external or item.is_virtual:
                raise InputError(f"{where}: the numbers of {name!r} lie in another file")
            total += int(item.nbytes)
    return total


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip archive (npz, xlsx, zipped WCON) that unpacks to no more than a file of its size may claim."""
    refuse_special(path)
    try:
        with zipfile.ZipFile(path) as archive:
            refuse_claims(path, sum(item.file_size for item in archive.infolist()))
            yield archive
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise InputError(f"{path.name}: a damaged or locked archive ({error})") from None


def load_arrays(path: Path) -> Any:
    """An array of an npy file, or name -> array of an npz file."""
    import numpy as np

    refuse_special(path)
    with reading(path, "a NumPy file"):
        if zipfile.is_zipfile(path):
            with open_archive(path) as archive:
                claimed = 0
                for item in archive.infolist():
                    with archive.open(item) as stream:
                        claimed += _claimed(stream)
            refuse_claims(path, claimed)
            with np.load(path, allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        with path.open("rb") as stream:
            refuse_claims(path, _claimed(stream))
        return np.load(path, allow_pickle=False)


def _claimed(stream: Any) -> int:
    """Bytes of numbers that the header of an npy file claims."""
    import math

    from numpy.lib import format as npy

    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(stream)
    if dtype.hasobject:
        raise InputError("it holds Python objects, which would run code when they are loaded; save plain numbers")
    return math.prod(shape) * dtype.itemsize
