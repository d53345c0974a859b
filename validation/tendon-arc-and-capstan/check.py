"""Arc and capstan."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order
from validation.spines import rod

COUNTS, TENSION, OFFSET, MU = (8, 16, 32, 64), 8.0, 0.05, 0.3


def capstan(count: int, slip: float) -> tuple[float, float]:
    """T_out/T_in over the capstan's law, and the total bend, of a tendon that bends its spine."""
    found = ll.TendonStatics(rod(count, hole=OFFSET), settings=ll.TendonStaticsSettings(friction=MU)).solve(
        [TENSION], slip=[slip]
    )
    bends = np.abs(found.bend[:, 0])
    # a chord turns by the mean of two bends at the disk between them
    angle = 0.5 * (bends[1:] + bends[:-1]).sum()
    return float(found.distal_tension[0] / TENSION / np.exp(-slip * MU * angle)), float(found.bend[:, 0].sum())


def check(case: Any, sheet: Any) -> dict[str, float]:
    found = [ll.TendonStatics(rod(count, hole=OFFSET)).solve([TENSION]).bend[:, 0] for count in COUNTS]
    totals = np.array([bend.sum() for bend in found])
    errors = np.abs(totals - TENSION * OFFSET)
    pulled, released = ([capstan(count, slip)[0] for count in COUNTS] for slip in (1.0, -1.0))
    axes = sheet.subplots()
    draw_order(axes, COUNTS, errors, "arc (rad)", "vertebrae")
    draw_order(axes, COUNTS, np.abs(np.array(pulled) - 1.0), "capstan (1)", "vertebrae")
    axes.set_ylabel("error")
    less, more = capstan(64, 1.0)[1], capstan(64, -1.0)[1]
    return {
        "arc": float(extrapolated(totals[-2], totals[-1])),
        "circle": float(max(np.ptp(bend) for bend in found)),
        "order": fitted_order(COUNTS, errors),
        "capstan": pulled[-1],
        "released": released[-1],
        "bracket": float(min(totals[-1] - less, more - totals[-1])),
    }
