"""Arrays in which kernels find their scalars: float64 on a cache line, with a last axis of words for duals."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError
from limbless.mechanics.compiled.scalars import TANGENTS, WORDS

# How kernels annotate their arguments (and rows of tables by `Rows`); numba does not read it
Scalar: TypeAlias = float  # float64, a dual number or eight lanes
Array: TypeAlias = NDArray[Any]  # of such scalars, in a kernel or in NumPy
IntArray: TypeAlias = NDArray[Any]  # of integers or flags, whatever the scalar

ALIGNMENT = 8 * TANGENTS  # bytes: a tangent vector then lies within one cache line


def aligned_zeros(shape: int | tuple[int, ...]) -> np.ndarray:
    """A float64 array of zeros that starts on a cache line (64 bytes): kernels are 9 to 18 %
    faster than with NumPy's 16.
    """
    count = math.prod(shape) if isinstance(shape, tuple) else shape
    memory = np.zeros(8 * count + ALIGNMENT, dtype=np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + 8 * count].view(np.float64).reshape(shape)


def dual_array(values: Any, seeds: Any = None) -> np.ndarray:
    """The array (..., 16) in which compiled code finds duals.

    Parameters
    ----------
    values : array (...), the values.
    seeds : array (..., k) with k <= 8, the derivatives of `values` along k directions (broadcast over the leading
        axes); None: all zero.
    """
    values = np.asarray(values, dtype=np.float64)
    array = aligned_zeros((*values.shape, WORDS))
    array[..., 0] = values
    if seeds is not None:
        seeds = np.asarray(seeds, dtype=np.float64)
        directions = seeds.shape[-1] if seeds.ndim else 0
        if not 0 < directions <= TANGENTS:
            raise InputError(
                f"seeds of shape {seeds.shape} have {directions} directions; a dual array takes 1 to {TANGENTS}: give "
                "an array (..., directions), and run further directions separately"
            )
        tangents(array)[..., :directions] = seeds
    return array


def values(array: np.ndarray) -> np.ndarray:
    """The values (...) in a dual array (..., 16); a view."""
    return array[..., 0]


def tangents(array: np.ndarray) -> np.ndarray:
    """The derivatives (..., 8) in a dual array (..., 16); a view."""
    return array[..., TANGENTS:]
