"""Bodies, surfaces and wheels of a chain as the tables that contact kernels take: shared by
every model with contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError
from limbless.environments.base import Environment
from limbless.environments.hard_surface import ContactEnvironment
from limbless.environments.wheels import WheelContact, Wheels
from limbless.mechanics.contact import (
    BodyInertia,
    ContactSurface,
    Feature,
    LastPose,
    MovingBodies,
    PatchRow,
    Scene,
    SleepState,
)
from limbless.mechanics.contact.shapes.primitives import SURFACE_COLUMNS, PlaneSurface, known_shapes
from limbless.models.chain.contact.moving_body_tables import (
    ContactBuilder,
    Parts,
    PossibleContact,
    SurroundingBodies,
    moving_bodies_of,
    ranks_of,
    surrounding_bodies,
)
from limbless.robots.chain import Chain
from limbless.robots.links import Sphere, upper_triangle

Array = NDArray[np.float64]


def bodies_of(chain: Chain) -> Array:
    """`BodyInertia`: mass, centre of mass and inertia about it of every row, in its kernel frame."""
    own = chain.bodies()
    table = BodyInertia.zeros(len(own.mass))
    solid = BodyInertia.of(table)
    center = np.divide(own.moment, own.mass[:, None], out=np.zeros_like(own.moment), where=own.mass[:, None] > 0)
    square = np.einsum("bi,bi->b", center, center)[:, None, None] * np.eye(3) - np.einsum("bi,bj->bij", center, center)
    solid.mass[:], solid.center[:] = own.mass, center
    solid.inertia[:] = upper_triangle(own.inertia - own.mass[:, None, None] * square)
    return table


def largest_inertia(bodies: Array) -> Array:
    """(rows,) largest of the three moments of inertia about the centre of mass."""
    return BodyInertia.of(bodies).inertia[:, [0, 3, 5]].max(axis=1)


def _shapes(chain: Chain) -> list[tuple[int, Array, Sphere]]:
    """Spheres and discs of the robot: row of the body, centre in its kernel frame, description."""
    return [
        (k, row.home @ np.array(shape.centre), shape)
        for k, row in enumerate(chain.rows)
        if row.carries
        for shape in chain.links[row.link].contact_shapes
    ]


def _features(chain: Chain) -> list[tuple[int, Array, float]]:
    """Spheres of the robot, and those around its discs: row of the body, centre in its kernel frame, radius."""
    return [(k, centre, shape.radius + shape.rim) for k, centre, shape in _shapes(chain)]


def _on_planes(chain: Chain) -> list[tuple[float, list[tuple[int, Array, Array, float]]]]:
    """What a plane is touched by, by rank: spheres, and the rims of discs."""
    balls = [(k, c, c, shape.radius) for k, c, shape in _shapes(chain) if not shape.rim]
    rims = [
        (k, c, c + chain.rows[k].home @ (shape.rim * np.array(shape.axis)), shape.radius)
        for k, c, shape in _shapes(chain)
        if shape.rim
    ]
    return [(0.0, balls), (3.0, rims)]


def _capsules(spheres: list[tuple[int, Array, float]]) -> list[tuple[int, Array, Array, float]]:
    """Between consecutive spheres of one body; a lone sphere is a capsule without length."""
    found = []
    for k in dict.fromkeys(body for body, _, _ in spheres):
        own = [(center, radius) for body, center, radius in spheres if body == k]
        pairs = list(pairwise(own)) or [(own[0], own[0])]
        found += [(k, a, b, min(r, s)) for (a, r), (b, s) in pairs]
    return found


def wheel_contacts(chain: Chain, environment: Sequence[Environment]) -> list[WheelContact]:
    """All wheels with set-valued friction."""
    return [
        contact
        for item in environment
        if isinstance(item, Wheels) and item.role == "friction"
        for contact in item.contacts(chain)
    ]


def scene_of(chain: Chain, environment: Sequence[Environment]) -> Scene:
    """All contacts that there can be: spheres and capsules with every surface whose shape asks for them
    (`contact_shape`); every wheel.
    """
    return scene_and_bodies_of(chain, environment)[0]


def scene_and_bodies_of(
    chain: Chain, environment: Sequence[Environment]
) -> tuple[Scene, MovingBodies | None, SurroundingBodies]:
    """The same, with the contacts of free objects and of links with each other, and what of all that moves."""
    hard = [item for item in environment if isinstance(item, ContactEnvironment)]
    company, spheres = surrounding_bodies(environment), _features(chain)
    if (hard or company.is_there) and not spheres:
        kind = next(item.kind for item in environment if item.role == "contact")
        raise InputError(
            f"{kind!r} touches spheres, and this robot has none: "
            "give its links `contact_shapes`, or take a robot that has them (aiko)"
        )
    for item in hard:
        item.refuse_thick(max((radius for _, _, radius in spheres), default=0.0))
    surfaces, patches, heights = _surfaces(hard, chain)
    contacts: list[PossibleContact] = []
    shares = [item.factors(len(chain.links)) for item in hard for _ in range(len(item.windows()) * len(item.shapes()))]
    balls, bars = [(k, c, c, r) for k, c, r in spheres], _capsules(spheres)
    for j, code in enumerate(ContactSurface.of(surfaces).code):
        share = [shares[j][row.link] for row in chain.rows]
        contacts += [
            PossibleContact(k, j, [*a, *b, r, rank, share[k]], -1, r)
            for rank, shapes in (_on_planes(chain) if code == PlaneSurface.code else ranks_of(code, balls, bars))
            for k, a, b, r in shapes
        ]
    first = len(chain.rows)
    if company.is_there:
        robot = Parts([(*ball, 1.0) for ball in balls], [(*bar, 1.0) for bar in bars])
        scenery = ContactBuilder(company, first, surfaces, robot)
        scenery.build([row.link for row in chain.rows])
        contacts += scenery.contacts
        surfaces = np.concatenate([surfaces, *scenery.rows])
    wheels = wheel_contacts(chain, environment)
    contacts += [
        PossibleContact(
            wheel.body,
            len(surfaces) + number,
            list(wheel.feature[: Feature.width]),
            -1,
            float(Feature.of(wheel.feature).radius),
        )
        for number, wheel in enumerate(wheels)
    ]
    surfaces = np.concatenate([surfaces, *(wheel.surface[None] for wheel in wheels)])
    contacts.sort(key=lambda contact: (contact.owner, contact.surface))
    owner, surface = (np.array([contact[side] for contact in contacts], dtype=np.int64) for side in range(2))
    features = Feature.zeros(len(contacts))
    for row, contact in zip(features, contacts, strict=True):
        row[: Feature.width] = contact.feature
    carried = scenery.carried if company.is_there else []
    extent = _extent(first + len(company.objects), owner, surface, features, surfaces, carried)
    scene = Scene(_shapes_in(surfaces), owner, surface, features, surfaces, patches, heights, extent)
    return scene, moving_bodies_of(company, scenery, contacts, first) if company.is_there else None, company


def _surfaces(hard: Sequence[ContactEnvironment], chain: Chain) -> tuple[Array, Array, Array]:
    """Rows of all surfaces and patches, and all heights with one number behind them."""
    rows: list[Array] = []
    patches: list[Array] = []
    heights = [np.zeros(0)]
    for item in hard:
        surfaces = item.surfaces(chain.head, chain.skin, sum(map(len, heights)))
        PatchRow.of(surfaces.patches).surface[:] += sum(map(len, rows))
        rows.append(surfaces.rows)
        patches.append(surfaces.patches)
        heights.append(surfaces.heights)
    return (
        np.concatenate([np.zeros((0, SURFACE_COLUMNS)), *rows]),
        np.concatenate([np.zeros((0, PatchRow.width)), *patches]),
        np.concatenate([*heights, np.zeros(1)]),
    )


def _shapes_in(surfaces: Array) -> tuple[Any, ...]:
    """The kinds of shapes that kernels choose among: those that there are."""
    present = sorted({int(code) for code in ContactSurface.of(surfaces).code})
    return tuple(known_shapes[code].shape() for code in present) or (PlaneSurface(),)


def surface_names(environment: Sequence[Environment]) -> list[str]:
    """What each row of a scene's surfaces is called in a sentence: `ground`, or `boxes 2` for
    the second of several boxes.
    """
    names = []
    for item in environment:
        if isinstance(item, ContactEnvironment):
            kind, shapes = item.kind, len(item.shapes())
            names += [
                kind if shapes == 1 else f"{kind} {number + 1}" for _ in item.windows() for number in range(shapes)
            ]
    return names


def _extent(
    bodies: int,
    owner: NDArray[np.int64],
    surface: NDArray[np.int64],
    features: Array,
    surfaces: Array,
    carried: Sequence[tuple[int, int, bool, Array, Array]],
) -> Array:
    """How far features, and the surfaces that bodies carry, reach from the origins of their bodies; empty where no
    shape lets its contacts sleep.
    """
    if not any(known_shapes[int(code)].sleeps for code in np.unique(ContactSurface.of(surfaces).code[surface])):
        return np.zeros(0)
    extent, feature = np.zeros(bodies), Feature.of(features)
    ends = np.maximum(np.linalg.norm(feature.begin, axis=1), np.linalg.norm(feature.end, axis=1))
    np.maximum.at(extent, owner, np.maximum(ends, 1e-9))  # a feature at the origin moves too
    for body, _, _, begin, end in carried:
        extent[body] = max(extent[body], float(np.linalg.norm(begin)), float(np.linalg.norm(end)), 1e-9)
    return extent


def sleep_state_of(scene: Scene, bodies: int, moving_bodies: MovingBodies | None = None) -> SleepState:
    """Everything awake."""
    contacts = len(scene.owner)
    partner = np.full(contacts, -1, dtype=np.int64) if moving_bodies is None else moving_bodies.other
    return SleepState(
        LastPose.zeros(bodies), np.zeros(bodies), np.zeros(contacts), np.ones(contacts, dtype=np.int64), partner
    )


def mobility(chain: Chain, environment: Sequence[Environment], bodies: Array) -> float:
    """G0 = 1/m + arm²/Θ, 1/kg: what an impulse at a typical sphere or wheel moves; it scales compliance and descent
    of the solver.
    """
    values = []
    solid, inertia = BodyInertia.of(bodies), largest_inertia(bodies)
    wheels = [(wheel.body, Feature.of(wheel.feature).begin) for wheel in wheel_contacts(chain, environment)]
    for k, center in [*((k, center) for k, center, _ in _features(chain)), *wheels]:
        m, arm = solid.mass[k], float(np.linalg.norm(center - solid.center[k]))
        if m > 0.0 and inertia[k] > 0.0:
            values.append(1.0 / m + arm * arm / inertia[k])
    return float(np.mean(values)) if values else 1.0 / max(float(solid.mass.sum()), 1e-9)
