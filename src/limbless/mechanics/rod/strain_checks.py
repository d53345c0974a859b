"""Strains of a rod, before anything is computed with them: are they finite and within bounds, and the strains of a
given bend."""

from __future__ import annotations

from limbless.mechanics.compiled import BEYOND, Array, Scalar, array_kernel, strict_kernel


@strict_kernel
def within(value: Array, rate: Array, acceleration: Array, low: Array, high: Array) -> bool:
    """Whether low <= strain <= high (6,) everywhere and all rates are finite; arrays (T, nodes, 6)."""
    sound = True
    for i in range(value.shape[0]):
        for k in range(value.shape[1]):
            for c in range(6):
                sound &= low[c] <= value[i, k, c] <= high[c]
                sound &= (abs(rate[i, k, c]) <= BEYOND) & (abs(acceleration[i, k, c]) <= BEYOND)
    return sound


@array_kernel
def bend(slope: Array, stretch: Scalar, strain: Array) -> None:
    """Slopes of heading and elevation (T, nodes, 2) as the strain (T, nodes, 6) of a rod with the same stretch
    everywhere."""
    for i in range(slope.shape[0]):
        for k in range(slope.shape[1]):
            strain[i, k, 0], strain[i, k, 1], strain[i, k, 2], strain[i, k, 3] = stretch, 0.0, 0.0, 0.0
            strain[i, k, 4], strain[i, k, 5] = slope[i, k, 1], slope[i, k, 0]
