"""Solids of which links are made, and the directions in which they are placed: mass, first moment, inertia and volume
of each.

A solid has its own axes: e1 along `axis`, e2 along `lateral` (made orthogonal to e1) and e3 = e1 x e2. Its half width
lies along e2, its half height along e3. All results are about the origin of the frame in which the solid is placed, in
the axes of that frame.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator

from limbless.core import Array, Description, Field, Listed, Quantity, Vector3, checked, normalised, quantity
from limbless.mechanics.algebra import Vector, cross

PARALLEL = 1e-9  # sine of the angle below which two directions count as parallel


class MassProperties(NamedTuple):
    """Mass and volume of a body about the origin of its frame."""

    mass: float  # kg
    moment: Array  # (3,)   first moment of mass, kg m
    inertia: Array  # (3, 3) kg m2
    volume: float  # m3
    volume_moment: Array  # (3,)   first moment of volume, m4


def _unit(direction: Vector3) -> Vector3:
    """A direction of length 1, bit for bit the same if it already has it."""
    length = math.hypot(*direction)
    if length == 0.0:
        raise ValueError(
            f"direction {direction} has no length; give three numbers that are not all zero, for example (0, 0, 1)"
        )
    return normalised(direction, length)


Direction = Annotated[Vector3, AfterValidator(_unit)]
"""Three numbers of any length but zero, kept as a unit vector."""


class Placed(Description):
    """Something with a place and with axes e1, e2, e3 of its own in the frame of a link."""

    position: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m", "centre of the face where it starts, in the link frame")
    axis: Listed[Direction] = Field((1.0, 0.0, 0.0), description="direction e1 in which it extends, in the link frame")
    lateral: Listed[Direction] = Field(
        (0.0, 1.0, 0.0), description="direction e2 of its width, in the link frame; a part along `axis` is ignored"
    )

    @checked
    def _axes_span_a_plane(self) -> None:
        if math.hypot(*cross(Vector(*self.axis), Vector(*self.lateral))) < PARALLEL:
            raise ValueError(f"lateral {self.lateral} is parallel to axis {self.axis}; give the direction of the width")

    @cached_property
    def frame(self) -> Array:
        """(3, 3): e1, e2, e3 in the columns."""
        e1 = np.array(self.axis)
        e2 = np.array(self.lateral) - e1 * np.dot(e1, self.lateral)
        e2 /= np.linalg.norm(e2)
        return np.column_stack([e1, e2, cross(Vector(*e1), Vector(*e2))]) + 0.0


def ellipse_area(half_width: float, half_height: float) -> float:
    """Area of an elliptic section, m2."""
    return math.pi * half_width * half_height


def ellipse_second_moments(half_width: float, half_height: float) -> Vector3:
    """Second moments of area of an elliptic section about e1 (polar), e2 and e3, m4."""
    quarter = ellipse_area(half_width, half_height) / 4
    return (quarter * (half_width**2 + half_height**2), quarter * half_height**2, quarter * half_width**2)


class _Shape(NamedTuple):
    """A solid of density 1 in its own axes, about its own position: volume, first moment along e1, second
    moments about e1, e2, e3.
    """

    volume: float
    moment: float
    inertia: Vector3


def _elliptic_cylinder(half_width: float, half_height: float, length: float) -> _Shape:
    volume = length * ellipse_area(half_width, half_height)
    polar, about2, about3 = ellipse_second_moments(half_width, half_height)
    axial = volume * length**2 / 3
    return _Shape(volume, volume * length / 2, (polar * length, about2 * length + axial, about3 * length + axial))


def _half_ellipsoid(half_width: float, half_height: float, depth: float) -> _Shape:
    volume = 2 / 3 * depth * ellipse_area(half_width, half_height)
    a, b, c = half_width**2, half_height**2, depth**2
    return _Shape(volume, volume * 3 / 8 * depth, (volume / 5 * (a + b), volume / 5 * (b + c), volume / 5 * (a + c)))


class _Solid(Placed):
    """What all solids share: a density, and from their shape the mass properties in the frame of the link."""

    density: Quantity[float] = quantity(1000.0, "kg/m3", "density", ge=0)

    def _own_shape(self) -> _Shape:
        raise NotImplementedError

    def properties(self) -> MassProperties:
        """Mass, first moment, inertia, volume and its first moment, about the origin of the link frame."""
        shape, frame, p = self._own_shape(), self.frame, np.array(self.position)
        own_moment = frame[:, 0] * shape.moment
        volume_moment = own_moment + shape.volume * p
        # From the solid's position to the origin of the link: ∫ (|r + p|² 1 - (r + p)(r + p)ᵀ) dV,
        # with ∫ r dV = own_moment.
        cross = np.outer(own_moment, p)
        second = (frame * shape.inertia) @ frame.T + 2 * np.trace(cross) * np.eye(3) - cross - cross.T
        second += shape.volume * (np.dot(p, p) * np.eye(3) - np.outer(p, p))
        return MassProperties(
            self.density * shape.volume,
            self.density * volume_moment,
            self.density * second,
            shape.volume,
            volume_moment,
        )


class EllipticCylinder(_Solid):
    """A cylinder of elliptic section: from `position`, over `length` along `axis`."""

    shape: Literal["elliptic-cylinder"] = "elliptic-cylinder"
    length: Quantity[float] = quantity(..., "m", "length along the axis", gt=0)
    half_width: Quantity[float] = quantity(..., "m", "half axis of the section along e2", gt=0)
    half_height: Quantity[float] = quantity(..., "m", "half axis of the section along e3", gt=0)

    def _own_shape(self) -> _Shape:
        return _elliptic_cylinder(self.half_width, self.half_height, self.length)


class HalfEllipsoid(_Solid):
    """Half an ellipsoid: its flat base is centred at `position`, and it extends over `depth` along `axis`."""

    shape: Literal["half-ellipsoid"] = "half-ellipsoid"
    depth: Quantity[float] = quantity(..., "m", "half axis of the ellipsoid along e1", gt=0)
    half_width: Quantity[float] = quantity(..., "m", "half axis of the base along e2", gt=0)
    half_height: Quantity[float] = quantity(..., "m", "half axis of the base along e3", gt=0)

    def _own_shape(self) -> _Shape:
        return _half_ellipsoid(self.half_width, self.half_height, self.depth)


class Capsule(_Solid):
    """A round cylinder closed by two half spheres.

    The first sphere is centred at `position`, the second one `length` further along `axis`.
    """

    shape: Literal["capsule"] = "capsule"
    length: Quantity[float] = quantity(..., "m", "distance between the centres of the two spheres", ge=0)
    radius: Quantity[float] = quantity(..., "m", "radius of the cylinder and of the spheres", gt=0)

    def _own_shape(self) -> _Shape:
        r, length = self.radius, self.length
        cylinder, cap = _elliptic_cylinder(r, r, length), _half_ellipsoid(r, r, r)
        # the bulges of the two caps cancel, the second cap stands at `length`
        moment = cylinder.moment + cap.volume * length
        axial = cylinder.inertia[0] + 2 * cap.inertia[0]
        across = cylinder.inertia[1] + 2 * cap.inertia[1] + cap.volume * length**2 + 2 * cap.moment * length
        return _Shape(cylinder.volume + 2 * cap.volume, moment, (axial, across, across))


class Box(_Solid):
    """A box: from `position`, over `length` along `axis`."""

    shape: Literal["box"] = "box"
    length: Quantity[float] = quantity(..., "m", "length along the axis", gt=0)
    half_width: Quantity[float] = quantity(..., "m", "half width along e2", gt=0)
    half_height: Quantity[float] = quantity(..., "m", "half height along e3", gt=0)

    def _own_shape(self) -> _Shape:
        volume = 4 * self.length * self.half_width * self.half_height
        x, y, z = self.length**2 / 3, self.half_width**2 / 3, self.half_height**2 / 3
        return _Shape(volume, volume * self.length / 2, (volume * (y + z), volume * (x + z), volume * (x + y)))


Solid = Annotated[EllipticCylinder | HalfEllipsoid | Capsule | Box, Field(discriminator="shape")]


def total(parts: tuple[_Solid, ...]) -> MassProperties:
    """The mass properties of several solids together (zero for none)."""
    sums = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)), 0.0, np.zeros(3))
    for part in parts:
        own = part.properties()
        sums = MassProperties(
            sums.mass + own.mass,
            sums.moment + own.moment,
            sums.inertia + own.inertia,
            sums.volume + own.volume,
            sums.volume_moment + own.volume_moment,
        )
    return sums
