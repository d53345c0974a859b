"""A clamped soft rod that is let go under its weight, here and in PyElastica: what cases and benchmarks share."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

LENGTH, RADIUS, MODULUS, DENSITY, GRAVITY = 0.5, 0.01, 1e6, 1000.0, 9.81
DOWN = ll.Gravity(acceleration=(0.0, -GRAVITY, 0.0))


def soft_rod(strains: str = "planar-reissner") -> ll.Rod:
    """Bends in a plane, and stretches and shears unless `strains` says otherwise."""
    return ll.Rod(
        base="fixed",
        strains=strains,
        length=LENGTH,
        half_width=RADIUS,
        youngs_modulus=MODULUS,
        density=DENSITY,
        passive={},
    )


class Elastica:
    """The same rod in PyElastica, with so many elements and this step (s)."""

    def __init__(self, elements: int, step: float) -> None:
        import elastica as ea

        class World(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):  # type: ignore[misc]
            pass

        self.world: Any = World()
        self.body = ea.CosseratRod.straight_rod(
            elements,
            np.zeros(3),
            np.array([1.0, 0.0, 0.0]),
            np.array([0.0, 1.0, 0.0]),
            LENGTH,
            RADIUS,
            DENSITY,
            youngs_modulus=MODULUS,
            shear_modulus=MODULUS / 3.0,
        )
        self.world.append(self.body)
        self.world.constrain(self.body).using(
            ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,)
        )
        self.world.add_forcing_to(self.body).using(ea.GravityForces, acc_gravity=np.array([0.0, -GRAVITY, 0.0]))
        self.world.finalize()
        self.stepper, self.time, self.step = ea.PositionVerlet(), np.float64(0.0), step

    def advance(self, steps: int) -> np.ndarray:
        """The tip (x, y) after so many steps."""
        for _ in range(steps):
            self.time = self.stepper.step(self.world, self.time, np.float64(self.step))
        return np.asarray(self.body.position_collection[:2, -1].copy())


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Root of the mean square of distances (.., 2)."""
    return float(np.sqrt(((one - other) ** 2).sum(axis=1).mean()))
