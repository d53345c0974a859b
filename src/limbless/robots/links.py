"""`Link`: a rigid body of a chain, with the joint before it, the shape on which fluids act
and what later models touch.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, field_validator

from limbless.core import (
    Array,
    Description,
    Field,
    Listed,
    Nested,
    Quantity,
    Quaternion,
    Vector3,
    checked,
    normalised,
    quantity,
)
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.robots import Direction, Joint, MassProperties, ModifiedDH, Placed, Solid, ellipse_area, total

UPPER_TRIANGLE = ((0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2))
Six = tuple[float, float, float, float, float, float]


def symmetric_matrix(six: Any) -> Array:
    """(3, 3) from the upper triangle xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def upper_triangle(matrix: Array) -> Array:
    """xx, xy, xz, yy, yz, zz of symmetric matrices (..., 3, 3)."""
    return matrix[..., UPPER_TRIANGLE[0], UPPER_TRIANGLE[1]]


def _six_numbers(value: Any) -> Any:
    """A 3 x 3 matrix as its upper triangle; anything else passes through to pydantic."""
    if value is None or np.shape(value) != (3, 3):
        return value
    matrix = np.array(value, dtype=float)
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=1e-15):
        raise ValueError(
            f"inertia {matrix.tolist()} is not symmetric; give a symmetric matrix or its six numbers "
            f"xx, xy, xz, yy, yz, zz"
        )
    return tuple(upper_triangle(matrix).tolist())


class BodyShape(Placed):
    """A straight piece of body with an elliptic section, on which fluid acts.

    It starts at `position` and extends over `length` along `axis`.
    """

    length: Quantity[float] = quantity(..., "m", "length along the axis", gt=0)
    half_width: Quantity[float] = quantity(..., "m", "half axis of the section along `lateral`", gt=0)
    half_height: Quantity[float] = quantity(..., "m", "half axis of the section across `axis` and `lateral`", gt=0)


class Sphere(Description):
    """A contact shape of a link: a sphere, or with a `rim` the round edge of a disc.

    A disc touches planes with its edge. Everything else touches the ball around it.
    """

    centre: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m", "centre in the link frame")
    radius: Quantity[float] = quantity(..., "m", "radius; of a disc half its thickness", gt=0)
    rim: Quantity[float] = quantity(
        0.0, "m", "radius of the circle on which the sphere goes round: a disc of radius `rim` + `radius`", ge=0
    )
    axis: Listed[Direction] = Field((1.0, 0.0, 0.0), description="axis of the disc, in the link frame")


class Mesh(Description):
    """A mesh that is drawn in place of a link's skin where its file is found; nothing is computed from it."""

    file: str = Field(description="path of the file (STL, OBJ, ...)")
    scale: Listed[Vector3] = quantity((1.0, 1.0, 1.0), "1", "factor along each of its axes")
    position: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m", "its origin in the link frame")
    orientation: Listed[Quaternion] = Field(
        (1.0, 0.0, 0.0, 0.0), description="its axes in the link frame, quaternion, scalar first"
    )


class Link(Description):
    """A rigid body of a chain.

    At joint position zero its frame has the pose `position` and `orientation` (or `dh`) in the frame of the link before
    it. Mass, first moment and inertia are about the link origin in the link frame. If they are absent they come from
    `solids`, and are zero without any (a massless virtual link). The volume comes from the solids, or else from the
    `body`.
    """

    name: str = Field("", description="name in results; `link 3` if absent")
    joint: Nested[Joint | None] = Field(None, description="the joint to the previous link; link 0, the base, has none")
    position: Listed[Vector3] = quantity(
        (0.0, 0.0, 0.0), "m", "link origin in the previous link's frame, at joint position zero"
    )
    orientation: Listed[Quaternion] = Field(
        (1.0, 0.0, 0.0, 0.0), description="link axes in the previous link's frame, quaternion, scalar first"
    )
    dh: Nested[ModifiedDH | None] = Field(
        None, description="instead of position and orientation: modified Denavit-Hartenberg parameters"
    )
    mass: Quantity[float | None] = quantity(None, "kg", "mass; from the solids if absent", ge=0)
    first_moment: Listed[Vector3 | None] = quantity(None, "kg m", "mass times centre of mass")
    inertia: Quantity[Annotated[Six, BeforeValidator(_six_numbers)] | None] = quantity(
        None, "kg m2", "about the link origin: xx, xy, xz, yy, yz, zz, or a 3 x 3 matrix"
    )
    solids: Listed[tuple[Solid, ...]] = Field((), description="homogeneous solids of which the link is made")
    volume: Quantity[float | None] = quantity(
        None, "m3", "displaced volume; from the solids or the body if absent", ge=0
    )
    volume_centre: Listed[Vector3 | None] = quantity(
        None, "m", "centre of the volume; of the solids, of the body or else of mass if absent"
    )
    body: Nested[BodyShape | None] = Field(
        None, description="straight piece of body on which fluid acts and which is drawn"
    )
    contact_shapes: Listed[tuple[Sphere, ...]] = Field(
        (), description="spheres and discs that touch the ground and obstacles"
    )
    mesh: Listed[tuple[Mesh, ...]] = Field(
        (), description="meshes that are drawn in place of the body, where they are found"
    )

    @field_validator("orientation")
    @classmethod
    def _unit_quaternion(cls, value: Quaternion) -> Quaternion:
        norm = float(np.linalg.norm(value))
        if norm == 0.0:
            raise ValueError(
                "orientation (0, 0, 0, 0) is no rotation; the unit quaternion of no rotation is (1, 0, 0, 0)"
            )
        return normalised(value, norm)

    @checked
    def _one_pose(self) -> None:
        if self.dh is None:
            return
        if any(self.position) or self.orientation != (1.0, 0.0, 0.0, 0.0):
            raise ValueError(f"link {self.name!r} has both dh and a position or orientation; give one of the two")
        if self.joint and self.joint.kind in ("revolute", "prismatic") and self.joint.axis != (0.0, 0.0, 1.0):
            raise ValueError(
                f"link {self.name!r}: with dh the joint axis is z of the link frame, not "
                f"{self.joint.axis}; leave axis out"
            )

    @checked
    def _consistent_mass(self) -> None:
        given = [field for field in ("mass", "first_moment", "inertia") if getattr(self, field) is not None]
        if self.solids and 0 < len(given) < 3:
            shown = " and ".join(given)
            raise ValueError(
                f"link {self.name!r} has solids and also {shown}; give all of mass, first_moment and inertia, or none"
            )
        if given and not self.mass and any(self.first_moment or ()):
            raise ValueError(f"link {self.name!r} has a first moment {self.first_moment} but no mass")
        inertia = self.mass_properties().inertia
        least, largest = np.linalg.eigvalsh(inertia)[[0, 2]]
        if least < -1e-9 * max(largest, 0.0) or largest < 0:
            raise ValueError(
                f"link {self.name!r}: the inertia about the link origin has a negative principal value, "
                f"{least:.6g} kg m2"
            )

    def rotation(self) -> Array:
        """(3, 3): components in this link's frame -> components in the previous link's
        frame, at joint position zero.
        """
        return self.dh.rotation() if self.dh else quaternion_to_matrix(self.orientation)

    def translation(self) -> Array:
        """(3,): this link's origin in the previous link's frame, at joint position zero, m."""
        return self.dh.translation() if self.dh else np.array(self.position)

    def mass_properties(self) -> MassProperties:
        """Mass, first moment, inertia, volume and first moment of volume, about the link origin in the link frame."""
        return self._mass_properties

    @cached_property
    def _mass_properties(self) -> MassProperties:
        mass, moment, inertia, volume, volume_moment = total(self.solids)
        if any(value is not None for value in (self.mass, self.first_moment, self.inertia)):
            mass, moment = self.mass or 0.0, np.array(self.first_moment or (0.0, 0.0, 0.0))
            inertia = symmetric_matrix(self.inertia or (0.0,) * 6)
        if not self.solids:
            center = moment / mass if mass else np.zeros(3)
            if self.body:
                volume = self.body.length * ellipse_area(self.body.half_width, self.body.half_height)
                center = np.array(self.body.position) + self.body.length / 2 * self.body.frame[:, 0]
            volume_moment = volume * center
        if self.volume is not None:
            # Without any volume to scale, the centre is that of the mass or of the body.
            center = volume_moment / volume if volume else (moment / mass if mass else np.zeros(3))
            volume, volume_moment = self.volume, self.volume * center
        if self.volume_centre is not None:
            volume_moment = volume * np.array(self.volume_centre)
        return MassProperties(mass, moment, inertia, volume, volume_moment)
