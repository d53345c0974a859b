"""Tables of times and values, given as rows or as a text file: read and checked in one place
for all gaits that take one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from limbless.control.gaits.base import Array
from limbless.core import InputError

_LARGEST = 200_000_000  # bytes of a file: some ten million numbers


def read_rows(table: tuple[tuple[float, ...], ...], file: str | None, what: str, values: str, least: int = 2) -> Array:
    """Rows of time and values, from `table` or from a text file (comma- or space-separated, `#` for comments); times
    must increase.

    Raises ValueError in one sentence, which a validator turns into an `InputError`: `what` names the gait, `values` its
    columns.
    """
    rows = rows_of(table, file, what, values)
    if rows.ndim != 2 or rows.shape[0] < least or rows.shape[1] < 2:
        raise ValueError(f"{what} needs at least {least} rows of time and {values}; got an array of shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError(f"{what} must be finite; found a missing or infinite number")
    if not (np.diff(rows[:, 0]) > 0).all():
        row = int(np.argmin(np.diff(rows[:, 0]) > 0)) + 1
        raise ValueError(f"times of {what} must increase; row {row} has {rows[row, 0]} after {rows[row - 1, 0]}")
    return rows


def refuse_outside(times: Array, known: Array, what: str, cure: str) -> None:
    """Refuse times of a run before or behind those that are known."""
    first, last = known[0], known[-1]
    slack = 1e-9 * (last - first)
    if times[0] < first - slack or times[-1] > last + slack:
        raise InputError(
            f"{what} covers {first:g} to {last:g} s, but the run asks for {times[0]:g} to {times[-1]:g} s; {cure}"
        )


def is_plain(file: str) -> bool:
    """Whether a file is text that begins with a number or a comment, or is not there: no log, whose columns have
    names."""
    path = Path(file)
    if not path.is_file():
        return not path.is_dir()
    with path.open("rb") as stream:
        start = stream.read(4096)
    first = next((line for line in start.splitlines() if line.strip()), b"")
    return first[:1] in b"#+-.0123456789 \t" and b"\0" not in start


def rows_of(table: tuple[tuple[float, ...], ...], file: str | None, what: str, values: str) -> Array:
    """The numbers of `table` or of a text file, rows of one length, not yet checked otherwise."""
    if bool(table) == bool(file):
        raise ValueError(f"{what} needs either `table` or `file`")
    if file is not None:
        return _loaded(file, values)
    lengths = {len(row) for row in table}
    if len(lengths) != 1:
        raise ValueError(f"rows of {what} must have one length; got {sorted(lengths)}")
    return np.array(table, dtype=np.float64)


def _loaded(file: str, values: str) -> Array:
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"no file {file!r} with recorded {values}")
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{file!r} has {path.stat().st_size} bytes, and a table may have {_LARGEST}; leave rows out")
    try:
        # a comment may hold commas
        numbers = "".join(line.partition("#")[0] for line in path.read_text(encoding="utf-8-sig").splitlines())
        return np.loadtxt(path, delimiter="," if "," in numbers else None, ndmin=2, encoding="utf-8-sig")
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read {file!r} as a table of numbers: {error}") from None
