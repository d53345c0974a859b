"""Tip of a spine under a dead load, against the tables of the elastica."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.resting import tip_of_loaded_rod
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order
from validation.spines import ELASTICA, rod

COUNTS = (8, 16, 32, 64)


def bent(count: int, load: float, form: str = "energy") -> np.ndarray:
    """The four numbers of the table, for a spine of `count` vertebrae."""
    found = ll.TendonStatics(rod(count), settings=ll.TendonStaticsSettings(form=form)).solve(
        [0.0], tip_force=(0.0, load, 0.0)
    )
    x, y = found.tip_in_base[:2]
    return np.array([found.bend[:, 0].sum(), y, 1.0 - x, load * x])  # moment of the load about the root


def sheared(force: float = 1e-3) -> float:
    """Deflection under a small force of a rod that bends and shears, over that of Timoshenko's beam: L = EI = 1, kGA =
    20 (a fifth of it is shear).
    """
    shears = ll.Rod(
        base="fixed",
        strains="planar-reissner",
        length=1.0,
        half_width=0.1,
        passive={},
        stiffness=(1e6, 20.0, 20.0, 1.0, 1.0, 1.0),
    )
    (_, y), _ = tip_of_loaded_rod(shears, force, 4)
    return float(y / (force / 3.0 + force / 20.0))


def check(case: Any, sheet: Any) -> dict[str, float]:
    limits = np.array([extrapolated(bent(32, load), bent(64, load)) for load in ELASTICA])
    worst = np.abs(limits - np.array(list(ELASTICA.values()))).max(axis=0)
    axes, orders = sheet.subplots(), {}
    for form in ("energy", "moment"):
        errors = [float(np.hypot(*(bent(count, 5.0, form) - ELASTICA[5.0])[1:3])) for count in COUNTS]
        draw_order(axes, COUNTS, errors, f"{form} form", "vertebrae")
        orders[f"{form} order"] = fitted_order(COUNTS, errors)
    axes.set_ylabel("distance of the tip / L")
    return {
        **dict(zip(("angle", "deflection", "shortening", "moment"), map(float, worst), strict=True)),
        **orders,
        "shear": sheared(),
    }
