"""The snake robot Aiko of Transeth, Leine, Glocker and Pettersen (2008): eleven links on universal joints, with spheres
at their ends.
"""

from __future__ import annotations

from typing import Any, Literal

from limbless.core import Field, Listed, Quantity, checked, quantity
from limbless.robots import MOST_LINKS, Base, BodyShape, Bound, Chain, Joint, Link, Preset, Sphere


class Aiko(Preset):
    """The snake robot of Transeth et al. (2008): equal links on universal joints.

    Each joint yaws, then pitches. Each link touches the ground with a sphere near either end. The base frame is at the
    centre of the first link, and x runs towards the last link. The paper gives the inertia of a cylinder of half the
    radius in its text. `printed` takes these numbers, at the paper's mass and length; `cylinder` takes the full radius.
    """

    kind: Literal["chain"] = "chain"
    preset: Literal["aiko"] = "aiko"
    name: str = Field("aiko", description="name of the robot")
    base: Base = Field("free", description="how the first link can move: free, planar or fixed")
    links: int = Field(11, ge=1, le=MOST_LINKS, description="number of links; one joint fewer")
    length: Quantity[float] = quantity(0.122, "m", "length of each link, from joint to joint", gt=0)
    sphere_radius: Quantity[float] = quantity(
        0.0525, "m", "radius of the spheres that touch the ground, and of the cylinder", gt=0
    )
    sphere_distance: Quantity[float] = quantity(
        0.0393, "m", "distance of the centres of the spheres from the middle of the link", gt=0
    )
    link_mass: Quantity[float] = quantity(7.5 / 11, "kg", "mass of each link", gt=0)
    inertia: Literal["printed", "cylinder"] = Field(
        "printed", description="inertia of a link: as printed, or of a full cylinder"
    )
    joint_offset: Quantity[float] = quantity(
        0.0, "m", "distance of the pitch axis beyond the yaw axis (0.022 in the real robot)", ge=0
    )
    rotor_inertia: Quantity[float] = quantity(0.0, "kg m2", "rotor inertia of every joint", ge=0)
    viscous_friction: Quantity[float] = quantity(0.0, "N m s/rad", "viscous friction of every joint", ge=0)
    coulomb_friction: Quantity[float] = quantity(0.0, "N m", "dry friction of every joint while it moves", ge=0)
    breakaway_friction: Quantity[float] = quantity(0.0, "N m", "dry friction of every joint at rest (Stribeck)", ge=0)
    stribeck_rate: Quantity[float] = quantity(
        0.1, "rad/s", "rate at which dry friction has fallen from that at rest by 63 %", gt=0
    )
    torque_limit: Quantity[float | None] = quantity(
        None, "N m", "largest torque of the actuators; exceeding it is reported", gt=0
    )
    lower: Listed[Bound] = quantity(None, "rad", "least position of every joint, or of yaw and pitch")
    upper: Listed[Bound] = quantity(None, "rad", "greatest position of every joint, or of yaw and pitch")

    @checked
    def _offset_fits(self) -> None:
        if self.joint_offset >= self.length:
            raise ValueError(f"joint_offset {self.joint_offset} m must be shorter than a link, {self.length} m")

    def inertias(self) -> tuple[float, float]:
        """About the centre of a link: across and along it, kg m2."""
        radius = 0.5 * self.sphere_radius if self.inertia == "printed" else self.sphere_radius
        across = self.link_mass * (3.0 * radius**2 + self.length**2) / 12.0
        return (
            (across, 0.5 * self.link_mass * radius**2)
            if self.inertia == "cylinder" or not self._as_in_paper()
            else (9.63e-4, 2.35e-4)
        )

    def _as_in_paper(self) -> bool:
        return (self.length, self.sphere_radius, self.link_mass) == (0.122, 0.0525, 7.5 / 11)

    def build(self) -> Chain:
        """The chain."""
        joint = Joint(
            kind="universal",
            axis=(0.0, 0.0, 1.0),
            second_axis=(0.0, 1.0, 0.0),
            label=("yaw", "pitch"),
            offset=(self.joint_offset, 0.0, 0.0),
            rotor_inertia=self.rotor_inertia,
            viscous_friction=self.viscous_friction,
            coulomb_friction=self.coulomb_friction,
            breakaway_friction=self.breakaway_friction,
            stribeck_rate=self.stribeck_rate,
            torque_limit=self.torque_limit,
            lower=self.lower,
            upper=self.upper,
        )
        first = self._link(0, 0.0)
        rest = [
            self._link(
                number,
                0.5 * self.length,
                joint=joint.changed(name=f"joint {number}"),
                position=((0.5 if number == 1 else 1.0) * self.length, 0.0, 0.0),
            )
            for number in range(1, self.links)
        ]
        return Chain(name=self.name, base=self.base, links=(first, *rest))

    def _link(self, number: int, center: float, **fields: Any) -> Link:
        """A link whose middle is `center` beyond its origin."""
        across, along = self.inertias()
        shifted = across + self.link_mass * center**2
        ends = (center - self.sphere_distance, center + self.sphere_distance)
        return Link(
            name=f"link {number + 1}",
            mass=self.link_mass,
            first_moment=(self.link_mass * center, 0.0, 0.0),
            inertia=(along, 0.0, 0.0, shifted, 0.0, shifted),
            body=BodyShape(
                position=(center - 0.5 * self.length, 0.0, 0.0),
                length=self.length,
                half_width=self.sphere_radius,
                half_height=self.sphere_radius,
            ),
            contact_shapes=tuple(Sphere(centre=(x, 0.0, 0.0), radius=self.sphere_radius) for x in ends),
            **fields,
        )
