"""Bodies, surfaces and wheels of a chain as the tables that contact kernels take: shared by
every model with contacts.

Memory and records of the non-smooth model, as a `ContactProblem` takes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.environments import ContactEnvironment, Environment, WheelContact, Wheels
from limbless.mechanics.chain import BodyRecord, ChainMemory, ChainTables, known_kinds
from limbless.mechanics.contact import (
    MOST,
    PLACED,
    BaseStep,
    BodyInertia,
    BodyOutcome,
    BodyStep,
    BodyVelocity,
    ContactMemory,
    ContactRecord,
    ContactRecords,
    ContactSurface,
    FallbackRequest,
    Feature,
    JointStep,
    LastPose,
    MovingBodies,
    ObjectPose,
    PatchRow,
    Scene,
    SleepState,
    StateLayout,
    Step,
    StepCounters,
    StepRecord,
    WarmStart,
    make_homotopy,
    screw,
)
from limbless.mechanics.contact.shapes.primitives import SURFACE_COLUMNS, PlaneSurface, known_shapes
from limbless.models import filled
from limbless.models.chain.chain_problem import control_start, state_size
from limbless.models.chain.contact.moving_body_tables import (
    ContactBuilder,
    Parts,
    PossibleContact,
    SurroundingBodies,
    moving_bodies_of,
    ranks_of,
    surrounding_bodies,
    with_memory,
)
from limbless.robots import Chain, SkinFriction, Sphere, upper_triangle


def bodies_of(chain: Chain) -> Array:
    """`BodyInertia`: mass, centre of mass and inertia about it of every row, in its kernel frame."""
    own = chain.bodies()
    center = np.divide(own.moment, own.mass[:, None], out=np.zeros_like(own.moment), where=own.mass[:, None] > 0)
    square = np.einsum("bi,bi->b", center, center)[:, None, None] * np.eye(3) - np.einsum("bi,bj->bij", center, center)
    inertia = upper_triangle(own.inertia - own.mass[:, None, None] * square)
    return np.asarray(filled(BodyInertia, len(own.mass), mass=own.mass, center=center, inertia=inertia))


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


class TouchingRobot(NamedTuple):
    """What of a robot can touch something: spheres and capsules in the frames of its bodies."""

    balls: list[tuple[int, Array, Array, float]]  # row of the body, centre twice, radius
    bars: list[tuple[int, Array, Array, float]]
    links: list[int]  # (rows,) number of the link, disk or cell that a body belongs to
    names: list[str]  # (rows,) what messages call it
    order: list[int]  # (rows,) place of each body along the robot
    head: str
    base: str
    skin: SkinFriction | None
    factors: int  # how many links have friction of their own
    # what planes are touched by, by rank: rims of discs too; None: by the spheres alone
    on_planes: list[tuple[float, list[tuple[int, Array, Array, float]]]] | None = None
    # (rows,) abscissae, m: what is nearer along a soft body than it is thick cannot meet
    places: Array | None = None
    # (rows,) length of body that each station of a rod stands for, over its mean: how firm the ground is there for it
    borne: Array | None = None


def touching_chain(chain: Chain) -> TouchingRobot:
    """The spheres of all links, and the capsules between those of one link."""
    spheres, links = _features(chain), [row.link for row in chain.rows]
    return TouchingRobot(
        [(k, c, c, r) for k, c, r in spheres],
        _capsules(spheres),
        links,
        [chain.link_names[link] for link in links],
        list(range(len(links))),
        chain.head,
        chain.base,
        chain.skin,
        len(chain.links),
        _on_planes(chain),
    )


def scene_and_bodies_of(
    robot: TouchingRobot, environment: Sequence[Environment], wheels: Sequence[WheelContact] = ()
) -> tuple[Scene, MovingBodies | None, SurroundingBodies]:
    """All contacts that there can be: spheres and capsules with every surface whose shape asks for them
    (`contact_shape`), every wheel, free objects, and links with each other; and what of all that moves.
    """
    hard = [item for item in environment if isinstance(item, ContactEnvironment)]
    company, balls, bars = surrounding_bodies(environment), robot.balls, robot.bars
    if (hard or company.is_there) and not balls:
        kind = next(item.kind for item in environment if item.role == "contact")
        raise InputError(
            f"{kind!r} touches spheres, and this robot has none: "
            "give its links `contact_shapes`, or take a robot that has them (aiko)"
        )
    for item in hard:
        item.refuse_thick(max((ball[3] for ball in balls), default=0.0))
    surfaces, patches, heights = _surfaces(hard, robot)
    contacts: list[PossibleContact] = []
    shares = [item.factors(robot.factors) for item in hard for _ in range(len(item.windows()) * len(item.shapes()))]
    for j, code in enumerate(ContactSurface.of(surfaces).code):
        contacts += [
            PossibleContact(k, j, [*a, *b, r, rank, shares[j][robot.links[k]]], -1, r)
            for rank, shapes in (
                robot.on_planes
                if robot.on_planes is not None and code == PlaneSurface.code
                else ranks_of(code, balls, bars)
            )
            for k, a, b, r in shapes
        ]
    first = len(robot.links)
    if company.is_there:
        parts = Parts([(*ball, 1.0) for ball in balls], [(*bar, 1.0) for bar in bars])
        scenery = ContactBuilder(company, first, surfaces, parts)
        scenery.build(robot.links, robot.places)
        contacts += scenery.contacts
        surfaces = np.concatenate([surfaces, *scenery.rows])
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
    along = [*robot.order, *range(first, first + len(company.objects))]  # sweeps meet contacts from the tip on
    contacts.sort(key=lambda contact: (along[contact.owner], contact.surface))
    owner, surface = (np.array([contact[side] for contact in contacts], dtype=np.int64) for side in range(2))
    features = Feature.zeros(len(contacts))
    features[:, : Feature.width] = np.reshape([contact.feature for contact in contacts], (-1, Feature.width))
    moving = moving_bodies_of(company, scenery, contacts, first) if company.is_there else None
    carried = [] if moving is None else scenery.carried
    extent = _extent(first + len(company.objects), owner, surface, features, surfaces, carried)
    scene = Scene(_shapes_in(surfaces), owner, surface, features, surfaces, patches, heights, extent)
    return scene, moving, company


def _surfaces(hard: Sequence[ContactEnvironment], robot: TouchingRobot) -> tuple[Array, Array, Array]:
    """Rows of all surfaces and patches, and all heights with one number behind them."""
    rows: list[Array] = []
    patches: list[Array] = []
    heights = [np.zeros(0)]
    for item in hard:
        surfaces = item.surfaces(robot.head, robot.skin, sum(map(len, heights)))
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
    return SleepState(
        LastPose.zeros(bodies),
        np.zeros(bodies),
        np.zeros(contacts),
        np.ones(contacts, dtype=np.int64),
        np.full(contacts, -1, dtype=np.int64) if moving_bodies is None else moving_bodies.other,
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


def with_kinds(robot: ChainTables) -> ChainTables:
    """Of several kinds of joints, those that this model knows."""
    if len(robot.kinds) == 1:
        return robot
    return robot._replace(kinds=tuple(kind() for kind in known_kinds if kind in screw.versions))


def where_of(robot: ChainTables, contacts: int, objects: int, control: int = 0) -> StateLayout:
    """Where the parts of a flat state begin; `control`: numbers of controllers."""
    bodies, freedoms, size = len(robot.links.codes) + objects, len(robot.freedoms), state_size(robot, control)
    ends = size + np.cumsum(
        [0, 6 + freedoms, BodyVelocity.width * bodies, WarmStart.width * contacts, freedoms, freedoms, PLACED * objects]
    )
    return StateLayout(control_start(robot), control_start(robot) + control, *map(int, ends))


def memory_for(
    chain: ChainMemory, scene: Scene, moving_bodies: MovingBodies | None, contacts: Any, rubs: bool, cells: Any = None
) -> ContactMemory:
    """Working memory of a run: that of the chain and of objects, of contacts, and of cells that are solved with them;
    whether joints rub.
    """
    bodies, freedoms, count = len(chain.bodies), len(chain.torque), len(scene.owner)
    step = Step(
        chain.bodies,
        chain.axes,
        BodyStep.zeros(bodies),
        JointStep.zeros(freedoms),
        BaseStep.zeros(1),
        np.zeros(freedoms),
        contacts,
        scene.owner,
        np.zeros(count, dtype=np.int64),
        np.zeros((6, 7)),
        with_memory(moving_bodies, bodies),
        chain.clamp,
        cells,
    )
    return ContactMemory(
        chain,
        step,
        BodyOutcome.zeros(bodies),
        sleep_state_of(scene, bodies, moving_bodies),
        make_homotopy(WarmStart.width * min(count, MOST) + (2 * freedoms if rubs else 0)),
        StepCounters.zeros(1),
        FallbackRequest.zeros(1),
    )


def records_for(robot: ChainTables, contacts: int, objects: int, count: int, tally: Any, size: int) -> ContactRecords:
    """Memory for `count` records, and for as many of `tally`."""
    return ContactRecords(
        np.zeros((count, size)),
        np.zeros((count, len(robot.freedoms))),
        BodyRecord.zeros(count, len(robot.links.codes) + objects),
        ContactRecord.zeros(count, contacts),
        StepRecord.zeros(count),
        tally,
        ObjectPose.zeros(count, objects),
    )
