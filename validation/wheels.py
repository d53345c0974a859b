"""What cases and golden tests of the wheeled snake share."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from limbless.models.geometric import Geometric
from limbless.robots.wang_snake import WangSnake


def tail(dataset: Any) -> np.ndarray:
    """X, Y, theta_3 of the tail at every record."""
    q = dataset["base_orientation"].values
    return np.column_stack([dataset["base_position"].values[:, :2], 2.0 * np.arctan2(q[:, 3], q[:, 0])])


def drive(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates and accelerations of the joints by (29)."""
    phase = t + np.arange(1, 5) * np.pi / 2
    return 0.4 * np.sin(phase), 0.4 * np.cos(phase), -0.4 * np.sin(phase)


def crawl(law: str, step: float, duration: float, every: float) -> ll.Result:
    """The snake of the paper on its wheels."""
    return ll.simulate(WangSnake(), ll.Serpenoid(), ll.Wheels(law=law), model="geometric", duration=duration, step=step, record_every=every)


def printed_acceleration(model: Geometric, t: float, base: np.ndarray) -> np.ndarray:
    """(22) as printed: no product of the base's rates with those of the joints."""
    q, qd, qdd = drive(t)
    x, v = np.concatenate([base[:3], q]), np.concatenate([base[3:], qd])
    apart = model.bias(x, [*base[3:], 0, 0, 0, 0]) + model.bias(x, [0, 0, 0, *qd])
    force, M = model.generalised_force(x, v), model.metric(x)
    return np.linalg.solve(M[:3, :3], (force - apart)[:3] - M[:3, 3:] @ qdd)


def printed_run(wheels: Any, h: float, steps: int, every: int) -> tuple[np.ndarray, np.ndarray]:
    """(22) as printed, integrated by RK4, with the torques of the full (23): torques and track at every `every`-th step."""
    model, base, torques, track = Geometric(WangSnake(), wheels), np.zeros(6), [], []

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[3:], printed_acceleration(model, t, state)])

    for k in range(steps + 1):
        t = k * h
        if k % every == 0:
            q, qd, qdd = drive(t)
            given = np.concatenate([printed_acceleration(model, t, base), qdd])
            torques.append(model.solve([*base[:3], *q], [*base[3:], *qd], "manipulation", acceleration=given).force[3:])
            track.append(base[:2].copy())
        k1 = rate(t, base)
        k2 = rate(t + h / 2, base + h / 2 * k1)
        k3 = rate(t + h / 2, base + h / 2 * k2)
        base = base + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, base + h * k3))
    return np.array(torques), np.array(track)
