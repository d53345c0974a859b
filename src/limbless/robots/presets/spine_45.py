"""The skeleton of the whole swimming snake robot of paper 004: 45 vertebrae."""

from __future__ import annotations

import math
from typing import Literal

from limbless.core import Angle, Field, Quantity, quantity
from limbless.robots.presets.snake_neck import SnakeNeck


class Spine45(SnakeNeck):
    """The whole snake robot of Gautreau et al. (2024): 45 vertebrae, 1 m and 200 g.

    Number, length and mass are the paper's, after the snake that it imitates, a racer. All other values are ours.
    Tendons run over the whole length. The robot is neutrally buoyant in fresh water. Its mass is in its joints, where
    the model applies buoyancy; on the disks, weight and lift would form a moment that bends it down.
    """

    preset: Literal["spine-45"] = "spine-45"  # type: ignore[assignment]
    name: str = Field("spine-45", description="name of the robot")
    count: int = Field(45, ge=1, le=1000, description="number of vertebrae")
    first_length: Quantity[float] = quantity(
        1.0 / 45.0, "m", "length of the first vertebra; lengths change evenly along the body", gt=0
    )
    last_length: Quantity[float] = quantity(1.0 / 45.0, "m", "length of the last vertebra", gt=0)
    first_stiffness: Quantity[float] = quantity(0.12, "N m/rad", "lateral stiffness of the first vertebra", gt=0)
    last_stiffness: Quantity[float] = quantity(0.06, "N m/rad", "lateral stiffness of the last vertebra", gt=0)
    joint_mass: Quantity[float] = quantity(0.199 / 45.0, "kg", "mass of each joint", ge=0)
    first_disk_mass: Quantity[float] = quantity(0.0, "kg", "mass of the first disk", ge=0)
    last_disk_mass: Quantity[float] = quantity(0.0, "kg", "mass of the last disk, without the head", ge=0)
    head_mass: Quantity[float] = quantity(0.001, "kg", "mass of the head, on the last disk", ge=0)
    density: Quantity[float] = quantity(1000.0, "kg/m3", "mass over displaced volume, without the head", gt=0)
    head_density: Quantity[float] = quantity(1000.0, "kg/m3", "the same of the head", gt=0)
    stop_lateral: Quantity[Angle | None] = quantity(
        math.radians(15.0), "rad", "largest lateral bend of a vertebra; no stop if absent", gt=0
    )
