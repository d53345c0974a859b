"""The wheeled snake of Wang, Ma, Li and Wang: equal modules in a row, the tail first (paper 003, Table IV)."""

from __future__ import annotations

from typing import Literal

from limbless.core import Angle, Field, Listed, Quantity, checked, quantity, refuse_numbers
from limbless.robots import MOST_LINKS, Base, BodyShape, Chain, Joint, Link, Preset

_YAW, _PITCH = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)


class WangSnake(Preset):
    """The wheeled snake robot of Wang et al.: five modules with passive wheels.

    The base frame is the tail joint J_3 at the end of the tail module, and x runs towards the head. The origin of
    module k is the joint at its rear end, and its centre of mass is in its middle. `inertia` is about the vertical
    through the centre. Table IV gives 0.016 kg m2, sixty times the inertia of a rod; limbless keeps it. The inertia
    about the lateral axis is the same, and the one about the length is `roll_inertia`. Joints in `pitch_joints` turn
    about the lateral axis (positive: the head goes up), the others about the vertical. `payload` is a point mass at the
    tip.
    """

    kind: Literal["chain"] = "chain"
    preset: Literal["wang-snake"] = "wang-snake"
    name: str = Field("wang-snake", description="name of the robot")
    head: Literal["base", "tip"] = Field("tip", description="which end is the head: the chain starts at the tail")
    base: Base = Field("planar", description="how the tail module can move: planar, free or fixed")
    modules: int = Field(5, ge=1, le=MOST_LINKS, description="number of modules; one joint fewer")
    length: Quantity[float] = quantity(0.08, "m", "length of each module", gt=0)
    mass: Quantity[float] = quantity(0.5, "kg", "mass of each module", gt=0)
    inertia: Quantity[float] = quantity(
        0.016, "kg m2", "inertia of each module about the vertical through its centre", gt=0
    )
    roll_inertia: Quantity[float] = quantity(0.016, "kg m2", "inertia of each module about its length", gt=0)
    half_width: Quantity[float] = quantity(0.02, "m", "half width of a module, as it is drawn", gt=0)
    half_height: Quantity[float] = quantity(0.02, "m", "half height of a module, as it is drawn", gt=0)
    pitch_joints: Listed[tuple[int, ...]] = Field(
        (), description="numbers of the joints (from 0, tail first) that pitch; the others yaw"
    )
    payload: Quantity[float] = quantity(0.0, "kg", "point mass carried at the tip", ge=0)
    torque_limit: Quantity[float | None] = quantity(None, "N m", "largest torque of the motors", gt=0)
    lower: Quantity[Angle | None] = quantity(None, "rad", "least position of every joint")
    upper: Quantity[Angle | None] = quantity(None, "rad", "greatest position of every joint")

    @checked
    def _pitch_joints_exist(self) -> None:
        refuse_numbers("pitch_joints", self.pitch_joints, self.modules - 1, f"joints of {self.modules} modules,")

    def build(self) -> Chain:
        """The chain."""
        links = [self._module(0, None)]
        for number in range(1, self.modules):
            joint = Joint(
                name=f"joint {number}",
                axis=_PITCH if number - 1 in self.pitch_joints else _YAW,
                torque_limit=self.torque_limit,
                lower=self.lower,
                upper=self.upper,
            )
            links.append(self._module(number, joint))
        return Chain(name=self.name, base=self.base, head=self.head, links=tuple(links))

    def _module(self, number: int, joint: Joint | None) -> Link:
        """A module whose origin is the joint at its rear end; the last one carries the payload at its front end."""
        half, carried = 0.5 * self.length, self.payload if number == self.modules - 1 else 0.0
        moment = self.mass * half + carried * self.length
        across = self.inertia + self.mass * half**2 + carried * self.length**2
        return Link(
            name="tail" if number == 0 else f"module {number}",
            joint=joint,
            mass=self.mass + carried,
            position=(self.length if number else 0.0, 0.0, 0.0),
            first_moment=(moment, 0.0, 0.0),
            inertia=(self.roll_inertia, 0.0, 0.0, across, 0.0, across),
            body=BodyShape(length=self.length, half_width=self.half_width, half_height=self.half_height),
        )
