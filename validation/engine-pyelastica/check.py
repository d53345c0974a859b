"""A cantilever in PyElastica and as a spine."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import extrapolated
from validation.spines import rod

COUNTS, RADIUS, MODULUS, DENSITY = (10, 20, 40), 0.01, 1e6, 1000.0
BENDING = MODULUS * np.pi / 4.0 * RADIUS**4
FORCE = 2.0 * BENDING


def at_rest(elements: int) -> tuple[np.ndarray, float]:
    """Nodes (n + 1, 2) of PyElastica's rod after damped motion, m, and the largest speed left, m/s."""
    import elastica as ea

    class World(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.Damping):
        pass

    world = World()
    body = ea.CosseratRod.straight_rod(
        elements,
        np.zeros(3),
        np.array([1.0, 0.0, 0.0]),
        np.array([0.0, 1.0, 0.0]),
        1.0,
        RADIUS,
        DENSITY,
        youngs_modulus=MODULUS,
        shear_modulus=MODULUS / 3.0,
    )
    world.append(body)
    world.constrain(body).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
    world.add_forcing_to(body).using(ea.EndpointForces, np.zeros(3), np.array([0.0, FORCE, 0.0]), ramp_up_time=2.0)
    step = 3e-4  # s: bounded by the shear waves across the thin rod, not by the elements
    world.dampen(body).using(ea.AnalyticalLinearDamper, uniform_damping_constant=1.2, time_step=step)
    world.finalize()
    stepper, time = ea.PositionVerlet(), np.float64(0.0)
    for _ in range(round(28.0 / step)):
        time = stepper.step(world, time, np.float64(step))
    return body.position_collection[:2].T.copy(), float(np.linalg.norm(body.velocity_collection, axis=0).max())


def clamped(held: float) -> np.ndarray:
    """Tip of a rod held straight for its first `held` metres: the limit of spines of 32 and 64 vertebrae."""
    spines = [
        ll.TendonStatics(rod(count, 1.0 - held, BENDING)).solve([0.0], tip_force=(0.0, FORCE, 0.0))
        for count in (32, 64)
    ]
    return extrapolated(*(spine.tip_in_base[:2] for spine in spines)) + np.array([held, 0.0])


def check(case: Any, sheet: Any) -> dict[str, float]:
    rods = [at_rest(count) for count in COUNTS]
    apart = [nodes[-1] - clamped(0.5 / count) for count, (nodes, _) in zip(COUNTS, rods, strict=True)]
    errors = [float(np.linalg.norm(one)) for one in apart]
    steps = [float(np.linalg.norm(one - other)) for one, other in pairwise(apart)]
    left = np.linalg.norm(extrapolated(apart[-2], apart[-1]))
    found = ll.TendonStatics(rod(64, bending=BENDING)).solve([0.0], tip_force=(0.0, FORCE, 0.0))
    shape, axes = sheet.subplots(1, 2)
    shape.plot(*found.position[:, :2].T, "k-", label="spine")
    for count, (nodes, _) in zip(COUNTS, rods, strict=True):
        shape.plot(*nodes.T, "o", markersize=2, label=f"{count} elements")
    shape.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    shape.legend()
    axes.loglog(COUNTS, errors, "o-")
    axes.set(xlabel="elements", ylabel="distance of the tips (m)")
    shear = FORCE / (MODULUS / 3.0 * np.pi * RADIUS**2)  # P L/GA
    return {
        "tip": errors[-1],
        "order": float(np.log2(steps[0] / steps[1])),
        "left": float(left / shear),
        "speed": max(speed for _, speed in rods),
    }
