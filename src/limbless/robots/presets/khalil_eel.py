"""The eel-like robot of Khalil, Gallot and Boyer (2007): a head and twelve links on spherical joints (Table I in
corrected form).
"""

from __future__ import annotations

import math
from typing import Any, Literal

from limbless.core import Field, Quantity, Vector3, checked, quantity
from limbless.robots import (
    MOST_LINKS,
    Base,
    BodyShape,
    Chain,
    EllipticCylinder,
    HalfEllipsoid,
    Joint,
    Link,
    ModifiedDH,
    Preset,
)

_QUARTER = math.pi / 2


class KhalilEel(Preset):
    """The eel robot of Khalil et al. (2007): a head, eleven equal links and a tail.

    The body is homogeneous with an elliptic section, and its ends are half ellipsoids. The base frame is at the nose
    and x runs towards the tail, so the eel swims towards -x. At zero the joints yaw about +z, pitch about +y (positive:
    tail down) and roll about +x. As `revolute` joints each spherical joint is three rows of Table I with two massless
    links between them. As `spherical` joints it is one joint of 3 degrees of freedom without gimbal lock. The lengths
    of the caps, and joints without friction and rotor inertia, are our choice.
    """

    kind: Literal["chain"] = "chain"
    preset: Literal["khalil-eel"] = "khalil-eel"
    name: str = Field("khalil-eel", description="name of the robot")
    base: Base = Field("free", description="how the head can move: free, planar or fixed")
    joints: Literal["revolute", "spherical"] = Field(
        "revolute", description="three revolute joints in a row, or one spherical joint"
    )
    spherical_joints: int = Field(
        12, ge=1, le=MOST_LINKS, description="number of spherical joints; the head is one link more"
    )
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density of the body", gt=0)
    head_length: Quantity[float] = quantity(0.4, "m", "length of the head, its cap included", gt=0)
    link_length: Quantity[float] = quantity(0.14, "m", "length of each link behind the head", gt=0)
    half_width: Quantity[float] = quantity(0.065, "m", "lateral half axis of the section", gt=0)
    half_height: Quantity[float] = quantity(0.09, "m", "vertical half axis of the section", gt=0)
    head_cap: Quantity[float] = quantity(0.09, "m", "length of the half ellipsoid at the nose", ge=0)
    tail_cap: Quantity[float] = quantity(0.07, "m", "length of the half ellipsoid at the tail end", ge=0)
    yaw_limit: Quantity[float | None] = quantity(4.0, "N m", "torque limit in yaw", gt=0)
    pitch_limit: Quantity[float | None] = quantity(4.0, "N m", "torque limit in pitch", gt=0)
    roll_limit: Quantity[float | None] = quantity(0.7, "N m", "torque limit in roll", gt=0)
    rotor_inertia: Quantity[float] = quantity(0.0, "kg m2", "rotor inertia of every joint", ge=0)
    coulomb_friction: Quantity[float] = quantity(0.0, "N m", "dry friction of every joint", ge=0)
    viscous_friction: Quantity[float] = quantity(0.0, "N m s/rad", "viscous friction of every joint", ge=0)

    @checked
    def _caps_fit(self) -> None:
        for cap, length in (("head_cap", "head_length"), ("tail_cap", "link_length")):
            if getattr(self, cap) > getattr(self, length):
                raise ValueError(
                    f"{cap} {getattr(self, cap)} m is longer than {length} {getattr(self, length)} m, "
                    f"of which it is a part"
                )

    def build(self) -> Chain:
        """The chain."""
        section: dict[str, Any] = {"half_width": self.half_width, "half_height": self.half_height}
        head = self._solids((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), self.head_length, self.head_cap, 0.0)
        links = [Link(name="head", solids=head, body=BodyShape(length=self.head_length, **section))]
        make = self._revolute_triple if self.joints == "revolute" else self._spherical_link
        for number in range(1, self.spherical_joints + 1):
            links += make(number, self.tail_cap if number == self.spherical_joints else 0.0)
        return Chain(name=self.name, base=self.base, links=tuple(links))

    def _solids(
        self, start: Vector3, axis: Vector3, lateral: Vector3, length: float, front: float, rear: float
    ) -> tuple[Any, ...]:
        """A cylinder from `start` along `axis`, of which the first `front` and the last `rear`
        metres are half ellipsoids.
        """
        shared: dict[str, Any] = {
            "lateral": lateral,
            "half_width": self.half_width,
            "half_height": self.half_height,
            "density": self.density,
        }

        def at(s: float) -> Vector3:
            return (start[0] + s * axis[0], start[1] + s * axis[1], start[2] + s * axis[2])

        parts: list[Any] = []
        if front:
            parts.append(HalfEllipsoid(position=at(front), axis=(-axis[0], -axis[1], -axis[2]), depth=front, **shared))
        if length > front + rear:
            parts.append(EllipticCylinder(position=at(front), axis=axis, length=length - front - rear, **shared))
        if rear:
            parts.append(HalfEllipsoid(position=at(length - rear), axis=axis, depth=rear, **shared))
        return tuple(parts)

    def _joint(self, **fields: Any) -> Joint:
        return Joint(
            rotor_inertia=self.rotor_inertia,
            coulomb_friction=self.coulomb_friction,
            viscous_friction=self.viscous_friction,
            **fields,
        )

    def _revolute_triple(self, number: int, cap: float) -> list[Link]:
        """Rows 3i-2, 3i-1 and 3i of Table I. The origin of link 3i is at its rear end, on its roll axis."""
        yaw = ModifiedDH(d=self.head_length) if number == 1 else ModifiedDH(alpha=_QUARTER, offset=_QUARTER)
        pitch = ModifiedDH(alpha=-_QUARTER, offset=-_QUARTER)
        roll = ModifiedDH(alpha=-_QUARTER, r=self.link_length, offset=_QUARTER)
        rows = [(yaw, "yaw", self.yaw_limit), (pitch, "pitch", self.pitch_limit), (roll, "roll", self.roll_limit)]
        joints = [self._joint(name=f"{label} {number}", label=label, torque_limit=limit) for _, label, limit in rows]
        # At home z of link 3i is x of the base and its x is -y of the base: with e2 = -x all
        # sections have e2 = +y, e3 = +z.
        start, axis, lateral = (0.0, 0.0, -self.link_length), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)
        size = {"length": self.link_length, "half_width": self.half_width, "half_height": self.half_height}
        solids = self._solids(start, axis, lateral, self.link_length, 0.0, cap)
        body = BodyShape(position=start, axis=axis, lateral=lateral, **size)
        return [
            Link(name=f"yaw link {number}", joint=joints[0], dh=yaw),
            Link(name=f"pitch link {number}", joint=joints[1], dh=pitch),
            Link(name=f"link {number}", joint=joints[2], dh=roll, body=body, solids=solids),
        ]

    def _spherical_link(self, number: int, cap: float) -> list[Link]:
        """One link whose origin is at its front end, at the centre of its joint."""
        limits = (self.roll_limit, self.pitch_limit, self.yaw_limit)
        joint = self._joint(
            kind="spherical", name=f"joint {number}", label=("roll", "pitch", "yaw"), torque_limit=limits
        )
        solids = self._solids((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), self.link_length, 0.0, cap)
        body = BodyShape(length=self.link_length, half_width=self.half_width, half_height=self.half_height)
        position = (self.head_length if number == 1 else self.link_length, 0.0, 0.0)
        return [Link(name=f"link {number}", joint=joint, position=position, solids=solids, body=body)]
