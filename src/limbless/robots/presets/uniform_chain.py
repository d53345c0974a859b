"""A chain of equal links: the quickest way to a swimmer or a snake."""

from __future__ import annotations

from typing import Any, Literal

from limbless.core import Field, Listed, Quantity, Vector3, quantity
from limbless.robots import (
    MOST_LINKS,
    Base,
    BodyShape,
    Bound,
    Chain,
    Direction,
    EllipticCylinder,
    Joint,
    Link,
    PerFreedom,
    Preset,
    Sphere,
)

_OF_JOINTS = (
    "rotor_inertia",
    "coulomb_friction",
    "viscous_friction",
    "stiffness",
    "rest",
    "damping",
    "torque_limit",
    "lower",
    "upper",
)

_UNIVERSAL = ("second_axis", "offset")


class UniformChain(Preset):
    """Equal elliptic cylinders along x.

    The origin of each link is at its front end, where its joint is. The origin of the base is the nose.
    """

    kind: Literal["chain"] = "chain"
    preset: Literal["uniform"] = "uniform"
    name: str = Field("uniform chain", description="name of the robot")
    head: Literal["base", "tip"] = Field("base", description="which end is the head")
    base: Base = Field("free", description="how link 0 can move: free, planar or fixed")
    links: int = Field(5, ge=1, le=MOST_LINKS, description="number of links, the base included; one joint fewer")
    length: Quantity[float] = quantity(0.1, "m", "length of each link", gt=0)
    half_width: Quantity[float] = quantity(0.02, "m", "half axis of the section along y", gt=0)
    half_height: Quantity[float] = quantity(0.02, "m", "half axis of the section along z", gt=0)
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density of the links", gt=0)
    contact_radius: Quantity[float | None] = quantity(
        None, "m", "radius of a sphere at either end of each link, with which it touches; none if absent", gt=0
    )
    joint: Literal["revolute", "universal", "spherical"] = Field("revolute", description="kind of all joints")
    axis: Listed[Direction] = Field((0.0, 0.0, 1.0), description="joint axis; the first axis of universal joints")
    second_axis: Listed[Direction] = Field((0.0, 1.0, 0.0), description="second axis of universal joints")
    offset: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m", "from the first to the second axis of universal joints")
    rotor_inertia: Listed[PerFreedom] = quantity(0.0, "kg m2", "rotor inertia of every joint")
    coulomb_friction: Listed[PerFreedom] = quantity(0.0, "N m", "dry friction of every joint")
    viscous_friction: Listed[PerFreedom] = quantity(0.0, "N m s/rad", "viscous friction of every joint")
    stiffness: Listed[PerFreedom] = quantity(0.0, "N m/rad", "passive spring of every joint")
    rest: Listed[PerFreedom] = quantity(0.0, "rad", "position at which the springs are at rest")
    damping: Listed[PerFreedom] = quantity(0.0, "N m s/rad", "passive damper of every joint")
    torque_limit: Quantity[float | None] = quantity(None, "N m", "torque limit of every joint", gt=0)
    lower: Listed[Bound] = quantity(None, "rad", "least position of every joint")
    upper: Listed[Bound] = quantity(None, "rad", "greatest position of every joint")

    def build(self) -> Chain:
        """The chain."""
        size: dict[str, Any] = {"length": self.length, "half_width": self.half_width, "half_height": self.half_height}
        values = {field: getattr(self, field) for field in _OF_JOINTS}
        if self.joint == "universal":
            values |= {field: getattr(self, field) for field in _UNIVERSAL}
        joint = Joint(kind=self.joint, axis=self.axis, **values)
        made_of: dict[str, Any] = {
            "solids": (EllipticCylinder(density=self.density, **size),),
            "body": BodyShape(**size),
            "contact_shapes": self._spheres(),
        }
        link = Link(joint=joint, position=(self.length, 0.0, 0.0), **made_of)
        links = (Link(**made_of), *[link] * (self.links - 1))
        return Chain(name=self.name, base=self.base, head=self.head, links=links)

    def notes(self) -> tuple[str, ...]:
        """Numbers of joints where there are none, and second axes of joints that have one."""
        if self.links == 1:
            why, given = "one link has no joint", self.given(*_OF_JOINTS, *_UNIVERSAL)
        else:
            why, given = f"a {self.joint} joint has no second axis", self.given(*_UNIVERSAL)
            given = [] if self.joint == "universal" else given
        return (*super().notes(), *(f"robot.{field}: {why}, so that it has no effect" for field in given))

    def _spheres(self) -> tuple[Sphere, ...]:
        """At either end of a link, on its axis."""
        if self.contact_radius is None:
            return ()
        return tuple(Sphere(centre=(part * self.length, 0.0, 0.0), radius=self.contact_radius) for part in (0.0, 1.0))
