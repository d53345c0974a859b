"""Bodies, surfaces and wheels of a chain as the tables that contact kernels take: shared by every model with contacts."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Environment
from limbless.environments.surfaces import ContactEnvironment
from limbless.environments.wheels import Wheels, WheelSlot
from limbless.errors import InputError
from limbless.mechanics.contact import gap as gaps
from limbless.mechanics.contact.bodies import BODY_COLUMNS, CENTER, CENTRAL, MASS
from limbless.mechanics.contact.gap import Rest, Scene
from limbless.robots.chain import Chain
from limbless.robots.links import upper_triangle

Array = NDArray[np.float64]


def bodies_of(chain: Chain) -> Array:
    """Mass, centre of mass and inertia about it of every row, in its kernel frame."""
    own = chain.bodies()
    table = np.zeros((len(own.mass), BODY_COLUMNS))
    center = np.divide(own.moment, own.mass[:, None], out=np.zeros_like(own.moment), where=own.mass[:, None] > 0)
    table[:, MASS], table[:, CENTER:CENTER + 3] = own.mass, center
    square = np.einsum("bi,bi->b", center, center)[:, None, None] * np.eye(3) - np.einsum("bi,bj->bij", center, center)
    table[:, CENTRAL:CENTRAL + 6] = upper_triangle(own.inertia - own.mass[:, None, None] * square)
    return table


def _features(chain: Chain) -> list[tuple[int, Array, float]]:
    """Spheres of the robot: row of the body, centre in its kernel frame, radius."""
    found = []
    for k, row in enumerate(chain.rows):
        if row.carries:
            found += [(k, row.home @ np.array(shape.centre), shape.radius) for shape in chain.links[row.link].contact_shapes]
    return found


def _capsules(spheres: list[tuple[int, Array, float]]) -> list[tuple[int, Array, Array, float]]:
    """Between consecutive spheres of one body; a lone sphere is a capsule without length."""
    found = []
    for k in dict.fromkeys(body for body, _, _ in spheres):
        own = [(center, radius) for body, center, radius in spheres if body == k]
        pairs = list(pairwise(own)) or [(own[0], own[0])]
        found += [(k, a, b, min(r, s)) for (a, r), (b, s) in pairs]
    return found


def wheel_slots(chain: Chain, environment: Sequence[Environment]) -> list[WheelSlot]:
    """All wheels with set-valued friction."""
    return [slot for item in environment if isinstance(item, Wheels) and item.role == "friction" for slot in item.slots(chain)]


def scene_of(chain: Chain, environment: Sequence[Environment]) -> Scene:
    """All slots: every sphere with every plane, box and field, every capsule with every peg, box and field; every wheel."""
    hard = [item for item in environment if isinstance(item, ContactEnvironment)]
    spheres = _features(chain)
    if hard and not spheres:
        raise InputError(f"{hard[0].kind!r} touches spheres, and this robot has none: "
                         "give its links `contact_shapes`, or take a robot that has them (aiko)")
    rows: list[Array] = []
    patches: list[Array] = []
    heights = [np.zeros(0)]
    for item in hard:
        surfaces = item.surfaces(chain.head)
        fields = surfaces.rows[:, gaps.CODE] == gaps.FIELD
        surfaces.rows[fields, gaps.SHAPE + 6] = sum(map(len, heights))
        surfaces.patches[:, 0] += sum(map(len, rows))
        rows.append(surfaces.rows)
        patches.append(surfaces.patches)
        heights.append(surfaces.heights)
    surfaces_table = np.concatenate([np.zeros((0, gaps.SURFACE_COLUMNS)), *rows])
    slots = []
    for j, row in enumerate(surfaces_table):
        code = row[gaps.CODE]
        balls = [(k, c, c, r) for k, c, r in spheres] if code != gaps.PEG else []
        bars = _capsules(spheres) if code != gaps.PLANE else []
        ranks = [(0.0, balls), *([(1.0, balls)] if code == gaps.FIELD else []), (2.0, bars)]
        slots += [(k, j, [*a, *b, r, rank]) for rank, shapes in ranks for k, a, b, r in shapes
                  if not (rank == 2.0 and code != gaps.PEG and np.array_equal(a, b))]
    wheels = wheel_slots(chain, environment)
    slots += [(wheel.body, len(surfaces_table) + number, list(wheel.feature)) for number, wheel in enumerate(wheels)]
    surfaces_table = np.concatenate([surfaces_table, *(wheel.surface[None] for wheel in wheels)])
    slots.sort(key=lambda slot: (slot[0], slot[1]))
    owner, surface = (np.array([slot[side] for slot in slots], dtype=np.int64) for side in range(2))
    features = np.array([slot[2] for slot in slots], dtype=np.float64).reshape(-1, gaps.FEATURE_COLUMNS)
    return Scene(owner, surface, features, surfaces_table, np.concatenate([np.zeros((0, gaps.PATCH_COLUMNS)), *patches]),
                 np.concatenate([*heights, np.zeros(1)]), _rest(len(chain.rows), owner, surface, features, surfaces_table))


def surface_names(environment: Sequence[Environment]) -> list[str]:
    """What each row of a scene's surfaces is called in a sentence: `ground`, or `boxes 2` for the second of several boxes."""
    names = []
    for item in environment:
        if isinstance(item, ContactEnvironment):
            kind, shapes = item.kind, len(item.shapes())
            names += [kind if shapes == 1 else f"{kind} {number + 1}" for _ in item.windows() for number in range(shapes)]
    return names


def _rest(bodies: int, owner: NDArray[np.int64], surface: NDArray[np.int64], features: Array, surfaces: Array) -> Rest:
    """Everything awake; pegs and boxes can be left to sleep."""
    extent = np.zeros(bodies)
    if not np.isin(surfaces[surface, gaps.CODE], (gaps.PEG, gaps.BOX)).any():
        extent = np.zeros(0)
    else:
        ends = np.linalg.norm(features[:, :6].reshape(-1, 2, 3), axis=2).max(axis=1)
        np.maximum.at(extent, owner, np.maximum(ends, 1e-9))             # a feature at the origin moves too
    return Rest(extent, np.zeros((bodies, 12)), np.zeros(bodies), np.zeros(len(owner)), np.ones(len(owner), dtype=np.int64))


def mobility(chain: Chain, environment: Sequence[Environment], bodies: Array) -> float:
    """G0 = 1/m + arm²/Θ, 1/kg: what an impulse at a typical sphere or wheel moves; it scales compliance and descent of the solver."""
    values = []
    wheels = [(wheel.body, wheel.feature[gaps.BEGIN:gaps.BEGIN + 3]) for wheel in wheel_slots(chain, environment)]
    for k, center in [*((k, center) for k, center, _ in _features(chain)), *wheels]:
        m = bodies[k, MASS]
        arm = float(np.linalg.norm(center - bodies[k, CENTER:CENTER + 3]))
        across = float(bodies[k, [CENTRAL, CENTRAL + 3, CENTRAL + 5]].max())
        if m > 0.0 and across > 0.0:
            values.append(1.0 / m + arm * arm / across)
    return float(np.mean(values)) if values else 1.0 / max(float(bodies[:, MASS].sum()), 1e-9)
