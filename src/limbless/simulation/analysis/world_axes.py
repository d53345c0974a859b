"""Vectors of recorded arrays from body axes to world axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core import Array
from limbless.mechanics.algebra import rotate

if TYPE_CHECKING:
    import xarray as xr


def base_velocity_world(dataset: xr.Dataset) -> Array:
    """Velocity of the base origin in world axes (time, 3), m/s, from `base_twist` (body
    axes) and `base_orientation`.
    """
    return rotate(dataset["base_orientation"].values, dataset["base_twist"].values[:, :3])
