"""Soft bodies that nothing accelerates: what the cases of rods at rest share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import limbless as ll

NUDGE = 1e-6


def at_rest(left: Callable[[np.ndarray], np.ndarray], strain: np.ndarray, turns: int = 8) -> np.ndarray:
    """The strains at which `left` (accelerations) is zero, by Newton's method with differences."""
    for _ in range(turns):
        now = left(strain)
        slopes = np.array([(left(strain + step) - now) / NUDGE for step in NUDGE * np.eye(len(strain))]).T
        strain = strain - np.linalg.solve(slopes, now)
    return strain


def _left(model: ll.Soft, strain: np.ndarray) -> np.ndarray:
    return np.asarray(model.forward(model.flat(strain)).strain_acceleration)


def tip_of_loaded_rod(rod: ll.Rod, force: float, cells: int, loads: int = 1) -> tuple[np.ndarray, float]:
    """Tip (x, y) and angle of a clamped rod with a dead force along y at its tip, in the model `soft`; the force grows
    in so many parts.
    """
    strain = np.zeros(0)
    for part in range(1, loads + 1):
        push = ll.PointWrench(abscissa=rod.length, force=(0.0, force * part / loads, 0.0), frame="world")
        model = ll.Soft(rod, push, settings=ll.SoftSettings(cells=cells))
        strain = at_rest(partial(_left, model), strain if len(strain) else np.zeros(model.freedoms))
    found = model.forward(model.flat(strain))
    return found.origin[-1, :2], float(np.arctan2(found.rotation[-1, 1, 0], found.rotation[-1, 0, 0]))
