"""The clone of the repository around the working directory or the sources: some commands need
folders that no wheel holds.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from limbless.core.errors import InputError


def root_with(path: str) -> Path:
    """The clone that holds this file or folder: around the working directory, or else around the installed sources."""
    here = Path.cwd()
    for root in (here, *here.parents, Path(__file__).parents[3]):
        if (root / path).exists() and (root / "pyproject.toml").is_file():
            return root
    raise InputError(
        f"this needs the folder {path.partition('/')[0]}/ of the repository, which an installed limbless does not "
        "have: clone the repository and run it there"
    )


def load(folder: str, name: str) -> ModuleType:
    """The module `folder.name` of the clone."""
    root = str(root_with(f"{folder}/{name.replace('.', '/')}.py"))
    if root not in sys.path:
        sys.path.insert(0, root)
    try:
        return importlib.import_module(f"{folder}.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(folder):
            raise
        raise InputError(
            f"{folder} needs the package {error.name!r}, which is not installed; pip install -e '.[dev]' brings it"
        ) from None
