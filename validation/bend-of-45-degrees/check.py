"""A curved spine under an out-of-plane force, and the same rod by shooting."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order
from validation.spines import BEND_BENDING, BEND_LENGTH, BEND_TIPS, BEND_TWISTING, bend_of_a_rod, rod

COUNTS = (8, 16, 32, 64)


def tip(count: int, force: float) -> np.ndarray:
    robot = rod(count, BEND_LENGTH, BEND_BENDING, BEND_TWISTING, rest=np.pi / 4)
    return ll.TendonStatics(robot).solve([0.0], tip_force=(0.0, 0.0, force)).tip_in_base


def check(case: Any, sheet: Any) -> dict[str, float]:
    values, limit, shooting = {}, 0.0, 0.0
    for force, (inward, along, out) in BEND_TIPS.items():
        published, plain = np.array([along, inward, out]), bend_of_a_rod(force, 0.0, 0.0)
        tips = [tip(count, force) for count in COUNTS]
        end = extrapolated(tips[-2], tips[-1])
        limit = max(limit, float(np.abs(end - plain).max()))
        shooting = max(shooting, float(np.abs(bend_of_a_rod(force, 1.0 / 5e6, 1.0 / 1e7) - published).max()))
        values[f"published {force:.0f}"] = float(np.abs(end - published).max())
        errors = [float(np.linalg.norm(one - plain)) for one in tips]
    axes = sheet.subplots()
    draw_order(axes, COUNTS, errors, "energy form", "vertebrae")
    axes.set_ylabel("distance of the tip")
    straight = ll.TendonStatics(rod(8, BEND_LENGTH, 1.0, 1.0, rest=np.pi / 4)).solve([0.0]).tip_in_base
    return {
        **values,
        "limit": limit,
        "shooting": shooting,
        "order": fitted_order(COUNTS, errors),
        "unloaded": float(np.abs(straight - [70.7107, 29.2893, 0.0]).max()),
    }
