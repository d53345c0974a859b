"""`water`: drag, added mass and wake on slices of the body."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from limbless.core import Description, Field, InputError, Listed, Nested, Quantity, Vector3, checked, quantity
from limbless.environments import (
    CURRENT,
    MOST_POINTS,
    WAVE_CELLS,
    Buoyancy,
    DrawnSheet,
    Environment,
    Pack,
    added_inertia,
    body_rows,
    end_face,
    field_among,
    in_slices,
    in_windows,
    level_water,
    links_of,
    pack_open,
    segment_rows,
    segments_of,
    stations,
)
from limbless.environments.flows.base import Flow, FlowEntry
from limbless.environments.flows.uniform import UniformFlow
from limbless.mechanics.forces import MorisonLaw, PackedLaws, WakeLaw
from limbless.robots.base import Robot, Segment

DEFAULT_SKIN = 0.01  # C1 of the paper
DEFAULT_VISCOSITY = 1e-6  # m2/s, of water at 20 degrees
NO_GRAVITY = (
    "water.surface: a surface needs gravity; list `gravity` beside the water (or state water.gravity), or "
    "leave the surface out"
)
WAKE = 1  # the wake's part among the works of water
PRINTED = (
    "environment.water.added_mass: the form printed by Khalil et al. (2007) does not conserve energy (its eel: 0.09 W "
    "of joint power for 0.39 W of drag), so speed and cost are the paper's, not the water's; model: lighthill has "
    "both right"
)


class Tail(Description):
    """The trailing edge of a body, where it is not its last section: a caudal fin."""

    half_width: Quantity[float] = quantity(0.005, "m", "lateral half axis of the trailing edge", gt=0)
    half_height: Quantity[float] = quantity(0.05, "m", "vertical half axis of the trailing edge", gt=0)


class Part(Description):
    """Coefficients of some links, or of a stretch of the body, that differ from the others: a fin, a thick head."""

    links: Listed[tuple[int, ...]] = Field((), description="numbers of the links, from 0; or give `between`")
    between: Listed[tuple[float, float] | None] = quantity(
        None, "m", "stretch of the body, from its base end; or give `links`"
    )
    drag: Listed[tuple[float, float, float, float] | None] = quantity(
        None, "1", "C1 to C4 there; those of the water if absent"
    )
    inertia: Listed[tuple[float, float, float] | None] = quantity(
        None, "1", "C5 to C7 there; those of the water if absent"
    )

    @checked
    def _somewhere(self) -> None:
        if bool(self.links) == (self.between is not None):
            raise ValueError("links: give them or `between`, one of both")
        for name, numbers in (("drag", self.drag), ("inertia", self.inertia)):
            if min(numbers or (0.0,)) < 0.0:
                raise ValueError(f"{name}: coefficients must not be negative; got {numbers}")

    def is_at(self, link: int, abscissa: float) -> bool:
        """Whether a piece of this link whose middle is at this abscissa belongs to it."""
        return link in self.links if self.between is None else self.between[0] <= abscissa <= self.between[1]


class Water(Environment):
    """Drag, added mass and a wake on the slices of a body.

    A slice is an ellipse with semi-axes a (lateral) and b (vertical). Its drag coefficients per unit length are ρ/2 C1
    π(a + b)/2 along, ρ/2 C2 2b sideways, ρ/2 C3 2a vertically and ρ/2 C4 (b² - a²)² in roll. Its added mass is ρπ b² C5
    sideways, ρπ a² C6 vertically and ρπ C7 (b² - a²)²/8 in roll. C1 uses half of the ellipse's perimeter, as in the
    paper; `perimeter: full` doubles it.

    `model: lighthill` carries the momentum of the water along with the body and leaves it in a wake at the tail, so
    that energy and momentum balance. `model: morison` is the law of Khalil et al. (2007), equations 45 to 53, without a
    wake. Its `added_mass: paper` uses the classical acceleration, as in the paper, and conserves neither energy nor
    momentum; `consistent` carries the momentum along. If you set `added_mass` without a `model`, limbless takes
    morison.
    """

    kind: Literal["water"] = "water"
    is_fluid: ClassVar[bool] = True
    model: Literal["lighthill", "morison"] = Field("lighthill", description="the fluid model")
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density ρ of the fluid", gt=0)
    drag: Listed[tuple[float, float, float, float]] = quantity(
        (0.01, 1.0, 1.0, 1.0), "1", "C1 to C4: along, sideways, vertical, roll"
    )
    inertia: Listed[tuple[float, float, float]] = quantity(
        (1.0, 1.0, 1.0), "1", "C5 to C7: added mass sideways, vertical, in roll"
    )
    parts: Listed[tuple[Part, ...]] = Field(
        (), description="links or stretches of the body with coefficients of their own; the last that fits counts"
    )
    added_mass: Literal["paper", "consistent", "none"] | None = Field(
        None, description="of morison: how the accelerated fluid enters; paper if absent"
    )
    wake: Literal["tail", "none"] | None = Field(
        None, description="of lighthill: whether the tail leaves a wake; tail if absent, none where a body stretches"
    )
    tail: Nested[Tail | None] = Field(
        None, description="the trailing edge that leaves the wake; the last section if absent"
    )
    perimeter: Literal["half", "full"] = Field(
        "half", description="perimeter in the axial drag: half as printed, or full"
    )
    drag_law: Literal["constant", "laminar", "mixed", "taylor"] = Field(
        "constant",
        description="whether coefficients are constant or found from Reynolds' number: a laminar skin, one that "
        "becomes turbulent (mixed), or the yawed cylinder of Taylor 1952",
    )
    skin_factor: Quantity[float] = quantity(
        1.0, "1", "of a laminar or mixed skin: friction along the body over that of a flat plate", gt=0
    )
    viscosity: Quantity[float] = quantity(DEFAULT_VISCOSITY, "m2/s", "kinematic, ν; makes `drag_law` laminar", gt=0)
    current: Listed[Vector3] = quantity(
        (0.0, 0.0, 0.0), "m/s", "velocity of the water, world axes: short for a uniform flow"
    )
    flow: Listed[tuple[FlowEntry, ...]] = Field((), description="how the water moves: flows that add up")
    surface: Quantity[float | None] = quantity(None, "m", "height of the still surface; deep water if absent")
    gravity: Listed[Vector3 | None] = quantity(
        None,
        "m/s2",
        "gravity of the water's pressure, which lifts; that of `gravity` if absent and there is a surface, else none",
    )
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment for the drag")

    @model_validator(mode="wrap")
    @classmethod
    def _by_its_words(cls, data: Any, made: Any) -> Any:
        """Morison's law where a form of its added mass is stated, a laminar skin where a viscosity is."""
        said = data if isinstance(data, Mapping) else {}
        own = {"model": "morison"} if "model" not in said and said.get("added_mass") is not None else {}
        skin = {"drag_law": "laminar"} if "viscosity" in said and "drag_law" not in said else {}
        found = made({**said, **own, **skin} if own or skin else data)
        found.model_fields_set.difference_update(skin)  # and a note says so
        return found

    @checked
    def _goes_together(self) -> None:
        if min(self.drag) < 0 or min(self.inertia) < 0:
            raise ValueError(f"drag and inertia coefficients must not be negative; got {self.drag} and {self.inertia}")
        if self.model == "lighthill" and self.added_mass in ("paper", "none"):
            raise ValueError(
                f"added_mass: {self.added_mass!r} is a form of `model: morison`; lighthill carries the "
                "water's momentum along: leave it out, or set model to morison"
            )
        if self.model == "morison" and self.wake == "tail":
            raise ValueError("wake: `model: morison` has none; leave it out, or set model to lighthill")
        if self.tail is not None and (self.model == "morison" or self.wake == "none"):
            raise ValueError(
                "tail: it leaves a wake, and there is none here; leave it out, or set model to lighthill "
                "and wake to tail"
            )

    @checked
    def _open_water(self) -> None:
        if self.is_open and self.form == "paper":
            raise ValueError(
                "added_mass: the printed form is for still water, or a steady current (no other `flow`, "
                "no `surface`, no `gravity` of the water, `drag_law: constant`); set model to lighthill, "
                "or added_mass to consistent"
            )
        if self.drag_law == "constant" and self.viscosity != DEFAULT_VISCOSITY:
            raise ValueError(
                "viscosity: constant coefficients do not know it; leave it out, or set drag_law to laminar, mixed or "
                "taylor"
            )
        if self.drag_law not in ("laminar", "mixed") and self.skin_factor != 1.0:
            raise ValueError("skin_factor: it multiplies a skin; leave it out, or set drag_law to laminar or mixed")
        if self.surface is None and any(flow.has_waves for flow in self.flow):
            raise ValueError("flow: waves need a `surface`, the height of the still water")
        if self.surface is not None and self.gravity is not None and (any(self.gravity[:2]) or self.gravity[2] >= 0.0):
            raise ValueError(
                f"gravity: it must point down, along -z, where the water has a surface; got {self.gravity}"
            )
        if self.surface is not None and self.active:
            raise ValueError(
                "active: water with a surface cannot be switched on and off (the momentum of what it "
                "carries would jump); leave one of both out"
            )

    @property
    def moving(self) -> tuple[Flow, ...]:
        """All flows, the current among them, under the gravity of this water."""
        flows, g = self.flow, self.gravity
        if g is not None:
            flows = tuple(flow.under(math.hypot(*g)) for flow in flows)
        return (*((UniformFlow(velocity=self.current),) if any(self.current) else ()), *flows)

    @property
    def is_open(self) -> bool:
        """Whether it is more than still water or a steady current."""
        return (
            self.surface is not None
            or self.gravity is not None
            or self.drag_law != "constant"
            or any(not isinstance(flow, UniformFlow) for flow in self.flow)
        )

    @property
    def lifts(self) -> bool:
        """Whether its pressure lifts what is in it."""
        return self.surface is not None or any(self.gravity or ())

    @property
    def lifts_slices(self) -> bool:
        return self.lifts

    @property
    def has_surface(self) -> bool:
        return self.surface is not None

    @property
    def slot(self) -> Any:
        """Of a flow that is a user's function, the one that failed first; None without."""
        slots = [flow.slot for flow in self.flow if flow.slot is not None]
        return next((slot for slot in slots if getattr(slot, "error", None) is not None), slots[0] if slots else None)

    @property
    def is_wavy(self) -> bool:
        """Whether its surface has waves on it."""
        return self.has_surface and any(flow.has_waves for flow in self.flow)

    def varies(self, level: bool) -> str | None:
        if any(self.current):
            return CURRENT
        if self.surface is not None or self.flow:
            return "a surface or a `flow` of the water has a place and a direction in the world"
        return "what lifts has a direction in the world" if self.lifts and not level else None

    def drawn(self) -> Sequence[DrawnSheet]:
        """A level surface; waves as they are at time 0."""
        if not self.is_wavy:
            return level_water(self.surface)
        return [DrawnSheet("water waves", lambda x, y: self.waves_at(0.0, x, y), "water", WAVE_CELLS, True)]

    def waves_at(self, time: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of its surface over places, m."""
        return self.height_at(np.full(np.shape(x), time), np.stack([x, y, 0.0 * x], axis=-1))[0]

    def among(self, environment: Sequence[Environment]) -> Water:
        """With the gravity of `gravity`, where there is a surface; what does not go together is a mistake."""
        if not self.lifts:
            return self
        lifting = "water.gravity" if self.surface is None else "water.surface"
        if any(isinstance(item, Buoyancy) for item in environment):
            raise InputError(
                f"{lifting}: the water lifts the robot itself, and `buoyancy` would lift it again; leave "
                "one of both out"
            )
        if sum(isinstance(item, Water) and (item.lifts or self.surface is not None) for item in environment) > 1:
            raise InputError(f"{lifting}: one water at a time where one has a surface or lifts; leave the others out")
        if any(item.pull is not None and item.active for item in environment):
            raise InputError(
                f"{lifting}: this water lifts all the time, and `gravity` is switched on and off; leave "
                "gravity.active out"
            )
        field = field_among(environment, self.gravity, "water.gravity")
        if field is None:
            raise InputError(NO_GRAVITY)
        return self.changed(gravity=field)

    def velocity_at(self, time: np.ndarray, place: np.ndarray) -> np.ndarray:
        """(.., 3) velocity of the water at times (..) and places (.., 3), m/s: for records and pictures."""
        return sum((flow.at(time, place, self.surface or 0.0) for flow in self.moving), np.zeros(np.shape(place)))

    def height_at(self, time: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height (..) of the surface over places (.., 3) at times (..), m, and its slopes (.., 2)."""
        height = sum((flow.height(time, place) for flow in self.moving), np.zeros(np.shape(place)[:-1]))
        slope = sum((flow.slope(time, place) for flow in self.moving), np.zeros((*np.shape(place)[:-1], 2)))
        return (self.surface or 0.0) + height, slope

    @property
    def stream(self) -> np.ndarray:
        """(3,) sum of its uniform flows, m/s."""
        return sum((np.array(flow.velocity) for flow in self.moving if isinstance(flow, UniformFlow)), np.zeros(3))

    @property
    def form(self) -> str:
        """How the accelerated fluid enters: paper, consistent or none."""
        return "consistent" if self.model == "lighthill" else self.added_mass or "paper"

    def notes(self) -> tuple[str, ...]:
        found = [PRINTED] if self.form == "paper" and any(self.inertia) else []
        if self.drag_law == "laminar" and "drag_law" not in self.model_fields_set:
            found.append("environment.water.drag_law: laminar, because a viscosity is stated; taylor knows it too")
        if self.drag_law != "constant" and (self.drag[0] != DEFAULT_SKIN or self.perimeter == "full"):
            found.append(
                f"environment.water.drag: with drag_law {self.drag_law} the friction along the body comes "
                "from Reynolds' number and the full perimeter; C1 and `perimeter` have no effect"
            )
        return (*super().notes(), *found)

    def leaves_a_wake(self, robot: Any) -> bool:
        """Whether this robot's tail leaves a wake in it."""
        if self.model == "morison" or self.wake == "none":
            return False
        if not robot.stretches:
            return True
        if self.wake == "tail" or self.tail is not None:
            raise InputError(
                "water.wake: Lighthill's momentum flux would do work inside a body that stretches or "
                "shears; set wake to none, or give the robot strains or joints that do neither"
            )
        return False

    def drag_coefficients(self, a: float, b: float) -> np.ndarray:
        """Per unit length: along, sideways, vertical (N s2/m3), roll (N s2)."""
        C1, C2, C3, C4 = self.drag
        perimeter = np.pi * (a + b) * (0.5 if self.perimeter == "half" else 1.0)
        return 0.5 * self.density * np.array([C1 * perimeter, C2 * 2.0 * b, C3 * 2.0 * a, C4 * (b * b - a * a) ** 2])

    def added_coefficients(self, a: float, b: float) -> np.ndarray:
        """Per unit length: added mass along (0), sideways, vertical (kg/m), added roll inertia (kg m)."""
        if self.form == "none":
            return np.zeros(4)
        C5, C6, C7 = self.inertia
        return self.density * np.pi * np.array([0.0, C5 * b * b, C6 * a * a, C7 * (b * b - a * a) ** 2 / 8.0])

    def pack(self, robot: Robot) -> Pack:
        pieces = segments_of(robot, "water acts")
        if self.active and self.form != "none":
            raise InputError(
                "water with added mass cannot be switched on and off (the momentum of the accelerated fluid would "
                "jump); remove `active`, or set `added_mass: none`"
            )
        if self.surface is not None and self.gravity is None:
            raise InputError(NO_GRAVITY)
        own = self._own_coefficients(robot, pieces)
        sizes = [(piece.half_width, piece.half_height) for piece in pieces]
        drag = np.array([water.drag_coefficients(*size) for water, size in zip(own, sizes, strict=True)])
        mass = np.array([water.added_coefficients(*size) for water, size in zip(own, sizes, strict=True)])
        wakes = (self._wake(robot, pieces, own),) if self.leaves_a_wake(robot) else ()
        added = np.zeros((len(robot.bodies().mass), 21))
        for piece, coefficients in zip(pieces, mass, strict=True):
            added[piece.body] += added_inertia(piece, coefficients)
        if self.is_open:
            laws = pack_open(self, robot, pieces, drag, mass, wakes)
        else:
            laws = (*in_windows(self, self._still_water(pieces, drag, mass)), *wakes)
        return Pack(laws, added, parts=("wake",) * len(wakes), medium=self)

    def _still_water(self, pieces: list[Segment], drag: np.ndarray, mass: np.ndarray) -> PackedLaws:
        return segment_rows(
            MorisonLaw(),
            pieces,
            self.points,
            quadratic=drag[:, :3],
            quadratic_roll=drag[:, 3],
            added=mass[:, :3],
            added_roll=mass[:, 3],
            consistent=self.form == "consistent",
            has_added=self.form != "none",
            current=self.stream,
        )

    def _own_coefficients(self, robot: Robot, pieces: list[Segment]) -> list[Water]:
        """For each piece this water, with the coefficients of the part that it belongs to."""
        if not self.parts:
            return [self] * len(pieces)
        found, used = [], set()
        sliced = in_slices(robot)
        places = stations(robot, pieces) + (0.0 if sliced else 0.5 * np.array([piece.length for piece in pieces]))
        for link, place in zip(links_of(robot, pieces), places, strict=True):
            water = self
            for number, part in enumerate(self.parts):
                if part.is_at(link, float(place)):
                    used.add(number)
                    water = self.changed(drag=part.drag or self.drag, inertia=part.inertia or self.inertia)
            found.append(water)
        for number, part in enumerate(self.parts):
            if number not in used or (sliced and part.links):
                what = f"links {list(part.links)}" if part.links else f"stretch between {part.between} m"
                raise InputError(
                    f"water.parts.{number}: the robot has no {what} in the water; it has "
                    f"{1 + max(links_of(robot, pieces))} links, {float(places[-1]):.3g} m to the last"
                )
        return found

    def _wake(self, robot: Robot, pieces: list[Segment], own: list[Water]) -> PackedLaws:
        """The wrench at the end of the last section, or of the first where the head is the tip."""
        last = robot.head == "base"
        piece, place = end_face(robot, last)
        edge = self.tail or piece
        mass = own[-1 if last else 0].added_coefficients(edge.half_width, edge.half_height)
        law = body_rows(
            WakeLaw(),
            [piece.body],
            start=piece.frame.T @ place,
            frame=piece.frame.ravel(),
            turned=not np.array_equal(piece.frame, np.eye(3)),
            added=mass[:3],
            added_roll=mass[3],
            outward=1.0 if last else -1.0,
            current=self.stream,
            half_width=edge.half_width,
            half_height=edge.half_height,
        )
        return law._replace(part=WAKE)
