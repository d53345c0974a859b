"""Rates of a user's function of time that gives values alone: central differences of eighth order, in one place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from limbless.core.timeline import Array

STEP = 1e-3  # s: differences over this step leave 1e-12 of truncation for motions of about 1 Hz
STENCIL = np.arange(-4, 5)
_FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
_SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])


def differences(values: Callable[[Array], Array], times: Array) -> tuple[Array, Array]:
    """Rate and acceleration (T, ..) of `values`, which is asked at times (T,) and gives (T, ..)."""
    return of_stencil(np.stack([values(times + k * STEP) for k in STENCIL]))


def of_stencil(around: Array) -> tuple[Array, Array]:
    """The same from values (9, T, ..) at the times of the stencil."""
    return np.tensordot(_FIRST, around, 1) / STEP, np.tensordot(_SECOND, around, 1) / STEP**2
