"""`Joint`: what connects a link to the one before it."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import field_validator

from limbless.core import Angle, Description, Field, Listed, Vector3, checked, quantity
from limbless.mechanics.algebra import Vector, cross
from limbless.robots.sections import PARALLEL, Direction

PerFreedom = float | tuple[float, ...]
FREEDOMS = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3}
PER_FREEDOM = (
    "rotor_inertia",
    "coulomb_friction",
    "breakaway_friction",
    "stribeck_rate",
    "viscous_friction",
    "stiffness",
    "rest",
    "damping",
    "torque_limit",
    "lower",
    "upper",
)
"""Fields of numbers that a joint has one of for each of its freedoms."""
Bound = Angle | tuple[Angle | None, ...] | None


class Joint(Description):
    """A joint of 1 (revolute, prismatic), 2 (universal) or 3 (spherical) degrees of freedom.

    The axes are given in the frame of the link that the joint carries; the origin of that link lies on the (last) axis.
    A universal joint turns first about `axis`, then about `second_axis`, which stands `offset` away from the first. A
    spherical joint has its centre at the origin of the link. Its three degrees of freedom are the components of the
    link's angular velocity relative to the previous link, along axes fixed to the link that are parallel to those of
    the base at joint position zero (x along a straight body); its spring acts on the rotation vector, along the same
    axes.

    Friction, spring, rotor and limits are one number for all degrees of freedom of the joint or one for each. For a
    prismatic joint read N and m where the units say N m and rad.
    """

    kind: Literal["revolute", "prismatic", "universal", "spherical"] = "revolute"
    name: str = Field("", description="name in results; `joint 3` for the joint of link 3 if absent")
    label: Listed[str | tuple[str, ...]] = Field("", description="yaw, pitch, roll, ...: found from the axes if absent")
    axis: Listed[Direction] = Field(
        (0.0, 0.0, 1.0), description="axis in the link frame (the first axis of a universal joint)"
    )
    second_axis: Listed[Direction | None] = Field(
        None, description="second axis of a universal joint, in the link frame"
    )
    offset: Listed[Vector3] = quantity(
        (0.0, 0.0, 0.0), "m", "from the first to the second axis of a universal joint, in the link frame"
    )
    rotor_inertia: Listed[PerFreedom] = quantity(
        0.0, "kg m2", "inertia of the rotor seen at the joint (kg if prismatic)"
    )
    coulomb_friction: Listed[PerFreedom] = quantity(0.0, "N m", "dry friction, opposes the sign of the rate")
    breakaway_friction: Listed[PerFreedom] = quantity(
        0.0, "N m", "dry friction at rest (Stribeck); as `coulomb_friction` if that is more"
    )
    stribeck_rate: Listed[PerFreedom] = quantity(
        0.1, "rad/s", "rate at which dry friction has fallen from `breakaway_friction` by 63 %"
    )
    viscous_friction: Listed[PerFreedom] = quantity(0.0, "N m s/rad", "viscous friction of the actuator")
    stiffness: Listed[PerFreedom] = quantity(0.0, "N m/rad", "passive spring")
    rest: Listed[Angle | tuple[Angle, ...]] = quantity(0.0, "rad", "position at which the spring is at rest")
    damping: Listed[PerFreedom] = quantity(0.0, "N m s/rad", "passive damper beside the spring")
    torque_limit: Listed[float | tuple[float | None, ...] | None] = quantity(
        None, "N m", "largest torque of the actuator; exceeding it is reported, not clipped"
    )
    lower: Listed[Bound] = quantity(
        None, "rad", "least position; going below is reported, and in the model non-smooth the joint stops there"
    )
    upper: Listed[Bound] = quantity(
        None, "rad", "greatest position; going above is reported, and in the model non-smooth the joint stops there"
    )

    @property
    def freedoms(self) -> int:
        """Number of degrees of freedom."""
        return FREEDOMS[self.kind]

    def per_freedom(self, field: str) -> tuple[Any, ...]:
        """The value of a field for each degree of freedom."""
        value = getattr(self, field)
        return value if isinstance(value, tuple) else (value,) * self.freedoms

    @field_validator("stribeck_rate")
    @classmethod
    def _rate_is_positive(cls, value: PerFreedom) -> PerFreedom:
        if min(value if isinstance(value, tuple) else (value,)) <= 0:
            raise ValueError(
                f"{value} must be positive; leave breakaway_friction out where friction does not depend on the rate"
            )
        return value

    @field_validator(
        "rotor_inertia",
        "coulomb_friction",
        "breakaway_friction",
        "viscous_friction",
        "stiffness",
        "damping",
        "torque_limit",
    )
    @classmethod
    def _not_negative(cls, value: Any) -> Any:
        numbers = [number for number in (value if isinstance(value, tuple) else (value,)) if number is not None]
        if any(number < 0 for number in numbers):
            raise ValueError(f"{value} is negative; this must be zero or positive")
        return value

    @checked
    def _as_many_as_freedoms(self) -> None:
        for field in (*PER_FREEDOM, "label"):
            if len(self.per_freedom(field)) != self.freedoms:
                raise ValueError(
                    f"{field} has {len(self.per_freedom(field))} values, but a {self.kind} joint has {self.freedoms} "
                    "degree(s) of freedom; give one value for all or one for each"
                )

    @checked
    def _range_in_order(self) -> None:
        if self.kind == "spherical" and (self.lower is not None or self.upper is not None):
            raise ValueError(
                "lower and upper belong to joints that turn or slide along axes; the position of a "
                "spherical joint is a rotation vector: describe it as a universal and a revolute joint"
            )
        for low, high in zip(self.per_freedom("lower"), self.per_freedom("upper"), strict=True):
            if low is not None and high is not None and not low < high:
                raise ValueError(f"lower {low:g} must be below upper {high:g}")

    @checked
    def _axes_fit_kind(self) -> None:
        if self.kind == "universal":
            if self.second_axis is None:
                raise ValueError("a universal joint needs a second_axis, for example (0, 1, 0)")
            if math.hypot(*cross(Vector(*self.axis), Vector(*self.second_axis))) < PARALLEL:
                raise ValueError(
                    f"second_axis {self.second_axis} is parallel to axis {self.axis}: this joint turns "
                    f"about one axis only"
                )
        elif self.second_axis is not None or any(self.offset):
            raise ValueError(f"second_axis and offset belong to a universal joint; this one is {self.kind}")
