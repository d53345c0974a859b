"""The snake of the cross tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import validation.engines  # noqa: F401
from validation.runner.convergence_orders import extrapolated, fitted_order

COUNTS = (16, 32, 64)


def check(case: Any, sheet: Any) -> dict[str, float]:
    from elastica_snake import Snake, motion

    apart, axes = [], sheet.subplots()
    for count in COUNTS:
        history = Snake(count).run(3.0, 0.02)
        ours = motion(history, cells=96, step=0.005).dataset["com_position"].values[:, :2]
        apart.append(ours - history.center)
    axes.plot(*ours.T, label="limbless")
    axes.plot(*history.center.T, "--", label="PyElastica")
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.legend()
    way = np.linalg.norm(history.center[-1] - history.center[0])
    return {
        "order": fitted_order(COUNTS, [float(np.abs(one).max()) for one in apart]),
        "limit": float(np.abs(extrapolated(apart[1], apart[2])).max() / way),
    }
