"""Soft bodies in motion: strain cells, tendons, passive strains.

The model is imported when it is asked for: kernels that other models share name the tables of this one in their cache,
and would bring all of it along.
"""

from typing import TYPE_CHECKING, Any

from limbless.models.soft.settings import SoftSettings
from limbless.models.soft.solution import Modes

if TYPE_CHECKING:
    from limbless.models.soft.model import Soft

__all__ = ["Modes", "Soft", "SoftSettings"]


def __getattr__(name: str) -> Any:
    if name == "Soft":
        from limbless.models.soft.model import Soft

        return Soft
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
