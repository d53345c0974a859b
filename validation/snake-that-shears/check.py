"""The mobility condition of a sheared body, and the scenario that uses it."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from limbless.gaits.sheared_curvature import curvature_rate
from validation.rods import axial_speed


def rate_error(numbers: dict, rate: float) -> float:
    """Largest difference of the rate of curvature from the reference's."""
    X = np.linspace(0.0, numbers["inputs"]["l"], 2049)
    K, shear, shear_rate = 3.0 + np.cos(4.0 * X), 0.2 + 0.1 * np.sin(3.0 * X), rate * (0.5 + X)
    speed = axial_speed(X, K, shear, shear_rate, numbers["inputs"]["V_o"])
    found = curvature_rate(K, -4.0 * np.sin(4.0 * X), shear, shear_rate, np.full_like(X, rate), speed)
    return float(np.abs(np.interp(numbers["outputs"]["X"], X, found) - numbers["outputs"]["K_dot"]).max())


def check(case: Any, sheet: Any) -> dict[str, float]:
    data = ll.run("snake-shear").dataset
    track, slip = sheet.subplots(1, 2)
    track.plot(data.base_position[:, 0], data.base_position[:, 1])
    track.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    slip.plot(data.time, data.contact_residual)
    slip.set(xlabel="time (s)", ylabel="sideways speed at the supports (m/s)")
    X = np.linspace(0.0, 1.0, 50)
    straight = curvature_rate(0.0 * X, 0.0 * X, 0.2 + 0.0 * X, 0.0 * X, 0.0 * X, -0.5 + 0.0 * X)
    return {
        "static": rate_error(case.numbers["reissner_static_shear"], 0.0), "changing": rate_error(case.numbers["reissner_shear_rate"], 0.3),
        "moved": float(np.linalg.norm(data.base_position.values[-1] - data.base_position.values[0])),
        "slip": float(data.contact_residual.max()), "straight": float(np.abs(straight).max()),
    }
