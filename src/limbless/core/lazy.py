"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from limbless.core.gc_pause import gc_paused


def homes_of(package: str, *groups: Mapping[str, str]) -> dict[str, str]:
    """Name -> module, from modules of a package and the names of each, parted by blanks."""
    return {
        name: f"{package}.{module}" for group in groups for module, names in group.items() for name in names.split()
    }


def lazy_names(package: str, *groups: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: it imports the module of a name, and gives what that has now."""
    homes = homes_of(package, *groups)

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with gc_paused():
            return getattr(importlib.import_module(homes[name]), name)

    return find
