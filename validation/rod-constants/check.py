"""Arc, buckling and vibration."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

import limbless as ll
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order
from validation.spines import rod, sprung

COUNTS, LINKS = (8, 16, 32, 64), (10, 20, 40, 80)


def hessian(count: int, force: float, mass: float) -> np.ndarray:
    """Of the potential of a straight spine under an axial tip force (N) and its weight (acceleration
    1 m/s² towards the base).
    """
    model = ll.TendonStatics(rod(count, mass=mass), [ll.Gravity(acceleration=(-1.0, 0.0, 0.0))] if mass else [])
    return model.equilibrium(model.loads(np.zeros(1), tip_force=(-force, 0.0, 0.0)), np.zeros((count, 2)), 0).hessian


def critical(count: int, force: float, mass: float) -> float:
    """Factor of the load at which the straight spine becomes unstable."""
    without, loaded = hessian(count, 0.0, 0.0), hessian(count, force, mass)
    return float(1.0 / eigh(without - loaded, without, eigvals_only=True).max())


def vibration(links: int) -> tuple[np.ndarray, np.ndarray]:
    """Circular frequencies and modes of the beam, from the inertia that inverse dynamics
    gives for unit accelerations.
    """
    model, still = ll.NewtonEuler(sprung(links)), np.zeros(links)
    M = np.column_stack([model.inverse(still, still, unit).joint_torque for unit in np.eye(links)])
    # Rotations of slices count for nothing in the beam of the textbook, and for l²/12 in a link: part of
    # the error of second order
    squares, modes = eigh(np.eye(links) * links, 0.5 * (M + M.T))
    return np.sqrt(squares), modes


def returns(links: int) -> float:
    """What is left of the difference between start and end of one period of the first mode."""
    frequencies, modes = vibration(links)
    start = 1e-5 * modes[:, 0] / np.abs(modes[:, 0]).max()
    period = 2.0 * np.pi / frequencies[0]
    free = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
    steps = int(np.ceil(period * frequencies[-1] / (2.0 * np.pi) * 12))
    data = ll.simulate(
        sprung(links),
        free,
        [],
        actuation="torque",
        duration=period,
        step=period / steps,
        record_every=period,
        initial={"joint_position": tuple(start)},
    ).dataset
    return float(np.abs(data.joint_position.values[-1] - start).max() / 1e-5)


def check(case: Any, sheet: Any) -> dict[str, float]:
    euler = [critical(count, 1.0, 0.0) / (np.pi**2 / 4.0) for count in COUNTS]
    weight = [critical(count, 0.0, 1.0) for count in COUNTS]
    waves = np.array([np.sqrt(vibration(links)[0][:3]) for links in LINKS])
    exact = np.array([1.875104, 4.694091, 7.854757])
    axes, other = sheet.subplots(1, 2)
    draw_order(axes, COUNTS, np.abs(np.array(euler) - 1.0), "Euler", "vertebrae")
    draw_order(axes, COUNTS, np.abs(np.array(weight) / 7.837347 - 1.0), "own weight", "vertebrae")
    for number in range(3):
        draw_order(other, LINKS, np.abs(waves[:, number] / exact[number] - 1.0), f"mode {number + 1}", "links")
    axes.set_ylabel("relative error")
    bent = ll.TendonStatics(rod(12)).solve([0.0], tip_moment=(0.0, 0.0, 1.2)).bend[:, 0]
    limits = extrapolated(waves[-2], waves[-1])
    return {
        "arc": float(np.abs(bent - 1.2 / 12).max()),
        "euler": float(extrapolated(euler[-2], euler[-1])),
        "weight": float(extrapolated(weight[-2], weight[-1])),
        **{f"mode {number + 1}": float(limits[number]) for number in range(3)},
        "order": fitted_order(LINKS, np.abs(waves[:, 0] - exact[0])),
        "returns": returns(20),
    }
