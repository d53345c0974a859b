"""Rows in SQLite: one writer, any readers, nothing lost when either is killed.

A folder holds `plan.yaml`, `runs.db` (and `runs-3.db` of share 3 of a batch array) and, when all is done, `sweep.nc`.
A row that is written twice is the same row: its key is the number of the run.
"""

from __future__ import annotations

import errno
import math
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from limbless.core import InputError, refuse_pipe

PLAN = "plan.yaml"
_FIXED = ("run", "status", "wall_time")
_OURS = re.compile(r'CREATE TABLE runs\(run INTEGER PRIMARY KEY, status TEXT, wall_time REAL(, "([^"]|"")*" REAL)*\)')
_REFUSED = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
}
"""What SQLite says of a disk or a folder -> what the system calls it."""


class StoredRow(NamedTuple):
    """One run: its number, its measures, `completed` or `failed: ` and the words of the
    error, and the seconds it took.
    """

    run: int
    values: dict[str, float]
    status: str
    wall_time: float


class Database:
    """The one writer of a file `NAME.db` with one table, as long as its process lives."""

    def __init__(self, folder: Path, name: str, table: str, journal: str = "WAL") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.db"
        refuse_pipe(self.path)
        self._lock = locked(folder / f".{name}.lock", folder)
        self.db = sqlite3.connect(self.path, isolation_level=None, timeout=60.0)
        with explained(self.path):
            self.db.execute(f"PRAGMA journal_mode={journal}")
            self.db.execute("PRAGMA synchronous=NORMAL")  # a killed process loses nothing, a power cut the last commits
            self.db.execute(f"CREATE TABLE IF NOT EXISTS {table}")

    def close(self) -> None:
        self.db.close()
        self._lock.close()


class Store(Database):
    """The one writer of a file of rows.

    `share` names a file of its own, with a journal that network disks know (`TRUNCATE`; WAL needs shared memory).
    """

    def __init__(self, folder: Path, share: int | None = None) -> None:
        name, journal = ("runs", "WAL") if share is None else (f"runs-{share}", "TRUNCATE")
        super().__init__(folder, name, "runs(run INTEGER PRIMARY KEY, status TEXT, wall_time REAL)", journal)
        with explained(self.path):
            self.columns = _columns(self.db)

    def write(self, rows: Sequence[StoredRow]) -> None:
        """Put rows in, all or none."""
        with explained(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            for name in dict.fromkeys(name for row in rows for name in row.values):
                if name not in self.columns:
                    self.db.execute(f"ALTER TABLE runs ADD COLUMN {_quoted(name)} REAL")
                    self.columns.append(name)
            names, marks = ", ".join(map(_quoted, self.columns)), ", ".join("?" * len(self.columns))
            self.db.executemany(f"INSERT OR REPLACE INTO runs({names}) VALUES({marks})", map(self._ordered, rows))
            self.db.execute("COMMIT")

    def _ordered(self, row: StoredRow) -> list[Any]:
        known: dict[str, Any] = {**row.values, "run": row.run, "status": row.status, "wall_time": row.wall_time}
        return [
            None if isinstance(value, float) and math.isnan(value) else value
            for value in (known.get(name) for name in self.columns)
        ]

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _columns(db: sqlite3.Connection) -> list[str]:
    """Names of the columns of the one table; what else a file may hold (views, triggers) could compute for ever."""
    held = list(db.execute("SELECT type, name, sql FROM sqlite_master"))
    if not all((sort, name) == ("table", "runs") and _OURS.fullmatch(str(sql)) for sort, name, sql in held):
        raise sqlite3.DatabaseError("it holds another table than ours")
    return [str(row[1]) for row in db.execute("PRAGMA table_info(runs)")]


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """What keeps a file of rows from being read or written, in a sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind
        if code in _REFUSED:
            said = f"{error}: {path} takes no more rows, and keeps those it has; make room or choose another folder"
            raise OSError(_REFUSED[code], said) from None
        raise InputError(f"{path} cannot be read ({error}): it is damaged or no file of a sweep") from None


def locked(path: Path, folder: Path) -> sqlite3.Connection:
    """A lock that ends with its process, however that ends: an open transaction of a database of its own."""
    refuse_pipe(path)
    with explained(path):
        lock = sqlite3.connect(path, isolation_level=None, timeout=0.0)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            lock.close()
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raise InputError(
                f"the folder {folder} is being written by another process; wait for it, or give another "
                "folder (`limbless sweep --status` looks without writing)"
            ) from None
    return lock


def files_of(folder: Path) -> list[Path]:
    """The files of rows, that of a whole sweep first."""
    return sorted(path for path in folder.glob("runs*.db") if path.is_file())


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=60.0)) as db:
        yield db


def read_rows(folder: Path) -> dict[int, StoredRow]:
    """All rows of a folder by number, also while another process writes them; a row that succeeded
    counts before one that failed.
    """
    found: dict[int, StoredRow] = {}
    for path in files_of(folder):
        with explained(path), reading(path) as db:
            columns = _columns(db)
            if not columns:
                continue
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):  # pages that hold each other never end
                raise sqlite3.DatabaseError("its pages do not fit together")
            for values in db.execute("SELECT * FROM runs ORDER BY run"):
                row = _row(dict(zip(columns, values, strict=True)))
                if row.run not in found or found[row.run].status != "completed":
                    found[row.run] = row
    return found


def _row(known: dict[str, Any]) -> StoredRow:
    values = {name: math.nan if value is None else value for name, value in known.items() if name not in _FIXED}
    numbers = (*values.values(), known["wall_time"])
    if not isinstance(known["status"], str) or not all(isinstance(value, int | float) for value in numbers):
        raise sqlite3.DatabaseError(f"run {known['run']} holds what is no number")
    return StoredRow(known["run"], values, known["status"], known["wall_time"])
