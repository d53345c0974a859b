"""`pipe`: the inside of a round pipe, straight or with elbows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from limbless.core import InputError, Listed, Quantity, Vector3, checked, quantity
from limbless.environments import ContactEnvironment, DrawnTube
from limbless.environments.base import Array
from limbless.mechanics.contact.shapes.pipe import Elbow, Tube

_STRAIGHT = 1e-6  # rad: less than this is no bend
_SHARPEST = math.radians(170.0)
_BENDS = 9  # points along an elbow that is drawn


class Arc(NamedTuple):
    """An elbow: its centre and plane, where it begins and how far it turns."""

    centre: Array
    normal: Array
    start: Array  # unit vector from the centre
    angle: float


class Pipe(ContactEnvironment):
    """A round pipe of straight pieces and elbows, touched from the inside and open at both ends."""

    kind: Literal["pipe"] = "pipe"
    axis: Listed[tuple[Vector3, ...]] = quantity(
        ..., "m", "points of the axis, world: two, and one more for each elbow between straight pieces"
    )
    radius: Quantity[float] = quantity(0.1, "m", "inner radius", gt=0)
    bend_radius: Quantity[float | None] = quantity(
        None, "m", "radius of the axis in its elbows; three times `radius` if absent", gt=0
    )

    @checked
    def _can_be_built(self) -> None:
        if len(self.axis) < 2:
            raise ValueError(f"axis: a pipe needs two points or more; got {len(self.axis)}")
        points = np.array(self.axis)
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if not (lengths > 0.0).all():
            raise ValueError("axis: two points after each other are the same; each straight piece needs a length")
        if self.bend <= self.radius:
            raise ValueError(
                f"bend_radius {self.bend:g} m must be larger than the radius of the pipe, {self.radius:g} m"
            )
        if self.bend_radius is not None and max(self._angles(), default=0.0) < _STRAIGHT:
            raise ValueError("bend_radius belongs to elbows, and this axis is straight: leave it out, or add a point")
        taken = np.zeros(len(points))
        for number, angle in enumerate(self._angles(), start=1):
            if angle > _SHARPEST:
                raise ValueError(f"axis: it turns back at point {number}; an elbow turns by less than 170 deg")
            taken[number] = self.bend * math.tan(0.5 * angle)
        for number, length in enumerate(lengths):
            if taken[number] + taken[number + 1] > length * (1.0 + 1e-9):
                raise ValueError(
                    f"axis: the elbows at both ends of piece {number} take "
                    f"{taken[number] + taken[number + 1]:.4g} m of its {length:.4g} m; make it longer, or "
                    "bend_radius smaller"
                )

    @property
    def bend(self) -> float:
        """Radius of the axis in the elbows, m."""
        return 3.0 * self.radius if self.bend_radius is None else self.bend_radius

    def _angles(self) -> list[float]:
        """How far the axis turns at each inner point."""
        ways = np.diff(np.array(self.axis), axis=0)
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        return [math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)) for a, b in pairwise(ways)]

    def pieces(self) -> tuple[list[tuple[Array, Array]], list[Arc]]:
        """Straight pieces, each from and to a point, and the elbows between them."""
        points, arcs = np.array(self.axis), []
        begins, ends = points[:-1].copy(), points[1:].copy()
        for number, angle in enumerate(self._angles(), start=1):
            if angle < _STRAIGHT:
                continue
            before, after = (way / np.linalg.norm(way) for way in np.diff(points[number - 1 : number + 2], axis=0))
            back = self.bend * math.tan(0.5 * angle)
            ends[number - 1], begins[number] = points[number] - back * before, points[number] + back * after
            normal = np.cross(before, after) / math.sin(angle)
            inward = np.cross(normal, before)
            arcs.append(Arc(ends[number - 1] + self.bend * inward, normal, -inward, angle))
        return list(zip(begins, ends, strict=True)), arcs

    def varies(self, level: bool) -> str | None:
        return "its elbows are in one place" if len(self.axis) > 2 else None

    def refuse_thick(self, radius: float) -> None:
        if self.radius <= radius:
            raise InputError(
                f"pipe.radius: {self.radius:g} m is not more than the {radius:g} m with which the robot "
                "touches, so that it does not fit in; take a wider pipe or a thinner robot"
            )

    def drawn(self) -> Sequence[DrawnTube]:
        straight, arcs = self.pieces()
        tubes = [(np.array([begin, end]), np.tile(end - begin, (2, 1))) for begin, end in straight]
        for arc in arcs:
            turn = np.linspace(0.0, arc.angle, _BENDS)[:, None]
            out = np.cos(turn) * arc.start + np.sin(turn) * np.cross(arc.normal, arc.start)
            tubes.append((arc.centre + self.bend * out, np.cross(arc.normal, out)))
        return [DrawnTube(f"pipe {number}", *tube, self.radius) for number, tube in enumerate(tubes)]

    def shapes(self) -> list[tuple[int, list[float]]]:
        straight, arcs = self.pieces()
        found: list[tuple[int, list[float]]] = []
        for begin, end in straight:
            length = float(np.linalg.norm(end - begin))
            if length > 0.0:
                found.append((Tube.code, [*begin, *((end - begin) / length), length, self.radius]))
        found += [
            (Elbow.code, [*arc.centre, *arc.normal, *arc.start, self.bend, arc.angle, self.radius]) for arc in arcs
        ]
        return found
