"""Tip of a spine under a dead load, against the tables of the elastica."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from limbless.validation.orders import draw_order, extrapolated, fitted_order
from validation.spines import rod

TABLE = {
    0.5: (0.244534, 0.162144, 0.015919, 0.492041), 1.0: (0.461352, 0.301721, 0.056433, 0.943567),
    2.0: (0.781750, 0.493457, 0.160642, 1.678717), 5.0: (1.215368, 0.713792, 0.387628, 3.061858),
    10.0: (1.430286, 0.810609, 0.554996, 4.450044),
}
"""P L²/EI -> tip angle, deflection/L, shortening/L, root moment L/EI."""
COUNTS = (8, 16, 32, 64)


def bent(count: int, load: float, form: str = "energy") -> np.ndarray:
    """The four numbers of the table, for a spine of `count` vertebrae."""
    found = ll.TendonStatics(rod(count), settings=ll.TendonStaticsSettings(form=form)).solve(
        [0.0], tip_force=(0.0, load, 0.0)
    )
    x, y = found.tip_in_base[:2]
    return np.array([found.bend[:, 0].sum(), y, 1.0 - x, load * x])        # moment of the load about the root


def check(case: Any, sheet: Any) -> dict[str, float]:
    limits = np.array([extrapolated(bent(32, load), bent(64, load)) for load in TABLE])
    worst = np.abs(limits - np.array(list(TABLE.values()))).max(axis=0)
    axes, orders = sheet.subplots(), {}
    for form in ("energy", "moment"):
        errors = [float(np.hypot(*(bent(count, 5.0, form) - TABLE[5.0])[1:3])) for count in COUNTS]
        draw_order(axes, COUNTS, errors, f"{form} form", "vertebrae")
        orders[f"{form} order"] = fitted_order(COUNTS, errors)
    axes.set_ylabel("distance of the tip / L")
    return {**dict(zip(("angle", "deflection", "shortening", "moment"), map(float, worst), strict=True)), **orders}
