"""`pegs` and `boxes`: round bars and boxes that stand or lie in the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from limbless.core import Angle, Listed, Quantity, Vector3, checked, quantity
from limbless.environments import ContactEnvironment, DrawnBar, DrawnBox
from limbless.environments.base import Array
from limbless.mechanics.contact.shapes.primitives import BoxSurface, Peg
from limbless.robots.rotation_matrices import about_x, about_y, about_z


def turned(yaw: float, pitch: float, roll: float) -> Array:
    """(3, 3) a rotation about z, then about its own y, then about its own x; its axes in columns."""
    return about_z(yaw) @ about_y(pitch) @ about_x(roll)


class Pegs(ContactEnvironment):
    """Round bars with round ends, each from `feet` along `span`: upright pegs to push
    against, or bars to climb over.
    """

    kind: Literal["pegs"] = "pegs"
    feet: Listed[tuple[Vector3, ...]] = quantity(..., "m", "one end of the axis of each, world")
    span: Listed[Vector3] = quantity((0.0, 0.0, 0.2), "m", "from one end of the axis to the other, the same for all")
    radius: Quantity[float] = quantity(0.05, "m", "radius of all", gt=0)

    def shapes(self) -> list[tuple[int, list[float]]]:
        return [(Peg.code, [*foot, *(np.array(foot) + self.span), self.radius]) for foot in self.feet]

    def smallest(self) -> float:
        return max(2.0 * self.radius, float(np.linalg.norm(self.span)))

    def drawn(self) -> Sequence[DrawnBar]:
        span = np.array(self.span)
        return [DrawnBar(f"peg {number}", np.array(foot), span, self.radius) for number, foot in enumerate(self.feet)]


class Boxes(ContactEnvironment):
    """Boxes of any size: steps, beams, walls, ramps.

    All of them are rotated by `yaw` about their own vertical axes, then by `pitch` about their width (positive: the far
    end of their length goes down) and by `roll` about their length.
    """

    kind: Literal["boxes"] = "boxes"
    has_steps: ClassVar[bool] = True
    centres: Listed[tuple[Vector3, ...]] = quantity(..., "m", "centres, world")
    sizes: Listed[tuple[Vector3, ...]] = quantity(
        ..., "m", "length, width and height of each, or of all if only one is given"
    )
    yaw: Quantity[Angle] = quantity(0.0, "rad", "angle from world x to their length")
    pitch: Quantity[Angle] = quantity(0.0, "rad", "tilt about their width; 0 stands upright")
    roll: Quantity[Angle] = quantity(0.0, "rad", "tilt about their length; 0 stands upright")

    @checked
    def _as_many_sizes(self) -> None:
        if len(self.sizes) not in (1, len(self.centres)):
            raise ValueError(f"sizes: give one, or {len(self.centres)} (one per box); got {len(self.sizes)}")
        if any(side <= 0 for size in self.sizes for side in size):
            raise ValueError(f"sizes must be positive; got {self.sizes}")

    def rotation(self) -> Array:
        """(3, 3) length, width and height of the boxes in the world, in columns."""
        return turned(self.yaw, self.pitch, self.roll)

    def _each(self) -> list[tuple[Array, Array]]:
        """Centre and sizes of each."""
        sizes = self.sizes * len(self.centres) if len(self.sizes) == 1 else self.sizes
        return [(np.array(centre), np.array(size)) for centre, size in zip(self.centres, sizes, strict=True)]

    def shapes(self) -> list[tuple[int, list[float]]]:
        axes = self.rotation().T.ravel().tolist()
        return [(BoxSurface.code, [*centre, *axes, *(0.5 * size)]) for centre, size in self._each()]

    def smallest(self) -> float:
        return min((max(size) for size in self.sizes), default=0.0)

    def drawn(self) -> Sequence[DrawnBox]:
        R = self.rotation()
        return [DrawnBox(f"box {number}", centre, R, size) for number, (centre, size) in enumerate(self._each())]
