"""Vectors of recorded arrays from body axes to world axes."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


def to_world(orientation: Array, vector: Array) -> Array:
    """Rotate vectors (.., 3) by unit quaternions (.., 4), scalar first: v + 2 w (u x v) + 2 u x (u x v)."""
    scalar, axis = orientation[..., :1], orientation[..., 1:]
    turned = 2.0 * np.cross(axis, vector)
    return np.asarray(vector + scalar * turned + np.cross(axis, turned))


def base_velocity_world(dataset: xr.Dataset) -> Array:
    """Velocity of the base origin in world axes (time, 3), m/s, from `base_twist` (body axes) and `base_orientation`."""
    return to_world(dataset["base_orientation"].values, dataset["base_twist"].values[:, :3])
