"""Water: the wake from where a tail goes, by differences, and what the water beside it has; points of a body that are
under its surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from tests.contracts.witnesses import Array, Case, back, matrix, rate, turned, witness
from tests.contracts.witnesses.chain import LENGTH, bodies

MODEL = "newton-euler"
WIDTH, HEIGHT, DENSITY = 0.02, 0.015, 1000.0
INNER = slice(2, -2)


def edge(data: dict[str, Array]) -> tuple[Array, Array, Array]:
    """Axes of the last link, velocity of its end along them, momentum of the water beside it per length."""
    b = bodies(data)
    R = b.R[:, 2]
    end = b.origin[:, 2] + turned(R, np.broadcast_to([LENGTH[2], 0.0, 0.0], b.origin[:, 2].shape))
    W = back(R, rate(data["time"], end))
    return R, W, DENSITY * np.pi * np.array([0.0, HEIGHT**2, WIDTH**2]) * W


def energy(data: dict[str, Array]) -> Array:
    """Of the water beside the edge, per length."""
    _, W, P = edge(data)
    roll = back(bodies(data).R[:, 2], bodies(data).spin[:, 2])[:, 0]
    return 0.5 * ((W * P).sum(axis=1) + DENSITY * np.pi * (HEIGHT**2 - WIDTH**2) ** 2 / 8.0 * roll**2)


@witness(MODEL, "wake_force")
def momentum_leaves_at_the_tail(case: Case) -> None:
    data = case.of("wet")
    R, W, P = edge(data)
    pressure = energy(data)[:, None] * np.array([1.0, 0.0, 0.0])
    case.same(data["wake_force"][INNER], turned(R, W[:, :1] * P - pressure)[INNER])


@witness(MODEL, "wake_power")
def energy_leaves_at_the_tail(case: Case) -> None:
    data = case.of("wet")
    case.same(data["wake_power"][INNER], (edge(data)[1][:, 0] * energy(data))[INNER])


@witness(MODEL, "wake_reversed")
def the_tail_goes_backwards(case: Case) -> None:
    data = case.of("wet")
    case.same(data["wake_reversed"][INNER], (edge(data)[1][:, 0] > 0.0)[INNER].astype(float))


@witness(MODEL, "immersion")
def points_of_a_section_under_water(case: Case) -> None:
    """Counted on a grid of points inside the cylinders of all links."""
    data = case.of("afloat")
    b = bodies(data)
    radius, angle = np.meshgrid((np.arange(24) + 0.5) / 24, 2 * np.pi * (np.arange(48) + 0.5) / 48, indexing="ij")
    y, z = WIDTH * radius * np.cos(angle), HEIGHT * radius * np.sin(angle)
    found = np.zeros_like(data["immersion"])
    for k, length in enumerate(LENGTH):
        along = length * (np.arange(40) + 0.5) / 40
        points = np.stack(np.broadcast_arrays(along[:, None, None], y, z), axis=-1).reshape(-1, 3)
        height = b.origin[:, k, 2, None] + np.einsum("ri,pi->rp", b.R[:, k, 2], points)
        weight = np.broadcast_to(radius, (40, *radius.shape)).ravel()
        found[:, k] = ((height < 0.5) * weight).sum(axis=1) / weight.sum()
    case.same(data["immersion"], found, 0.01)


@witness(MODEL, "water_velocity")
def a_shear_at_the_middles(case: Case) -> None:
    data = case.of("afloat")
    b = bodies(data)
    middle = b.origin + turned(
        b.R, np.broadcast_to(np.stack([0.5 * LENGTH, 0 * LENGTH, 0 * LENGTH], axis=1), b.origin.shape)
    )
    expected = np.broadcast_to([0.1, -0.2, 0.05], middle.shape) + 0.7 * middle[..., :1] * np.array([0.0, 0.0, 1.0])
    case.same(data["water_velocity"], expected, 1e-9)


# ------------------------------------------------------------------------ straight rods, which fall into waves: by hand

RODS = ("macro-continuous", "soft")
LONG, THICK, LEVEL, HIGH, WAVY = 0.4, 0.03, 0.1, 0.02, 1.5


def into_waves(settings: Any) -> Any:
    """A straight rod that is thrown into the water."""
    wave = {"kind": "waves", "amplitude": HIGH, "length": WAVY, "phase": 0.3}
    water = ll.Water(surface=LEVEL, flow=[wave], wake="tail")
    rod = ll.Rod(strains="universal", length=LONG, half_width=THICK, half_height=THICK, density=700.0)
    return ll.simulate(
        rod,
        ll.BodyWave(amplitude=0.0, growth=0.0),
        [water, ll.Gravity()],
        model=settings,
        step=2e-3,
        duration=0.08,
        record_every=2e-3,
        initial={
            "position": (0.1, 0.0, LEVEL + 0.01),
            "orientation": (0.96, 0.1, 0.2, 0.15),
            "twist": (0.4, 0.3, -0.2, 0.5, -0.3, 0.4),
        },
    ).dataset


def wave(time: Array, place: Array) -> tuple[Array, Array]:
    """Height of the surface over places (T, .., 3), and velocity of the water there, by Airy's formulas in deep
    water."""
    k = 2.0 * np.pi / WAVY
    om = np.sqrt(9.81 * k)
    angle = k * place[..., 0] - om * time.reshape(-1, *(1,) * (place.ndim - 2)) + 0.3
    size = HIGH * om * np.exp(k * (place[..., 2] - LEVEL))
    return LEVEL + HIGH * np.cos(angle), np.stack([size * np.cos(angle), 0.0 * angle, size * np.sin(angle)], axis=-1)


def straight(data: dict[str, Array], along: Array) -> tuple[Array, Array]:
    """Axes of the rod (T, 3, 3) and places (T, S, 3) so far along it."""
    R = matrix(data["base_orientation"])
    return R, data["base_position"][:, None] + along[:, None] * R[:, None, :, 0]


def share_under(data: dict[str, Array], along: Array) -> Array:
    """(T, S) of the sections at these abscissae, by counting points."""
    R, middle = straight(data, along)
    radius, angle = np.meshgrid((np.arange(40) + 0.5) / 40, 2 * np.pi * (np.arange(60) + 0.5) / 60, indexing="ij")
    around = THICK * radius.ravel()[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1).reshape(-1, 2)
    points = middle[:, :, None] + np.einsum("tij,pj->tpi", R[:, :, 1:], around)[:, None]
    under = points[..., 2] < wave(data["time"], points)[0]
    return (under * radius.ravel()).sum(axis=-1) / radius.sum()


@witness(RODS, "immersion")
def points_of_a_straight_rod_under_waves(case: Case) -> None:
    data = case.of("waves")
    case.same(data["immersion"], share_under(data, data["abscissa"]), 0.015)


@witness(RODS, "water_velocity")
def water_below_waves(case: Case) -> None:
    data = case.of("waves")
    case.same(data["water_velocity"], wave(data["time"], straight(data, data["abscissa"])[1])[1], 1e-6)


def rod_edge(data: dict[str, Array]) -> tuple[Array, Array, Array, Array]:
    """Axes, velocity of the tail's end through the world and the water (its axes), immersed share there."""
    R, tail = straight(data, np.array([LONG]))
    V = rate(data["time"], tail[:, 0])
    return R, V, back(R, V - wave(data["time"], tail)[1][:, 0]), share_under(data, np.array([LONG]))[:, 0]


def rod_wake(data: dict[str, Array]) -> tuple[Array, Array]:
    """Force of the wake (world) and velocity of the edge."""
    R, V, W, share = rod_edge(data)
    P = 1000.0 * np.pi * THICK**2 * np.array([0.0, 1.0, 1.0]) * W
    force = W[:, :1] * P - 0.5 * (W * P).sum(axis=1, keepdims=True) * np.array([1.0, 0.0, 0.0])
    return share[:, None] * turned(R, force), V


@witness(RODS, "wake_force")
def momentum_leaves_at_the_tail_of_a_rod(case: Case) -> None:
    data = case.of("waves")
    case.same(data["wake_force"][INNER], rod_wake(data)[0][INNER], 0.015)


@witness(RODS, "wake_power")
def energy_leaves_at_the_tail_of_a_rod(case: Case) -> None:
    data = case.of("waves")
    force, V = rod_wake(data)
    case.same(data["wake_power"][INNER], (force * V).sum(axis=1)[INNER], 0.015)


@witness(RODS, "wake_reversed")
def the_tail_of_a_rod_goes_backwards(case: Case) -> None:
    data = case.of("waves")
    case.same(data["wake_reversed"][INNER], (rod_edge(data)[2][:, 0] > 0.0)[INNER].astype(float))
