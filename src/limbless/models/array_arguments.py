"""Plain arrays that a user hands to a model: brought to shape, or refused in one sentence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Array, InputError


def numbers(name: str, values: ArrayLike, count: int) -> Array:
    """A flat float array of the expected length."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must have {count} numbers; got {values!r:.60}") from None
    if array.shape != (count,):
        raise InputError(f"{name} must have {count} numbers; got shape {array.shape}")
    if not math.isfinite(array.dot(array)) and not np.isfinite(array).all():  # the first alone takes no time
        raise InputError(
            f"{name} must be finite; got {array[~np.isfinite(array)][0]} at entry {int(np.argmin(np.isfinite(array)))}"
        )
    return array


def unit_quaternion(values: ArrayLike, name: str = "base_orientation") -> Array:
    """A quaternion of length 1, scalar first."""
    quaternion = numbers(name, values, 4)
    length = np.linalg.norm(quaternion)
    if abs(length - 1.0) > 1e-6:
        raise InputError(f"{name} must be a unit quaternion (scalar first); got length {length:g}")
    return np.asarray(quaternion / length)
