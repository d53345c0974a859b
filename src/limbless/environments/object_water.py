"""What water does to a free object: the coefficients of its shape.

Added mass is that of an ellipsoid of the same proportions (Lamb, Hydrodynamics, 1932, sections 114 and 115), as a
multiple of the displaced water: exact for a sphere; that of a box is larger by as much as a cube's is larger than a
sphere's (0.68 and 0.5, DNV-RP-C205, appendix D). Drag coefficients belong to the areas that the shape shows along its
own axes (Hoerner, Fluid-Dynamic Drag, 1965, chapter 3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import elliprd

from limbless.environments.base import Array
from limbless.environments.objects import FreeObject

CUBE = 0.68 / 0.5
"""Added mass of a cube over that of a sphere, each over the mass of the water that it displaces."""
DRAG = {"sphere": (0.47, 0.47, 0.47), "capsule": (0.47, 1.0, 1.0), "box": (1.05, 1.05, 1.05)}
"""On the areas that are shown along x, y and z."""


class ObjectWater(NamedTuple):
    """Coefficients of an object in water of density 1."""

    volume: float  # m3
    added: Array  # (3,) added mass along its axes, m3
    added_turn: Array  # (3,) added inertia about them, m5
    drag: Array  # (3,) force = drag |W| W, m2
    drag_turn: Array  # (3,) moment = drag |ω| ω, m5


def in_water(body: FreeObject) -> ObjectWater:
    """The coefficients of an object: those that it states, or those of its shape."""
    volume = body.mass_and_inertia()[0] / body.density
    inertia = body.mass_and_inertia()[1] / body.density
    along, about = ellipsoid(body.half)
    if body.sizes is not None:
        along = CUBE * along
    if body.added_mass is not None:
        along = np.array(body.added_mass)
    coefficients = np.array(body.drag or DRAG[body.shape])
    return ObjectWater(
        volume, along * volume, about * inertia, 0.5 * coefficients * areas(body), 0.5 * turning(body, coefficients)
    )


def ellipsoid(half: Array) -> tuple[Array, Array]:
    """(3,) added mass over displaced mass along its axes, and (3,) added inertia over that of the displaced water."""
    square = np.asarray(half, dtype=float) ** 2
    across = [np.delete(square, axis) for axis in range(3)]
    alpha = np.array([2.0 / 3.0 * np.prod(half) * elliprd(*across[axis], square[axis]) for axis in range(3)])
    about = np.zeros(3)
    for axis, (b, c) in enumerate(across):
        beta, gamma = np.delete(alpha, axis)
        if abs(b - c) > 1e-9 * (b + c):
            about[axis] = (b - c) ** 2 * (gamma - beta) / ((2.0 * (b - c) + (b + c) * (beta - gamma)) * (b + c))
    return alpha / (2.0 - alpha), about


def areas(body: FreeObject) -> Array:
    """(3,) area that it shows along each of its axes, m2."""
    x, y, z = 2.0 * body.half
    if body.sizes is not None:
        return np.array([y * z, x * z, x * y])
    side = np.pi * y * y / 4.0
    return np.array([side, side + (x - y) * y, side + (x - y) * y])


def turning(body: FreeObject, drag: Array) -> Array:
    """(3,) of drag that resists turning, m5: the integral of |r|³ over the faces that a rotation drives through the
    water; of a round one along its length, as wide as it is.
    """
    x, y, z = body.half
    if body.sizes is None:
        across = 0.0 if body.length is None else y * x**4
        return np.array([0.0, drag[2] * across, drag[1] * across])
    return np.array(
        [
            x * (drag[1] * z**4 + drag[2] * y**4),
            y * (drag[0] * z**4 + drag[2] * x**4),
            z * (drag[0] * y**4 + drag[1] * x**4),
        ]
    )
