"""`module-snake`: a snake robot of equal modules with one motor each, the commonest kind."""

from __future__ import annotations

from typing import Any, Literal

from limbless.core import Field, Nested, Quantity, quantity
from limbless.robots import MOST_LINKS, Base, BodyShape, Chain, Joint, Link, Preset, SkinFriction, Sphere

_AXES = {"yaw": (0.0, 0.0, 1.0), "pitch": (0.0, 1.0, 0.0)}


class ModuleSnake(Preset):
    """A modular snake: identical cylinders joined by single-axis motors.

    Spheres near the ends of each module touch the ground. The skin has more friction across the body than along it. The
    base frame lies under the nose, on the belly, so a straight robot at the world's origin lies on a `ground`. x runs
    towards the tail. Joint k is between modules k and k + 1, counted from the head. With `alternating` joints the first
    yaws, the second pitches, and so on. The numbers are ours, typical of robots with hobby servos.
    """

    kind: Literal["chain"] = "chain"
    preset: Literal["module-snake"] = "module-snake"
    name: str = Field("module-snake", description="name of the robot")
    base: Base = Field("free", description="how the first module can move: free, planar or fixed")
    modules: int = Field(16, ge=1, le=MOST_LINKS, description="number of modules; one joint fewer")
    joints: Literal["alternating", "yaw", "pitch"] = Field(
        "alternating", description="what the joints do: yaw and pitch in turn, or all the same"
    )
    length: Quantity[float] = quantity(0.065, "m", "length of each module, from joint to joint", gt=0)
    radius: Quantity[float] = quantity(0.025, "m", "radius of the modules and of the spheres that touch", gt=0)
    module_mass: Quantity[float] = quantity(0.2, "kg", "mass of each module", gt=0)
    spheres: int = Field(
        2, ge=0, le=10, description="spheres of each module that touch ground and obstacles, evenly along it"
    )
    skin: Nested[SkinFriction | None] = Field(
        SkinFriction(), description="friction of the skin, on ground and obstacles that state none of their own"
    )
    torque_limit: Quantity[float | None] = quantity(
        7.0, "N m", "largest torque of the motors; exceeding it is reported", gt=0
    )
    rotor_inertia: Quantity[float] = quantity(0.0, "kg m2", "inertia of a rotor seen at its joint", ge=0)
    viscous_friction: Quantity[float] = quantity(0.0, "N m s/rad", "viscous friction of every joint", ge=0)
    coulomb_friction: Quantity[float] = quantity(0.0, "N m", "dry friction of every joint", ge=0)

    def turns(self) -> list[Literal["yaw", "pitch"]]:
        """What each joint does, the first behind the head."""
        pattern: tuple[Literal["yaw", "pitch"], ...] = (
            ("yaw", "pitch") if self.joints == "alternating" else (self.joints,)
        )
        return [pattern[number % len(pattern)] for number in range(self.modules - 1)]

    def build(self) -> Chain:
        """The chain."""
        links = [self._link(0, self.radius)]
        for number, turn in enumerate(self.turns(), start=1):
            joint = Joint(
                axis=_AXES[turn],
                label=turn,
                name=f"joint {number}",
                torque_limit=self.torque_limit,
                rotor_inertia=self.rotor_inertia,
                viscous_friction=self.viscous_friction,
                coulomb_friction=self.coulomb_friction,
            )
            up = self.radius if number == 1 else 0.0  # the base frame is on the belly, joints are on the axis
            links.append(self._link(number, 0.0, joint=joint, position=(self.length, 0.0, up)))
        return Chain(name=self.name, base=self.base, links=tuple(links), skin=self.skin)

    def _link(self, number: int, up: float, **fields: Any) -> Link:
        """A module whose axis runs `up` above its origin."""
        m, L, r = self.module_mass, self.length, self.radius
        along, across = 0.5 * m * r**2, m * (3.0 * r**2 + L**2) / 12.0
        x, z = 0.5 * L, up  # of the centre of mass
        inertia = (along + m * z * z, 0.0, -m * x * z, across + m * (x * x + z * z), 0.0, across + m * x * x)
        places = [(place + 0.5) * L / self.spheres for place in range(self.spheres)]
        return Link(
            name=f"module {number + 1}",
            mass=m,
            first_moment=(m * x, 0.0, m * z),
            inertia=inertia,
            body=BodyShape(position=(0.0, 0.0, up), length=L, half_width=r, half_height=r),
            contact_shapes=tuple(Sphere(centre=(place, 0.0, up), radius=r) for place in places),
            **fields,
        )
