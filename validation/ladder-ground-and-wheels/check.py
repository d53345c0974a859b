"""Spheres on the ground and wheels at the same points."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import draw_order, fitted_order

LENGTH, HALVINGS = 0.122, (1, 2, 4, 8)


def apart(halving: int) -> tuple[float, float]:
    """Distance of the centres of mass after 1 s (m), and the largest tilt of a link on the ground."""
    radius, step = 0.005 / halving, 0.00025 / halving
    body = {
        "links": 5,
        "sphere_radius": radius,
        "sphere_distance": LENGTH / (2.0 * np.sqrt(3.0)),
        "inertia": "cylinder",
    }
    gait = ll.JointWave(yaw_amplitude=0.5, yaw_rate=2.0, yaw_phase=-0.9)
    options = {"duration": 1.0, "step": step, "record_every": 0.25}
    ground = ll.simulate(
        ll.Aiko(**body),
        gait,
        [ll.Ground(forward=0.1, lateral=0.5, rolling=50.0), ll.Gravity()],
        model="non-smooth",
        actuation="motion",
        initial={"position": (0.0, 0.0, radius)},
        **options,
    ).dataset
    grip = ll.Wheels(cone="ellipse", tangential=0.1, normal=0.5, placement="distributed", points=2)
    wheels = ll.simulate(ll.Aiko(base="planar", **body), gait, grip, model="geometric", **options).dataset
    difference = (ground.com_position.values - wheels.com_position.values)[-1, :2]
    return float(np.linalg.norm(difference)), float(np.abs(ground.orientation.values[..., 1:3]).max())


def check(case: Any, sheet: Any) -> dict[str, float]:
    found = [apart(halving) for halving in HALVINGS]
    errors = [distance for distance, _ in found]
    axes = sheet.subplots()
    draw_order(axes, HALVINGS, errors, "centres of mass (m)", "radius 5 mm and step 0.25 ms, divided by")
    axes.set_ylabel("distance after 1 s")
    return {"order": fitted_order(HALVINGS, errors), "apart": errors[-1], "rolling": max(tilt for _, tilt in found)}
