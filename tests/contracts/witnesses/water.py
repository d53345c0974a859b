"""The wake of a chain: from where its tail goes, by differences, and what the water beside it has."""
from __future__ import annotations

import numpy as np

from tests.contracts.witnesses import Array, Case, back, rate, turned, witness
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
    middle = b.origin + turned(b.R, np.broadcast_to(np.stack([0.5 * LENGTH, 0 * LENGTH, 0 * LENGTH], axis=1),
                                                    b.origin.shape))
    expected = np.broadcast_to([0.1, -0.2, 0.05], middle.shape) + 0.7 * middle[..., :1] * np.array([0.0, 0.0, 1.0])
    case.same(data["water_velocity"], expected, 1e-9)
