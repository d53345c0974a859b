"""Solids: their mass properties against sums over small cells, and against each other."""

import numpy as np
import pytest

from limbless.core.errors import InputError
from limbless.robots.sections import (
    Box,
    Capsule,
    EllipticCylinder,
    HalfEllipsoid,
    ellipse_area,
    ellipse_second_moments,
    total,
)

TILTED = {"position": (0.3, -0.2, 0.1), "axis": (1.0, 2.0, -0.5), "lateral": (0.2, 1.0, 0.4)}


def inside(solid, s, u, w):
    """Whether points (s along e1, u along e2, w along e3) lie in the solid."""
    if isinstance(solid, Box):
        return (s >= 0) & (s <= solid.length) & (np.abs(u) <= solid.half_width) & (np.abs(w) <= solid.half_height)
    if isinstance(solid, Capsule):
        return (s - np.clip(s, 0, solid.length)) ** 2 + u**2 + w**2 <= solid.radius**2
    section = (u / solid.half_width) ** 2 + (w / solid.half_height) ** 2
    if isinstance(solid, HalfEllipsoid):
        return (s >= 0) & (section + (s / solid.depth) ** 2 <= 1)
    return (s >= 0) & (s <= solid.length) & (section <= 1)


def by_cells(solid, cells=80):
    """Mass properties by summing over cubes."""
    reach = 0.5
    edges = np.linspace(-reach, reach, cells + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    s, u, w = (x.ravel() for x in np.meshgrid(middle, middle, middle, indexing="ij"))
    taken = inside(solid, s, u, w)
    cell = (2 * reach / cells) ** 3
    points = np.array(solid.position) + np.column_stack([s, u, w])[taken] @ solid.frame.T
    square = np.einsum("ki,kj->ij", points, points)
    second = (np.trace(square) * np.eye(3) - square) * cell
    return len(points) * cell, points.sum(axis=0) * cell, second


SOLIDS = [
    EllipticCylinder(length=0.4, half_width=0.2, half_height=0.3, density=700, **TILTED),
    HalfEllipsoid(depth=0.45, half_width=0.25, half_height=0.35, density=700, **TILTED),
    Capsule(length=0.2, radius=0.25, density=700, **TILTED),
    Box(length=0.4, half_width=0.2, half_height=0.3, density=700, **TILTED),
]


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.shape)
def test_properties_are_the_integrals_over_the_solid(solid):
    own = solid.properties()
    volume, moment, second = by_cells(solid)
    scale = np.abs(second).max()
    np.testing.assert_allclose(own.volume, volume, rtol=5e-3)
    np.testing.assert_allclose(own.volume_moment, moment, atol=5e-3 * np.abs(moment).max())
    np.testing.assert_allclose(own.inertia / 700, second, atol=5e-3 * scale)
    assert own.mass == pytest.approx(700 * own.volume, rel=1e-14)
    np.testing.assert_allclose(own.moment, 700 * own.volume_moment, rtol=1e-14)


def test_half_ellipsoid_is_the_textbook_one():
    rho, a, b, c = 1000.0, 0.065, 0.09, 0.07
    own = HalfEllipsoid(depth=c, half_width=a, half_height=b, density=rho).properties()
    mass = 2 / 3 * rho * np.pi * a * b * c
    assert own.mass == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(own.moment, [mass * 3 * c / 8, 0, 0], rtol=1e-14)
    np.testing.assert_allclose(
        np.diag(own.inertia), mass / 5 * np.array([a**2 + b**2, b**2 + c**2, a**2 + c**2]), rtol=1e-14
    )


def test_a_long_cylinder_is_two_short_ones():
    size = {"half_width": 0.2, "half_height": 0.3, "density": 500.0}
    one = EllipticCylinder(length=1.0, **size).properties()
    two = total((EllipticCylinder(length=0.3, **size), EllipticCylinder(position=(0.3, 0, 0), length=0.7, **size)))
    for whole, parts in zip(one, two, strict=True):
        np.testing.assert_allclose(parts, whole, rtol=1e-13, atol=1e-13)


def test_a_capsule_without_length_is_a_sphere():
    own = Capsule(length=0.0, radius=0.1, density=1000.0).properties()
    mass = 4 / 3 * np.pi * 0.1**3 * 1000
    assert own.mass == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(own.inertia, 2 / 5 * mass * 0.01 * np.eye(3), rtol=1e-14)


def test_ellipse_of_equal_axes_is_a_circle():
    assert ellipse_area(0.2, 0.2) == pytest.approx(np.pi * 0.04)
    np.testing.assert_allclose(
        ellipse_second_moments(0.2, 0.2), [np.pi * 0.0016 / 2, np.pi * 0.0016 / 4, np.pi * 0.0016 / 4]
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"length": 0.0}, "greater than 0"),
        ({"length": 1.0, "density": -1.0}, "greater than or equal to 0"),
        ({"length": 1.0, "axis": (0, 0, 0)}, "has no length"),
        ({"length": 1.0, "axis": (0, 2, 0)}, "parallel"),
    ],
)
def test_refusals(fields, message):
    with pytest.raises(InputError, match=message):
        EllipticCylinder(**{"half_width": 0.1, "half_height": 0.1, **fields})
