"""Python code that scenarios name: which folders the user has allowed to run it.

Kept in a file of the user's own, never in the folder itself, which may be a stranger's. A folder stands for all below
it, except where that would be the user's whole home or more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from platformdirs import user_state_dir

from limbless.core.files import write_text
from limbless.core.functions.callables import NamedFunction


def state_file() -> Path:
    """Where it is kept; `LIMBLESS_STATE_DIR` moves it."""
    home = os.environ.get("LIMBLESS_STATE_DIR") or user_state_dir("limbless", appauthor=False)
    return Path(home) / "allowed-code.json"


def folders_of(named: Mapping[str, NamedFunction], source: str | Path | None = None) -> list[Path]:
    """The folders that must be allowed for this code: those of its files, and that of the scenario file that names it.

    Without a scenario file (one of the library, changed) it is the working folder.
    """
    written = Path(source).expanduser() if source is not None else None
    home = written.parent if written is not None and written.is_file() else Path.cwd()
    files = [function.file for function in named.values() if function.file is not None]
    return list(dict.fromkeys([home.resolve(), *(file.resolve().parent for file in files)]))


def allowed(folders: Iterable[Path]) -> bool:
    """Whether the user has allowed all of these folders before."""
    known = _known()
    return all(any(_covers(one, folder) for one in known) for folder in folders)


def remember(folders: Iterable[Path]) -> Path:
    """Allow these folders from now on; the file that holds them."""
    file = state_file()
    known = list(dict.fromkeys([*map(str, _known()), *map(str, folders)]))
    write_text(file, json.dumps({"folders": known}, indent=2) + "\n")
    return file


def _covers(allowed: Path, folder: Path) -> bool:
    return folder == allowed or (folder.is_relative_to(allowed) and not Path.home().resolve().is_relative_to(allowed))


def _known() -> list[Path]:
    try:
        found = json.loads(state_file().read_text(encoding="utf-8"))
        return [Path(folder) for folder in found["folders"] if isinstance(folder, str) and Path(folder).is_absolute()]
    except (OSError, ValueError, KeyError, TypeError):  # none, or not ours: nothing is allowed
        return []
