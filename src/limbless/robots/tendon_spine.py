"""`TendonSpine`: a clamped spine of compliant universal joints, pulled by tendons that run from disk to disk."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import field_validator

from limbless.core import Angle, Description, Field, Listed, Nested, Quantity, Vector3, checked, quantity
from limbless.robots import Cable, MaterialLaw, Place, agree, names_of
from limbless.robots.base import Array, Bodies, Robot, Segment, SkinFriction


class Vertebra(Description):
    """A compliant joint and the disk at its outer end.

    In the axes of the inner disk (x along the body, y to the left, z up when horizontal) a lateral bend is towards y,
    and a vertical bend towards z.
    """

    length: Quantity[float] = quantity(0.02, "m", "from the inner disk to the outer one, along the backbone", gt=0)
    lateral_stiffness: Quantity[float] = quantity(0.04, "N m/rad", "against bending to the side", gt=0)
    vertical_stiffness: Quantity[float] = quantity(0.08, "N m/rad", "against bending up and down", gt=0)
    twist_stiffness: Quantity[float | None] = quantity(
        None, "N m/rad", "against twisting about the body; cannot twist if absent", gt=0
    )
    rest_lateral: Quantity[Angle] = quantity(0.0, "rad", "lateral bend when unloaded, towards +y")
    rest_vertical: Quantity[Angle] = quantity(0.0, "rad", "vertical bend when unloaded, towards +z")
    joint_mass: Quantity[float] = quantity(0.001, "kg", "mass of the joint, at its centroid", ge=0)
    disk_mass: Quantity[float] = quantity(0.003, "kg", "mass of the disk, at its centre", ge=0)
    volume: Quantity[float] = quantity(
        4e-6, "m3", "displaced volume; its lift acts at the centroid of the joint, or of its wet part", ge=0
    )
    stop_lateral: Quantity[Angle | None] = quantity(
        None, "rad", "largest lateral bend to either side; no stop if absent", gt=0
    )
    stop_up: Quantity[Angle | None] = quantity(None, "rad", "largest bend towards +z; no stop if absent", gt=0)
    stop_down: Quantity[Angle | None] = quantity(None, "rad", "largest bend towards -z; no stop if absent", gt=0)
    damping_lateral: Quantity[float] = quantity(
        0.0, "N m s/rad", "against the rate of the lateral bend, in motion", ge=0
    )
    damping_vertical: Quantity[float] = quantity(
        0.0, "N m s/rad", "against the rate of the vertical bend, in motion", ge=0
    )
    damping_twist: Quantity[float] = quantity(0.0, "N m s/rad", "against the rate of the twist, in motion", ge=0)
    joint_radius: Quantity[float | None] = quantity(
        None, "m", "radius of the joint, whose mass is spread along it, in motion; that of the disks if absent", gt=0
    )
    disk_inertia: Listed[Vector3 | None] = quantity(
        None, "kg m2", "inertia of the disk about x, y and z, in motion; that of a thin disk of `disk_radius` if absent"
    )
    stop_stiffness: Quantity[float | None] = quantity(
        None, "N m/rad", "of the stops, in motion; 20 times that of the joint if absent", gt=0
    )
    stop_damping: Quantity[float | None] = quantity(
        None, "N m s/rad", "of the stops, in motion; 1e-4 s times their stiffness if absent", ge=0
    )

    @checked
    def _is_a_disk(self) -> None:
        own = self.disk_inertia or (0.0, 0.0, 0.0)
        if min(own) < 0.0 or 2.0 * max(own) > sum(own) * (1.0 + 1e-9):
            raise ValueError(
                f"disk_inertia: no body has the moments {own} kg m2: each is positive, and none larger "
                "than the sum of the other two"
            )


class Tendon(Cable):
    """A cable through a hole in every disk up to its anchor, straight from hole to hole."""

    holes: Listed[tuple[Place, ...]] = quantity(
        ..., "m", "(y, z) of its hole: one place for all disks, or one per disk from the clamped one on"
    )

    @field_validator("holes", mode="before")
    @classmethod
    def _one_place(cls, value: Any) -> Any:
        """`(0.02, 0)` is one place for all disks."""
        lone = isinstance(value, list | tuple) and len(value) == 2 and not any(np.ndim(part) for part in value)
        return (value,) if lone else value

    anchor: int | None = Field(
        None, ge=1, description="number of the disk to which it is fixed, from 1; the last one if absent"
    )
    start: int = Field(0, ge=0, description="number of the disk where it begins, with its winch; statics takes 0 alone")


class SpineSection(Description):
    """What the water meets: an elliptic section around the spine."""

    half_width: Quantity[float] = quantity(0.015, "m", "lateral half axis", gt=0)
    half_height: Quantity[float] = quantity(0.015, "m", "vertical half axis", gt=0)


class TendonSpine(Robot):
    """A spine of compliant vertebrae pulled by tendons; disk 0, the base, is clamped.

    The axes are those of the library: x along the body, y to the left, z up when horizontal. In the paper z runs along
    the backbone, so x, y, z here are z, -x, -y there.
    """

    kind: Literal["tendon-spine"] = "tendon-spine"
    name: str = Field("tendon-spine", description="name of the robot")
    head: Literal["base", "tip"] = Field("tip", description="which end is the head")
    base: Literal["free", "planar", "line", "pinned", "fixed"] = Field(
        "fixed", description="how disk 0 can move: free, in its x-y plane, along its x axis, about its centre, or not"
    )
    vertebrae: Listed[tuple[Vertebra, ...]] = Field(description="from the clamped disk to the tip")
    tendons: Listed[tuple[Tendon, ...]] = Field(description="the tendons; they are numbered from 0 in this order")
    pairs: Listed[tuple[tuple[int, int], ...]] = Field(
        (), description="numbers of antagonist tendons, such as [[0, 3], [1, 2]]"
    )
    triples: Listed[tuple[tuple[int, int, int], ...]] = Field(
        (), description="numbers of three tendons around the axis, of which one is always slack, such as [[0, 1, 2]]"
    )
    kinematics: Literal["arc", "hinge"] = Field(
        "arc", description="shape of a bent vertebra: circular arc, or two rigid pieces on a hinge"
    )
    hinge_at: Quantity[float] = quantity(
        0.5, "1", "where along a vertebra its hinge sits, from 0 at the inner disk to 1", ge=0, le=1
    )
    disk_radius: Quantity[float] = quantity(0.015, "m", "radius of the disks; holes lie inside", gt=0)
    touch: Literal["disks", "capsules"] = Field(
        "disks",
        description="what touches hard things, in the model `soft`: the disks, as spheres of their radius, or "
        "with them the joints between, as capsules of their `joint_radius`",
    )
    skin: Nested[SkinFriction | None] = Field(
        None, description="friction of its skin on ground and obstacles that state none, in the model `soft`"
    )
    pulley_radius: Quantity[float | None] = quantity(
        None, "m", "radius of the pulleys that wind the tendons up; no pulley angles if absent", gt=0
    )
    damping_time: Quantity[float] = quantity(
        0.0, "s", "damping of every joint over its stiffness, in motion, beside that of the vertebrae", ge=0
    )
    material: Nested[MaterialLaw | None] = Field(
        None,
        description="a law of your own for the couples of its vertebrae, in "
        "place of stiffness, damping and rest, in the model `soft`",
    )
    section: Nested[SpineSection | None] = Field(
        None, description="what the water meets, in motion or at a surface; a circle of disk_radius if absent"
    )

    @checked
    def _fits_together(self) -> None:
        v, m = len(self.vertebrae), len(self.tendons)
        if v < 1 or m < 1:
            raise ValueError(f"a spine needs at least one vertebra and one tendon; got {v} and {m}")
        if len({one.twist_stiffness is None for one in self.vertebrae}) > 1:
            raise ValueError("either all vertebrae have a twist_stiffness or none has")
        for number, tendon in enumerate(self.tendons):
            if len(tendon.holes) not in (1, v + 1):
                raise ValueError(
                    f"tendon {number} has {len(tendon.holes)} holes; give one place for all disks, or "
                    f"one per disk: {v + 1}"
                )
            if tendon.anchor is not None and tendon.anchor > v:
                raise ValueError(f"tendon {number} is anchored on disk {tendon.anchor}, but the last disk is {v}")
            if tendon.start >= (tendon.anchor or v):
                raise ValueError(
                    f"tendon {number} starts on disk {tendon.start}, not before its anchor on disk "
                    f"{tendon.anchor or v}; give a `start` below it"
                )
            far = max(np.hypot(*place) for place in tendon.holes)
            if far > self.disk_radius:
                raise ValueError(
                    f"tendon {number} has a hole {far:g} m from the axis, outside the disk of radius "
                    f"{self.disk_radius:g} m; move it in or make disk_radius larger"
                )
        agree(self.tendons)
        for name, count, groups in (("pairs", "two", self.pairs), ("triples", "three", self.triples)):
            for group in groups:
                if len(set(group)) < len(group) or not all(0 <= tendon < m for tendon in group):
                    raise ValueError(f"{name}: {list(group)} must name {count} different tendons from 0 to {m - 1}")
        named = [tendon for group in self.antagonists for tendon in group]
        if len(set(named)) < len(named):
            raise ValueError(
                "pairs: a tendon may be in one pair only"
                if not self.triples
                else "pairs and triples: a tendon may be in one of them only"
            )

    @property
    def antagonists(self) -> tuple[tuple[int, ...], ...]:
        """Groups of tendons, of each of which one is always slack: the pairs, then the triples."""
        return (*self.pairs, *self.triples)

    @property
    def signed_tensions(self) -> int:
        """How many numbers say the tensions of all antagonists: one for a pair, two for a triple."""
        return sum(len(group) - 1 for group in self.antagonists)

    @property
    def stops(self) -> bool:
        """Whether any vertebra has stops."""
        return any(one.stop_lateral or one.stop_up or one.stop_down for one in self.vertebrae)

    @property
    def twists(self) -> bool:
        """Whether the vertebrae have a twist of their own."""
        return self.vertebrae[0].twist_stiffness is not None

    @property
    def tendon_names(self) -> list[str]:
        return names_of(self.tendons)

    def values(self, field: str) -> Array:
        """A number of every vertebra, in order."""
        return np.array([getattr(one, field) for one in self.vertebrae], dtype=np.float64)

    def segments(self) -> list[Segment]:
        """Straight pieces between the disks, as drawn when unbent."""
        r = self.disk_radius
        return [
            Segment(i + 1, np.array([-one.length, 0.0, 0.0]), np.eye(3), one.length, r, r)
            for i, one in enumerate(self.vertebrae)
        ]

    def bodies(self) -> Bodies:
        """Disk 0, without mass, then each disk with its joint before it."""
        mass = np.concatenate([[0.0], self.values("joint_mass") + self.values("disk_mass")])
        lever = np.concatenate([[0.0], -0.5 * self.values("length")])
        joint, volume = (
            np.concatenate([[0.0], self.values("joint_mass")]),
            np.concatenate([[0.0], self.values("volume")]),
        )
        along = np.array([1.0, 0.0, 0.0])
        inertia = (joint * lever**2)[:, None, None] * np.diag([0.0, 1.0, 1.0])
        return Bodies(mass, (joint * lever)[:, None] * along, inertia, volume, (volume * lever)[:, None] * along)

    def __str__(self) -> str:
        length = self.values("length").sum()
        return (
            f"{self.name}: {len(self.vertebrae)} vertebrae, {length * 1e3:.0f} mm, {self.total_mass * 1e3:.1f} g, "
            f"{len(self.tendons)} tendons: {', '.join(self.tendon_names)}"
        )
