"""Doors: robots and films in, runs and learning environments out."""

from __future__ import annotations

import importlib
from typing import Any

_ROOMS = ("films", "learning", "logs")


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"limbless.interop.{name}")
    raise AttributeError(f"module 'limbless.interop' has no attribute {name!r}")
