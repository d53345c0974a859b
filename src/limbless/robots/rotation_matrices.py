"""Rotation matrices of a description: about an axis, and without the rounding that a long chain would add up."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def about_x(angle: float) -> Array:
    """Rotation matrix about x."""
    c, s = math.cos(angle), math.sin(angle)
    return snap(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]))


def about_y(angle: float) -> Array:
    """Rotation matrix about y."""
    c, s = math.cos(angle), math.sin(angle)
    return snap(np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))


def about_z(angle: float) -> Array:
    """Rotation matrix about z."""
    c, s = math.cos(angle), math.sin(angle)
    return snap(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def snap(matrix: Array) -> Array:
    """Entries that rounding alone keeps from 0 or ±1 set to it: cos(pi/2) is not zero, and a long chain
    would add such errors up.
    """
    whole = np.rint(matrix)
    return np.where(np.abs(matrix - whole) < 1e-15, whole, matrix) + 0.0
