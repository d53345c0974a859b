"""Every kind of gait, flow, environment, robot, preset, actuation, controller and model, found by being present in its
folder.

Importing a module of a folder registers the classes in it (`Description` does it); this module only knows where to
look.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from typing import Any

from limbless.core.errors import InputError, nearest
from limbless.core.gc_pause import gc_paused

_FOLDERS = {
    "robot": "limbless.robots",
    "preset": "limbless.robots.presets",
    "gait": "limbless.control.gaits",
    "flow": "limbless.environments.flows",
    "environment": "limbless.environments",
    "actuation": "limbless.control.actuation",
    "controller": "limbless.control.controllers",
    "model": "limbless.models",
}
_known: dict[str, dict[str, type]] = {family: {} for family in _FOLDERS}
_visited: set[str] = set()


def add(family: str, kind: str, cls: type) -> None:
    """Register a class under its kind; a later class of the same kind replaces it."""
    _known[family][kind] = cls


def kinds(family: str) -> dict[str, Any]:
    """All kinds of a family, by name; imports the family's modules once."""
    visit(_FOLDERS[family])
    return dict(sorted(_known[family].items()))


def visit(folder: str) -> None:
    """Import every module of a package, once: what is in them registers itself."""
    if folder not in _visited:
        _visited.add(folder)
        package = importlib.import_module(folder)
        for module in pkgutil.iter_modules(getattr(package, "__path__", [])):
            importlib.import_module(f"{folder}.{module.name}")


def _import_namesake(folder: str, kind: str) -> None:
    """Import the module that a kind is named after, if there is one: a run then need not import
    all others of the family.
    """
    for name in (kind.replace("-", "_"), kind.replace("-", "")):
        if (
            folder not in _visited
            and name.isidentifier()
            and hasattr(importlib.import_module(folder), "__path__")
            and importlib.util.find_spec(f"{folder}.{name}")
        ):
            importlib.import_module(f"{folder}.{name}")


def find(family: str, kind: Any) -> Any:
    """The class of a kind, or an `InputError` that names the nearest known one."""
    if isinstance(kind, str) and kind not in _known[family]:
        with gc_paused():
            _import_namesake(_FOLDERS[family], kind)
    known = _known[family] if isinstance(kind, str) and kind in _known[family] else kinds(family)
    if kind not in known:
        raise InputError(f"unknown {family} {kind!r}; {nearest(kind, known, f'list {family}s')}")
    return known[kind]
