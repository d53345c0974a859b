"""The mobility condition of a sheared body, and the scenario that uses it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

import limbless as ll
from validation.rods import along_sections, axial_speed, curvature_by_differences
from validation.runner.convergence_orders import extrapolated


def rate_error(numbers: dict, rate: float) -> float:
    """Largest difference of the rate of curvature from the reference's."""
    X = np.linspace(0.0, numbers["inputs"]["l"], 2049)
    K, shear, shear_rate = 3.0 + np.cos(4.0 * X), 0.2 + 0.1 * np.sin(3.0 * X), rate * (0.5 + X)
    speed = axial_speed(X, K, shear, shear_rate, numbers["inputs"]["V_o"])
    found = ll.ShearedCurvature.rate(K, -4.0 * np.sin(4.0 * X), shear, shear_rate, np.full_like(X, rate), speed)
    return float(np.abs(np.interp(numbers["outputs"]["X"], X, found) - numbers["outputs"]["K_dot"]).max())


def refused(**gait: float) -> bool:
    """Whether the supports leave a snake of this posture free to slide, as the library says before it starts."""
    try:
        ll.run("snake-shear", {"duration": 0.02, **{f"gait.{name}": value for name, value in gait.items()}})
    except ll.InputError as error:
        return "free to slide" in str(error)
    return False


def check(case: Any, sheet: Any) -> dict[str, float]:
    scenario = ll.Scenario.load("snake-shear")
    data = ll.run(scenario).dataset
    X, K = data.abscissa.values, data.strain.values[..., 5]
    known = extrapolated(*(np.interp(X, *curvature_by_differences(scenario.gait, 5.0, cells)) for cells in (200, 400)))
    head = data.base_position.values[:, :2]
    speed = np.linalg.norm(make_interp_spline(data.time.values, head, k=5).derivative()(data.time.values), axis=1)
    turn = 2.0 * np.arctan2(data.base_orientation.values[0, 3], data.base_orientation.values[0, 0])
    centre = head[0] + np.array([-np.sin(turn), np.cos(turn)]) / 3.0
    sideways = np.abs(along_sections(data)[..., 1])
    bent, slip = sheet.subplots(1, 2)
    bent.plot(X, K[0], label="0 s")
    bent.plot(X, K[-1], label="5 s")
    bent.plot(X[::4], known[::4], "o", markersize=3, color="k")
    bent.set(xlabel="X (m)", ylabel="curvature (1/m)")
    bent.legend()
    slip.semilogy(data.time, np.maximum(sideways.max(axis=1), 1e-12))
    slip.set(xlabel="time (s)", ylabel="sideways speed (m/s)")
    return {
        "static": rate_error(case.numbers["reissner_static_shear"], 0.0),
        "changing": rate_error(case.numbers["reissner_shear_rate"], 0.3),
        "way": float(make_interp_spline(data.time.values, speed, k=5).integrate(0.0, 5.0)),
        "curvature": float(np.abs(K[-1] - known).max()),
        "changed": float(np.abs(K[-1] - K[0]).max()),
        "refused": float(refused(shear=0.0) + refused(curvature=0.0) + refused(curvature=0.0, shear=0.0) + refused()),
        "slip": float(sideways.max()),
        "circle": float(np.abs(np.linalg.norm(head - centre, axis=1) - 1.0 / 3.0).max()),
    }
