"""Free objects and links that touch each other, as the tables of a `MovingBodies`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array, InputError
from limbless.environments import Environment, Water, flows_of, surface_of, surface_row
from limbless.environments.object_water import in_water
from limbless.environments.objects import FreeObject, SelfContact
from limbless.mechanics.algebra import Quaternion, Vector, matrix_to_quaternion
from limbless.mechanics.compiled import LANES
from limbless.mechanics.contact import (
    MOST_MUTUAL,
    PLACED,
    BluntBodyDrag,
    BodyInertia,
    BodyVelocity,
    CarriedSurface,
    ContactSurface,
    Factors,
    Hull,
    ImpulseResponse,
    MovingBodies,
    ObjectPose,
    ObjectsInWater,
    ObjectStep,
    ResponseFactor,
    Rule,
    UniformField,
)
from limbless.mechanics.contact.shapes.carried_shapes import Corner, MovingCapsule, MovingCuboid
from limbless.mechanics.contact.shapes.primitives import SHAPE, known_shapes
from limbless.models import filled
from limbless.robots.links import upper_triangle

_WET = ("buoyancy", "drag", "body-drag")
_POINTS = 8  # Gauss points on each stretch of a round object that water cuts
APART = 3.0  # radii along a soft body: what is nearer than this bends away, and does not touch


Material = tuple[list[float], float]
"""Friction along, against, across and in rolling, and restitution."""


class PossibleContact(NamedTuple):
    """A contact that there can be: a feature of a body with a surface, which `other` carries (-1: it does not move)."""

    owner: int
    surface: int
    feature: list[float]
    other: int = -1
    size: float = 1.0


class Parts(NamedTuple):
    """Spheres and capsules of one body: (row, end, end, radius, friction as a multiple)."""

    balls: list[tuple[int, Array, Array, float, float]]
    bars: list[tuple[int, Array, Array, float, float]]


class SurroundingBodies(NamedTuple):
    """What a robot has around it that moves."""

    objects: tuple[FreeObject, ...]
    names: tuple[str, ...]
    links: SelfContact | None
    pulls: Array
    water: Water | None

    @property
    def is_there(self) -> bool:
        return bool(self.objects) or self.links is not None


def surrounding_bodies(environment: Sequence[Environment]) -> SurroundingBodies:
    """All free objects, and whether links touch each other."""
    free = [named for item in environment for named in item.free_bodies()]
    names, bodies = tuple(name for name, _ in free), tuple(body for _, body in free)
    links = [item for item in environment if isinstance(item, SelfContact)]
    if len(links) > 1:
        raise InputError(f"environment: self-contact is listed {len(links)} times; once is enough")
    water = _water_around(bodies, names, environment)
    fields = [
        (start, end, *item.pull) for item in environment if item.pull is not None for start, end in item.windows()
    ]
    pulls = UniformField.zeros(len(fields))
    pulls[:, : UniformField.width] = np.reshape(fields, (-1, UniformField.width))
    return SurroundingBodies(bodies, names, links[0] if links else None, pulls, water)


def _water_around(
    bodies: Sequence[FreeObject], names: Sequence[str], environment: Sequence[Environment]
) -> Water | None:
    """The water that objects are in; None where there is none, or there are no objects."""
    if not bodies:
        return None
    other = [item.kind for item in environment if item.kind in _WET]
    if other:
        raise InputError(
            f"environment: {other[0]} acts on the robot and not on free objects, so that these would be "
            f"as in air; leave out {other[0]!r} or 'objects', or take 'water', which acts on both"
        )
    waters = [item for item in environment if isinstance(item, Water)]
    if not waters:
        stated = [
            (name, field)
            for name, body in zip(names, bodies, strict=True)
            for field in ("drag", "added_mass")
            if getattr(body, field) is not None
        ]
        if stated:
            raise InputError(
                f"objects: {stated[0][0]!r} states {stated[0][1]}, which water needs, and there is none; "
                "leave it out, or add 'water'"
            )
        return None
    water = waters[0].among(environment)
    if len(waters) > 1:
        raise InputError("environment: objects take one water at a time; leave the others out")
    if water.form == "paper" or water.active:
        raise InputError(
            "environment: objects carry the momentum of the water along, all the time; leave out "
            "water.active, and set water.model to lighthill, or water.added_mass to consistent or none"
        )
    if water.gravity is None and any(item.pull is not None for item in environment):
        raise InputError(
            "water.gravity: objects have weight, and deep water without gravity of its own lifts nothing; "
            "state water.gravity, as [0, 0, -9.81], or a water.surface, or leave `gravity` out"
        )
    return water


def soaked(company: SurroundingBodies) -> ObjectsInWater | None:
    """What objects feel of the water around."""
    water = company.water
    if water is None:
        return None
    wet, carried = [in_water(body) for body in company.objects], 0.0 if water.form == "none" else water.density
    table = filled(
        Hull,
        len(wet),
        half=[body.half for body in company.objects],
        box=[body.sizes is not None for body in company.objects],
        volume=[own.volume for own in wet],
        displaced=[water.density * own.volume for own in wet],
        added=[carried * own.added for own in wet],
        added_turn=[carried * own.added_turn for own in wet],
        quadratic=[water.density * own.drag for own in wet],
        quadratic_turn=[water.density * own.drag_turn for own in wet],
        gravity=(0.0, 0.0, 0.0) if water.gravity is None else water.gravity,
    )
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    return ObjectsInWater(
        flows_of(water), surface_of(water), BluntBodyDrag(), table, Rule(0.5 * (nodes + 1.0), 0.5 * weights)
    )


class ContactBuilder:
    """Surfaces and contacts of a crowd, one after the other."""

    def __init__(self, company: SurroundingBodies, first: int, surfaces: Array, robot: Parts) -> None:
        self.company, self.first, self.robot = company, first, robot
        self.fixed = surfaces
        self.rows: list[Array] = []
        self.contacts: list[PossibleContact] = []
        self.carried: list[tuple[int, int, bool, Array, Array]] = []
        self.parts = [_parts(first + number, body) for number, body in enumerate(company.objects)]

    def build(self, links: Sequence[int], places: Array | None = None) -> None:
        """All contacts; `links` are those of the robot's rows, or the cells of a soft body, with their `places`."""
        for number, body in enumerate(self.company.objects):
            self._on_fixed(number, body)
            self._touch_object(self.robot, number, _material(body))
            for other in range(number):
                self._touch_each_other(other, number)
        if self.company.links is not None:
            self._touch_links(self.company.links, links, places)

    def _surface(
        self, code: int, numbers: Sequence[float], material: Material, window: tuple[float, float] = (-np.inf, np.inf)
    ) -> int:
        """The number of another surface, which is there from one time to another (s)."""
        row = surface_row(code, numbers, *material)
        ContactSurface.of(row).since[:], ContactSurface.of(row).until[:] = window
        self.rows.append(row)
        return len(self.fixed) + len(self.rows) - 1

    def _on_fixed(self, number: int, body: FreeObject) -> None:
        """An object on everything hard, with its own friction."""
        material, least = _material(body), float(body.half.min())
        for row in self.fixed:
            code, window = int(row[0]), (row[1], row[2])
            j = self._surface(code, row[SHAPE:], material, window)
            for rank, (k, a, b, r, _) in touching(code, self.parts[number]):
                self.contacts.append(PossibleContact(k, j, [*a, *b, r, rank, 1.0], -1, r or least))
            corners = known_shapes[code].corners
            if body.sizes is not None and corners is not None:  # the faces of a box on corners that do not move
                crate = self._crate(number, material)
                for corner in corners(row[SHAPE:]):
                    j = self._surface(Corner.code, [*corner, crate], material, window)
                    self.contacts.append(PossibleContact(self.first + number, j, [*np.zeros(8), 1.0], -1, least))

    def _crate(self, number: int, material: Material) -> int:
        """The surface that a box carries along."""
        half = self.company.objects[number].half
        j = self._surface(MovingCuboid.code, [*np.zeros(3), *np.eye(3).ravel(), *half], material)
        self.carried.append((self.first + number, j, True, np.zeros(3), half))
        return j

    def _touch_object(self, parts: Parts, number: int, material: Material) -> None:
        """What can touch an object: spheres and capsules of another body."""
        body, k = self.company.objects[number], self.first + number
        axis = body.round()
        if axis is None:
            j = self._crate(number, material)
        else:
            j = self._surface(MovingCapsule.code, [*axis[0], *axis[1], axis[2]], material)
            self.carried.append((k, j, False, axis[0], axis[1]))
        for rank, (owner, a, b, r, share) in touching(MovingCuboid.code if axis is None else MovingCapsule.code, parts):
            size = r or float(min(body.half.min(), self.company.objects[owner - self.first].half.min()))
            self.contacts.append(PossibleContact(owner, j, [*a, *b, r, rank, share], k, size))

    def _touch_each_other(self, one: int, two: int) -> None:
        """Two objects: the round one is the feature; of two boxes, the corners of both and the edges of one."""
        a, b = self.company.objects[one], self.company.objects[two]
        friction = [min(pair) for pair in zip(_material(a)[0], _material(b)[0], strict=True)]
        both = (friction, min(a.restitution, b.restitution))
        if a.sizes is not None and b.sizes is None:
            one, two = two, one
        self._touch_object(self.parts[one], two, both)
        if a.sizes is not None and b.sizes is not None:
            self._touch_object(self.parts[two]._replace(bars=[]), one, both)

    def _touch_links(self, item: SelfContact, links: Sequence[int], places: Array | None) -> None:
        """Capsules of links that are far enough from each other along the robot."""

        def far(k: int, other: int, radius: float) -> bool:
            return places is None or bool(places[k] - places[other] > APART * radius)

        for k, a, b, r, _ in self.robot.bars:
            near = [bar for bar in self.robot.bars if links[k] - links[bar[0]] >= item.apart and far(k, bar[0], r)]
            if near:
                j = self._surface(MovingCapsule.code, [*a, *b, r], _material(item))
                self.carried.append((k, j, False, a, b))
                self.contacts += [
                    PossibleContact(owner, j, [*p, *q, s, 0.0, 1.0], k, min(r, s)) for owner, p, q, s, _ in near
                ]


def ranks_of(code: float, balls: list[Any], bars: list[Any]) -> list[tuple[float, list[Any]]]:
    """Which spheres and capsules a surface of this code is touched by, by their rank."""
    pairing = known_shapes[int(code)]
    measured = {"all": bars, "between": [bar for bar in bars if not np.array_equal(bar[1], bar[2])], "none": []}
    return [*((float(rank), balls) for rank in range(pairing.spheres)), (2.0, measured[pairing.capsules])]


def touching(code: float, parts: Parts) -> list[tuple[float, tuple[int, Array, Array, float, float]]]:
    """Rank and feature of everything of a body that a surface of this code is touched by."""
    return [(rank, part) for rank, found in ranks_of(code, parts.balls, parts.bars) for part in found]


def _material(body: FreeObject | SelfContact) -> Material:
    return [body.friction, body.friction, body.friction, body.rolling], body.restitution


def _parts(row: int, body: FreeObject) -> Parts:
    axis = body.round()
    if axis is None:
        return Parts(
            [(row, corner, corner, 0.0, 1.0) for corner in body.corners()],
            [(row, a, b, 0.0, 1.0) for a, b in body.edges()],
        )
    a, b, r = axis
    ends = [a] if np.array_equal(a, b) else [a, b]
    return Parts([(row, end, end, r, 1.0) for end in ends], [(row, a, b, r, 1.0)])


def moving_bodies_of(
    company: SurroundingBodies, scenery: ContactBuilder, contacts: Sequence[PossibleContact], first: int
) -> MovingBodies:
    """The tables of a crowd, without the memory of a run."""
    other = np.array([contact.other for contact in contacts], dtype=np.int64)
    owner = np.array([contact.owner for contact in contacts], dtype=np.int64)
    on_robot = ((owner < first) & ((other < 0) | (other >= first))).astype(np.int64)
    columns = dict(zip(CarriedSurface.fields, zip(*scenery.carried, strict=True), strict=False))
    return MovingBodies(
        first,
        other,
        on_robot,
        np.array([contact.size for contact in contacts]),
        filled(CarriedSurface, len(scenery.carried), **columns),
        company.pulls,
        ObjectStep.zeros(0),
        ImpulseResponse.zeros(0, words=(LANES,)),
        ResponseFactor.zeros(0),
        factors_of(0),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, 1)),
        np.zeros((0, 0)),
        np.zeros((0, 0, LANES)),
        np.zeros((0, 1)),
        np.zeros(1, dtype=np.int64),
        soaked(company),
    )


def with_memory(moving_bodies: MovingBodies | None, bodies: int) -> MovingBodies | None:
    """The same with working memory of its own, for so many bodies and objects."""
    if moving_bodies is None:
        return None
    rows = 5 * min(int((moving_bodies.other >= 0).sum()), MOST_MUTUAL)
    wide = np.empty((rows, -(-rows // LANES), LANES))  # large, and never read before it is written
    return moving_bodies._replace(
        free=ObjectStep.zeros(bodies - moving_bodies.first),
        answers=ImpulseResponse.zeros(bodies, words=(LANES,)),
        lifts=ResponseFactor.zeros(bodies),
        factors=factors_of(bodies - moving_bodies.first),
        row=np.zeros(rows, dtype=np.int64),
        start=np.zeros((rows, 1)),
        response=wide.reshape(rows, -1),
        wide=wide,
        matrix=np.empty((rows, rows + 1)),
        crowded=np.zeros(1, dtype=np.int64),
    )


def factors_of(objects: int) -> Factors:
    """Memory for the factors of a base and so many objects."""
    count = objects + 1
    return Factors(
        np.zeros((count, 6, 6)),
        np.zeros((count, 6), dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros((2, 6)),
        np.zeros((2, 6, LANES)),
    )


def solids_of(objects: Sequence[FreeObject]) -> Array:
    """`BodyInertia` of all objects."""
    own = [body.mass_and_inertia() for body in objects]
    return np.asarray(
        filled(
            BodyInertia,
            len(objects),
            mass=[mass for mass, _ in own],
            inertia=[upper_triangle(np.diag(inertia)) for _, inertia in own],
        )
    )


def put_objects(objects: Sequence[FreeObject], x: Array, place: int, speeds: int) -> None:
    """Where and how fast objects start, into a state: their `ObjectPose` from `place`, their
    `BodyVelocity` from `speeds` on.
    """
    for number, body in enumerate(objects):
        placed, moving = ObjectPose(x, place + PLACED * number), BodyVelocity(x, speeds + BodyVelocity.width * number)
        placed.origin, placed.turn = Vector(*body.position), Quaternion(*matrix_to_quaternion(body.rotation()))
        moving.linear, moving.angular = Vector(*body.velocity), Vector(*body.spin)
