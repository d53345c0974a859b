"""Writing files so that nobody ever sees half of one: a temporary name in the same folder, then `os.replace`."""

from __future__ import annotations

import csv
import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from limbless.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`; what is written there becomes `path` when the block ends well, and is removed
    otherwise.

    Missing folders are made. The temporary name keeps the suffix, because some writers choose the format by it.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(6)}{target.suffix}")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:  # a full disk, a folder that may not be written
        said = f"{error.strerror or error}: {target} is not written; make room or choose another folder"
        raise OSError(error.errno, said) from error
    finally:
        temporary.unlink(missing_ok=True)


def fresh_folder(base: Path) -> Path:
    """Make the first of base, base-2, base-3, ... that is not there yet."""
    number = 1
    while True:
        folder = base if number == 1 else base.with_name(f"{base.name}-{number}")
        try:
            folder.mkdir(parents=True)  # making it is the test: two runs at once get two folders
            return folder
        except FileExistsError:
            number += 1


def as_word(text: str) -> str:
    """Any text as one word that names a file or a folder, and none but in the place where it is put."""
    return re.sub(r"[^\w.-]+", "-", text)[:100].strip("-.") or "untitled"


def below(folder: Path, *names: str) -> Path:
    """A place in a folder; refused where a link in that folder, which may be a stranger's, leads out of it."""
    place = folder.joinpath(*names)
    if not place.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{place} leads to {place.resolve()}, which is not in {folder}; nothing is written there")
    return place


def write_text(path: str | Path, text: str) -> Path:
    """Write a text file (UTF-8, the same line ends on every system)."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return Path(path)


def wrapped(text: str, width: int = 120) -> str:
    """Markdown whose long lines are broken between words, but for tables, headings and code, which cannot be."""
    import textwrap

    lines, code = [], False
    for line in text.split("\n"):
        code ^= line.startswith("```")
        if code or len(line) <= width or line.startswith(("|", "#", "    ", "```")):
            lines.append(line)
        else:
            below = "  " if line.startswith("- ") else ""
            lines += textwrap.wrap(line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


@contextmanager
def without_cluster() -> Iterator[None]:
    """Around xarray's writing of a file: it imports all of `distributed`, where that is installed, to ask whether a
    cluster of it is running; nothing that was not imported runs, and half a second is saved. Where one may run, xarray
    would lock the file with it, and a cluster has no locks for files in memory.
    """
    names = "distributed", "dask.distributed"  # dask asks the first, xarray the second
    if any(name in sys.modules for name in names):
        import dask

        with dask.config.set(scheduler="synchronous"):
            yield
        return
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


def write_table(path: str | Path, columns: Mapping[str, ArrayLike], units: Sequence[str] | None = None) -> Path:
    """Write columns as comma-separated values; shorter columns leave their last cells empty.

    Parameters
    ----------
    columns : header -> values along the rows. Numbers are written with the digits that give the same float64 back.
    units : one per column; written into a second table beside it, `NAME-units.csv`: what reads numbers finds numbers.
    """
    import numpy as np

    if units is not None:
        beside = Path(path).with_name(f"{Path(path).stem}-units.csv")
        write_table(beside, {"column": list(columns), "unit": list(units)})
    values = [np.asarray(column).ravel().tolist() for column in columns.values()]
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(zip_longest(*values, fillvalue=""))
    return Path(path)
