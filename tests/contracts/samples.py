"""Which scenarios `make test` takes through what costs a run or a compilation each: one of every model and medium.

All of them go through `make test-long`.
"""

from __future__ import annotations

import pytest

SAMPLE = (
    "eel-planar",
    "eel-lighthill",
    "module-snake-undulate",
    "neck-planar",
    "neck-swing-air",
    "rod-swim",
    "snake-turn-2d",
    "snake-undulate-orthotropic",
    "wheeled-snake-crawl",
    "worm-burrow",
)


def marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    """What a test of a scenario is marked with."""
    return () if name in SAMPLE else (pytest.mark.long,)
