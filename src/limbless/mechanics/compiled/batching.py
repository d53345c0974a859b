"""Problems for other scalars: every float64 array of a problem with one axis more, eight robots or a
value with eight derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from limbless.mechanics.compiled import BEYOND, TANGENTS, aligned_zeros, dual_array, tangents


def map_arrays(function: Callable, *problems: Any) -> Any:
    """A problem of the same make, of `function(array, ...)` for the float64 arrays that stand
    at the same place in each.
    """
    first = problems[0]
    if isinstance(first, tuple):
        parts = [map_arrays(function, *each) for each in zip(*problems, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    return function(*problems) if isinstance(first, np.ndarray) and first.dtype == np.float64 else first


def as_duals(problem: Any) -> Any:
    """A problem of duals without derivatives."""
    return map_arrays(dual_array, problem)


def clip_infinite(problem: Any) -> Any:
    """The same with what is infinite clipped: windows that never end, actuators that know no bound.
    Fast math knows no infinity.
    """
    return map_arrays(lambda array: np.clip(array, -BEYOND, BEYOND), problem)


def to_duals(problem: Any) -> Any:
    """`as_duals` of a problem that is `clip_infinite`: derivatives would be inf - inf."""
    return as_duals(clip_infinite(problem))


def seed_tangent(duals: Any, direction: int, slope: Any) -> None:
    """Along `direction` the tables of a problem change by `slope`, a problem of the same make."""

    def put(wide: np.ndarray, narrow: np.ndarray) -> None:
        tangents(wide)[..., direction] = narrow

    map_arrays(put, duals, slope)


def stack_lanes(problems: Sequence[Any]) -> Any:
    """One problem for up to eight robots of the same make (same joints, same kinds of forces): numbers may all differ,
    codes are shared.
    """
    full = [*problems, *[problems[0]] * (TANGENTS - len(problems))]

    def stack(*arrays: np.ndarray) -> np.ndarray:
        return np.stack(arrays, axis=-1, out=aligned_zeros((*arrays[0].shape, TANGENTS)))

    return map_arrays(stack, *full)
