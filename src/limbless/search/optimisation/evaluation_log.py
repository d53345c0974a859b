"""What a search has evaluated, in a file that survives its process: a search that is begun again finds its answers
there and goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from limbless.core import InputError, write_text
from limbless.scenarios.document import read_file, written
from limbless.search.sweeps import PLAN, Database, explained, kernels

_TABLE = "evaluations(number INTEGER PRIMARY KEY, name TEXT UNIQUE, text TEXT)"


def key_of(label: str, point: Mapping[str, float]) -> str:
    """A name for a point, to the last bit."""
    text = ",".join(f"{path}={float(value).hex()}" for path, value in point.items())
    return hashlib.sha256(f"{label}:{text}".encode()).hexdigest()[:32]


class EvaluationLog:
    """Evaluations by their point; without a folder they last as long as the search."""

    def __init__(self, folder: Path | None, plan: Mapping[str, Any]) -> None:
        self.known: dict[str, dict[str, Any]] = {}
        self.file: Database | None = None
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        _keep(folder, plan)
        self.file = Database(folder, "evaluations", _TABLE)
        with explained(self.file.path):
            self.known = {name: json.loads(text) for name, text in _held(self.file.db)}

    def get(self, name: str) -> dict[str, Any] | None:
        return self.known.get(name)

    def put(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        """Keep an evaluation, at once; as it will be found again."""
        text = json.dumps(data)
        self.known[name] = json.loads(text)
        if self.file is not None:
            with explained(self.file.path):
                self.file.db.execute("INSERT OR REPLACE INTO evaluations(name, text) VALUES(?, ?)", (name, text))
        return self.known[name]

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def _keep(folder: Path, plan: Mapping[str, Any]) -> None:
    """The folder holds this search, made by this version of the library; a fresh one gets it."""
    path, text = folder / PLAN, written({"kernels": kernels(), **plan})
    if not path.is_file():
        if any(folder.iterdir()):
            raise InputError(f"the folder {folder} holds something that is no search; give another")
        write_text(path, text)
        return
    kept = read_file(path).data
    if written({name: value for name, value in kept.items() if name != "kernels"}) != written(plan):
        raise InputError(
            f"the folder {folder} holds another search; give a new folder, or ask for the one it was begun with"
        )
    if kept.get("kernels") != kernels():
        raise InputError(f"the evaluations in {folder} were made by another version of the library; give a new folder")


def _held(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Names and texts of the one table; another that bears its name could compute for ever."""
    made = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
    if made != [f"CREATE TABLE {_TABLE}"] or db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("it holds another table than ours")
    return list(db.execute("SELECT name, text FROM evaluations ORDER BY number"))
