"""`wheels`: dry friction of passive wheels, small along the body and large across it (paper 003, (19))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from limbless.core import Angle, Field, InputError, Listed, Quantity, checked, quantity, refuse_numbers
from limbless.environments import CONES, Cone, DrawnSheet, Ground, in_windows, segment_rows
from limbless.environments.base import MOST_POINTS, Array, Environment, Pack, segments_of
from limbless.mechanics.contact import ContactSurface, Feature
from limbless.mechanics.contact.shapes.loaded_wheel import LoadedWheel, Wheel
from limbless.mechanics.contact.shapes.primitives import SHAPE, SURFACE_COLUMNS
from limbless.mechanics.forces import SmoothFrictionLaw
from limbless.robots.base import Robot, Segment


class WheelContact(NamedTuple):
    """One wheel as a contact under a given load: what a set-valued friction law needs, as
    `mechanics.contact.shapes` reads it.
    """

    body: int  # row of the body that carries the wheel
    surface: Array  # (SURFACE_COLUMNS,) when it touches, its coefficients, load (N), cone and axle
    feature: Array  # (FEATURE_COLUMNS,) place and rolling direction, in the body's frame


class Wheels(Environment):
    """Coulomb friction of passive wheels on the ground, along the body and across it.

    The force is f = -mu N sgn(v). Each module presses on the ground with its own weight, or all touching modules share
    the robot's weight. The model `non-smooth` can also solve for the loads, on slopes, with a raised front, and with a
    free base.

    `set-valued` friction can hold a wheel exactly still; it is the default, because torques depend on it. `regularised`
    friction becomes viscous below `slip_speed`, which needs steps of about slip_speed / (normal gravity). At the
    `centre` of the module friction has no moment about it (an axle, as in the paper). `distributed` friction acts at
    `points` Gauss points along the belly.
    """

    kind: Literal["wheels"] = "wheels"
    law: Literal["set-valued", "regularised"] = Field(
        "set-valued", description="exact dry friction, or one that fades at `slip_speed`"
    )
    tangential: Quantity[float] = quantity(0.01, "1", "friction coefficient along the body", ge=0, le=1000)
    normal: Quantity[float] = quantity(0.5, "1", "friction coefficient across the body", ge=0, le=1000)
    cone: Cone = Field(
        "box",
        description="friction along and across the body together: a box (apart, the paper), an "
        "ellipse, or weighted by the direction of slip (Hu 2009)",
    )
    placement: Literal["centre", "distributed"] = Field(
        "centre", description="at the module's centre (paper), or along its belly"
    )
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per module, if distributed")
    slip_speed: Quantity[float] = quantity(1e-3, "m/s", "sliding speed below which regularised friction fades", gt=0)
    gravity: Quantity[float] = quantity(9.81, "m/s2", "acceleration that presses the modules on the ground", ge=0)
    modules: Listed[tuple[int, ...] | None] = Field(
        None, min_length=1, description="numbers of the modules (from 0) that touch the ground; all if absent"
    )
    load: Literal["own", "shared", "solved"] = Field(
        "own",
        description="each module carries its own weight, all that touch share the robot's, or what lies on each "
        "wheel is solved for: two at each place, on a plane, under a listed `gravity`",
    )
    slope: Listed[tuple[Angle, Angle]] = quantity(
        (0.0, 0.0), "rad", "solved loads: angles by which the ground rises along world x and y"
    )
    height: Quantity[float] = quantity(0.0, "m", "solved loads: height of the ground at the world's origin")
    wheel_radius: Quantity[float | None] = quantity(
        None, "m", "solved loads: radius of the wheels; half the module's height if absent", gt=0
    )

    @checked
    def _solved_alone(self) -> None:
        for name in self.given("slope", "height", "wheel_radius") if self.load != "solved" else ():
            raise ValueError(f"{name} belongs to load: solved; these loads are given, on a level plane")
        if self.load == "solved" and self.law == "regularised":
            raise ValueError("load: solved needs law: set-valued, since a regularised law knows no contact")
        if self.load == "solved" and "gravity" in self.model_fields_set:
            raise ValueError(
                "gravity belongs to loads that are given; solved ones come from a `gravity` in the environment"
            )

    def notes(self) -> tuple[str, ...]:
        used = {"slip_speed": self.law == "regularised", "points": self.placement == "distributed"}
        needs = {"slip_speed": "law: regularised", "points": "placement: distributed"}
        idle = [name for name in self.given(*used) if not used[name]]
        return (*super().notes(), *(f"environment.wheels.{name}: it belongs to {needs[name]}" for name in idle))

    def drawn(self) -> Sequence[DrawnSheet]:
        """The level plane that wheels stand on, under the lowest point of the body."""
        return [DrawnSheet("ground", None)]

    def refined(self) -> Wheels:
        return self if self.placement == "centre" else super().refined()

    @property
    def role(self) -> str:  # type: ignore[override]
        """A regularised law is a force like any other; set-valued friction needs a model that solves for it."""
        return "wrench" if self.law == "regularised" else "friction"

    def _loads(self, robot: Robot) -> list[tuple[Segment, float]]:
        """The modules that touch, with the load on each (N)."""
        pieces, mass = segments_of(robot, "wheels act"), robot.bodies().mass
        chosen = range(len(pieces)) if self.modules is None else self.modules
        refuse_numbers("wheels.modules", chosen, len(pieces), "modules")
        length = {
            body: sum(piece.length for piece in pieces if piece.body == body)
            for body in {piece.body for piece in pieces}
        }
        own = [mass[piece.body] * piece.length / length[piece.body] for piece in pieces]
        weights = [own[k] if self.load == "own" else mass.sum() / len(chosen) for k in chosen]
        return [(pieces[k], self.gravity * float(weight)) for k, weight in zip(chosen, weights, strict=True)]

    @property
    def _count(self) -> int:
        return self.points if self.placement == "distributed" else 1

    def pack(self, robot: Robot) -> Pack:
        """The regularised law."""
        if self.law != "regularised":
            raise InputError(
                "set-valued wheels are no force and no function of one state: choose `law: regularised` with a "
                "`slip_speed`, or a simulation, which solves for their friction in every step"
            )
        pieces, loads = zip(*self._loads(robot), strict=True)
        pressure = np.array(loads) / np.array([piece.length for piece in pieces])
        law = segment_rows(
            SmoothFrictionLaw(),
            pieces,
            self._count,
            forward=pressure * self.tangential,
            backward=pressure * self.tangential,
            across=pressure * self.normal,
            fading=self.slip_speed,
            joined=self.cone == "ellipse",
            weighted=self.cone == "weighted",
        )
        return Pack(in_windows(self, law))

    def plane(self) -> list[float]:
        """Normal and offset of the ground."""
        return Ground(slope=self.slope, height=self.height).plane()

    def _touching(self, piece: Segment, place: Array, code: int, shape: Sequence[float]) -> Iterator[WheelContact]:
        """A wheel at a place of a module, once per time window."""
        feature = Feature.zeros(1)
        Feature.of(feature).begin[:], Feature.of(feature).end[:] = place, piece.frame[:, 0]
        if self.load == "solved":
            Feature.of(feature).radius[:] = self.wheel_radius or piece.half_height
        for start, end in self.windows():
            surface = np.zeros((1, SURFACE_COLUMNS))
            common = ContactSurface.of(surface)
            common.code[:], common.since[:], common.until[:] = code, start, end
            common.friction[:] = self.tangential, self.tangential, self.normal, 0.0
            common.cone[:] = CONES[self.cone]
            surface[0, SHAPE : SHAPE + len(shape)] = shape
            yield WheelContact(piece.body, surface[0], feature[0])

    def contacts(self, robot: Robot) -> list[WheelContact]:
        """The set-valued law: every place of contact, once per time window. Wheels that bear what lies on them are two
        at each place, left and right.
        """
        nodes, weights = np.polynomial.legendre.leggauss(self._count)
        found: list[WheelContact] = []
        for piece, load in self._loads(robot):
            for node, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
                place = piece.start + node * piece.length * piece.frame[:, 0]
                if self.load != "solved":
                    found += self._touching(piece, place, Wheel.code, [weight * load, *piece.frame[:, 1]])
                    continue
                for side in (-1.0, 1.0):
                    beside = place + side * piece.half_width * piece.frame[:, 1]
                    found += self._touching(piece, beside, LoadedWheel.code, [*self.plane(), *piece.frame[:, 1]])
        return found
