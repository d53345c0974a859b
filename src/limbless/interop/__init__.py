"""Doors: robots and films in, runs and learning environments out."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from limbless.interop import films as films, learning as learning, logs as logs

_ROOMS = ("films", "learning", "logs")


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"limbless.interop.{name}")
    raise AttributeError(f"module 'limbless.interop' has no attribute {name!r}")
