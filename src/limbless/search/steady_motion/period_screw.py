"""The pose change of a period, and as a screw: how long the path is that a motion takes which repeats it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array

if TYPE_CHECKING:
    from limbless.simulation.result import Result

_SMALL = 1e-4
"""Of sin²(ψ/2): below it Taylor's series."""


def _stretch(square: Any) -> Any:
    """(g² - 1) / s² of s² = sin²(ψ/2), where g = (ψ/2) / sin(ψ/2) is the arc over the chord."""
    if abs(square) < _SMALL:
        return 1 / 3 + square * (8 / 45 + square * (4 / 35))
    s = np.sqrt(square)
    return ((np.arcsin(s) / s) ** 2 - 1.0) / square


def path_of(pose: Any, in_plane: bool) -> tuple[Any, Any]:
    """Length of the path (m) and turn (rad) of a pose change: position, then quaternion with its scalar first.

    The path of a point under a screw: along the axis as it is, across it an arc in place of its chord.
    """
    d, w, u = pose[:3], pose[3], pose[4:7]
    if np.real(w) < 0.0:
        w, u = -w, -u
    square, along = u @ u, d @ u
    length = np.sqrt(d @ d + _stretch(square) * (d @ d * square - along * along))
    turn = 2.0 * np.arctan(u[2] / w) if in_plane else 2.0 * np.arcsin(np.sqrt(square))
    return length, turn


def path_slope(pose: Array, in_plane: bool) -> Array:
    """(2, 7): derivatives of both, by a step along the imaginary axis, which is exact to rounding."""
    found = np.zeros((2, 7))
    for number in range(7):
        shifted = pose.astype(np.complex128)
        shifted[number] += 1e-30j
        with np.errstate(all="ignore"):
            found[:, number] = [np.imag(part) * 1e30 for part in path_of(shifted, in_plane)]
    return np.where(np.isfinite(found), found, 0.0)


def pose_change(result: Result) -> Array:
    """Position and quaternion at the end, in the axes of the beginning (7,)."""
    places, turns = (result.dataset[f"base_{name}"].values for name in ("position", "orientation"))
    (a, u), (b, v) = ((turn[0], turn[1:]) for turn in (turns[0], turns[-1]))
    moved = places[-1] - places[0]
    way = moved + 2.0 * np.cross(u, np.cross(u, moved)) - 2.0 * a * np.cross(u, moved)
    return np.concatenate([way, [a * b + u @ v], a * v - b * u - np.cross(u, v)])
