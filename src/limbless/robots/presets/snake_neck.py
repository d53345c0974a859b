"""The head and neck of the snake robot of Gautreau, Bonnet and Laribi (2024): eight vertebrae, four tendons."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from limbless.core import Angle, Field, Nested, Quantity, checked, quantity
from limbless.robots import Array, Preset, Tendon, TendonSpine, Vertebra, Winch

_RIGHT, _DOWN, _UP, _LEFT = ((-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, 0.0))
SIDES = {"right": _RIGHT, "down": _DOWN, "up": _UP, "left": _LEFT}
"""The paper's tendons 1 to 4 in its order, by the side to which each bends the spine; 1 and
4, 2 and 3 are antagonists.
"""
THIRDS = {"up": _UP, "down left": (math.sin(math.pi / 3.0), -0.5), "down right": (-math.sin(math.pi / 3.0), -0.5)}
"""Three tendons at 120 degrees, by the side to which each bends the spine."""


class SnakeNeck(Preset):
    """The tendon-driven neck of Gautreau et al. (2024), softer and lighter towards the head.

    It has two pairs of antagonist tendons, or three tendons around its axis. The paper gives the numbers of vertebrae
    and of tendons. All other values are ours, because the paper refers to other publications for them. With them 0.7 N
    moves the head as far as the paper's figures show.
    """

    kind: Literal["tendon-spine"] = "tendon-spine"
    preset: Literal["snake-neck"] = "snake-neck"
    name: str = Field("snake-neck", description="name of the robot")
    count: int = Field(8, ge=1, le=1000, description="number of vertebrae")
    first_length: Quantity[float] = quantity(
        0.022, "m", "length of the first vertebra; lengths change evenly along the neck", gt=0
    )
    last_length: Quantity[float] = quantity(0.018, "m", "length of the last vertebra", gt=0)
    first_stiffness: Quantity[float] = quantity(0.045, "N m/rad", "lateral stiffness of the first vertebra", gt=0)
    last_stiffness: Quantity[float] = quantity(0.035, "N m/rad", "lateral stiffness of the last vertebra", gt=0)
    vertical_ratio: Quantity[float] = quantity(2.0, "1", "vertical over lateral stiffness", gt=0)
    joint_mass: Quantity[float] = quantity(0.001, "kg", "mass of each joint", ge=0)
    first_disk_mass: Quantity[float] = quantity(0.003, "kg", "mass of the first disk", ge=0)
    last_disk_mass: Quantity[float] = quantity(0.002, "kg", "mass of the last disk, without the head", ge=0)
    head_mass: Quantity[float] = quantity(0.006, "kg", "mass of the head and its sensors, on the last disk", ge=0)
    density: Quantity[float] = quantity(950.0, "kg/m3", "mass over displaced volume, without the head", gt=0)
    head_density: Quantity[float] = quantity(1300.0, "kg/m3", "the same of the head", gt=0)
    tendon_count: Literal[3, 4] = Field(4, description="four tendons in two antagonist pairs, or three at 120 deg")
    hole_radius: Quantity[float] = quantity(0.012, "m", "distance of the tendons from the axis", gt=0)
    disk_radius: Quantity[float] = quantity(0.015, "m", "radius of the disks", gt=0)
    stop_lateral: Quantity[Angle | None] = quantity(
        math.radians(15.0), "rad", "largest lateral bend of a vertebra; no stop if absent", gt=0
    )
    stop_vertical: Quantity[Angle | None] = quantity(
        math.radians(8.0), "rad", "largest vertical bend of a vertebra; no stop if absent", gt=0
    )
    kinematics: Literal["arc", "hinge"] = Field(
        "arc", description="shape of a bent vertebra: circular arc, or two rigid pieces on a hinge"
    )
    pulley_radius: Quantity[float | None] = quantity(0.01, "m", "radius of the pulleys", gt=0)
    base: Literal["free", "planar", "line", "pinned", "fixed"] = Field("fixed", description="how disk 0 can move")
    head: Literal["base", "tip"] = Field("tip", description="which end is the head")
    damping_time: Quantity[float] = quantity(0.0, "s", "damping of every joint over its stiffness, in motion", ge=0)
    stop_stiffness: Quantity[float | None] = quantity(
        None, "N m/rad", "of the stops, in motion; 20 times that of the joint if absent", gt=0
    )
    segments: int = Field(
        1,
        ge=1,
        description="pieces of the body with antagonist tendons of their own: one has four "
        "tendons over the whole length, several a left and a right one each",
    )

    tendon_stiffness: Quantity[float | None] = quantity(
        None, "N/m", "of every tendon, in motion: where lengths or the torques of winches are given", gt=0
    )
    tendon_damping: Quantity[float] = quantity(0.0, "N s/m", "damper of every tendon beside that", ge=0)
    winch: Nested[Winch | None] = Field(
        None, description="what winds every tendon up, where torques of winches are given"
    )
    friction: Quantity[float] = quantity(0.0, "1", "Coulomb coefficient of the tendons in the disks", ge=0, lt=1)
    slip_speed: Quantity[float | None] = quantity(
        None,
        "m/s",
        "sliding rate below which that friction fades in motion; by how fast the gait winds if absent",
        gt=0,
    )

    @checked
    def _holes_in_disks(self) -> None:
        if self.hole_radius > self.disk_radius:
            raise ValueError(
                f"hole_radius {self.hole_radius:g} m lies outside the disks, whose disk_radius is "
                f"{self.disk_radius:g} m"
            )
        for name in ("tendon_damping", "winch"):
            if getattr(self, name) and self.tendon_stiffness is None:
                raise ValueError(f"{name} goes with a tendon_stiffness (N/m), which is not given; give both")
        if not self.friction and self.slip_speed is not None:
            raise ValueError("slip_speed goes with a `friction`, which is not given; give both")
        if self.segments > 1 and (self.count % self.segments or self.tendon_count != 4):
            raise ValueError(
                f"segments: {self.count} vertebrae (count) make no {self.segments} equal pieces"
                if self.count % self.segments
                else "segments: pairs per piece go with tendon_count 4"
            )

    def build(self) -> TendonSpine:
        """The spine."""
        lengths, stiffness = (
            self._along(self.first_length, self.last_length),
            self._along(self.first_stiffness, self.last_stiffness),
        )
        disks = self._along(self.first_disk_mass, self.last_disk_mass)
        heads = np.zeros(self.count)
        heads[-1] = self.head_mass
        volumes = (self.joint_mass + disks) / self.density + heads / self.head_density
        vertebrae = tuple(
            Vertebra(
                length=length,
                lateral_stiffness=lateral,
                vertical_stiffness=self.vertical_ratio * lateral,
                joint_mass=self.joint_mass,
                disk_mass=disk,
                volume=volume,
                stop_lateral=self.stop_lateral,
                stop_up=self.stop_vertical,
                stop_down=self.stop_vertical,
                stop_stiffness=self.stop_stiffness,
            )
            for length, lateral, disk, volume in zip(lengths, stiffness, disks + heads, volumes, strict=True)
        )
        tendons = tuple(
            Tendon(name=name, holes=((self.hole_radius * y, self.hole_radius * z),))
            for name, (y, z) in (SIDES if self.tendon_count == 4 else THIRDS).items()
        )
        pull = {
            "stiffness": self.tendon_stiffness,
            "damping": self.tendon_damping,
            "winch": self.winch,
            "friction": self.friction,
            "slip_speed": self.slip_speed,
        }
        groups: Any = {"pairs": ((0, 3), (1, 2))} if self.tendon_count == 4 else {"triples": ((0, 1, 2),)}
        if self.segments > 1:
            tendons, groups = self._piecewise(), {"pairs": tuple((2 * j, 2 * j + 1) for j in range(self.segments))}
        tendons = tuple(tendon.changed(**pull) for tendon in tendons)
        return TendonSpine(
            name=self.name,
            vertebrae=vertebrae,
            tendons=tendons,
            **groups,
            kinematics=self.kinematics,
            disk_radius=self.disk_radius,
            pulley_radius=self.pulley_radius,
            base=self.base,
            head=self.head,
            damping_time=self.damping_time,
        )

    def _piecewise(self) -> tuple[Tendon, ...]:
        """A right and a left tendon for each of the pieces."""
        each = self.count // self.segments
        return tuple(
            Tendon(
                name=f"{side} {j + 1}", holes=((sign * self.hole_radius, 0.0),), start=j * each, anchor=(j + 1) * each
            )
            for j in range(self.segments)
            for side, sign in (("right", -1.0), ("left", 1.0))
        )

    def _along(self, first: float, last: float) -> Array:
        return first + (last - first) * np.linspace(0.0, 1.0, self.count) if self.count > 1 else np.array([first])
