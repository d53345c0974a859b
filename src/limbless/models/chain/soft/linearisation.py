"""What questions about one state of a soft body return: accelerations; and small motions about it, with their
frequencies, damping ratios and modes, by differences of its dynamics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra import Quaternion, quaternion_product, rotate, rotation_vector_to_quaternion

Array = NDArray[np.float64]
MOVES = {"free": range(6), "planar": (0, 1, 5), "line": (0,), "pinned": (3, 4, 5), "fixed": ()}
"""Components of the base's motion that each base leaves."""
_STEP = 1e-5
_ROUNDS = 12  # of power iterations
_STILL = 1e-6  # of the largest eigenvalue: a rigid motion


@dataclass(frozen=True)
class SoftSolution:
    """Accelerations of one instant.

    Attributes
    ----------
    base_acceleration : (6,) rate of the components of the base's twist, base axes.
    strain_acceleration : (freedoms,) of every freedom.
    effort : (freedoms,) what the actuators give along every freedom: tendons and muscles, or what a given motion takes.
    base_reaction : (6,) wrench that holds the base, about its origin, world axes.
    origin : (cells + 1, 3) where every cell ends, the base first, world, m.
    rotation : (cells + 1, 3, 3) the axes there in columns, world.
    """

    base_acceleration: Array
    strain_acceleration: Array
    effort: Array
    base_reaction: Array
    origin: Array
    rotation: Array


@dataclass(frozen=True)
class Modes:
    """Small motions about a state: x(t) = Re(mode exp(λ t)).

    Attributes
    ----------
    frequency : (modes,) circular frequency |λ|, rad/s, from the lowest; rigid motions have 0.
    damping_ratio : (modes,) -Re λ / |λ|; 0 for an undamped mode, 1 for one that creeps.
    shape : (modes, coordinates) complex: base translation (3) and rotation (3) where it can move, base axes, then all
        free freedoms.
    eigenvalue : (modes,) λ.
    """

    frequency: Array
    damping_ratio: Array
    shape: NDArray[np.complex128]
    eigenvalue: NDArray[np.complex128]


def displaced(x: Array, split: int, base: list[int], free: NDArray[np.int64], direction: Array, rates: bool) -> Array:
    """A flat state moved along a direction of (base, free freedoms), in its positions or in its velocities."""
    moved = x.copy()
    part = np.zeros(6)
    part[base] = direction[: len(base)]
    if rates:
        moved[split : split + 6] += part
        moved[split + 6 + free] += direction[len(base) :]
        return moved
    moved[:3] += rotate(x[3:7], part[:3])
    turn = Quaternion(*rotation_vector_to_quaternion(part[3:]))
    moved[3:7] = quaternion_product(Quaternion(*x[3:7]), turn)
    moved[7 + free] += direction[len(base) :]
    return moved


def modes_about(
    x: Array, split: int, base: str, free: NDArray[np.int64], scale: Array, accelerations: Callable[[Array], Array]
) -> Modes:
    """Modes of ẍ = f(x, ẋ) about a state, by central differences; `scale` is the size of each coordinate."""
    held = list(MOVES[base])
    n = len(held) + len(free)
    slopes = []
    for rates in (False, True):
        columns = []
        for k in range(n):
            step = _STEP * scale[k] * (np.arange(n) == k)
            more, less = (accelerations(displaced(x, split, held, free, sign * step, rates)) for sign in (1.0, -1.0))
            columns.append((more - less) / (2.0 * _STEP * scale[k]))
        slopes.append(np.array(columns).T.reshape(n, n))
    A = np.block([[_carried(x[split : split + 6], held, n), np.eye(n)], [slopes[0], slopes[1]]])
    values, vectors = np.linalg.eig(A)
    kept = values.imag >= 0.0
    values, vectors = values[kept], vectors[:n, kept]
    size = np.abs(values)
    size[size < _STILL * size.max(initial=0.0)] = 0.0
    order = np.argsort(size, kind="stable")
    ratio = np.divide(-values.real, size, out=np.zeros(len(size)), where=size > 0.0)
    return Modes(size[order], ratio[order], vectors[:, order].T, values[order])


def _carried(twist: Array, held: list[int], n: int) -> Array:
    """(n, n): rate of a displacement of the base, along its own axes, while these go on with their twist (v, w): -w x a
    - v x b of its translation a, -w x b of its rotation b.
    """
    v, w = (np.cross(np.eye(3), part).T for part in (-twist[:3], -twist[3:]))
    found = np.zeros((n, n))
    whole = -np.block([[w, v], [np.zeros((3, 3)), w]])
    found[: len(held), : len(held)] = whole[np.ix_(held, held)]
    return found


def fastest_rate(
    x: Array, split: int, base: str, free: NDArray[np.int64], scale: Array, accelerations: Callable[[Array], Array]
) -> float:
    """About the largest |λ| of ẍ = f(x, ẋ), 1/s: a frequency, or the rate of a damper; by power iterations."""
    held = list(MOVES[base])
    n = len(held) + len(free)
    found = [0.0]
    for rates in (False, True):
        way = scale * np.where(np.arange(n) % 2, -1.0, 1.0)  # neighbours against each other: a high mode
        for _ in range(_ROUNDS if n else 0):
            step = _STEP * way / np.abs(way / scale).max()
            more, less = (accelerations(displaced(x, split, held, free, sign * step, rates)) for sign in (1.0, -1.0))
            answer = 0.5 * (more - less)
            size = float(np.linalg.norm(answer / scale) / np.linalg.norm(step / scale))
            way = answer if size > 0.0 else way
        if n:
            found.append(size if rates else float(np.sqrt(size)))
    return max(found)
