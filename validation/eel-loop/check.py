"""The loop, as the reference was made and as the scenario comes."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.eel import PERIOD, as_the_reference, at_listed_times, circle, head_turns, peaks, state_errors
from validation.runner.convergence_orders import fitted_order


def nose(step: float, points: int) -> np.ndarray:
    """Where the loop has taken it after 10 s, m."""
    changes = {"duration": 10.0, "step": step, "record_every": 10.0, "environment.0.points": points}
    return ll.run("eel-loop", changes).dataset.base_position.values[-1]


def check(case: Any, sheet: Any) -> dict[str, float]:
    numbers = case.numbers["loop_60s"]
    data = as_the_reference(numbers, 60.0)
    position, torque = data.base_position.values, peaks(data)
    means = position[:-1].reshape(-1, round(PERIOD / numbers["dt"]), 3).mean(axis=1)
    x, _, z = means[len(means) // 2 :].T
    center_x, center_z, radius, apart = circle(x, z)
    steps = (0.05, 0.02, 0.01, 0.005)
    fine = nose(0.00125, 4)
    errors = [float(np.linalg.norm(nose(step, 4) - fine)) for step in steps]
    axes = sheet.subplots()
    axes.plot(position[:, 0], position[:, 2])
    _, listed = at_listed_times(data, numbers["state"])
    axes.plot(listed[:, 0], listed[:, 2], "o", markersize=3)
    angle = np.linspace(0.0, 2.0 * np.pi, 100)
    axes.plot(center_x + radius * np.cos(angle), center_z + radius * np.sin(angle), "--", linewidth=0.6)
    axes.set(xlabel="x (m)", ylabel="z (m)", aspect="equal")
    return {
        **state_errors(data, numbers),
        "as it comes": state_errors(ll.run("eel-loop").dataset, numbers)["position"],
        "step error": errors[2],
        "step order": -fitted_order(steps, errors),
        "quadrature": float(np.linalg.norm(nose(0.005, 4) - nose(0.005, 32))),
        "roundness": apart,
        "radius": radius,
        "turns": head_turns(data),
        "centre height": center_z,
        "sideways": float(np.abs(position[:, 1]).max()),
        "yaw": float(torque[0::3].max()),
        "pitch": float(torque[1::3].max()),
        "drawn roll": float(torque[[2, 26, 35]].max()),
        "roll": float(torque[2::3].max()),
    }
